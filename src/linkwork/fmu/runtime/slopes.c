/* Derivatives of variables along a direction, after `differentiate`: out of the row of slopes, and out of imaginary parts
   of the workspace in complex numbers (integrators/sensitivities/directional.py). */
#include "instance.h"

#define COMPLEX_STEP 1e-30 /* formulations/derivatives.py */

static double slope(const void *numbers, int64_t k) { return ((const lw_complex *)numbers)[k].imag / COMPLEX_STEP; }
static double value(const void *numbers, int64_t k) { return ((const lw_complex *)numbers)[k].real; }

static void add_cross(const double *a, const double *b, double *out) {
    for (int i = 0; i < 3; i++) out[i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* The origin of a body frame, p + R p_B, less the reference point O; with `get` either its value or its slope. */
static void arm(const lw_instance *c, const body_frame *f, double (*get)(const void *, int64_t), int less, double *out) {
    const lw_complex_Work *w = c->steps;
    for (int i = 0; i < 3; i++) {
        out[i] = get(w->p.data, 3 * f->body + i) - (less ? get(w->O.data, 3 * f->body + i) : 0.0);
        for (int k = 0; k < 3; k++) out[i] += get(w->R.data, 9 * f->body + 3 * i + k) * f->p[k];
    }
}

/* d(v + w x r) = dv + dw x r + w x dr */
static double velocity_slope(const lw_instance *c, const body_frame *f, int64_t component) {
    double w[3], dw[3], dv[3], r[3], dr[3];
    for (int i = 0; i < 3; i++) {
        dv[i] = slope(c->steps->V.data, 6 * f->body + i);
        w[i] = value(c->steps->V.data, 6 * f->body + 3 + i), dw[i] = slope(c->steps->V.data, 6 * f->body + 3 + i);
    }
    arm(c, f, value, 1, r), arm(c, f, slope, 1, dr);
    add_cross(dw, r, dv), add_cross(w, dr, dv);
    return dv[component];
}

/* de = (0, dtheta) o e / 2, with the rotation vector dtheta out of dR R^T (numerics/rotations.py). */
static double orientation_slope(const lw_instance *c, int64_t number, int64_t component) {
    const body_frame *f = c->model->bodies + number;
    const double *e = c->orientation + 4 * number;
    const void *R = c->steps->R.data;
    double turn[3], de[4];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        turn[i] = 0.0;
        for (int n = 0; n < 3; n++)
            turn[i] += 0.5 * (slope(R, 9 * f->body + 3 * k + n) * value(R, 9 * f->body + 3 * j + n)
                              - slope(R, 9 * f->body + 3 * j + n) * value(R, 9 * f->body + 3 * k + n));
    }
    de[0] = -(turn[0] * e[1] + turn[1] * e[2] + turn[2] * e[3]);
    for (int i = 0; i < 3; i++) de[1 + i] = turn[i] * e[0];
    add_cross(turn, e + 1, de + 1);
    return 0.5 * de[component];
}

double slope_of(const lw_instance *c, const variable *v) {
    const head *h = c->model->head;
    const double *row = numbers(c->slopes);
    double origin[3];
    switch (v->kind) {
        case STATE: return numbers(c->along)[v->index];
        case DERIVATIVE: return numbers(c->slope_rates)[v->index];
        case COLUMN: return row[v->index];
        case ENERGY: return row[h->kinetic] + row[h->potential];
        case BALANCE: return row[h->kinetic] + row[h->potential] - row[h->work_integral];
        case SPIN: return slope(c->steps->V.data, 6 * c->model->bodies[v->index].body + 3 + v->second);
        case VELOCITY: return velocity_slope(c, c->model->bodies + v->index, v->second);
        case ORIENTATION: return orientation_slope(c, v->index, v->second);
        case POSITION:
            arm(c, c->model->bodies + v->index, slope, 0, origin);
            return origin[v->second];
    }
    return 0.0; /* the counters */
}
