/* Models of linkwork in C: read one that `model.export_c(...)` wrote, make instances, advance, get
   and set.

   A model is read once and never changes; instances of it are independent of each other, and may run in threads of their
   own.  Functions that return an int return LW_OK, LW_ENDED (an event of the model has ended the run) or LW_FAILED;
   lw_message then says why.  SI units; time in s.
*/
#ifndef LINKWORK_MODEL_H
#define LINKWORK_MODEL_H
#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif
#if defined(_WIN32)
#define LW_API __declspec(dllexport)
#else
#define LW_API __attribute__((visibility("default")))
#endif

enum { LW_OK, LW_ENDED, LW_FAILED };
typedef struct lw_model lw_model;
typedef struct lw_instance lw_instance;

/* The model in a file; NULL if there is none that fits this library, and why in `message`. */
LW_API lw_model *lw_model_read(const char *path, char *message, size_t room);
LW_API void lw_model_free(lw_model *model);
LW_API int64_t lw_variable_count(const lw_model *model);
LW_API const char *lw_variable_name(const lw_model *model, int64_t variable);
/* The number of a variable by its name, or -1. */
LW_API int64_t lw_variable(const lw_model *model, const char *name);

/* A run at its start, t = 0; NULL if there is no memory. */
LW_API lw_instance *lw_new(const lw_model *model);
LW_API void lw_free(lw_instance *instance);
LW_API const char *lw_message(const lw_instance *instance);
LW_API double lw_time(const lw_instance *instance);
/* Integrate up to a time. */
LW_API int lw_advance(lw_instance *instance, double until);
/* Any variable; inputs, parameters and, before the first step, states can be set. */
LW_API int lw_get(lw_instance *instance, int64_t variable, double *value);
LW_API int lw_set(lw_instance *instance, int64_t variable, double value);

/* Derivatives of outputs and of rates of states along a direction of states, inputs and parameters, by their numbers. */
LW_API int lw_derivative(
    lw_instance *instance, const uint32_t *unknowns, size_t unknown_count, const uint32_t *knowns, size_t known_count,
    const double *seed, double *sensitivity
);

/* The whole state of an instance as bytes, which another process may restore. */
LW_API size_t lw_state_size(const lw_model *model);
LW_API void lw_save(const lw_instance *instance, void *bytes);
LW_API int lw_restore(lw_instance *instance, const void *bytes);
#if defined(__cplusplus)
}
#endif
#endif
