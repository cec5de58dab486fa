/* Directional derivatives of outputs and rates, by central differences of sixth order:

       f' = (45 (f1 - f-1) - 9 (f2 - f-2) + (f3 - f-3)) / (60 h)

   They hold for the state brought onto the constraints, as the values do, to some nine digits.
*/
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "component.h"

#define STEP 2e-3 /* of the scale of a known */
static const double weights[] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};

/* Of what size a known is. */
static double scale_of(const lw_instance *c, const variable *v, double value) {
    const double *scales = c->work->scales.data;
    if (v->kind == STATE) return fmax(scales[v->index], fabs(value));
    return value != 0.0 ? fabs(value) : 1.0;
}

/* The step along the seed: no known moves by more than STEP of its scale. */
static int step_along(lw_instance *c, const uint32_t *knowns, size_t count, const double *seed, double *values, double *step) {
    *step = INFINITY;
    for (size_t k = 0; k < count; k++) {
        if (lw_get(c, knowns[k], values + k)) return LW_FAILED;
        if (seed[k] != 0.0)
            *step = fmin(*step, STEP * scale_of(c, c->model->variables + knowns[k], values[k]) / fabs(seed[k]));
    }
    return LW_OK;
}

static int moved(
    lw_instance *c, const uint32_t *knowns, size_t count, const double *seed, const double *values, double by,
    const uint32_t *unknowns, size_t unknown_count, double *found
) {
    for (size_t k = 0; k < count; k++) {
        const variable *v = c->model->variables + knowns[k];
        double value = values[k] + by * seed[k];
        if (v->kind == STATE)
            numbers(c->y)[v->index] = value, c->now.sampled = 0;
        else if (lw_set(c, knowns[k], value))
            return LW_FAILED;
    }
    for (size_t k = 0; k < unknown_count; k++)
        if (lw_get(c, unknowns[k], found + k)) return LW_FAILED;
    return LW_OK;
}

static int differences(
    lw_instance *c, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns, size_t known_count,
    const double *seed, double *sensitivity, double *values, double *found
) {
    double h;
    if (step_along(c, knowns, known_count, seed, values, &h)) return LW_FAILED;
    for (size_t k = 0; k < unknown_count; k++) sensitivity[k] = 0.0;
    if (isinf(h)) return LW_OK;
    for (int n = -3; n <= 3; n++) {
        if (n == 0) continue;
        if (moved(c, knowns, known_count, seed, values, n * h, unknowns, unknown_count, found)) return LW_FAILED;
        for (size_t k = 0; k < unknown_count; k++) sensitivity[k] += (n > 0 ? 1 : -1) * weights[abs(n) - 1] * found[k] / h;
    }
    return LW_OK;
}

int directional_derivative(
    component *c, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns, size_t known_count,
    const double *seed, double *sensitivity
) {
    double *room = malloc((known_count + unknown_count + 1) * sizeof *room);
    void *before = malloc(lw_state_size(c->model));
    int result = LW_FAILED;
    if (room && before) {
        lw_save(c->instance, before);
        result = differences(
            c->instance, unknowns, unknown_count, knowns, known_count, seed, sensitivity, room, room + known_count
        );
        char message[sizeof c->instance->message];
        memcpy(message, c->instance->message, sizeof message);
        lw_restore(c->instance, before);
        c->instance->now.sampled = 0;
        memcpy(c->instance->message, message, sizeof message);
    }
    free(room);
    free(before);
    return answer(c, result, STATUS_ERROR);
}
