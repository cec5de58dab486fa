/* A run: from break time to break time by the loop that linkwork itself uses (integrators/loop/advance.py); samples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#define STAGES stage[0], stage[1], stage[2], stage[3], stage[4], stage[5], stage[6]
#define RUN \
    c->system, c->y, c->angles, c->work, c->memory, c->control_array, c->progress_array, c->stops, c->times, c->samples, \
        c->history, c->path

static void find_stages(const lw_instance *c, lw_function **stage) {
    const lw_model *m = c->model;
    for (int k = 0; k < 7; k++) stage[k] = (lw_function *)m->kernels[m->head->stages[k]];
}

static int64_t chunk(lw_instance *c) {
    lw_function *stage[7];
    int64_t status = NOT_FINITE;
    find_stages(c, stage);
    lw_call_integrators_loop_advance_advance(STAGES, RUN, c->alike, c->event_location, c->state, c->occurrences, &status);
    return status;
}

/* What is scheduled for this instant, or what an event does; LW_OK, and the states may have changed. */
int apply_changes(lw_instance *c, int64_t first, int64_t last) {
    lw_function *stage[7];
    int64_t status = NOT_FINITE;
    find_stages(c, stage);
    c->loop->occurred = 0;
    lw_call_integrators_loop_changes_apply_changes(
        stage[0], c->system, c->alike, c->y, c->angles, c->work, c->control_array, c->progress_array, c->occurrences,
        first, last, &status);
    c->now.sampled = 0;
    if (status != CHANGED) return failure(c, status);
    for (int64_t k = first; k < last; k++) report_change(c, k, c->control->t);
    return LW_OK;
}

static void set_times(lw_instance *c, int64_t count) { c->times->size = c->times->shape[0] = count; }

/* The present state, brought onto the constraints and solved: into the workspace and the row of samples. */
int sample(lw_instance *c) {
    double stop = c->control->t_stop;
    if (c->now.sampled) return LW_OK;
    set_times(c, 1);
    numbers(c->times)[0] = c->control->t_stop = c->control->t;
    *(lw_break *)c->stops->data = known_break(c->control->t), c->loop->next_stop = 0;
    c->loop->next_sample = c->loop->filled = c->loop->history = 0;
    lw_function *stage[7];
    int64_t status = NOT_FINITE;
    find_stages(c, stage);
    lw_call_integrators_loop_chunks_run_chunk(STAGES, RUN, &status);
    set_times(c, 0);
    c->control->t_stop = stop;
    if (status != FINISHED && status != CHANGE_DUE) return failure(c, status);
    c->now.sampled = 1;
    const head *h = c->model->head;
    const double *sampled = row(c->samples, 0);
    if (!c->now.begun) c->now.balance = sampled[h->kinetic] + sampled[h->potential] - sampled[h->work_integral];
    return LW_OK;
}

/* Slopes of a sample along the direction in `along`, `given` and `driven`; the instance is used up. */
int differentiate(lw_instance *c) {
    lw_function *stage[7];
    int64_t status = NOT_FINITE;
    find_stages(c, stage);
    lw_call_integrators_sensitivities_directional_directional_derivative_complex(
        stage[0], stage[1], stage[2], stage[3], c->system, c->control->t, c->y, c->angles, c->work, c->control_array,
        c->steps, c->complex_state, c->along, c->given, c->driven, c->model->head->projects, c->slopes, c->slope_rates,
        &status);
    return status == OK ? LW_OK : failure(c, status);
}

lw_break known_break(double t) {
    double margin = isinf(t) ? 0.0 : INSIDE * fabs(t);
    return (lw_break){.t = t, .before = t - margin, .after = t + margin};
}

/* The first instant up to `until` at which an expression of time may jump; if there is none, one at infinity. */
lw_break next_break(lw_instance *c, double until) {
    const lw_model *m = c->model;
    lw_break first = known_break(INFINITY);
    double from = fmax(c->control->t, c->now.after);
    if (c->now.next_break < m->head->breaks) first = known_break(m->breaks[c->now.next_break]);
    for (int64_t k = 0; k < m->head->crossings && from < until; k++) {
        const crossing *x = m->crossings + k;
        int64_t count = 0;
        lw_call_expressions_kernels_crossings_find_crossings(
            &c->system->ops, x->first_op, x->op_count, x->thresholds, from, until, c->no_signals, c->no_switches,
            &c->work->interval_stack, c->found, &count);
        const lw_break *found = c->found->data;
        if (count && found->t < first.t) first = *found;
    }
    return first;
}

