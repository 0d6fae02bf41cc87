#!/usr/bin/env bash
# Upgrades installations of an earlier release to this one under load: separate services there, back and there
# again, and one process with its folder. The earlier release is a commit, and is built from it.
#   scripts/upgrades.sh COMMIT [RATE]    with so many requests a second, or 50
# Uses release builds, unless WAYBILL_BIN and WAYBILL_BEFORE_BIN name other programs.
source "$(dirname "$0")/lib.sh"
[ $# -gt 0 ] || die "usage: scripts/upgrades.sh COMMIT [RATE]"
need_node
npm_install k8s/test
commit=$(git rev-parse --verify --quiet "$1^{commit}") || die "$1 is no commit of this repository"
place=$(target_dir)/before
rm -rf "$place/sources"
mkdir -p "$place/sources"
git archive "$commit" | tar -x -C "$place/sources"
if [ -z "${WAYBILL_BEFORE_BIN:-}" ]; then
  need_rust
  "$place/sources/scripts/build-frontend.sh"
  (cd "$place/sources" && CARGO_TARGET_DIR=$place/target cargo build --locked --release -p waybill --bin waybill)
  WAYBILL_BEFORE_BIN=$place/target/release/waybill
fi
built_program release
# The earlier release may not know the setting that accepts another Postgres.
WAYBILL_SERVICES_DURABLE=1 scripts/services.sh node k8s/test/upgrades.mjs "$place/sources" "$WAYBILL_BEFORE_BIN" "${2:-50}"
