/* FMI 3.0: model exchange and co-simulation (the standard's names and types). */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "component.h"

typedef int fmi3Status;
typedef const char *fmi3String;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const uint8_t *fmi3Binary;
typedef void (*fmi3LogMessageCallback)(void *, fmi3Status, fmi3String, fmi3String);

#define FMI3 LW_API

static void tell(const component *c, int status, const char *text) {
    fmi3LogMessageCallback log = (fmi3LogMessageCallback)c->logger;
    if (log) log(c->environment, status, status == STATUS_ERROR ? "logStatusError" : "logEvents", text);
}

FMI3 const char *fmi3GetVersion(void) { return "3.0"; }
FMI3 fmi3Status fmi3SetDebugLogging(component *c, fmi3Boolean on, size_t n, const fmi3String *categories) {
    c->logging = on;
    return STATUS_OK;
}

FMI3 component *fmi3InstantiateModelExchange(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, void *environment,
    fmi3LogMessageCallback log
) {
    component how = {
        .exchanges = 1, .logging = logging, .tell = tell, .environment = environment, .logger = (void (*)(void))log};
    return new_component(&how, name, token, resources);
}
FMI3 component *fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging,
    fmi3Boolean event_mode, fmi3Boolean early_return, const fmi3ValueReference *intermediate, size_t intermediate_count,
    void *environment, fmi3LogMessageCallback log, void (*intermediate_update)(void)
) {
    component how = {
        .logging = logging, .tell = tell, .environment = environment, .logger = (void (*)(void))log};
    return new_component(&how, name, token, resources);
}
FMI3 component *fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, void *environment,
    fmi3LogMessageCallback log, void (*clock_update)(void), void (*lock)(void), void (*unlock)(void)
) {
    return NULL;
}
FMI3 void fmi3FreeInstance(component *c) { free_component(c); }
FMI3 fmi3Status fmi3EnterInitializationMode(
    component *c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stop_defined,
    fmi3Float64 stop
) {
    return refuse_start(c, start);
}
FMI3 fmi3Status fmi3ExitInitializationMode(component *c) { return begin(c); }
FMI3 fmi3Status fmi3EnterEventMode(component *c) { return STATUS_OK; }
FMI3 fmi3Status fmi3Terminate(component *c) { return STATUS_OK; }
FMI3 fmi3Status fmi3Reset(component *c) { return reset(c); }

/* -- variables, all of them Float64 and scalar */
FMI3 fmi3Status fmi3GetFloat64(component *c, const fmi3ValueReference *r, size_t n, fmi3Float64 *v, size_t values) {
    return n == values ? get_values(c, r, n, v) : STATUS_ERROR;
}
FMI3 fmi3Status fmi3SetFloat64(component *c, const fmi3ValueReference *r, size_t n, const fmi3Float64 *v, size_t values) {
    return n == values ? set_values(c, r, n, v) : STATUS_ERROR;
}
#define OTHER(type) \
    FMI3 fmi3Status fmi3Get##type(component *c, const fmi3ValueReference *r, size_t n, fmi3##type *v, size_t m) { \
        return n ? STATUS_ERROR : STATUS_OK; \
    } \
    FMI3 fmi3Status fmi3Set##type(component *c, const fmi3ValueReference *r, size_t n, const fmi3##type *v, size_t m) { \
        return n ? STATUS_ERROR : STATUS_OK; \
    }
OTHER(Float32)
OTHER(Int8)
OTHER(UInt8)
OTHER(Int16)
OTHER(UInt16)
OTHER(Int32)
OTHER(UInt32)
OTHER(Int64)
OTHER(UInt64)
OTHER(Boolean)
OTHER(String)
#define ABSENT(name, ...) \
    FMI3 fmi3Status name(component *c, __VA_ARGS__) { return STATUS_ERROR; }
