/* An instance: the image of its model, copied and given addresses of this process; saved and restored. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#define ALIGNMENT 64 /* bytes */

int fail(lw_instance *c, const char *text, ...) {
    va_list given;
    va_start(given, text);
    vsnprintf(c->message, sizeof c->message, text, given);
    va_end(given);
    return LW_FAILED;
}

/* Addresses into the words of a block that begins at `at`, and those of the kernels. */
static void give_addresses(const lw_model *m, int64_t *words, const char *at) {
    for (int64_t k = 0; k < m->head->relocations; k++) words[m->relocations[k]] += (int64_t)at;
    for (int64_t k = 0; k < m->head->calls; k++) words[m->calls[k].word] = (int64_t)m->kernels[m->calls[k].kernel];
}

static void find_parts(lw_instance *c) {
    const head *h = c->model->head;
    char *b = c->block;
    c->system = (lw_System *)(b + h->system), c->alike = (lw_System *)(b + h->alike), c->work = (lw_Work *)(b + h->work);
    c->y = (lw_array1 *)(b + h->y), c->angles = (lw_array1 *)(b + h->angles), c->memory = (lw_array2 *)(b + h->memory);
    c->control_array = (lw_array1 *)(b + h->control), c->progress_array = (lw_array1 *)(b + h->progress);
    c->times = (lw_array1 *)(b + h->times), c->samples = (lw_array2 *)(b + h->samples);
    c->history = (lw_array1 *)(b + h->history), c->path = (lw_array2 *)(b + h->path);
    c->event_location = (lw_array1 *)(b + h->event_location), c->state = (lw_array1 *)(b + h->state);
    c->stops = (lw_array1 *)(b + h->stops), c->found = (lw_array1 *)(b + h->found);
    c->no_signals = (lw_array2 *)(b + h->no_signals), c->no_switches = (lw_array1 *)(b + h->no_switches);
    c->occurrences = (lw_array1 *)(b + h->occurrences), c->steps = (lw_complex_Work *)(b + h->steps);
    c->complex_state = (lw_array1 *)(b + h->complex_state), c->along = (lw_array1 *)(b + h->along);
    c->given = (lw_array1 *)(b + h->given), c->driven = (lw_array2 *)(b + h->driven);
    c->slopes = (lw_array1 *)(b + h->slopes), c->slope_rates = (lw_array1 *)(b + h->slope_rates);
    c->control = c->control_array->data, c->loop = c->progress_array->data;
    c->orientation = ((lw_array1 *)(b + h->orientation))->data;
}

lw_instance *lw_new(const lw_model *model) {
    lw_instance *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->model = model;
    if (!(c->memory_of_block = malloc(model->head->image + ALIGNMENT))) {
        free(c);
        return NULL;
    }
    c->block = (char *)c->memory_of_block + ALIGNMENT - (uintptr_t)c->memory_of_block % ALIGNMENT;
    memcpy(c->block, model->image, model->head->image);
    give_addresses(model, (int64_t *)c->block, c->block);
    find_parts(c);
    return c;
}

void lw_free(lw_instance *instance) {
    if (!instance) return;
    free(instance->memory_of_block);
    free(instance);
}

const char *lw_message(const lw_instance *instance) { return instance->message; }
double lw_time(const lw_instance *instance) { return instance->control->t; }

/* -- states as bytes: which library and image, what the instance remembers, the block with addresses from 0 */
typedef struct { char library[24]; int64_t image; progress now; } saved;

size_t lw_state_size(const lw_model *model) { return sizeof(saved) + model->head->image; }

void lw_save(const lw_instance *c, void *bytes) {
    const lw_model *m = c->model;
    saved *s = bytes;
    int64_t *words = (int64_t *)(s + 1);
    memcpy(s->library, m->head->library, sizeof s->library);
    s->image = m->head->image, s->now = c->now;
    memcpy(words, c->block, m->head->image);
    for (int64_t k = 0; k < m->head->relocations; k++) words[m->relocations[k]] -= (int64_t)c->block;
    for (int64_t k = 0; k < m->head->calls; k++) words[m->calls[k].word] = 0;
}

int lw_restore(lw_instance *c, const void *bytes) {
    const saved *s = bytes;
    if (strncmp(s->library, c->model->head->library, sizeof s->library) || s->image != c->model->head->image)
        return fail(c, "the state is not one of this model");
    c->now = s->now;
    memcpy(c->block, s + 1, s->image);
    give_addresses(c->model, (int64_t *)c->block, c->block);
    c->message[0] = 0;
    return LW_OK;
}
