/* What both versions of the standard ask of an FMU. */
#include "component.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1e-6 /* of a communication step: how far off its beginning may be */

static int digit(char c) { return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10; }

/* The folder of a resource location: a path, or a URI of a file. */
static void folder_of(const char *location, char *path, size_t room) {
    size_t n = 0;
    int encoded = !strncmp(location, "file:", 5);
    if (encoded) {
        location += 5;
        if (!strncmp(location, "//", 2)) {
            location += 2;
            while (*location && *location != '/') location++; /* the host */
        }
    }
    for (; *location && n + 1 < room; location++) {
        if (encoded && *location == '%' && isxdigit((unsigned char)location[1]) && isxdigit((unsigned char)location[2]))
            path[n++] = (char)(16 * digit(location[1]) + digit(location[2])), location += 2;
        else
            path[n++] = *location;
    }
    while (n > 1 && path[n - 1] == '/') n--;
    path[n] = 0;
}

/* An event has occurred. */
static void report(void *to, const char *text) {
    const component *c = to;
    if (c->logging) c->tell(c, STATUS_OK, text);
}

static lw_instance *new_instance(component *c) {
    lw_instance *made = lw_new(c->model);
    if (made) made->report = report, made->report_to = c;
    return made;
}

component *new_component(const component *how, const char *name, const char *token, const char *resources) {
    char folder[4000], path[4096], message[4600] = "there is no memory";
    component *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    *c = *how;
    snprintf(c->name, sizeof c->name, "%s", name ? name : "");
    folder_of(resources ? resources : "", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/model.linkwork", folder);
    if ((c->model = lw_model_read(path, message, sizeof message))) {
        if (!token || strncmp(token, c->model->head->token, sizeof c->model->head->token))
            snprintf(message, sizeof message, "token '%s' is not that of this model, '%s'", token ? token : "",
                     c->model->head->token);
        else if ((c->instance = new_instance(c)))
            return c;
    }
    c->tell(c, STATUS_ERROR, message);
    free_component(c);
    return NULL;
}

void free_component(component *c) {
    if (!c) return;
    lw_free(c->instance);
    lw_model_free(c->model);
    free(c);
}

int answer(component *c, int result, int otherwise) {
    if (result == LW_OK) return STATUS_OK;
    if (result != LW_ENDED) c->tell(c, otherwise, lw_message(c->instance));
    return otherwise;
}

int reset(component *c) {
    lw_instance *fresh = new_instance(c);
    if (!fresh) return STATUS_ERROR;
    lw_free(c->instance);
    c->instance = fresh;
    return STATUS_OK;
}

int get_values(component *c, const uint32_t *references, size_t count, double *values) {
    for (size_t k = 0; k < count; k++)
        if (lw_get(c->instance, references[k], values + k)) return answer(c, LW_FAILED, STATUS_ERROR);
    return STATUS_OK;
}

int set_values(component *c, const uint32_t *references, size_t count, const double *values) {
    for (size_t k = 0; k < count; k++)
        if (lw_set(c->instance, references[k], values[k])) return answer(c, LW_FAILED, STATUS_ERROR);
    return STATUS_OK;
}

int directional_derivative(
    component *c, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns, size_t known_count,
    const double *seed, double *sensitivity
) {
    int result = lw_derivative(c->instance, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
    return answer(c, result, STATUS_ERROR);
}

/* The end of the initialization. */
int begin(component *c) {
    if (sample(c->instance)) return answer(c, LW_FAILED, STATUS_ERROR);
    if (c->exchanges) exchange_begin(c->instance);
    return STATUS_OK;
}

int refuse_start(component *c, double start) {
    if (start == 0.0) return STATUS_OK;
    return answer(c, fail(c->instance, "the start time is %g s; this model begins at 0 s", start), STATUS_ERROR);
}

int do_step(component *c, double from, double by) {
    double t = lw_time(c->instance);
    if (fabs(from - t) > NEAR * fabs(by))
        return answer(c, fail(c->instance, "a step from %g s, and the model is at %g s", from, t), STATUS_ERROR);
    int result = lw_advance(c->instance, from + by);
    return answer(c, result, result == LW_ENDED ? STATUS_DISCARD : STATUS_ERROR);
}

/* The sizes of the states that count in the error control; 1 for those that do not. */
void state_scales(const component *c, double *nominals, size_t count) {
    const double *scales = c->instance->work->scales.data;
    for (size_t k = 0; k < count; k++) nominals[k] = scales[k] > 0.0 ? scales[k] : 1.0;
}

int get_state(component *c, state **s) {
    size_t size = lw_state_size(c->model);
    if (!*s && !(*s = malloc(sizeof **s + size))) return STATUS_ERROR;
    (*s)->size = size;
    lw_save(c->instance, (*s)->bytes);
    return STATUS_OK;
}

int set_state(component *c, const state *s) { return answer(c, lw_restore(c->instance, s->bytes), STATUS_ERROR); }

int free_state(state **s) {
    free(*s);
    *s = NULL;
    return STATUS_OK;
}

int serialized_size(component *c, const state *s, size_t *size) {
    *size = s->size;
    return STATUS_OK;
}

int serialize(component *c, const state *s, void *bytes, size_t size) {
    if (size < s->size) return STATUS_ERROR;
    memcpy(bytes, s->bytes, s->size);
    return STATUS_OK;
}

int deserialize(component *c, const void *bytes, size_t size, state **s) {
    if (size != lw_state_size(c->model))
        return answer(c, fail(c->instance, "the state is not one of this model"), STATUS_ERROR);
    if (!*s && !(*s = malloc(sizeof **s + size))) return STATUS_ERROR;
    (*s)->size = size;
    memcpy((*s)->bytes, bytes, size);
    return STATUS_OK;
}
