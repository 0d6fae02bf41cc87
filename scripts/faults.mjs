// Puts faults into the product, one at a time, and expects the tests to find each.
//   node scripts/faults.mjs              all of them
//   node scripts/faults.mjs WORD...      those whose name has one of the words
//   node scripts/faults.mjs --together   all faults of Rust at once, which compiles once; each must be found
//                                        by its own test
//   node scripts/faults.mjs --undone     undoes the ten corrections behind docs/promises.md, all at once
//   node scripts/faults.mjs --check      only whether each line is still in the sources; `just lint text` does it
//
// Every fault is a line that somebody could write by mistake. It names the test that finds it; that test
// is a part of `just test`, and of `just test quick` if the fault says so. A fault also fails if its line is
// no longer in the sources: update the fault then.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './sources.mjs';

/**
 * The test compiles the whole workspace, because a crate alone would have other features and compile its
 * dependencies again.
 */
const nextest = (wanted) => ['scripts/test-rust.sh', '--workspace', '--no-fail-fast', '-E', wanted];
const rust = (crate, test) => nextest(`(package(${crate}) & test(${test}))`);
const unit = (file) => ['npm', '--prefix', 'frontend', 'test', '--', `src/${file}`];
const e2e = (...args) => ['scripts/e2e.sh', ...args];

