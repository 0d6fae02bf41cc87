#!/usr/bin/env bash
# Measures what docs/benchmarks.md reports, with a release build and servers of its own.
# BENCH_DELIVERIES, BENCH_IMPORT, BENCH_SECONDS, BENCH_ROUNDS, BENCH_PARTS change what is done.
source "$(dirname "$0")/lib.sh"
need_rust
scripts/build-frontend.sh
cargo build --locked --release -p waybill --bin waybill
bench=$(target_dir)/release/waybill-bench
# Not by cargo: an example would be linked with, and rebuild, all of the product.
rustc --edition 2024 -O -o "$bench" services/waybill/examples/bench/main.rs
WAYBILL_BIN=$(target_dir)/release/waybill exec "$bench"
