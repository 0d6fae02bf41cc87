#!/usr/bin/env bash
# Finds the fonts that forms use for letters that Inter lacks, and installs them if that is allowed. Exits
# with 1 if they are missing: then forms are printed without those letters, and say so.
source "$(dirname "$0")/lib.sh"

has_fonts() {
  local root
  for root in /usr/share/fonts /usr/local/share/fonts; do
    [ -n "$(find "$root" -name 'NotoSansArabic-Regular.ttf' -print -quit 2>/dev/null)" ] &&
      [ -n "$(find "$root" -name 'NotoSansCJK-Regular.ttc' -print -quit 2>/dev/null)" ] && return
  done
  return 1
}

has_fonts || { apt_install fonts-noto-core fonts-noto-cjk && has_fonts; } || {
  say "the Noto fonts are missing; tests of forms do without (Debian: apt-get install fonts-noto-core fonts-noto-cjk)"
  exit 1
}
