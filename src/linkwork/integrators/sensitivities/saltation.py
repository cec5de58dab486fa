"""What an instant at which something jumps does to the sensitivities.

The instant tau(p) at which a number g(t, y; p) passes zero moves with the parameter, and with it the place where one
law follows the other (Aizerman & Gantmakher 1958), theory (13.4) to (13.6):

    dtau = -(Dg[S] + dg/dp) / g_dot                          g_dot along (1, f-)
    S+   = S- + (f- - f+) dtau                               where the state goes on as it was
    S+   = Dr[S- + f- dtau] + dr/dp + dr/dt dtau - f+ dtau   where it jumps, y+ = r(t, y-; p)

A known break time has a slope of its own.  Where g passes zero with no speed (a grazing contact), or where nothing is
found that has changed, there is no derivative: the instant is noted, and the sensitivities stand still.
"""

from __future__ import annotations

import math

from linkwork.compiler.kernels import kernel, part, stage
from linkwork.elements.family import Phase
from linkwork.formulations.equations import call_families, evaluate
from linkwork.integrators.adams import step as adams_step
from linkwork.integrators.control import rate_corrected
from linkwork.integrators.sensitivities.slopes_of_rates import take_conditions
from linkwork.integrators.sensitivities.variation import BESIDE, CENTRAL, PLAIN, open_system, open_variation, open_work
from linkwork.integrators.vectors import copy
from linkwork.numerics.status import LEVEL_ALL, OK

BEGUN, RESET, TROUBLE = range(3)  # places in `status`: 1: a run has begun; the state has jumped; why there is no slope
GRAZING, UNKNOWN, LEAPS = 1, 2, 3  # troubles
NOTHING = 1e-9  # of the rate: a smaller jump is none
SLOW = 1e-6  # of its size over the time: a number that passes zero with so little speed grazes it
FEW = 2.0  # times the speed of a contact that does not matter
CLOSE = 1e-12  # of the time: a break time is this one
NEAR = 1e-4  # of the scales of the state: the places of differences
NO_WATCH = -1
KINK = -2  # in place of what has changed: the rate goes on as it was, its slopes may not


@stage
def step(evaluate, factor, solve, correct, system, y, angles, work, memory, control):
    """A step of the integrator; where it begins afresh, first what has jumped."""
    if control[0].fresh == 1:
        vary = open_variation(work.stages[work.stages.shape[0] - 1].first)
        if vary.status[BEGUN] == 1 and math.isnan(vary.trouble[0]):
            status = leap(evaluate, factor, solve, correct, system, y, angles, work, control, vary)
            if status != OK:
                return status
        vary.status[BEGUN], vary.status[RESET] = 1, 0
    return adams_step(evaluate, factor, solve, correct, system, y, angles, work, memory, control)


@part
def leap(evaluate_run, factor, solve, correct, system, y, angles, work, control, vary):
    """S+ from S-, the state evaluated last being that before the instant."""
    t, n, count = control[0].t, vary.y.shape[0], vary.systems.shape[0]
    k = NO_WATCH
    if vary.status[RESET] == 0:
        take_end(t, vary)
        copy(vary.y_rate, vary.before)
        k = changed_watch(work, vary)
    else:
        for i in range(n):
            vary.before[i] = 0.0  # it has gone through the jump with the state
    copy(y, vary.extended)
    status = rate_corrected(
        evaluate_run, factor, solve, correct, system, t, vary.extended, angles, work, control
    )  # fmt: skip
    if status != OK:
        return status
    if vary.status[RESET] == 0:
        if moved(vary.extended, y, n, work):
            no_slopes(LEAPS, t, y, n, vary)
            return OK
        if not jumps(vary.before, work, n):
            note_instant(t, KINK, vary)
            return OK
        note_instant(t, k, vary)
        slopes_of_instant(work, angles, t, k, vary)
    for d in range(count):
        for i in range(n):
            y[n + d * n + i] += (vary.before[i] - work.rate[i]) * vary.instant[d]
    if vary.status[TROUBLE] != 0:
        no_slopes(vary.status[TROUBLE], t, y, n, vary)
    return OK


@part
def note_instant(t, k, vary):
    """When, and what has changed."""
    count = vary.watches[vary.instants.shape[0]]
    if count < vary.instants.shape[0]:
        vary.instants[count], vary.watches[count] = t, k
    vary.watches[vary.instants.shape[0]] = count + 1


@part
def take_end(t, vary):
    """The state right before the instant t: at the end of the step, or, where that went back, evaluated last."""
    if vary.end_t[0] == t:
        copy(vary.end_y, vary.y)
        copy(vary.end_rate, vary.y_rate)
        copy(vary.end_t, vary.t)
        copy(vary.end_cells, vary.cells)


