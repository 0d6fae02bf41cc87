#!/usr/bin/env bash
# Builds the browser application if any of its sources is newer than the last build.
#   scripts/build-frontend.sh [--force]    builds it also when nothing changed
source "$(dirname "$0")/lib.sh"
[ $# -eq 0 ] || [ "$*" = --force ] || die "scripts/build-frontend.sh knows --force"
need_node

# The file that a build writes last.
built=frontend/dist/index.html.gz
if [ "${1:-}" != --force ] && [ -f "$built" ]; then
  changed=$(find frontend/src frontend/public frontend/scripts frontend/index.html frontend/package.json \
    frontend/package-lock.json frontend/vite.config.ts frontend/tsconfig*.json gateway/schema.graphql \
    -newer "$built" -print -quit)
  [ -n "$changed" ] || exit 0
fi
npm_install frontend
rm -f "$built"
cd frontend
npm run --silent build
