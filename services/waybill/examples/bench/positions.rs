//! G: positions sent through the device port, compared with COPY of the same rows. Also reads one driver's
//! day from a very large table.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::http::{Connection, Sample};
use crate::postgres::{self, Databases};
use crate::server::{Server, members};
use crate::{Folder, Plan, Result, say};

/// The number of sending devices. Each belongs to a different driver.
const DEVICES: usize = 64;
/// Positions in a full batch, and in a batch of the long run.
const BATCH: u64 = 1_000;
const SMALL: u64 = 10;
const SUSTAINED: u64 = 5_000;
/// Milliseconds between two positions of a device, so small that all positions of a run fit into the two days
/// before it.
const STEP: u64 = 250;
/// Positions of a day in the large table: one every five seconds for ten hours.
const OF_A_DAY: u64 = 7_200;
const DRIVERS: u64 = 50;
/// Time limit for reading a day, in milliseconds.
const GOAL: f64 = 500.0;

pub fn run(plan: &Plan) -> Result<()> {
    measure(plan, &Databases::make(plan, "positions")?)
}

fn measure(plan: &Plan, databases: &Databases) -> Result<()> {
    let folder = Folder::make("positions")?;
    let server = Server::start(plan, folder.path(), Some(&databases.url()))?;
    server.create_admin()?;
    devices(&server)?;
    let url = databases.of("drivers");
    let fleet = Fleet::begin(&url)?;

    say("G   positions               clients   positions/s   batch p50 ms     p99   product CPU us each");
    let mut taken = 0;
    let mut ours = Sample::default();
    for clients in &plan.connections {
        fleet.burst(&server, *clients, 1)?;
        let (mut sample, mut busy) = (Sample::default(), 0.0);
        for _ in 0..plan.rounds {
            let before = server.busy();
            sample.add(fleet.burst(&server, *clients, plan.seconds)?);
            busy += server.busy() - before;
        }
        let count = sample.micros.len() as u64 * BATCH;
        tell(&format!("batches of {BATCH}"), *clients, &mut sample, BATCH, busy * 1e6 / count.max(1) as f64);
        ours.add(sample);
        taken += count;
    }
    let kept = fleet.kept(&url)?;
    let copied = copy(&url, folder.path(), taken)?;
    let ratio = ours.rate() * BATCH as f64 / copied;
    say(format_args!("    COPY of the same rows {copied:.0} positions/s; ratio {ratio:.2}\n"));
    say(format_args!("    acknowledged {kept}, kept {kept}: none lost\n"));

    let before = server.busy();
    let (mut sample, late) = fleet.sustain(&server, plan.sustained)?;
    let each = (server.busy() - before) * 1e6 / (sample.micros.len() as u64 * SMALL).max(1) as f64;
    tell(&format!("{SUSTAINED}/s in tens"), DEVICES, &mut sample, SMALL, each);
    say(format_args!(
        "    for {} s; {late} of the requests were sent more than a second late",
        plan.sustained
    ));
    let kept = fleet.kept(&url)?;
    say(format_args!("    acknowledged {kept}, kept {kept}: none lost\n"));

    day(plan, &server, &url)?;
    let resident = server.resident();
    say(format_args!("    after the load the process held {:.0} MB\n", resident.map_or(0.0, |it| it.now)));
    server.stop()
}

fn tell(name: &str, clients: usize, sample: &mut Sample, batch: u64, each: f64) {
    let rate = sample.rate() * batch as f64;
    let (p50, p99) = (sample.percentile(50), sample.percentile(99));
    say(format_args!("    {name:<24}{clients:>7}{rate:>14.0}{p50:>15.1}{p99:>8.1}{each:>22.2}"));
}

/// Creates the drivers, and pairs a device with each.
pub fn devices(server: &Server) -> Result<()> {
    let token = server.token()?;
    for number in 0..DEVICES.max(DRIVERS as usize) {
        let query = format!(
            "mutation {{ createDriver(input: {{ driverId: \\\"BENCH-{number}\\\", name: \\\"Bench {number}\\\", \
             username: \\\"bench-{number}\\\" }}) {{ driverId }} }}"
        );
        server.graphql(&token, &query)?;
        let query = format!(
            "mutation {{ pairDevice(input: {{ uniqueId: \\\"bench-{number}\\\", driverId: \\\"BENCH-{number}\\\" }}) \
             {{ driverId }} }}"
        );
        server.graphql(&token, &query)?;
    }
    Ok(())
}

/// The devices, and how many positions each device has sent.
pub struct Fleet {
    /// The time of the first position, in milliseconds since 1970.
    begin: u64,
    sent: [AtomicU64; DEVICES],
}

impl Fleet {
    /// Creates a fleet that has sent nothing. Its positions begin two days ago by the database's clock.
    pub fn begin(url: &str) -> Result<Self> {
        let begin: u64 = postgres::one(url, "SELECT extract(epoch FROM now())::bigint - 172800")?.parse()?;
        Ok(Self { begin: begin * 1_000, sent: std::array::from_fn(|_| AtomicU64::new(0)) })
    }

