#!/usr/bin/env bash
# Builds everything and serves it in one process; flags go to `waybill`.
#   scripts/run.sh              a development build, which compiles faster and runs slower
#   scripts/run.sh --release    the program as it would be installed
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
