#!/usr/bin/env bash
# The tests that are long by nature, to their full length: files of 10,000 deliveries in both formats and
# both shapes, 10,000 made-up addresses of objects, 2,000 timed pairs of sign-ins. Every test run has a share of each. The kill runs and a
# thousand drivers on the map have recipes of their own.
source "$(dirname "$0")/lib.sh"
need_rust
export WAYBILL_LONG=1
exec scripts/services.sh cargo nextest run --locked --profile ci -p waybill -p auth \
  -E 'test(/^imports::a_whole_file|logo::made_up_addresses|a_known_name_takes_as_long/)' "$@"
