#!/usr/bin/env bash
# Restores so many backups of each kind of installation, most of them made under load, and compares them.
source "$(dirname "$0")/lib.sh"
need_rust
export WAYBILL_RESTORES=$1
cargo build --locked -p waybill --bin waybill
# A copy, because the run takes long and another build may replace the program meanwhile.
copy=$(mktemp -d "${TMPDIR:-/tmp}/waybill-restores.XXXXXX")
trap 'rm -rf "$copy"' EXIT
cp "$(target_dir)/debug/waybill" "$copy/waybill"
WAYBILL_BIN=$copy/waybill scripts/services.sh cargo nextest run --locked --profile long --workspace -E 'test(/^backup::.*_restores_row/)'