ABSENT(fmi3GetBinary, const fmi3ValueReference *r, size_t n, size_t *sizes, fmi3Binary *v, size_t m)
ABSENT(fmi3SetBinary, const fmi3ValueReference *r, size_t n, const size_t *sizes, const fmi3Binary *v, size_t m)
ABSENT(fmi3GetClock, const fmi3ValueReference *r, size_t n, fmi3Clock *v)
ABSENT(fmi3SetClock, const fmi3ValueReference *r, size_t n, const fmi3Clock *v)
ABSENT(fmi3GetNumberOfVariableDependencies, fmi3ValueReference r, size_t *n)
ABSENT(fmi3GetVariableDependencies, fmi3ValueReference r, size_t *e, fmi3ValueReference *i, size_t *k, int *d, size_t n)
ABSENT(fmi3GetIntervalDecimal, const fmi3ValueReference *r, size_t n, fmi3Float64 *v, int *q)
ABSENT(fmi3GetIntervalFraction, const fmi3ValueReference *r, size_t n, fmi3UInt64 *v, fmi3UInt64 *w, int *q)
ABSENT(fmi3GetShiftDecimal, const fmi3ValueReference *r, size_t n, fmi3Float64 *v)
ABSENT(fmi3GetShiftFraction, const fmi3ValueReference *r, size_t n, fmi3UInt64 *v, fmi3UInt64 *w)
ABSENT(fmi3SetIntervalDecimal, const fmi3ValueReference *r, size_t n, const fmi3Float64 *v)
ABSENT(fmi3SetIntervalFraction, const fmi3ValueReference *r, size_t n, const fmi3UInt64 *v, const fmi3UInt64 *w)
ABSENT(fmi3SetShiftDecimal, const fmi3ValueReference *r, size_t n, const fmi3Float64 *v)
ABSENT(fmi3SetShiftFraction, const fmi3ValueReference *r, size_t n, const fmi3UInt64 *v, const fmi3UInt64 *w)
ABSENT(fmi3ActivateModelPartition, fmi3ValueReference r, fmi3Float64 t)
ABSENT(fmi3GetOutputDerivatives, const fmi3ValueReference *r, size_t n, const fmi3Int32 *o, fmi3Float64 *v, size_t m)
ABSENT(
    fmi3GetAdjointDerivative, const fmi3ValueReference *u, size_t nu, const fmi3ValueReference *k, size_t nk,
    const fmi3Float64 *seed, size_t ns, fmi3Float64 *v, size_t nv
)
FMI3 fmi3Status fmi3EnterConfigurationMode(component *c) { return STATUS_ERROR; }
FMI3 fmi3Status fmi3ExitConfigurationMode(component *c) { return STATUS_ERROR; }
FMI3 fmi3Status fmi3EvaluateDiscreteStates(component *c) { return STATUS_OK; }
FMI3 fmi3Status fmi3GetDirectionalDerivative(
    component *c, const fmi3ValueReference *unknowns, size_t unknown_count, const fmi3ValueReference *knowns,
    size_t known_count, const fmi3Float64 *seed, size_t seed_count, fmi3Float64 *sensitivity, size_t sensitivity_count
) {
    if (seed_count != known_count || sensitivity_count != unknown_count) return STATUS_ERROR;
    return directional_derivative(c, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

/* -- states of the whole */
FMI3 fmi3Status fmi3GetFMUState(component *c, state **s) { return get_state(c, s); }
FMI3 fmi3Status fmi3SetFMUState(component *c, state *s) { return set_state(c, s); }
FMI3 fmi3Status fmi3FreeFMUState(component *c, state **s) { return free_state(s); }
FMI3 fmi3Status fmi3SerializedFMUStateSize(component *c, state *s, size_t *size) { return serialized_size(c, s, size); }
FMI3 fmi3Status fmi3SerializeFMUState(component *c, state *s, uint8_t *bytes, size_t size) {
    return serialize(c, s, bytes, size);
}
FMI3 fmi3Status fmi3DeserializeFMUState(component *c, const uint8_t *bytes, size_t size, state **s) {
    return deserialize(c, bytes, size, s);
}

/* -- model exchange */
FMI3 fmi3Status fmi3EnterContinuousTimeMode(component *c) { return STATUS_OK; }
FMI3 fmi3Status fmi3UpdateDiscreteStates(
    component *c, fmi3Boolean *need_update, fmi3Boolean *terminate, fmi3Boolean *nominals_changed,
    fmi3Boolean *values_changed, fmi3Boolean *next_event_defined, fmi3Float64 *next_event
) {
    int changed = 0, result = c->exchanges ? exchange_event(c->instance, &changed) : LW_OK;
    *need_update = *nominals_changed = false, *values_changed = changed, *terminate = c->instance->now.ended;
    *next_event = exchange_next_event(c->instance), *next_event_defined = c->exchanges && *next_event < INFINITY;
    return answer(c, result, STATUS_ERROR);
}
FMI3 fmi3Status fmi3CompletedIntegratorStep(
    component *c, fmi3Boolean no_return, fmi3Boolean *enter_event_mode, fmi3Boolean *terminate
) {
    int due = 0, result = exchange_step_done(c->instance, &due);
    *enter_event_mode = due, *terminate = false;
    return answer(c, result, STATUS_ERROR);
}
FMI3 fmi3Status fmi3SetTime(component *c, fmi3Float64 t) {
    exchange_set_time(c->instance, t);
    return STATUS_OK;
}
FMI3 fmi3Status fmi3SetContinuousStates(component *c, const fmi3Float64 *y, size_t n) {
    exchange_set_states(c->instance, y);
    return STATUS_OK;
}
FMI3 fmi3Status fmi3GetContinuousStateDerivatives(component *c, fmi3Float64 *rates, size_t n) {
    return answer(c, exchange_rates(c->instance, rates), STATUS_DISCARD);
}
FMI3 fmi3Status fmi3GetEventIndicators(component *c, fmi3Float64 *values, size_t n) {
    return answer(c, exchange_indicators(c->instance, values), STATUS_DISCARD);
}
FMI3 fmi3Status fmi3GetContinuousStates(component *c, fmi3Float64 *y, size_t n) {
    memcpy(y, c->instance->y->data, n * sizeof *y);
    return STATUS_OK;
}
FMI3 fmi3Status fmi3GetNominalsOfContinuousStates(component *c, fmi3Float64 *nominals, size_t n) {
    state_scales(c, nominals, n);
    return STATUS_OK;
}
FMI3 fmi3Status fmi3GetNumberOfEventIndicators(component *c, size_t *count) {
    *count = indicator_count(c->instance);
    return STATUS_OK;
}
FMI3 fmi3Status fmi3GetNumberOfContinuousStates(component *c, size_t *count) {
    *count = c->instance->y->size;
    return STATUS_OK;
}

/* -- co-simulation */
FMI3 fmi3Status fmi3EnterStepMode(component *c) { return STATUS_OK; }
FMI3 fmi3Status fmi3DoStep(
    component *c, fmi3Float64 from, fmi3Float64 by, fmi3Boolean no_return, fmi3Boolean *event_handling,
    fmi3Boolean *terminate, fmi3Boolean *early_return, fmi3Float64 *last_time
) {
    int status = do_step(c, from, by);
    *event_handling = *early_return = false, *terminate = c->instance->now.ended, *last_time = lw_time(c->instance);
    return status == STATUS_DISCARD ? STATUS_OK : status;
}
