#!/usr/bin/env bash
# Measures the figures of docs/benchmarks.md, with a release build and servers of its own.
# BENCH_DELIVERIES, BENCH_IMPORT, BENCH_SECONDS, BENCH_ROUNDS and BENCH_PARTS change what is measured.
source "$(dirname "$0")/lib.sh"
need_rust
scripts/build-frontend.sh
cargo build --locked --release -p waybill --bin waybill
bench=$(target_dir)/release/waybill-bench
# Do not build it with cargo, which would link the whole product and build it again.
rustc --edition 2024 -O -o "$bench" services/waybill/examples/bench/main.rs
WAYBILL_BIN=$(target_dir)/release/waybill exec "$bench"