    /// Builds the request with a device's next positions, for a connection.
    fn request(&self, connection: &Connection, device: usize, count: u64) -> Vec<u8> {
        let first = self.sent[device].fetch_add(count, Relaxed);
        let mut body = String::with_capacity(64 + count as usize * 128);
        let _ = write!(body, "{{\"deviceId\":\"bench-{device}\",\"positions\":[");
        for number in first..first + count {
            let (at, turn) = (self.begin + number * STEP, number as f64 / 500.0);
            let (lat, lng) = (14.55 + 0.02 * turn.sin(), 121.0 + 0.02 * turn.cos());
            let comma = if number > first { "," } else { "" };
            let _ = write!(
                body,
                "{comma}{{\"occurredAt\":\"{}\",\"lat\":{lat:.6},\"lng\":{lng:.6},\"speedKmh\":32.5,\"headingDeg\":{},\"accuracyM\":6}}",
                instant(at),
                number % 360,
            );
        }
        body.push_str("]}");
        connection.request("POST", "/", "content-type: application/json\r\n", &body)
    }

    /// Sends full batches, one after the other on each connection.
    fn burst(&self, server: &Server, connections: usize, seconds: u64) -> Result<Sample> {
        let begun = Instant::now();
        let until = begun + Duration::from_secs(seconds);
        let micros = side_by_side(connections, |seed| {
            let mut connection = Connection::open(&server.ingest)?;
            let (mut micros, mut turn) = (Vec::new(), seed);
            while Instant::now() < until {
                let request = self.request(&connection, turn % DEVICES, BATCH);
                turn += connections;
                let asked = Instant::now();
                acknowledged(&mut connection, &request, BATCH)?;
                micros.push(asked.elapsed().as_micros() as u64);
            }
            Ok(micros)
        })?;
        Ok(Sample { micros, seconds: begun.elapsed().as_secs_f64() })
    }

    /// Sends small batches, [`SUSTAINED`] positions a second. Also returns how many batches were late.
    pub fn sustain(&self, server: &Server, seconds: u64) -> Result<(Sample, u64)> {
        let (begun, late) = (Instant::now(), AtomicU64::new(0));
        let pace = SUSTAINED / SMALL;
        let micros = side_by_side(DEVICES, |seed| {
            let mut connection = Connection::open(&server.ingest)?;
            let mut micros = Vec::new();
            for turn in (seed as u64..pace * seconds).step_by(DEVICES) {
                let due = begun + Duration::from_micros(turn * 1_000_000 / pace);
                let request = self.request(&connection, turn as usize % DEVICES, SMALL);
                match due.checked_duration_since(Instant::now()) {
                    Some(wait) => std::thread::sleep(wait),
                    None => drop(late.fetch_add(u64::from(due.elapsed() > Duration::from_secs(1)), Relaxed)),
                }
                let asked = Instant::now();
                acknowledged(&mut connection, &request, SMALL)?;
                micros.push(asked.elapsed().as_micros() as u64);
            }
            Ok(micros)
        })?;
        Ok((Sample { micros, seconds: begun.elapsed().as_secs_f64() }, late.into_inner()))
    }

    /// Fails unless every acknowledged position is stored. All requests must have been acknowledged before.
    pub fn kept(&self, url: &str) -> Result<u64> {
        let sent: u64 = self.sent.iter().map(|count| count.load(Relaxed)).sum();
        let kept: u64 = postgres::one(url, "SELECT count(*) FROM position")?.parse()?;
        if sent != kept {
            return Err(format!("{sent} positions were acknowledged and {kept} are there").into());
        }
        Ok(kept)
    }
}

fn acknowledged(connection: &mut Connection, request: &[u8], count: u64) -> Result<()> {
    let answer = connection.send(request)?.good()?;
    if !answer.contains(&format!("\"recorded\":{count},")) {
        return Err(format!("{count} positions were answered {answer}").into());
    }
    Ok(())
}

