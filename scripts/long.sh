#!/usr/bin/env bash
# The tests that are long by nature, to their full length: files of 10,000 deliveries in both formats and
# both shapes, 10,000 made-up addresses of objects, 2,000 timed pairs of sign-ins, crowds of 2,000 connections,
# 100 restarts under calls, 50 brokers that lose their store, databases away for a minute, two faults at once in
# the model of events. Every test run has a share of each. The kill runs and a thousand drivers on the map
# have recipes of their own.
source "$(dirname "$0")/lib.sh"
need_rust
export WAYBILL_LONG=1
exec scripts/services.sh cargo nextest run --locked --profile long -p waybill -p auth -p store -p kit \
  -E 'test(/^imports::a_whole_file|logo::made_up_addresses|a_known_name_takes_as_long|^crowds::|peer::tests::/) + binary(broker) + binary(model) + test(what_is_away_costs_no_event)' "$@"
