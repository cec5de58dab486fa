/* What the files of the runtime share: a model as it lies in its file, and an instance of it.

   The file (linkwork/fmu/model_file.py writes it) begins with a `head`; then come the sections in the order of their
   counts there.  The image is all memory of a run at its start: tables, workspace, state and the descriptions of these
   arrays, with addresses that count from its beginning (`relocations`: which words they are) and places for the addresses
   of kernels (`calls`).
*/
#ifndef LINKWORK_INSTANCE_H
#define LINKWORK_INSTANCE_H
#include "linkwork.h"
#include "linkwork_model.h"

#define MAGIC "linkwork model"
#define UNDECIDED -1 /* cell of an expression that its argument decides (expressions/kernels/of_state.py) */
#define NAME 128 /* bytes of the name of a kernel */
#define INSIDE 1e-15 /* of a known time: how far from it an expression is read (expressions/kernels/crossings.py) */

/* How a kernel ended (numerics/status.py). */
enum {
    OK, CHUNK_DONE, FINISHED, STEP_TOO_SMALL, NEWTON_STALLED, NOT_FINITE, MASS_SINGULAR, CHOOSE_ROWS, EVENT_FOUND, JAMMED,
    CHANGE_DUE, CHANGED, STOPPED, DRIVER_APART, FILLED_IN
};
enum { LOG, STOP, RELEASE, LOCK, IMPULSE }; /* what happens at an instant (elements/declaration/changes.py) */
enum { VALUE, RATE, ACCELERATION }; /* which of a driver's inputs */

/* What a variable is, and what its `index` and `second` mean. */
enum {
    TIME,
    STATE, /* number in y */
    DERIVATIVE, /* number in y */
    COLUMN, /* of a row of samples */
    ENERGY, /* kinetic and potential together */
    BALANCE, /* of the energy, less its value at the start */
    POSITION, VELOCITY, SPIN, ORIENTATION, /* body, component */
    INPUT, /* signal that it is */
    DRIVER, /* first op of the driver's program; value, rate, acceleration */
    PARAMETER, /* first entry, how many */
    STEPS, EVALUATIONS,
    SWITCH /* how far an expression is from the nearest threshold at which it jumps */
};

typedef struct {
    char magic[16], library[24], token[40];
    int64_t head_size;
    int64_t image, relocations, calls, kernels, variables, entries, breaks, crossings, changes, bodies,
        names; /* how many */
    int64_t system, work, y, angles, memory, control, progress, times, samples, history, path, event_location, state,
        orientation, stops, found, no_signals, no_switches, alike, occurrences,
        steps, complex_state, along, given, driven, slopes, slope_rates; /* where they are described, bytes in the image */
    int64_t stages[7]; /* kernels: evaluate, factor, solve, correct, accept, step, interpolate */
    int64_t v_dot, lam, kinetic, potential, signals, work_integral; /* columns of a row of samples */
    int64_t events; /* the last of the changes are those of events */
    int64_t projects; /* the method brings the state back onto the constraints */
} head;
typedef struct { int64_t word, kernel; } call;
typedef struct { int64_t kind, index, second, row, name; double start; } variable; /* row: of a driver */
typedef struct { int64_t place, reciprocal; double base, slope; } entry; /* base + slope (p - start), or 1 over that */
typedef struct { int64_t first_op, op_count, thresholds; } crossing; /* a function of time, and where something jumps */
typedef struct { int64_t body; double R[3][3], p[3]; } body_frame; /* in the link frame */

struct lw_model {
    char *file;
    const head *head;
    const int64_t *image;
    const int64_t *relocations;
    const call *calls;
    const variable *variables;
    const entry *entries;
    const double *breaks;
    const crossing *crossings;
    const int64_t *changes; /* their names */
    const body_frame *bodies;
    const char *names;
    void **kernels; /* their addresses */
};

/* What an instance remembers beside its block; plain numbers, saved with it. */
typedef struct {
    int64_t begun, /* a step was made */
        restart, /* an input has changed: the history of the integrator is of another motion */
        sampled, /* the workspace and the row of samples are of the present state */
        ended, next_break;
    double balance, /* J, of the energy at the start */
        after; /* s, from which on expressions are read after the last break */
} progress;

struct lw_instance {
    const lw_model *model;
    void *memory_of_block;
    char *block; /* the image, aligned, with addresses of this process */
    lw_System *system, *alike;
    lw_Work *work;
    lw_complex_Work *steps; /* of derivatives by complex steps */
    lw_array1 *y, *angles, *control_array, *progress_array, *times, *history, *event_location, *state, *stops,
        *found, *no_switches, *occurrences, *complex_state, *along, *given, *slopes, *slope_rates;
    lw_array2 *memory, *samples, *path, *no_signals, *driven;
    lw_control *control;
    lw_progress *loop;
    double *orientation;
    progress now;
    char message[512];
    void (*report)(void *to, const char *text); /* events that occurred; NULL: to nobody */
    void *report_to;
};

static inline double *numbers(const lw_array1 *array) { return array->data; }
static inline double *row(const lw_array2 *array, int64_t k) { return (double *)array->data + k * array->shape[1]; }

int fail(lw_instance *c, const char *text, ...) __attribute__((format(printf, 2, 3)));
int sample(lw_instance *c);
int differentiate(lw_instance *c);
double slope_of(const lw_instance *c, const variable *v);
void begin_segment(lw_instance *c, lw_break stop);
lw_break next_break(lw_instance *c, double until);
lw_break known_break(double t);
void pass_break(lw_instance *c, lw_break passed);
double switch_distance(const lw_instance *c, int64_t k);
int apply_changes(lw_instance *c, int64_t first, int64_t last);
void report_change(lw_instance *c, int64_t change, double t);
int failure(lw_instance *c, int64_t status);
static inline const lw_change *change_of(const lw_instance *c, int64_t k) { return (lw_change *)c->system->changes.data + k; }
static inline int64_t scheduled(const lw_instance *c) { return c->model->head->changes - c->model->head->events; }
void *kernel_address(const char *name);
extern const char *const library_name;

/* Model exchange, by either version of the standard (exchange.c). */
void exchange_begin(lw_instance *c);
double exchange_next_event(lw_instance *c);
void exchange_set_time(lw_instance *c, double t);
void exchange_set_states(lw_instance *c, const double *y);
int exchange_rates(lw_instance *c, double *rates);
int64_t indicator_count(const lw_instance *c);
int exchange_indicators(lw_instance *c, double *values);
int exchange_step_done(lw_instance *c, int *event_due);
int exchange_event(lw_instance *c, int *changed);
#endif
