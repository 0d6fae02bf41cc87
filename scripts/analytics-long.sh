#!/usr/bin/env bash
# The tests of analytics at full length: 10,000 random and 10,000 hostile queries, and 500 kills of the service and of
# the broker among 100,000 events. Every test run has a share of each. WAYBILL_QUERY_SEED and WAYBILL_KILL_SEED draw
# others; a word (`queries`, `kills`) runs that part alone.
source "$(dirname "$0")/lib.sh"
need_rust
export WAYBILL_QUERIES=${WAYBILL_QUERIES:-10000} WAYBILL_HOSTILE_QUERIES=${WAYBILL_HOSTILE_QUERIES:-10000}
export WAYBILL_ANALYTICS_KILLS=${WAYBILL_ANALYTICS_KILLS:-500} WAYBILL_ANALYTICS_EVENTS=${WAYBILL_ANALYTICS_EVENTS:-100000}
parts=${*:-queries kills}
# `cargo test`, which knows no time limit.
case " $parts " in *" queries "*)
  scripts/services.sh cargo test --locked -p analytics queries:: -- --nocapture --test-threads=1 ;;
esac
case " $parts " in *" kills "*)
  scripts/services.sh cargo test --locked -p waybill --test kill -- --nocapture --test-threads=1 analytics:: ;;
esac
