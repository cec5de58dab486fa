/* Variables: outputs out of the row of samples and the workspace, inputs and parameters into workspace and tables. */
#include <math.h>
#include <string.h>

#include "instance.h"

static const double *matrix(const lw_array3 *a, int64_t k) { return (double *)a->data + 9 * k; }

/* Of an expression that jumps: how far its argument is beyond the threshold that is nearest. */
double switch_distance(const lw_instance *c, int64_t k) {
    const lw_switch *s = (lw_switch *)c->work->switches.data + k;
    const lw_op *thresholds = (lw_op *)c->system->ops.data + s->first;
    double nearest = INFINITY;
    for (int64_t n = 0; n < s->count; n++)
        if (fabs(s->x - thresholds[n].value) < fabs(nearest)) nearest = s->x - thresholds[n].value;
    return nearest;
}

static void cross(const double *a, const double *b, double *out) {
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void body_origin(const lw_instance *c, const body_frame *f, double *origin) {
    const double *R = matrix(&c->work->R, f->body), *p = row(&c->work->p, f->body);
    for (int i = 0; i < 3; i++)
        origin[i] = p[i] + (R[3 * i] * f->p[0] + R[3 * i + 1] * f->p[1] + R[3 * i + 2] * f->p[2]);
}

static double body_velocity(const lw_instance *c, const body_frame *f, int64_t k) {
    const double *V = row(&c->work->V, f->body), *O = row(&c->work->O, f->body);
    double origin[3], arm[3], turning[3];
    body_origin(c, f, origin);
    for (int i = 0; i < 3; i++) arm[i] = origin[i] - O[i];
    cross(V + 3, arm, turning);
    return V[k] + turning[k];
}

/* Euler parameters of the body frame (numerics/rotations.py), with the signs that go on from the last ones asked for. */
static double body_orientation(lw_instance *c, int64_t number, int64_t component) {
    const body_frame *f = c->model->bodies + number;
    const double *link = matrix(&c->work->R, f->body);
    double R[3][3], products[4][4], *last = c->orientation + 4 * number, size = 0.0, same = 0.0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            R[i][k] = link[3 * i] * f->R[0][k] + link[3 * i + 1] * f->R[1][k] + link[3 * i + 2] * f->R[2][k];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        products[0][1 + i] = products[1 + i][0] = R[k][j] - R[j][k];
        products[1 + j][1 + k] = products[1 + k][1 + j] = R[k][j] + R[j][k];
        products[1 + i][1 + i] = 1.0 + R[i][i] - R[j][j] - R[k][k];
    }
    products[0][0] = 1.0 + R[0][0] + R[1][1] + R[2][2];
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (products[i][i] > products[largest][largest]) largest = i;
    double *e = products[largest];
    for (int i = 0; i < 4; i++) size += e[i] * e[i], same += e[i] * last[i];
    double sign = same != 0.0 ? copysign(1.0, same) : (e[0] < 0.0 ? -1.0 : 1.0);
    size = sign * sqrt(size);
    for (int i = 0; i < 4; i++) last[i] = e[i] / size;
    return last[component];
}

static double output(lw_instance *c, const variable *v) {
    const head *h = c->model->head;
    const double *sampled = row(c->samples, 0);
    switch (v->kind) {
        case STATE: return numbers(c->y)[v->index];
        case DERIVATIVE: return numbers(&c->work->rate)[v->index];
        case COLUMN: return sampled[v->index];
        case SWITCH: return switch_distance(c, v->index);
        case ENERGY: return sampled[h->kinetic] + sampled[h->potential];
        case BALANCE: return sampled[h->kinetic] + sampled[h->potential] - sampled[h->work_integral] - c->now.balance;
        case SPIN: return row(&c->work->V, c->model->bodies[v->index].body)[3 + v->second];
        case VELOCITY: return body_velocity(c, c->model->bodies + v->index, v->second);
        case ORIENTATION: return body_orientation(c, v->index, v->second);
    }
    double origin[3];
    body_origin(c, c->model->bodies + v->index, origin);
    return origin[v->second];
}

