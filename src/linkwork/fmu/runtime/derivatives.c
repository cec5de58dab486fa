/* Directional derivatives of outputs and rates.

   With respect to states and inputs they are exact to rounding, by a complex step (integrators/sensitivities/directional.py).  With
   respect to parameters, which are numbers in tables, they are central differences of eighth order,

       f' = sum of w_n (f(n h) - f(-n h)) / h,    n = 1, ..., 4,    w = 4/5, -1/5, 4/105, -1/280

   to some twelve digits.  Both hold for the state brought onto the constraints, as the values do.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#define STEP 0.02 /* of a parameter: how far the differences reach */
static const double weights[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
enum { SIDES = sizeof weights / sizeof *weights };

typedef struct {
    const uint32_t *unknowns, *knowns;
    size_t unknown_count, known_count;
    const double *seed;
} direction;

static const variable *known(const lw_instance *c, const direction *d, size_t k) { return c->model->variables + d->knowns[k]; }

static const char *name_of(const lw_instance *c, uint32_t k) {
    return k < c->model->head->variables ? c->model->names + c->model->variables[k].name : "which is no variable";
}

/* What may be asked for. */
static int refuse(lw_instance *c, const direction *d) {
    for (size_t k = 0; k < d->known_count; k++) {
        int64_t kind = d->knowns[k] < c->model->head->variables ? known(c, d, k)->kind : TIME;
        if (kind != STATE && kind != INPUT && kind != DRIVER && kind != PARAMETER)
            return fail(c, "derivatives are with respect to states, inputs and parameters, not '%s'", name_of(c, d->knowns[k]));
        if (!isfinite(d->seed[k]))
            return fail(c, "the seed of '%s' is %g; it must be a finite number", name_of(c, d->knowns[k]), d->seed[k]);
    }
    for (size_t k = 0; k < d->unknown_count; k++) {
        int64_t kind = d->unknowns[k] < c->model->head->variables ? c->model->variables[d->unknowns[k]].kind : TIME;
        if (kind == TIME || kind == INPUT || kind == DRIVER || kind == PARAMETER || kind == SWITCH)
            return fail(c, "there are derivatives of outputs and of rates of states, not of '%s'", name_of(c, d->unknowns[k]));
    }
    return LW_OK;
}

/* Along states and inputs; for a driver `second` says which of f, f', f'' it is. */
static int by_complex_step(lw_instance *c, const direction *d, double *sensitivity) {
    memset(c->along->data, 0, c->along->size * sizeof(double));
    memset(c->given->data, 0, c->given->size * sizeof(double));
    memset(c->driven->data, 0, c->driven->size * sizeof(double));
    for (size_t k = 0; k < d->known_count; k++) {
        const variable *v = known(c, d, k);
        if (v->kind == STATE) numbers(c->along)[v->index] += d->seed[k];
        if (v->kind == INPUT) numbers(c->given)[v->index] += d->seed[k];
        if (v->kind == DRIVER) row(c->driven, v->second)[v->row] += d->seed[k];
    }
    double value;
    for (size_t k = 0; k < d->unknown_count; k++) /* orientations go on from the last ones */
        if (lw_get(c, d->unknowns[k], &value)) return LW_FAILED;
    if (differentiate(c)) return LW_FAILED;
    for (size_t k = 0; k < d->unknown_count; k++)
        sensitivity[k] = slope_of(c, c->model->variables + d->unknowns[k]);
    return LW_OK;
}

/* The step along the seed: no parameter moves by more than STEP of its size. */
static double step_along(const lw_instance *c, const direction *d) {
    double step = INFINITY;
    for (size_t k = 0; k < d->known_count; k++) {
        const variable *v = known(c, d, k);
        double size = v->start != 0.0 ? fabs(v->start) : 1.0;
        if (v->kind == PARAMETER && d->seed[k] != 0.0) step = fmin(step, STEP / SIDES * size / fabs(d->seed[k]));
    }
    return step;
}

/* Along parameters, added to what is there; `before`: the values of the knowns. */
static int add_differences(lw_instance *c, const direction *d, const double *before, double *sensitivity) {
    double h = step_along(c, d), found;
    if (isinf(h)) return LW_OK;
    for (int n = -SIDES; n <= SIDES; n++) {
        if (n == 0) continue;
        for (size_t k = 0; k < d->known_count; k++)
            if (known(c, d, k)->kind == PARAMETER && lw_set(c, d->knowns[k], before[k] + n * h * d->seed[k])) return LW_FAILED;
        for (size_t k = 0; k < d->unknown_count; k++) {
            if (lw_get(c, d->unknowns[k], &found)) return LW_FAILED;
            sensitivity[k] += (n > 0 ? 1 : -1) * weights[abs(n) - 1] * found / h;
        }
    }
    return LW_OK;
}

/* `saved`: the instance as it was. */
static int differentiate_along(lw_instance *c, const direction *d, double *sensitivity, void *saved, double *before) {
    for (size_t k = 0; k < d->known_count; k++)
        if (lw_get(c, d->knowns[k], before + k)) return LW_FAILED;
    if (by_complex_step(c, d, sensitivity)) return LW_FAILED;
    lw_restore(c, saved);
    return add_differences(c, d, before, sensitivity);
}

int lw_derivative(
    lw_instance *c, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns, size_t known_count,
    const double *seed, double *sensitivity
) {
    direction d = {unknowns, knowns, unknown_count, known_count, seed};
    if (refuse(c, &d)) return LW_FAILED;
    double *before = malloc((known_count + 1) * sizeof *before);
    void *saved = malloc(lw_state_size(c->model));
    int result = LW_FAILED;
    if (before && saved) {
        char message[sizeof c->message];
        lw_save(c, saved);
        result = differentiate_along(c, &d, sensitivity, saved, before);
        memcpy(message, c->message, sizeof message);
        lw_restore(c, saved);
        memcpy(c->message, message, sizeof message);
    } else
        fail(c, "there is no memory");
    free(before);
    free(saved);
    return result;
}
