#!/usr/bin/env bash
# Runs all checks and tests, quick ones first. Stops at the first failure.
#   scripts/test.sh          all of them; prints how long each stage and the slowest tests took
#   scripts/test.sh keep     the same, and writes those times to docs/test-times.md
#   scripts/test.sh quick    what most changes break, in a few minutes once the dependencies are compiled
source "$(dirname "$0")/lib.sh"
need_rust
need_node

case "${1:-all}" in
  all | keep | quick) what=${1:-all} ;;
  *) die "scripts/test.sh knows keep and quick" ;;
esac

began=$SECONDS
stages=$(mktemp "${TMPDIR:-/tmp}/waybill-stages.XXXXXX")
stop() {
  local running
  running=$(jobs -pr)
  # shellcheck disable=SC2086
  [ -z "$running" ] || kill $running 2>/dev/null || true
  rm -f "$stages"
}
trap stop EXIT
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

stage() {
  local name=$1 stage_began=$SECONDS
  shift
  printf '\n== %s  (%s since the start)\n' "$name" "$(clock $((SECONDS - began)))"
  if ! "$@"; then
    printf '\nFAILED: %s, after %s. Alone: %s\n' "$name" "$(clock $((SECONDS - stage_began)))" "$*" >&2
    exit 1
  fi
  printf -- '-- %s took %s\n' "$name" "$(clock $((SECONDS - stage_began)))"
  printf '%s\t%s\n' "$name" $((SECONDS - stage_began)) >>"$stages"
}

budget() { npm --prefix frontend run --silent budget; }

lint_while_compiling
# In CI nothing is compiled twice and nobody debugs, so write neither the files that only a second compilation
# would use nor the line numbers of backtraces. A panic still names its line.
[ -z "${CI:-}" ] || export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0

# What the deployments need from outside is fetched meanwhile.
if [ "$what" != quick ]; then
  scripts/test-k8s.sh prepare >/dev/null 2>&1 &
  prepared=$!
fi

stage "format, texts, links, generated pages" scripts/lint.sh text
stage "frontend: packages, lint, types" scripts/lint.sh frontend
if [ "$what" = quick ]; then
  stage "frontend: unit tests of what most changes break" npm --prefix frontend run --silent test:quick
  stage "frontend: build" scripts/build-frontend.sh
  stage "frontend: size budget" budget
  stage "rust: clippy, compilation" scripts/lint.sh rust
  stage "rust: tests of what most changes break" scripts/test-rust.sh quick
  printf '\nThe quick part passed in %s. Before handing in: just test\n' "$(clock $((SECONDS - began)))"
  exit 0
fi
stage "frontend: unit tests" npm --prefix frontend test --silent
stage "frontend: build" scripts/build-frontend.sh
stage "frontend: size budget" budget
stage "rust: clippy, compilation" scripts/lint.sh rust
# Only one process at a time can install system packages, and the tests may install some.
wait "$prepared" || true
stage "rust: tests on SQLite, Postgres, NATS, Redis, S3" scripts/test-rust.sh
# The Rust tests have just built the program.
WAYBILL_BIN=$(target_dir)/debug/waybill
export WAYBILL_BIN
stage "contract: real client packages" scripts/contract.sh
stage "deployments: manifests, policies, the program as they run it" scripts/test-k8s.sh
stage "end to end: Chromium" scripts/e2e.sh

node scripts/test-times.mjs "$stages" "--$what"
printf 'Everything passed in %s.\n' "$(clock $((SECONDS - began)))"
