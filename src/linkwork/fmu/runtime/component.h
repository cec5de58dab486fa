/* An instance as an FMU has it, for both versions of the standard: its model, how it is called, where messages go. */
#ifndef LINKWORK_COMPONENT_H
#define LINKWORK_COMPONENT_H
#include "instance.h"

enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL }; /* as in both versions */

typedef struct component component;
typedef struct { size_t size; char bytes[]; } state; /* of an instance, saved */
struct component {
    lw_model *model;
    lw_instance *instance;
    int exchanges; /* model exchange */
    int logging; /* events are reported */
    void (*tell)(const component *c, int status, const char *text);
    void *environment;
    void (*logger)(void);
    char name[128];
};

/* NULL, after a message, if the model cannot be read or is not the one of this token. */
component *new_component(const component *how, const char *name, const char *token, const char *resources);
void free_component(component *c);
/* LW_OK as STATUS_OK; otherwise the status, after a message. */
int answer(component *c, int result, int otherwise);
int reset(component *c);
int get_values(component *c, const uint32_t *references, size_t count, double *values);
int set_values(component *c, const uint32_t *references, size_t count, const double *values);
int begin(component *c);
int refuse_start(component *c, double start);
int do_step(component *c, double from, double by);
int get_state(component *c, state **s);
int set_state(component *c, const state *s);
int free_state(state **s);
int serialized_size(component *c, const state *s, size_t *size);
int serialize(component *c, const state *s, void *bytes, size_t size);
int deserialize(component *c, const void *bytes, size_t size, state **s);
void state_scales(const component *c, double *nominals, size_t count);
int directional_derivative(
    component *c, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns, size_t known_count,
    const double *seed, double *sensitivity
);
#endif
