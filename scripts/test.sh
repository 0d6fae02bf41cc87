#!/usr/bin/env bash
# Everything that must hold, quick checks first. Stops at the first failure.
source "$(dirname "$0")/lib.sh"
need_rust
need_node

began=$SECONDS
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
}

budget() { npm --prefix frontend run --silent budget; }

stage "texts, links, generated pages" scripts/lint.sh text
stage "frontend: packages, lint, types" scripts/lint.sh frontend
stage "frontend: unit tests, router cases" npm --prefix frontend test --silent
stage "frontend: build" scripts/build-frontend.sh
stage "frontend: size budget" budget
stage "rust: format, clippy" scripts/lint.sh rust
stage "rust: tests on SQLite, Postgres, NATS, Redis, S3" scripts/test-rust.sh
# Built by the Rust tests just now.
WAYBILL_BIN=$(target_dir)/debug/waybill
export WAYBILL_BIN
stage "contract: real client packages" scripts/contract.sh
stage "end to end: Chromium" scripts/e2e.sh

printf '\nEverything passed in %s.\n' "$(clock $((SECONDS - began)))"
