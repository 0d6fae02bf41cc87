#!/usr/bin/env bash
# Adds a service that does nothing to a copy of the sources, and expects it wherever services are listed:
# among the targets of the command line, in the tests of access, layers and deployed accounts, and in both
# shapes of the product. The steps are those of CONTRIBUTING.md, "Add a service"; the patch contains
# everything written by hand. Then it applies the examples of docs/examples to the same copy (an event with a
# consumer, and a runtime setting) and tests those.
source "$(dirname "$0")/lib.sh"
need_rust
need_node
have git || die "git is missing; it applies the patch"

patch=$ROOT/services/waybill/tests/fixtures/stub-service.patch
CARGO_TARGET_DIR=$(realpath -m "$(target_dir)")
export CARGO_TARGET_DIR
copy=$CARGO_TARGET_DIR/stub-service
# The copy keeps its place and the times of its files, so that a second run compiles only changes.
rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' path; do
  if [ -e "$path" ]; then printf '%s\0' "$path"; fi
done | tar --null --files-from=- --create | tar --extract --directory="$copy"

cd "$copy"
# The copy is in an ignored folder of a repository. Without this variable, git would patch that repository.
GIT_CEILING_DIRECTORIES=$CARGO_TARGET_DIR git apply -C1 "$patch"
node scripts/deployments.mjs
for path in k8s/base/stub.yaml k8s/components/autoscaling/scaling.yaml deploy/compose.yaml docs/network.md; do
  grep -q '\bstub\b' "$path" || die "$path does not name the new service"
done
# Adds the crate to Cargo.lock.
cargo update --offline --quiet --workspace
lint_while_compiling

table=services/waybill/tests/world/access_rpc.txt
cp "$table" "$table.before"
world=(cargo test --locked --workspace --test world -- --test-threads=2)
WAYBILL_WRITE_ACCESS=1 scripts/services.sh "${world[@]}" access::every_rpc
grep -q ' of stub$' "$table" || die "the table of access has no row of the new service"
if diff "$table.before" "$table" | grep '^<'; then die "the table of access lost rows"; fi
scripts/services.sh "${world[@]}" access::every_rpc layering:: services:: deploy::
"$CARGO_TARGET_DIR/debug/waybill" serve --help | grep -e 'possible values' | grep -qw stub \
  || die "serve --help does not name the new service"

say "the service is a target, has its rows of access, stays in its layer and runs in both worlds; by hand it took"
GIT_CEILING_DIRECTORIES=$CARGO_TARGET_DIR git apply --stat "$patch" >&2

for example in docs/examples/*.patch; do
  GIT_CEILING_DIRECTORIES=$CARGO_TARGET_DIR git apply "$example"
done
WAYBILL_WRITE_CONTRACTS=1 cargo test --locked -p proto --test compatibility every_event_has_a_recorded_form
WAYBILL_WRITE_EVENTS=1 cargo test --locked -p proto the_page_has_the_rows
cargo test --locked -p proto
scripts/services.sh cargo test --locked -p settings -p deliveries -p drivers -- \
  catalogue:: settings:: every_consumer_of_the_registry_runs
for example in docs/examples/*.patch; do
  say "$(basename "$example" .patch) works; by hand it took"
  GIT_CEILING_DIRECTORIES=$CARGO_TARGET_DIR git apply --stat "$example" >&2
done