/// Runs `work` in several threads at the same time.
fn side_by_side(threads: usize, work: impl Fn(usize) -> Result<Vec<u64>> + Sync) -> Result<Vec<u64>> {
    let work = &work;
    let each: Vec<Result<Vec<u64>>> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|seed| scope.spawn(move || work(seed))).collect();
        running.into_iter().map(|it| it.join().unwrap_or_else(|_| Err("a thread failed".into()))).collect()
    });
    Ok(each.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

/// Formats milliseconds since 1970 for a batch.
fn instant(millis: u64) -> String {
    let (days, rest) = (millis / 86_400_000, millis % 86_400_000);
    // Convert the number of the day to a date, with years that begin in March.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", rest % 1_000)
}

/// Returns how many positions a second COPY writes into a table with the same columns and key: the median of
/// three runs.
fn copy(url: &str, folder: &Path, rows: u64) -> Result<f64> {
    let (file, script) = (folder.join("positions"), folder.join("copy.psql"));
    std::fs::write(
        &script,
        format!("\\copy (SELECT * FROM position LIMIT {rows}) TO '{}'\n", file.display()),
    )?;
    postgres::script(url, &script)?;
    let keyed = "CREATE TABLE copied (LIKE position, PRIMARY KEY (driver, occurred_at, fingerprint))";
    postgres::one(url, keyed)?;
    std::fs::write(&script, format!("\\copy copied FROM '{}'\n", file.display()))?;
    let mut rates = Vec::new();
    for _ in 0..3 {
        postgres::one(url, "TRUNCATE copied")?;
        postgres::one(url, "CHECKPOINT")?;
        rates.push(rows as f64 / postgres::script(url, &script)?.as_secs_f64());
    }
    postgres::one(url, "DROP TABLE copied")?;
    std::fs::remove_file(&file)?;
    rates.sort_by(f64::total_cmp);
    Ok(rates[rates.len() / 2])
}

/// Reads a driver's whole day from a large table, first through the product and then with the statement
/// itself.
fn day(plan: &Plan, server: &Server, url: &str) -> Result<()> {
    let days = plan.positions.div_ceil(DRIVERS * OF_A_DAY).max(1);
    let begun = Instant::now();
    // These days ended three days ago, so they do not mix with the positions just sent.
    let fill = format!(
        "INSERT INTO position (driver, occurred_at, fingerprint, received_at, lat, lng, speed_kmh, heading_deg, accuracy_m, provider) \
         SELECT d.number, at, hashtextextended(d.number || '/' || at, 0), at, 14.5 + random() / 10, 121 + random() / 10, \
         random() * 60, random() * 359, 5, 'api' \
         FROM generate_series(0, {days} - 1) AS day, \
         generate_series(date_trunc('day', now()) - (day + 3) * interval '1 day', \
         date_trunc('day', now()) - (day + 3) * interval '1 day' + interval '5 seconds' * ({OF_A_DAY} - 1), interval '5 seconds') AS at, \
         driver AS d WHERE d.driver_id IN (SELECT 'BENCH-' || generate_series(0, {DRIVERS} - 1))"
    );
    postgres::one(url, &fill)?;
    postgres::one(url, "VACUUM (ANALYZE) position")?;
    let there: u64 = postgres::one(url, "SELECT count(*) FROM position")?.parse()?;
    say(format_args!(
        "    one driver's day out of {there} positions (made in {:.0} s)",
        begun.elapsed().as_secs_f64()
    ));

    let token = server.token()?;
    let mut all = Sample::default();
    for turn in 0..10 * plan.rounds {
        let (driver, back) = (turn * 7 % DRIVERS, 3 + turn * 11 % days);
        let spell = |back: u64| {
            let day = "to_char((date_trunc('day', now()) - interval '1 day' *";
            postgres::one(
                url,
                &format!("SELECT {day} {back}) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"),
            )
        };
        let (from, to) = (spell(back)?, spell(back - 1)?);
        let asked = Instant::now();
        let (mut count, mut after) = (0, String::new());
        loop {
            let query = format!(
                "{{ driverPositions(driverId: \\\"BENCH-{driver}\\\", from: \\\"{from}\\\", to: \\\"{to}\\\"{after}) \
                 {{ more cursor positions {{ occurredAt lat lng speedKmh headingDeg valid }} }} }}"
            );
            let answer = server.graphql(&token, &query)?;
            count += members(&answer, "occurredAt").count() as u64;
            if members(&answer, "more").next() != Some("true") {
                break;
            }
            after = format!(", after: \\\"{}\\\"", members(&answer, "cursor").next().ok_or("a cursor")?);
        }
        all.micros.push(asked.elapsed().as_micros() as u64);
        if count != OF_A_DAY {
            return Err(format!("a day of {OF_A_DAY} positions came with {count}").into());
        }
    }
    let (p50, p95, most) = (all.percentile(50), all.percentile(95), all.percentile(100));
    say(format_args!(
        "    {OF_A_DAY} positions: {p50:.0} ms, p95 {p95:.0} ms, {most:.0} ms at most; the goal is {GOAL:.0} ms"
    ));

    let driver = postgres::one(url, "SELECT number FROM driver WHERE driver_id = 'BENCH-1'")?;
    let from = postgres::one(url, "SELECT date_trunc('day', now()) - interval '3 days'")?;
    let to = postgres::one(url, "SELECT date_trunc('day', now()) - interval '2 days'")?;
    let plan = postgres::one(
        url,
        &format!(
            "EXPLAIN (COSTS OFF) SELECT * FROM position WHERE driver = {driver} AND occurred_at >= '{from}' \
             AND occurred_at < '{to}' ORDER BY occurred_at, fingerprint LIMIT 10001"
        ),
    )?;
    let ranges = plan.matches("Index Cond: ((driver = ").count();
    say(format_args!("    by {ranges} index range:\n{plan}\n"));
    if ranges != 1 || plan.contains("Seq Scan") {
        return Err("a day is not found by one index range".into());
    }
    Ok(())
}
