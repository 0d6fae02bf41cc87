#!/usr/bin/env bash
# Builds everything and serves it in one process; flags go to `waybill`.
#   scripts/run.sh              a program for development: builds sooner, runs slower
#   scripts/run.sh --release    the program that one would install
source "$(dirname "$0")/lib.sh"
need_rust
profile=debug build=()
if [ "${1:-}" = --release ]; then
  profile=release build=(--release)
  shift
fi
scripts/build-frontend.sh
cargo build --locked ${build[@]+"${build[@]}"} -p waybill
exec "$(target_dir)/$profile/waybill" "$@"