const FAULTS = [
  {
    name: 'a viewer may create deliveries',
    file: 'services/deliveries/src/rpc/deliveries.rs',
    from: 'let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);',
    to: 'let caller = Actor::from(principal(&request)?.require(Role::STAFF)?);',
    run: rust('waybill', 'access::every_rpc'),
    finds: 'every_rpc_opens_to_whom_the_table_says',
    quick: true,
  },
  {
    name: 'a filter that starts with a text finds all others',
    file: 'services/store/src/filter/parse.rs',
    from: '"startsWith" => (Op::Match(Match::StartsWith), false),',
    to: '"startsWith" => (Op::Match(Match::StartsWith), true),',
    run: rust('store', '/./'),
    finds: 'store::store filters::',
    quick: true,
  },
  {
    name: 'an outcome may be recorded at any status',
    file: 'services/deliveries/src/domain/allowed.rs',
    from: 'need(is(Status::Pending), stand("an outcome can only be recorded while it is Pending"))',
    to: 'need(true, stand("an outcome can only be recorded while it is Pending"))',
    run: rust('deliveries', 'domain::'),
    finds: ' deliveries domain::',
    quick: true,
  },
  {
    name: 'an address may guess a hundred times as often',
    file: 'services/auth/src/throttle/mod.rs',
    from: 'const ADDRESSES: u64 = 10;',
    to: 'const ADDRESSES: u64 = 1_000;',
    run: rust('auth', 'throttling'),
    finds: ' auth tests::throttling::',
    quick: true,
  },
  {
    name: 'a migration goes up and not down',
    file: 'services/deliveries/src/migration/m0005_drivers.rs',
    from: 'manager.drop_table(Table::drop().table(Entity).to_owned()).await',
    to: 'manager.has_table("driver").await.map(|_| ())',
    run: rust('deliveries', 'migrations_go'),
    finds: 'migrations_go_down_and_up_again',
    quick: true,
  },
  {
    name: 'two columns of the export change places',
    file: 'gateway/src/export/mod.rs',
    from: 'maybe(&it.contact_name),\n        maybe(&it.contact_phone),',
    to: 'maybe(&it.contact_phone),\n        maybe(&it.contact_name),',
    run: rust('gateway', 'export'),
    finds: 'export::tests::each_text_stands_under_its_own_heading',
    quick: true,
  },
  {
    name: 'a consumer handles an event each time it comes',
    file: 'services/store/src/inbox.rs',
    from: 'Ok(done.rows_affected() == 1)',
    to: 'Ok(done.rows_affected() <= 1)',
    run: rust('store', 'once'),
    finds: 'an_event_takes_effect_once_per_consumer',
    quick: true,
  },
  {
    name: 'a setting takes a thousand times too much',
    file: 'services/kit/src/input/limits.rs',
    from: 'pub const ATTEMPTS: RangeInclusive<u64> = 1..=100;',
    to: 'pub const ATTEMPTS: RangeInclusive<u64> = 1..=100_000;',
    run: rust('settings', '/./'),
    finds: ' settings ',
    quick: true,
  },
  {
    name: 'a quantity below zero is imported',
    file: 'services/upload/src/file/values.rs',
    from: '("NUMBER_NEGATIVE", format!("{label} is {text} and cannot be below zero."))',
    to: '("NUMBER_TOO_LARGE", format!("{label} is {text} and cannot be below zero."))',
    run: rust('upload', 'file::row'),
    finds: 'file::row::',
    quick: true,
  },
  {
    name: 'answers say nothing about sniffing',
    file: 'gateway/src/edge.rs',
    from: 'default(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));',
    to: 'default(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("sniff"));',
    run: rust('gateway', 'headers'),
    finds: 'every_answer_of_every_route_is_secured',
    quick: true,
  },
  {
    name: 'a token is good for an hour after its end',
    file: 'services/kit/src/principal/verifier.rs',
    from: 'if now >= expires ||',
    to: 'if now >= expires + 3_600 ||',
    run: rust('kit', 'principal'),
    finds: ' principal::',
    quick: true,
  },
  {
    name: 'a position that comes twice is kept twice',
    file: 'services/drivers/src/store/positions.rs',
    from: '            Some(_) => false,',
    to: '            Some(_) => true,',
    run: rust('drivers', 'positions'),
    finds: ' drivers tests::positions::',
    quick: true,
  },
  {
    name: 'product code that may panic',
    file: 'services/upload/src/file/time.rs',
    from: 'let date = self.date.ok_or(TimeError::NotATime)?;',
    to: 'let date = self.date.unwrap();',
    run: rust('upload', 'time_tests'),
    // This fault does not compile, so nothing else can be tested at the same time.
    stops: true,
    finds: 'used `unwrap()` on an `Option` value',
    quick: true,
  },
  {
    name: 'a viewer gets to the form of a new source',
    file: 'frontend/src/features/sources/routes.tsx',
    from: 'roles: WRITE_ROLES,',
    to: "roles: ['admin', 'transport_planner', 'dispatcher', 'viewer'],",
    run: unit('app/access.test.tsx'),
    finds: 'access.test.tsx',
    quick: true,
  },
  {
    name: 'a new page leaves the focus where it was',
    file: 'frontend/src/routing/route-announcer.tsx',
    from: 'else if (!initial && !isRestored) focusHeading();',
    to: 'else if (!initial && !isRestored) announcement(pathname);',
    run: unit('routing/routing.test.tsx'),
    finds: 'routing.test.tsx',
    quick: true,
  },
  {
    name: 'the text of a broken rule is another one',
    file: 'frontend/src/form/rule-message.ts',
    from: "minLength: 'is too short',",
    to: "minLength: 'is too long',",
    run: unit('form/'),
    finds: 'form/',
    quick: true,
  },
  {
    name: 'times are shown in UTC',
    file: 'frontend/src/lib/dates.ts',
    from: "timeZone: isTimeZone(timeZone) ? timeZone : 'UTC',",
    to: "timeZone: isTimeZone(timeZone) ? 'UTC' : 'UTC',",
    run: unit('lib/dates.test.ts'),
    finds: 'dates.test.ts',
    quick: true,
  },
  {
    name: 'a filter of a link loses its operator',
    file: 'frontend/src/list/filters-codec.ts',
    from: 'splitValues(values).map((some) => ({ key, operator, values:',
    to: "splitValues(values).map((some) => ({ key, operator: operator && 'equals', values:",
    run: unit('list/filters-codec.test.ts'),
    finds: 'filters-codec.test.ts',
    quick: true,
  },
  {
    name: 'a driver without a name is sent to the server',
    file: 'frontend/src/form/kinds.tsx',
    from: 'validate: { ...(!optional && { required: notBlank }), ...(maxLength && atMost(maxLength)), ...validate },',
    to: 'validate: { ...(maxLength && atMost(maxLength)), ...validate },',
    run: unit('features/drivers/'),
    finds: 'driver-page.test.tsx',
    quick: false,
  },
  {
    name: 'quiet text is too pale to read',
    file: 'frontend/src/ui/tokens.css',
    from: '--muted: oklch(0.5 0.025 255);',
    to: '--muted: oklch(0.75 0.025 255);',
    run: e2e('screens.spec.ts'),
    finds: 'color-contrast',
    quick: false,
  },
];

