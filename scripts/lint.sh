#!/usr/bin/env bash
# Checks the sources without running them, quick checks first.
#   scripts/lint.sh [text|rust|frontend]...    all of them if none is named
source "$(dirname "$0")/lib.sh"
need_node
[ $# -gt 0 ] || set -- text frontend rust

text() {
  need_rust
  cargo fmt --all --check
  node scripts/check-sources.mjs
  node scripts/check-links.mjs
  node scripts/check-newcomer.mjs
  node scripts/check-tests-named.mjs
  node scripts/docs-config.mjs --check
  node scripts/docs-errors.mjs --check
  node scripts/deployments.mjs --check
  node scripts/faults.mjs --check
  git apply --check docs/examples/*.patch
  # Cargo would have to compile these tools first, so they are used if installed and never fetched.
  if have typos; then typos; fi
  if have cargo-deny; then cargo deny --offline --log-level error check bans licenses sources; fi
  if have buf; then buf lint; fi
}

frontend() {
  npm_install frontend
  npm --prefix frontend run --silent lint
  npm_install e2e
  npm --prefix e2e run --silent types
}

rust() {
  need_rust
  npm_install frontend
  node scripts/notices.mjs --check
  # Compile it without the product's crates, which cargo would link with it.
  mkdir -p "$(target_dir)"
  rustc --edition 2024 --emit metadata -D warnings -o "$(target_dir)/bench.rmeta" services/waybill/examples/bench/main.rs
  case "${RUSTC_WORKSPACE_WRAPPER:-}" in
    # Run the test command, because the tests run next and use what it compiles.
    *clippy-driver) cargo test --locked --workspace --no-run --quiet ;;
    *) cargo clippy --locked --workspace --all-targets -- -D warnings ;;
  esac
}

for part in "$@"; do
  case $part in
    text | frontend | rust) "$part" ;;
    *) die "scripts/lint.sh knows text, frontend and rust" ;;
  esac
done