@part
def changed_watch(work, vary):
    """The expression that has changed its cell, or the contact that begins or ends; NO_WATCH: neither."""
    found, nearest = NO_WATCH, math.inf
    for k in range(work.watch.shape[0]):
        watch = work.watch[k]
        if watch.switch >= 0:
            if work.switches[watch.switch].cell != vary.cells[watch.switch]:
                return k
        elif watch.rate >= 0 and abs(work.signals[watch.signal]) < nearest:
            found, nearest = k, abs(work.signals[watch.signal])
    return found


@part
def moved(y_new, y, n, work):
    """Whether the state itself has jumped."""
    farthest = 0.0
    for i in range(n):
        farthest = max(farthest, abs(y_new[i] - y[i]) / (work.scales[i] + abs(y[i]) + 1e-300))
    return farthest > NOTHING


@part
def jumps(before, work, n):
    """Whether the rate has."""
    size, change = 0.0, 0.0
    for i in range(n):
        if work.scales[i] > 0.0:
            size = max(size, abs(before[i]) / work.scales[i], abs(work.rate[i]) / work.scales[i])
            change = max(change, abs(before[i] - work.rate[i]) / work.scales[i])
    return change > NOTHING * size


@part
def no_slopes(why, t, y, n, vary):
    """From here on there are none."""
    if math.isnan(vary.trouble[0]):
        vary.status[TROUBLE], vary.trouble[0] = why, t
    for i in range(n, y.shape[0]):
        y[i] = 0.0


@kernel
def slopes_of_watch(work, angles, t, k, address):
    """The same for Python: `vary.instant` of an event k."""
    slopes_of_instant(work, angles, t, k, open_variation(address))


@kernel
def state_before(t, address):
    """The same for Python: the state right before the instant t, into `vary.y` and `vary.y_rate`."""
    take_end(t, open_variation(address))


@part
def slopes_of_instant(work, angles, t, k, vary):
    """dtau of each parameter into `vary.instant`: of a break time as known, else of the number k that is watched.

    Differences of fourth order of g: along each sensitivity, along each parameter, along the motion.
    """
    count = vary.systems.shape[0]
    for b in range(vary.breaks.shape[0]):
        if abs(vary.breaks[b] - t) <= CLOSE * t:
            for d in range(count):
                vary.instant[d] = vary.break_slopes[b, d]
            return
    for d in range(count):
        vary.instant[d] = 0.0
    if k == NO_WATCH:
        vary.status[TROUBLE] = UNKNOWN
        return
    n = vary.y.shape[0]
    speed = slope_along(work, angles, t, k, 1.0, vary.before, 0, vary)
    if not abs(speed) > least_speed(work, k, t):
        vary.status[TROUBLE] = GRAZING
        return
    for d in range(count):
        change = slope_along(work, angles, t, k, 0.0, work.s, work.s.shape[0] - (count - d) * n, vary)
        for p in range(vary.systems.shape[1]):
            if vary.systems[d, p] == 0 or vary.weights[CENTRAL, d, p] == 0.0:
                continue
            beside = open_work(vary.works[d, p])
            number = watched_at(open_system(vary.systems[d, p]), t, vary.y, angles, work, beside, work.watch[k])
            change += vary.weights[CENTRAL, d, p] * number
        vary.instant[d] = -change / speed


@part
def least_speed(work, k, t):
    """With less a number grazes zero: that of its largest so far over the time, or of contacts that hardly matter."""
    watch = work.watch[k]
    if watch.switch >= 0:
        return SLOW * work.switches[watch.switch].reach / max(t, 1e-300)
    return FEW * watch.slow if watch.rate >= 0 else 0.0


@part
def slope_along(work, angles, t, k, along_t, direction, first, vary):
    """dg along (along_t, direction): its entries from `first` on."""
    system, n, y = open_system(vary.addresses[PLAIN]), vary.y.shape[0], vary.extended
    beside, largest = open_work(vary.addresses[BESIDE]), 0.0
    for i in range(n):
        if work.scales[i] > 0.0:
            largest = max(largest, abs(direction[first + i]) / work.scales[i])
    if not largest > 0.0:
        return 0.0
    h, slope = NEAR / largest, 0.0
    for place in range(-2, 3):
        if place == 0:
            continue
        weight = place * (8.0 if abs(place) == 1 else -0.5) / 12.0
        for i in range(n):
            y[i] = vary.y[i] + place * h * direction[first + i]
        slope += weight * watched_at(system, t + place * h * along_t, y, angles, work, beside, work.watch[k]) / h
    return slope


@part
def watched_at(system, t, y, angles, work, beside, watch):
    """The number of what is watched at a state beside that of the run."""
    take_conditions(work, beside)
    evaluate(system, t, y, angles, beside, LEVEL_ALL)
    if watch.switch >= 0:
        return beside.switches[watch.switch].x
    call_families(Phase.OUTPUT, system, t, angles, beside)
    return watch.sign * beside.signals[watch.signal]
