/* Model exchange, by either version of the standard (exchange.c). */
#ifndef LINKWORK_EXCHANGE_H
#define LINKWORK_EXCHANGE_H
#include "instance.h"

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
