#!/usr/bin/env bash
# Writes all generated files: the GraphQL schema and the reference pages.
source "$(dirname "$0")/lib.sh"
need_rust
npm_install frontend
WAYBILL_WRITE_SCHEMA=1 cargo test --locked --quiet -p gateway --test gateway the_exported_schema
npm --prefix frontend run --silent schema
node scripts/docs-config.mjs
node scripts/docs-errors.mjs
node scripts/deployments.mjs
