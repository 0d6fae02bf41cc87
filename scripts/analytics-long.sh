#!/usr/bin/env bash
# Runs the tests of analytics at full length: 10,000 random and 10,000 hostile queries, and 100,000 events
# with 500 kills of the service and of the broker and 50 lost stores of the broker. Every test run does a
# share of each. WAYBILL_QUERY_SEED and WAYBILL_KILL_SEED change the random choices; the argument `queries` or
# `kills` runs only that part.
source "$(dirname "$0")/lib.sh"
for part in "$@"; do
  case $part in
    queries | kills) ;;
    *) die "scripts/analytics-long.sh knows queries and kills" ;;
  esac
done
need_rust
export WAYBILL_QUERIES=${WAYBILL_QUERIES:-10000} WAYBILL_HOSTILE_QUERIES=${WAYBILL_HOSTILE_QUERIES:-10000}
export WAYBILL_ANALYTICS_KILLS=${WAYBILL_ANALYTICS_KILLS:-500} WAYBILL_ANALYTICS_EVENTS=${WAYBILL_ANALYTICS_EVENTS:-100000}
export WAYBILL_ANALYTICS_WIPES=${WAYBILL_ANALYTICS_WIPES:-50}
parts=${*:-queries kills}
# `cargo test` has no time limit, unlike nextest.
case " $parts " in *" queries "*)
  scripts/services.sh cargo test --locked -p analytics queries:: -- --nocapture --test-threads=1 ;;
esac
case " $parts " in *" kills "*)
  scripts/services.sh cargo test --locked --workspace --test kill -- --nocapture --test-threads=1 analytics:: ;;
esac
