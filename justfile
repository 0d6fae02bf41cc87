# `npx --yes rust-just run` and `npx --yes rust-just test` need bash, Rust and Node, nothing else.
# A recipe is one line; the work is in scripts/.

set positional-arguments

# What there is.
default:
    @npx --yes rust-just --list --unsorted

# Build everything and serve it; flags go to `waybill`.
run *args:
    @scripts/run.sh "$@"

# Serve with the browser application straight from its sources.
dev *args:
    @scripts/dev.sh "$@"

# Build the browser application, when its sources changed.
build-frontend *args:
    @scripts/build-frontend.sh "$@"

# Everything that must hold; `test quick` is what most changes break, `test keep` keeps the times in docs/.
test *what:
    @scripts/test.sh "$@"

# The Rust tests, with the servers they need; arguments go to the test runner.
test-rust *args:
    @scripts/test-rust.sh "$@"

# Lint, types, unit tests, build and size of the browser application.
test-frontend:
    @scripts/test-frontend.sh

# The journeys of a person, in Chromium.
e2e *args:
    @scripts/e2e.sh "$@"

# What the published client packages expect.
contract *args:
    @scripts/contract.sh "$@"

# Format, clippy, oxlint, types, file length, links, generated pages.
lint *parts:
    @scripts/lint.sh "$@"

# Format the Rust sources.
fmt:
    @cargo fmt --all

# Write what is derived: GraphQL schema, reference pages.
schema:
    @scripts/schema.sh

# Bring the databases up to date; flags go to `waybill migrate`.
migrate *args:
    @cargo run --locked -p waybill -- migrate "$@"

# Fill an empty installation with believable data.
seed *args:
    @cargo run --locked -p waybill -- seed "$@"

# Measure, as docs/benchmarks.md says.
bench *args:
    @scripts/bench.sh "$@"

# How long a check and an import of 200,000 lines take, and how much memory: `import-load xlsx` for a workbook.
import-load *args:
    @cargo build --locked --release -p waybill --bin waybill
    @node scripts/import-load.mjs "$@"

# A thousand drivers on the map for ten minutes: script in a frame, and memory.
tracker seconds="600":
    @TRACKER_SECONDS="$1" scripts/e2e.sh tracker.spec.ts --grep "thousand drivers"

# A hundred thousand rows of a checked file, scrolled through: the lengths of frames.
review rows="100000":
    @E2E_REVIEW_ROWS="$1" scripts/e2e.sh review.spec.ts --grep "scrolled through"

# The full kill runs; a push runs a share of them.
kill *args:
    @scripts/kill.sh "$@"

# Random queries, hostile ones, and kills among events of analytics, to their full length; `queries` or `kills` alone.
analytics *parts:
    @scripts/analytics-long.sh "$@"

# Each target restarted under load with no request lost, so many times at so many requests a second: `restarts 100 200`.
restarts *args:
    @scripts/restarts.sh "$@"

# Installations of an earlier release, a commit, upgraded under load: `upgrades COMMIT`.
upgrades *args:
    @scripts/upgrades.sh "$@"

# So many backups of each kind of installation, most of them made under load, restored and compared.
restores times="100":
    @scripts/restores.sh "$1"

# What is long by nature, to its full length; a push runs a share of it.
long *args:
    @scripts/long.sh "$@"

# Rounds of work under faults of the network for two hours: does memory, or anything else, grow? A push does some rounds.
soak *args:
    @scripts/soak.sh "$@"

# Random bodies for the driver API, so many for each call; a push sends 30.
fuzz bodies="5000":
    @WAYBILL_FUZZ="$1" WAYBILL_FUZZ_SEED="$(date +%s)" scripts/contract.sh driver-properties

# Twenty faults put in by hand, one at a time: does a test find each?
faults *words:
    @scripts/faults.sh "$@"

# Is a new service one crate and one row? Adds one, and docs/examples, to a copy of the sources and tests them.
stub-service:
    @scripts/stub-service.sh

# Licences, sources and bans of the crates.
deny:
    @cargo deny check

# Spelling.
typos:
    @typos

# Style of the contracts.
buf:
    @buf lint

# The manifests of Kubernetes: schemas, rules, who may speak to whom, and the program run as they say.
k8s:
    @scripts/test-k8s.sh

# The container image.
image tag="waybill":
    @docker build -f deploy/Dockerfile -t "$1" .

# Do the links of the documentation lead somewhere?
docs-check:
    @node scripts/check-links.mjs
    @node scripts/check-tests-named.mjs
