/* FMI 2.0: model exchange and co-simulation (the standard's names and types). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "component.h"

typedef int fmi2Boolean, fmi2Integer, fmi2Status;
typedef double fmi2Real;
typedef const char *fmi2String;
typedef unsigned fmi2ValueReference;
typedef struct {
    void (*logger)(void *, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(void *, fmi2Status);
    void *componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;
enum { fmi2ModelExchange, fmi2CoSimulation };
enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated };

#define FMI2 LW_API

static void tell(const component *c, int status, const char *text) {
    void (*logger)(void *, fmi2String, fmi2Status, fmi2String, fmi2String, ...) = (void *)c->logger;
    if (logger) logger(c->environment, c->name, status, status == STATUS_ERROR ? "logStatusError" : "logEvents", "%s", text);
}

FMI2 fmi2String fmi2GetTypesPlatform(void) { return "default"; }
FMI2 fmi2String fmi2GetVersion(void) { return "2.0"; }
FMI2 fmi2Status fmi2SetDebugLogging(component *c, fmi2Boolean on, size_t count, const fmi2String *categories) {
    c->logging = on;
    return STATUS_OK;
}

FMI2 component *fmi2Instantiate(
    fmi2String name, int type, fmi2String guid, fmi2String resources, const fmi2CallbackFunctions *functions,
    fmi2Boolean visible, fmi2Boolean logging
) {
    component how = {.exchanges = type == fmi2ModelExchange, .logging = logging, .tell = tell};
    if (functions) how.logger = (void (*)(void))functions->logger, how.environment = functions->componentEnvironment;
    return new_component(&how, name, guid, resources);
}
FMI2 void fmi2FreeInstance(component *c) { free_component(c); }
FMI2 fmi2Status fmi2SetupExperiment(
    component *c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop
) {
    return refuse_start(c, start);
}
FMI2 fmi2Status fmi2EnterInitializationMode(component *c) { return STATUS_OK; }
FMI2 fmi2Status fmi2ExitInitializationMode(component *c) { return begin(c); }
FMI2 fmi2Status fmi2Terminate(component *c) { return STATUS_OK; }
FMI2 fmi2Status fmi2Reset(component *c) { return reset(c); }

/* -- variables, all of them Real */
FMI2 fmi2Status fmi2GetReal(component *c, const fmi2ValueReference *r, size_t n, fmi2Real *v) { return get_values(c, r, n, v); }
FMI2 fmi2Status fmi2SetReal(component *c, const fmi2ValueReference *r, size_t n, const fmi2Real *v) {
    return set_values(c, r, n, v);
}
#define OTHER(type) \
    FMI2 fmi2Status fmi2Get##type(component *c, const fmi2ValueReference *r, size_t n, fmi2##type *v) { \
        return n ? STATUS_ERROR : STATUS_OK; \
    } \
    FMI2 fmi2Status fmi2Set##type(component *c, const fmi2ValueReference *r, size_t n, const fmi2##type *v) { \
        return n ? STATUS_ERROR : STATUS_OK; \
    }
