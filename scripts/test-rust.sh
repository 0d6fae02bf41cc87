#!/usr/bin/env bash
# The Rust tests, on SQLite and on Postgres, NATS, Redis and S3. Arguments go to the test runner;
# `quick` alone is what most changes break.
source "$(dirname "$0")/lib.sh"
need_rust
profile=ci
if [ "${1:-}" = quick ]; then
  profile=quick
  shift
fi
[ $# -gt 0 ] || set -- --workspace
# With them a form has to have every letter.
if scripts/fonts.sh; then export WAYBILL_FONTS=1; fi
if cargo nextest --version >/dev/null 2>&1; then
  exec scripts/services.sh cargo nextest run --locked --profile "$profile" "$@"
fi
say "cargo-nextest is not installed; using cargo test"
# Only nextest can leave tests out by their group, so `quick` is everything here.
# Tests of the whole product are heavy: nextest runs few at once, and so does this.
exec scripts/services.sh cargo test --locked "$@" -- --test-threads=2
