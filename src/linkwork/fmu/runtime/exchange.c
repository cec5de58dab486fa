/* Model exchange: another program integrates.  It gives t and y; back come dy/dt, event indicators, and events.

   dy/dt = f(P(y)): the rate at the state brought onto the constraints, P, so that an error of the other integrator does
   not grow.  Where y has drifted from P(y) by more than the tolerance, an event brings it back.
*/
#include <math.h>
#include <string.h>

#include "instance.h"

#define NEAR_ENOUGH 1.0 /* drift, in units of the tolerance, that is left */
#define AHEAD 10.0 /* longest steps: so far it is looked for the next break */
#define LOCATED 1e-6 /* of what a condition was short of at the last step: the event is here */

/* When the other program is to call for an event: at a break, or where it is to look again for one. */
static lw_break next_event(lw_instance *c) {
    double horizon = c->control->t + AHEAD * c->control->h_limit;
    lw_break found = next_break(c, horizon);
    return found.t > horizon && c->model->head->crossings ? known_break(horizon) : found;
}

double exchange_next_event(lw_instance *c) { return next_event(c).t; }

/* Expressions are not held on their side of a jump: the other program finds where they change. */
void exchange_begin(lw_instance *c) {
    lw_switch *switches = c->work->switches.data;
    for (int64_t k = 0; k < c->work->switches.size; k++) switches[k].cell = UNDECIDED;
    c->now.begun = 1;
    begin_segment(c, next_event(c));
}

void exchange_set_time(lw_instance *c, double t) {
    if (t != c->control->t) c->now.sampled = 0;
    c->control->t = t;
}

void exchange_set_states(lw_instance *c, const double *y) {
    size_t bytes = c->y->size * sizeof(double);
    if (memcmp(c->y->data, y, bytes)) c->now.sampled = 0;
    memcpy(c->y->data, y, bytes);
}

int exchange_rates(lw_instance *c, double *rates) {
    if (sample(c)) return LW_FAILED;
    memcpy(rates, c->work->rate.data, c->y->size * sizeof(double));
    return LW_OK;
}

int64_t indicator_count(const lw_instance *c) {
    int64_t events = c->model->head->events, switches = c->work->switches.size;
    return events + (c->work->watch.shape[0] - events - switches) / 2 + switches;
}

static double margin(const lw_instance *c, int64_t k) {
    const lw_watch *watch = (lw_watch *)c->work->watch.data + k;
    return watch->sign * row(c->samples, 0)[c->model->head->signals + watch->signal];
}

/* Of events their conditions, positive where they hold; of contacts the depth; of switches the distance. */
int exchange_indicators(lw_instance *c, double *values) {
    int64_t events = c->model->head->events, count = indicator_count(c), switches = c->work->switches.size;
    if (sample(c)) return LW_FAILED;
    for (int64_t k = 0; k < count - switches; k++) values[k] = margin(c, k < events ? k : 2 * k - events);
    for (int64_t k = 0; k < switches; k++) values[count - switches + k] = switch_distance(c, k);
    return LW_OK;
}

/* How far the state is from that on the constraints, in units of the tolerance. */
static double drift(const lw_instance *c) {
    const double *y = c->y->data, *on = row(c->samples, 0), *scales = c->work->scales.data;
    double worst = 0.0;
    for (int64_t k = 0; k < c->y->size; k++)
        if (scales[k] > 0.0)
            worst = fmax(worst, fabs(on[k] - y[k]) / (c->control->atol * scales[k] + c->control->rtol * fabs(y[k])));
    return worst;
}

/* Whether a condition has become true since the last step; an event is located from either side. */
static int begins(const lw_instance *c, int64_t k) {
    double before = ((lw_watch *)c->work->watch.data)[k].before, now = margin(c, k);
    return before <= 0.0 && (now > 0.0 || now > LOCATED * before);
}

/* The end of a step: angles are counted from here on; whether an event is due. */
int exchange_step_done(lw_instance *c, int *event_due) {
    if (sample(c)) return LW_FAILED;
    memcpy(c->angles->data, c->work->angle.data, c->angles->size * sizeof(double));
    ((lw_segment *)c->work->segment.data)->t_accepted = c->control->t;
    if (c->work->basis.size) ((lw_method *)c->work->method.data)->rebuild = 1;
    *event_due = drift(c) > NEAR_ENOUGH;
    for (int64_t k = 0; k < c->model->head->events; k++) {
        if (begins(c, k))
            *event_due = 1;
        else
            ((lw_watch *)c->work->watch.data)[k].before = margin(c, k);
    }
    return LW_OK;
}

/* What an event does, the k-th of them. */
static int act(lw_instance *c, int64_t k, int *changed) {
    int64_t change = scheduled(c) + k, action = change_of(c, change)->action;
    lw_watch *watch = (lw_watch *)c->work->watch.data + k;
    if (change_of(c, change)->once && watch->occurred++) return LW_OK;
    if (action == LOG || action == STOP) {
        report_change(c, change, c->control->t);
        return LW_OK;
    }
    *changed = 1;
    return apply_changes(c, change, change + 1);
}

/* What happens at this instant; whether the states have changed. */
int exchange_event(lw_instance *c, int *changed) {
    double t = c->control->t;
    int64_t due = c->loop->next_change;
    if (sample(c)) return LW_FAILED;
    *changed = drift(c) > 0.0;
    memcpy(c->y->data, row(c->samples, 0), c->y->size * sizeof(double));
    while (due < scheduled(c) && change_of(c, due)->t <= known_break(t).after) due++;
    if (due > c->loop->next_change) {
        *changed = 1;
        if (apply_changes(c, c->loop->next_change, due)) return LW_FAILED;
        c->loop->next_change = due;
    }
    for (int64_t k = 0; k < c->model->head->events; k++) {
        if (sample(c)) return LW_FAILED;
        int holds = begins(c, k);
        if (holds && act(c, k, changed)) return LW_FAILED;
        if (sample(c)) return LW_FAILED;
        ((lw_watch *)c->work->watch.data)[k].before = holds ? 1.0 : margin(c, k);
    }
    lw_break here = next_break(c, known_break(t).after);
    if (here.t <= known_break(t).after) pass_break(c, here);
    begin_segment(c, next_event(c));
    c->now.restart = c->now.sampled = 0;
    return LW_OK;
}