OTHER(Integer)
OTHER(Boolean)
OTHER(String)
FMI2 fmi2Status fmi2GetDirectionalDerivative(
    component *c, const fmi2ValueReference *unknowns, size_t unknown_count, const fmi2ValueReference *knowns,
    size_t known_count, const fmi2Real *seed, fmi2Real *sensitivity
) {
    return directional_derivative(c, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
}

/* -- states of the whole */
FMI2 fmi2Status fmi2GetFMUstate(component *c, state **s) { return get_state(c, s); }
FMI2 fmi2Status fmi2SetFMUstate(component *c, state *s) { return set_state(c, s); }
FMI2 fmi2Status fmi2FreeFMUstate(component *c, state **s) { return free_state(s); }
FMI2 fmi2Status fmi2SerializedFMUstateSize(component *c, state *s, size_t *size) { return serialized_size(c, s, size); }
FMI2 fmi2Status fmi2SerializeFMUstate(component *c, state *s, char *bytes, size_t size) {
    return serialize(c, s, bytes, size);
}
FMI2 fmi2Status fmi2DeSerializeFMUstate(component *c, const char *bytes, size_t size, state **s) {
    return deserialize(c, bytes, size, s);
}

/* -- model exchange */
FMI2 fmi2Status fmi2EnterEventMode(component *c) { return STATUS_OK; }
FMI2 fmi2Status fmi2EnterContinuousTimeMode(component *c) { return STATUS_OK; }
FMI2 fmi2Status fmi2NewDiscreteStates(component *c, fmi2EventInfo *info) {
    int changed = 0, result = exchange_event(c->instance, &changed);
    double next = exchange_next_event(c->instance);
    *info = (fmi2EventInfo){
        .terminateSimulation = c->instance->now.ended, .valuesOfContinuousStatesChanged = changed,
        .nextEventTimeDefined = next < INFINITY, .nextEventTime = next};
    return answer(c, result, STATUS_ERROR);
}
FMI2 fmi2Status fmi2CompletedIntegratorStep(
    component *c, fmi2Boolean no_return, fmi2Boolean *enter_event_mode, fmi2Boolean *terminate
) {
    *enter_event_mode = 0, *terminate = 0;
    return answer(c, exchange_step_done(c->instance, enter_event_mode), STATUS_ERROR);
}
FMI2 fmi2Status fmi2SetTime(component *c, fmi2Real t) {
    exchange_set_time(c->instance, t);
    return STATUS_OK;
}
FMI2 fmi2Status fmi2SetContinuousStates(component *c, const fmi2Real *y, size_t n) {
    exchange_set_states(c->instance, y);
    return STATUS_OK;
}
FMI2 fmi2Status fmi2GetDerivatives(component *c, fmi2Real *rates, size_t n) {
    return answer(c, exchange_rates(c->instance, rates), STATUS_DISCARD);
}
FMI2 fmi2Status fmi2GetEventIndicators(component *c, fmi2Real *values, size_t n) {
    return answer(c, exchange_indicators(c->instance, values), STATUS_DISCARD);
}
FMI2 fmi2Status fmi2GetContinuousStates(component *c, fmi2Real *y, size_t n) {
    memcpy(y, c->instance->y->data, n * sizeof *y);
    return STATUS_OK;
}
FMI2 fmi2Status fmi2GetNominalsOfContinuousStates(component *c, fmi2Real *nominals, size_t n) {
    state_scales(c, nominals, n);
    return STATUS_OK;
}

/* -- co-simulation */
FMI2 fmi2Status fmi2DoStep(component *c, fmi2Real from, fmi2Real by, fmi2Boolean no_return) { return do_step(c, from, by); }
FMI2 fmi2Status fmi2CancelStep(component *c) { return STATUS_ERROR; }
FMI2 fmi2Status fmi2SetRealInputDerivatives(
    component *c, const fmi2ValueReference *r, size_t n, const fmi2Integer *order, const fmi2Real *v
) {
    return STATUS_ERROR;
}
FMI2 fmi2Status fmi2GetRealOutputDerivatives(
    component *c, const fmi2ValueReference *r, size_t n, const fmi2Integer *order, fmi2Real *v
) {
    return STATUS_ERROR;
}
FMI2 fmi2Status fmi2GetStatus(component *c, int kind, fmi2Status *value) { return STATUS_DISCARD; }
FMI2 fmi2Status fmi2GetIntegerStatus(component *c, int kind, fmi2Integer *value) { return STATUS_DISCARD; }
FMI2 fmi2Status fmi2GetStringStatus(component *c, int kind, fmi2String *value) { return STATUS_DISCARD; }
FMI2 fmi2Status fmi2GetRealStatus(component *c, int kind, fmi2Real *value) {
    if (kind != fmi2LastSuccessfulTime) return STATUS_DISCARD;
    *value = lw_time(c->instance);
    return STATUS_OK;
}
FMI2 fmi2Status fmi2GetBooleanStatus(component *c, int kind, fmi2Boolean *value) {
    if (kind != fmi2Terminated) return STATUS_DISCARD;
    *value = (fmi2Boolean)c->instance->now.ended;
    return STATUS_OK;
}
