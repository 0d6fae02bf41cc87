#!/usr/bin/env bash
# Prints the path of a Chromium, installing one where that is allowed.
source "$(dirname "$0")/lib.sh"

find_chromium() {
  local name
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$name" ] && command -v "$name" 2>/dev/null && return
  done
  return 1
}

[ -z "${CHROMIUM:-}" ] || [ -x "$CHROMIUM" ] || die "CHROMIUM is set to $CHROMIUM, which is no program"
find_chromium || { apt_install chromium && find_chromium; } ||
  die "Chromium is missing and cannot be installed from here. Install it (Debian: apt-get install chromium), or set CHROMIUM to its path."