/**
 * Corrections of faults that lost or damaged data. Each is undone here, and the test that showed the fault
 * has to fail as it did before. `was` says what the product did then.
 */
const UNDONE = [
  {
    name: 'D1: a connection whose commit failed is lent again',
    was: 'after a full disk, edits were answered as saved and lost at the next kill',
    file: 'services/store/src/connect/mod.rs',
    from: 'let clean = !connection.is_in_transaction();',
    to: 'let clean = true;',
    run: rust('store', 'what_is_answered_as_saved'),
    finds: 'what_is_answered_as_saved_after_a_failed_commit_is_durable',
  },
  {
    name: 'D2: a database that is away uses up the attempts of an event',
    was: 'events of an outage of eight seconds were acknowledged unhandled',
    file: 'services/kit/src/bus/attempt.rs',
    from: 'Err(error) if error.is_transient() => {',
    to: 'Err(_) if self.time >= self.retry.attempts => ("given up", Outcome::Done),\n            Err(error) if error.is_transient() => {',
    run: rust('kit', 'what_is_away_costs_no_event'),
    finds: 'what_is_away_costs_no_event',
  },
  {
    name: 'D3: an upgrade of a SQLite file is not one transaction',
    was: 'a kill between two statements left a file that no later start could upgrade',
    file: 'services/store/src/upgrade/sqlite.rs',
    from: 'M::up(&*tx, None).await.map_err(db)?;\n    kit::fail_point("store.upgrade.applied");\n    tx.commit().await',
    to: 'tx.commit().await?;\n    M::up(&db_.writer, None).await.map_err(db)',
    run: rust('store', 'a_kill_at_any_statement'),
    finds: 'a_kill_at_any_statement_leaves_a_database_that_starts_again',
  },
  {
    name: 'D4: an event carries as many variances as there are lines',
    was: 'one delivery of many lines made an event that no broker took, and held up all behind it',
    file: 'services/deliveries/src/events/emit.rs',
    from: 'const MAX_VARIANCES: usize = 200;',
    to: 'const MAX_VARIANCES: usize = 200_000;',
    run: rust('deliveries', 'a_delivery_of_any_length'),
    finds: 'a_delivery_of_any_length_can_fail',
  },
  {
    name: 'D5: nobody asks for what the broker lost',
    was: 'a broker without its store cost every event that was not consumed yet',
    file: 'services/store/src/reconcile.rs',
    from: 'if Instant::now() >= due {',
    to: 'if Instant::now() >= due + EVERY * 1_000 {',
    run: rust('store', 'a_broker_that_lost_what'),
    finds: 'a_broker_that_lost_what_nobody_had_read_costs_nothing',
  },
  {
    name: 'D6: a release refuses every database of a later one',
    was: 'no process of the release before started during a roll-out',
    file: 'services/store/src/upgrade/mod.rs',
    from: 'if self.required.is_empty() && self.pending.is_empty() {',
    to: 'if self.required.len() > self.unknown.len() && self.pending.is_empty() {',
    run: rust('store', 'a_release_runs_on'),
    finds: 'a_release_runs_on_the_database_of_the_next_one',
  },
  {
    name: 'D7: a clock may clear a whole table',
    was: 'a process a day ahead signed everybody out',
    file: 'services/store/src/clearing.rs',
    from: 'over <= all / 2, ',
    to: 'over <= all, ',
    run: rust('auth', 'a_clock_that_jumps'),
    finds: 'a_clock_that_jumps_by_a_day_deletes_nobodys_session',
  },
  {
    name: 'D8: a connection may take its time for a header',
    was: 'connections that said nothing stayed for ever and kept everybody out',
    file: 'services/kit/src/connections/activity.rs',
    from: 'Some(begun) if now >= begun + limits.header => State::Late,',
    to: 'Some(begun) if now >= begun + limits.header * 1_000 => State::Late,',
    run: rust('kit', 'silent_and_trickling'),
    finds: 'silent_and_trickling_connections_end',
  },
  {
    name: 'D13: an import leaves no record of what it changed',
    was: 'a version of a delivery had neither a step of its history nor a record',
    file: 'services/deliveries/src/commands/import/write.rs',
    from: 'rows.edits.push(record::edit_row(&it, stored, batch, now)?);',
    to: 'if rows.edits.len() > rows.updates.len() {\n                        rows.edits.push(record::edit_row(&it, stored, batch, now)?);\n                    }',
    run: rust('deliveries', 'an_import_before_another_attempt'),
    finds: 'an_import_before_another_attempt_keeps_history',
  },
  {
    name: 'D14: items of an export are cut without a word',
    was: 'an export of 500 deliveries with 250 items each lost a fifth of its lines',
    file: 'services/deliveries/src/queries/items.rs',
    from: '.limit(MAX_CHILDREN as u64 + 1)\n        .all(db_.read())\n        .await\n        .map_err(db)?;\n    require_all(&rows, "items")?;',
    to: '.limit(MAX_CHILDREN as u64 / 1_000)\n        .all(db_.read())\n        .await\n        .map_err(db)?;\n    require_all(&rows, "items")?;',
    run: rust('deliveries', 'an_export_has_every_item'),
    finds: 'an_export_has_every_item',
  },
];

