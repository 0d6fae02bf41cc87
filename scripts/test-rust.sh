#!/usr/bin/env bash
# The Rust tests, on SQLite and on Postgres, NATS, Redis and S3. Arguments go to the test runner.
source "$(dirname "$0")/lib.sh"
need_rust
[ $# -gt 0 ] || set -- --workspace
if cargo nextest --version >/dev/null 2>&1; then
  exec scripts/services.sh cargo nextest run --locked --profile ci "$@"
fi
say "cargo-nextest is not installed; using cargo test"
# Tests of the whole product are heavy: nextest runs them one by one, so this runs few.
exec scripts/services.sh cargo test --locked "$@" -- --test-threads=2
