/* A model out of its file: checked, its sections found, its kernels looked up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

static char *content(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *bytes = NULL;
    if (!fseek(file, 0, SEEK_END)) {
        long length = ftell(file);
        rewind(file);
        if (length >= 0 && (bytes = malloc(length + 1)) && fread(bytes, 1, length, file) != (size_t)length) {
            free(bytes);
            bytes = NULL;
        }
        *size = length;
    }
    fclose(file);
    return bytes;
}

/* The sections, one after the other; whether they fill the file. */
static int find_sections(lw_model *m, size_t size, const char **kernels) {
    const head *h = m->head;
    const char *at = m->file + h->head_size;
#define SECTION(field, type, count) m->field = (const type *)at, at += (count) * (int64_t)sizeof(type)
    SECTION(image, int64_t, h->image / 8);
    SECTION(relocations, int64_t, h->relocations);
    SECTION(calls, call, h->calls);
    *kernels = at, at += h->kernels * NAME;
    SECTION(variables, variable, h->variables);
    SECTION(entries, entry, h->entries);
    SECTION(breaks, double, h->breaks);
    SECTION(crossings, crossing, h->crossings);
    SECTION(changes, int64_t, h->changes);
    SECTION(bodies, body_frame, h->bodies);
    SECTION(names, char, h->names);
#undef SECTION
    return at == m->file + size;
}

static const char *find_kernels(lw_model *m, const char *names) {
    m->kernels = calloc(m->head->kernels + 1, sizeof *m->kernels);
    if (!m->kernels) return "there is no memory";
    for (int64_t k = 0; k < m->head->kernels; k++)
        if (!(m->kernels[k] = kernel_address(names + k * NAME))) return names + k * NAME;
    return NULL;
}

lw_model *lw_model_read(const char *path, char *message, size_t room) {
    size_t size = 0;
    const char *kernels, *missing;
    lw_model *m = calloc(1, sizeof *m);
    if (!m || !(m->file = content(path, &size))) {
        snprintf(message, room, "cannot read the model '%s'", path);
        free(m);
        return NULL;
    }
    const head *h = m->head = (const head *)m->file;
    if (size < sizeof *h || strncmp(h->magic, MAGIC, sizeof h->magic))
        snprintf(message, room, "'%s' is no compiled model of linkwork", path);
    else if (strncmp(h->library, library_name, sizeof h->library) || h->head_size != sizeof *h)
        snprintf(message, room, "'%s' was written for library %.24s, and this is %s; export the model anew", path, h->library,
                 library_name);
    else if (!find_sections(m, size, &kernels))
        snprintf(message, room, "'%s' is cut off or damaged; export the model anew", path);
    else if ((missing = find_kernels(m, kernels)))
        snprintf(message, room, "kernel %s is not in this library; export the model anew", missing);
    else
        return m;
    lw_model_free(m);
    return NULL;
}

void lw_model_free(lw_model *model) {
    if (!model) return;
    free(model->kernels);
    free(model->file);
    free(model);
}

int64_t lw_variable_count(const lw_model *model) { return model->head->variables; }

const char *lw_variable_name(const lw_model *model, int64_t k) {
    return k >= 0 && k < model->head->variables ? model->names + model->variables[k].name : NULL;
}

int64_t lw_variable(const lw_model *model, const char *name) {
    for (int64_t k = 0; k < model->head->variables; k++)
        if (!strcmp(name, model->names + model->variables[k].name)) return k;
    return -1;
}