/** Returns whether each fault's line is still in the sources; prints those that are not. */
function isEachInTheSources() {
  const moved = [...FAULTS, ...UNDONE].filter(({ file, from }) => !existsSync(join(root, file)) || !readFileSync(join(root, file), 'utf8').includes(from));
  for (const { name, file, from } of moved) console.error(`scripts/faults.mjs: "${name}": ${file} has no line "${from}"`);
  return moved.length === 0;
}

/**
 * Applies faults, runs a command and removes the faults. Returns the lines of output that report a failure.
 */
function failures(faults, run) {
  const sources = new Map();
  try {
    for (const { file, from, to } of faults) {
      const path = join(root, file);
      const source = readFileSync(path, 'utf8');
      if (!sources.has(path)) sources.set(path, source);
      if (!source.includes(from)) throw new Error(`${file} has no line "${from}" any more`);
      // Replace only one place, as a mistake would.
      writeFileSync(path, source.replace(from, () => to));
    }
    const done = spawnSync(run[0], run.slice(1), { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
    const lines = `${done.stdout}${done.stderr}`.split('\n');
    return done.status === 0 ? [] : lines.filter((line) => /FAIL|✘|×|error|color-contrast/.test(line));
  } finally {
    for (const [path, source] of sources) writeFileSync(path, source);
  }
}

/** Runs what the words ask for; returns the exit code. */
function main(words) {
  if (words[0] === '--check') return isEachInTheSources() ? 0 : 1;
  const undone = words[0] === '--undone';
  const together = undone || words[0] === '--together';
  const isRust = ({ run }) => run[0] === 'scripts/test-rust.sh';
  const wanted = (undone ? UNDONE : FAULTS).filter((fault) => {
    if (together) return isRust(fault) && !fault.stops;
    return words.length === 0 || words.some((word) => fault.name.includes(word));
  });

  if (wanted.length === 0) {
    console.error(`scripts/faults.mjs: no fault has a name with ${words.join(' or ')}`);
    return 1;
  }

  const missed = [];
  const rounds = together
    ? [[wanted, nextest(wanted.map(({ run }) => run.at(-1)).join(' | '))]]
    : wanted.map((fault) => [[fault], fault.run]);
  for (const [faults, run] of rounds) {
    const began = Date.now();
    const lines = failures(faults, run);
    const seconds = Math.round((Date.now() - began) / 1000);
    if (!faults.some(({ finds }) => lines.some((it) => it.includes(finds)))) console.error(lines.slice(0, 20).join('\n'));
    for (const { name, finds, was } of faults) {
      const line = lines.find((it) => it.includes(finds));
      if (!line) missed.push(name);
      console.log(`${line ? 'found ' : 'MISSED'}  ${name}  (${seconds} s)${line ? `\n        ${line.trim().slice(0, 140)}` : ''}${was ? `\n        before: ${was}` : ''}`);
    }
  }
  const quick = wanted.filter((fault) => fault.quick && !missed.includes(fault.name)).length;
  console.log(`\n${wanted.length - missed.length} of ${wanted.length} faults found, ${quick} of them by the quick part`);
  return missed.length > 0 ? 1 : 0;
}

// Not when imported, because a run changes the working tree.
if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) process.exit(main(process.argv.slice(2)));
