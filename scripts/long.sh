#!/usr/bin/env bash
# Runs the tests that take long by nature, at full length: files of 10,000 deliveries in both formats and both
# shapes, 10,000 made-up addresses of objects, 2,000 timed pairs of sign-ins, crowds of 2,000 connections, 1,000
# repeats of an import over cut connections, 200 flushes to disk that fail, 100 restarts during calls, 50 brokers
# that lose their store, databases that are away for a minute, two faults at once in the model of events, and 100
# delivery forms in ten scripts as PDF. Every test run does a share of each. The kill tests and a thousand drivers
# on the map have their own recipes.
source "$(dirname "$0")/lib.sh"
need_rust
export WAYBILL_LONG=1
if scripts/strace.sh; then export WAYBILL_STRACE=1; fi
exec scripts/services.sh cargo nextest run --locked --profile long --workspace \
  -E 'test(/^imports::a_whole_file|logo::made_up_addresses|a_known_name_takes_as_long|^crowds::|^repeats::|^flushes::|peer::tests::/) + (package(store) & test(/^(broker|model)::/)) + test(what_is_away_costs_no_event) + test(the_pdf_says_what_the_description_says)' "$@"
