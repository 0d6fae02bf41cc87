#!/usr/bin/env bash
# Runs the test for leaks at full length: two hours of rounds, with a random fault of the network every five seconds.
# Every test run does some rounds, without faults. WAYBILL_SOAK_SECONDS sets another length, which has faults if it is
# more than 60 seconds; WAYBILL_SOAK_SEED sets another choice of faults.
source "$(dirname "$0")/lib.sh"
need_rust
export WAYBILL_SOAK_SECONDS=${WAYBILL_SOAK_SECONDS:-7200}
say "$WAYBILL_SOAK_SECONDS seconds; what the process holds is printed every minute"
# `cargo test` has no time limit, unlike nextest.
exec cargo test --locked --workspace --test process -- --nocapture --test-threads=1 leaks:: "$@"