static double *input(const lw_instance *c, const variable *v) { return (double *)c->work->signals.data + v->index; }
static lw_op *op(const lw_instance *c, int64_t k) { return (lw_op *)c->system->ops.data + k; }

/* A driver's program is a + s (b + c s / 2), s = t - t0: its ops are a, b, c, t, t0, -, *, +, t, t0, -, *, +. */
enum { DRIVER_A, DRIVER_B, DRIVER_C, DRIVER_T0 = 4, DRIVER_T0_AGAIN = 9 };

static double driver_input(const lw_instance *c, const variable *v) {
    double value = op(c, v->index + v->second)->value;
    return v->second == ACCELERATION ? 2.0 * value : value;
}

static void set_driver(lw_instance *c, const variable *v, double value) {
    double t = c->control->t, s = t - op(c, v->index + DRIVER_T0)->value;
    double b = op(c, v->index + DRIVER_B)->value, half = op(c, v->index + DRIVER_C)->value;
    op(c, v->index + DRIVER_A)->value += s * (b + s * half);
    op(c, v->index + DRIVER_B)->value += 2.0 * s * half;
    op(c, v->index + DRIVER_T0)->value = op(c, v->index + DRIVER_T0_AGAIN)->value = t;
    op(c, v->index + v->second)->value = v->second == ACCELERATION ? 0.5 * value : value;
}

static double parameter(const lw_instance *c, const variable *v) {
    const entry *e = c->model->entries + v->index;
    double x = *(double *)(c->block + e->place), at_start = ((double *)c->model->image)[e->place / 8];
    if (x == at_start) return v->start;
    return v->start + ((e->reciprocal ? 1.0 / x : x) - e->base) / e->slope;
}

static void set_parameter(lw_instance *c, const variable *v, double value) {
    for (int64_t k = v->index; k < v->index + v->second; k++) {
        const entry *e = c->model->entries + k;
        double x = e->base + e->slope * (value - v->start);
        if (value == v->start)
            x = ((double *)c->model->image)[e->place / 8];
        else if (e->reciprocal)
            x = 1.0 / x;
        *(double *)(c->block + e->place) = x;
    }
    lw_method *method = c->work->method.data;
    method->factors = 0, method->rebuild = 1;
}

int lw_get(lw_instance *c, int64_t number, double *value) {
    const lw_model *m = c->model;
    if (number < 0 || number >= m->head->variables) return fail(c, "there is no variable %lld", (long long)number);
    const variable *v = m->variables + number;
    switch (v->kind) {
        case TIME: *value = c->control->t; return LW_OK;
        case INPUT: *value = *input(c, v); return LW_OK;
        case DRIVER: *value = driver_input(c, v); return LW_OK;
        case PARAMETER: *value = parameter(c, v); return LW_OK;
        case STATE: *value = numbers(c->y)[v->index]; return LW_OK;
        case STEPS: *value = (double)c->control->steps; return LW_OK;
        case EVALUATIONS: *value = (double)c->control->evaluations; return LW_OK;
    }
    if (sample(c)) return LW_FAILED;
    *value = output(c, v);
    return LW_OK;
}

int lw_set(lw_instance *c, int64_t number, double value) {
    const lw_model *m = c->model;
    if (number < 0 || number >= m->head->variables) return fail(c, "there is no variable %lld", (long long)number);
    const variable *v = m->variables + number;
    const char *name = m->names + v->name;
    if (!isfinite(value)) return fail(c, "'%s' is set to %g; it must be a finite number", name, value);
    double present;
    if (v->kind == INPUT || v->kind == PARAMETER || v->kind == STATE) {
        lw_get(c, number, &present);
        if (present == value) return LW_OK;
    }
    if (v->kind == INPUT)
        *input(c, v) = value;
    else if (v->kind == DRIVER)
        set_driver(c, v, value);
    else if (v->kind == PARAMETER)
        set_parameter(c, v, value);
    else if (v->kind == STATE && !c->now.begun)
        numbers(c->y)[v->index] = value;
    else if (v->kind == STATE)
        return fail(c, "'%s' is a state; it can be set before the first step alone", name);
    else
        return fail(c, "'%s' is an output; it cannot be set", name);
    c->now.restart = 1, c->now.sampled = 0;
    return LW_OK;
}
