#!/usr/bin/env bash
# Runs the Rust tests, on SQLite and on Postgres, NATS, Redis and S3. Arguments go to the test runner; `quick`
# alone runs the tests that most changes break.
source "$(dirname "$0")/lib.sh"
need_rust
profile=ci
if [ "${1:-}" = quick ]; then
  profile=quick
  shift
fi
[ $# -gt 0 ] || set -- --workspace
# If the fonts are installed, a test requires that a form contains every letter.
if scripts/fonts.sh; then export WAYBILL_FONTS=1; fi
# If strace is available, a test requires that writes are synced to disk.
if scripts/strace.sh; then export WAYBILL_STRACE=1; fi
# Property tests draw other values each day, and the same ones if a failed run is repeated.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-$(($(date +%s) / 86400))}
say "PROPTEST_RNG_SEED=$PROPTEST_RNG_SEED repeats the property tests of this run"
if cargo nextest --version >/dev/null 2>&1; then
  # `-p` only chooses which tests run. A crate compiled alone would have other features than the workspace,
  # and compile every dependency again.
  packages= expression= rest=()
  while [ $# -gt 0 ]; do
    case $1 in
      -p | --package) packages="${packages:+$packages | }package($2)" && shift 2 ;;
      -E) expression="${expression:+$expression | }($2)" && shift 2 ;;
      --workspace) shift ;;
      *) rest+=("$1") && shift ;;
    esac
  done
  chosen="${packages:+($packages)}${packages:+${expression:+ & }}${expression:+($expression)}"
  set -- --workspace ${rest[@]+"${rest[@]}"} ${chosen:+-E "$chosen"}
  exec scripts/services.sh cargo nextest run --locked --profile "$profile" "$@"
fi
say "cargo-nextest is not installed; using cargo test"
# Only nextest can leave out groups of tests, so `quick` runs everything here. Tests of the whole product are
# heavy, so few of them run at once, as with nextest.
exec scripts/services.sh cargo test --locked "$@" -- --test-threads=2