/* A break is behind us: expressions are read after it. */
void pass_break(lw_instance *c, lw_break passed) {
    c->now.after = passed.after;
    while (c->now.next_break < c->model->head->breaks && c->model->breaks[c->now.next_break] <= passed.after)
        c->now.next_break++;
}

/* From here to a stop: expressions are read a little inside of both, on this side of their jumps. */
void begin_segment(lw_instance *c, lw_break stop) {
    lw_segment *segment = c->work->segment.data;
    if (c->control->t > 0.0) c->control->h = c->control->h_fixed;
    segment->t_low = fmax(known_break(c->control->t).after, c->now.after);
    segment->t_high = stop.before;
    c->control->t_stop = stop.t, c->control->fresh = 1;
}

/* The record of a step that goes back to an event stays. */
static void begin_chunk(lw_instance *c) {
    const lw_event_location *found = c->event_location->data;
    if (found->number >= 0 && c->loop->history > 0) {
        lw_history *history = c->history->data;
        history[0] = history[c->loop->history];
        memcpy(row(c->path, 0), row(c->path, c->loop->history), c->path->shape[1] * sizeof(double));
    }
    c->loop->filled = c->loop->history = c->loop->occurred = 0;
}

/* Say what has happened, and let it end the run if it does. */
void report_change(lw_instance *c, int64_t k, double t) {
    static const char *const what[] = {
        [LOG] = "event '%s' occurred at t = %g s", [STOP] = "event '%s' ended the run at t = %g s",
        [RELEASE] = "'%s' has released its driver at t = %g s", [LOCK] = "'%s' has locked its driver at t = %g s",
        [IMPULSE] = "'%s' has struck at t = %g s"};
    int64_t action = change_of(c, k)->action;
    snprintf(c->message, sizeof c->message, what[action], c->model->names + c->model->changes[k], t);
    if (action == STOP) c->now.ended = 1;
    if (c->report) c->report(c->report_to, c->message);
}

int lw_advance(lw_instance *c, double until) {
    if (c->now.ended) return LW_ENDED;
    if (until < c->control->t) return fail(c, "t = %g s has passed; it is %g s", until, c->control->t);
    while (c->control->t < until) {
        if (until - c->control->t <= 3.0 * c->control->h_min) { /* shorter than any step: rounding */
            c->control->t = until;
            break;
        }
        lw_break edge = next_break(c, until), stop = edge.t <= until ? edge : known_break(until);
        lw_segment *segment = c->work->segment.data;
        if (edge.before - 3.0 * c->control->h_min <= c->control->t) { /* it cannot be told from the present instant */
            pass_break(c, edge), c->now.restart = 1;
            continue;
        }
        if (!c->now.begun || c->now.restart) begin_segment(c, stop);
        c->now.begun = 1, c->now.restart = c->now.sampled = 0;
        c->control->t_stop = stop.t, segment->t_high = stop.before;
        *(lw_break *)c->stops->data = stop, c->loop->next_stop = 0;
        begin_chunk(c);
        int64_t status = chunk(c);
        if (status == DRIVER_APART) return failure(c, status);
        const lw_occurrence *happened = c->occurrences->data;
        for (int64_t k = 0; k < c->loop->occurred; k++) report_change(c, happened[k].change, happened[k].t);
        if (status == STOPPED) return sample(c) ? LW_FAILED : LW_ENDED;
        if (status == FINISHED && edge.t <= until)
            pass_break(c, edge), c->now.restart = 1;
        else if (status != FINISHED && status != CHUNK_DONE && status != CHANGED && status != OK)
            return failure(c, status);
    }
    return sample(c);
}

int failure(lw_instance *c, int64_t status) {
    const lw_occurrence *last = (lw_occurrence *)c->occurrences->data + (c->loop->occurred - 1);
    if (status == DRIVER_APART)
        return fail(c, "'%s': at t = %g s its driver begins %g (m or rad) from where its coordinate is, and positions do not "
                    "jump", c->model->names + c->model->changes[last->change], c->control->t, fabs(last->energy));
    static const char *const reasons[] = {
        [STEP_TOO_SMALL] = "the step size collapsed", [NEWTON_STALLED] = "Newton's method did not converge",
        [NOT_FINITE] = "a value is not finite", [MASS_SINGULAR] = "the mass matrix is not positive definite",
        [JAMMED] = "friction and the load that makes it do not agree",
        [FILLED_IN] = "the dependent coordinates of LU depend on too many others for sparse factors"};
    const char *reason = status >= STEP_TOO_SMALL && status <= FILLED_IN ? reasons[status] : NULL;
    return fail(c, "at t = %g s %s; run the model in linkwork, which names the joint and the remedy", c->control->t,
                reason ? reason : "the loop stopped");
}
