//! L with W: devices send 5,000 positions a second while people list, look up and open deliveries.
//!
//! First measures the maximum rate of the people's requests, then sends a quarter of that rate on a schedule,
//! alternately without and with positions.

use crate::http::{Load, Sample};
use crate::positions::{Fleet, devices};
use crate::postgres::{self, Databases};
use crate::server::Server;
use crate::{Folder, Plan, Result, lists, say, work};

const TURNS: usize = 5;
const CLIENTS: usize = 8;
/// The maximum factor by which positions may raise the 99th percentile of response times.
const GROWTH: f64 = 1.25;
/// Duration of a turn without positions, in seconds.
const ALONE: u64 = 60;

pub fn run(plan: &Plan) -> Result<()> {
    let databases = Databases::make(plan, "beside")?;
    let folder = Folder::make("beside")?;
    if !databases.are_filled {
        lists::fill(plan, &databases, folder.path())?;
    }
    let server = Server::start(plan, folder.path(), Some(&databases.url()))?;
    if !databases.are_filled {
        server.create_admin()?;
        devices(&server)?;
    }
    let drivers = databases.of("drivers");
    postgres::one(&drivers, "DELETE FROM position")?;
    postgres::one(&drivers, "DELETE FROM location")?;
    let fleet = Fleet::begin(&drivers)?;
    let bodies = mix(&databases.of("deliveries"))?;
    let peak = people(&server, &bodies, |load| load.run(CLIENTS, plan.seconds))?.rate();
    let rate = peak / 4.0;
    say(format_args!(
        "L   beside W1, W2 and W3 in equal parts: {peak:.0} requests/s at most, {rate:.0} here"
    ));
    say(
        "    turn   alone p50 ms     p99   beside p50 ms     p99   growth   positions p50 ms     p99   late   sent",
    );
    let seconds = plan.sustained.div_ceil(TURNS as u64);
    let mut growths = Vec::new();
    for turn in 1..=TURNS {
        let mut alone = people(&server, &bodies, |load| load.paced(CLIENTS, ALONE.min(seconds), rate))?;
        let (beside, positions) = std::thread::scope(|scope| {
            let positions = scope.spawn(|| fleet.sustain(&server, seconds));
            let beside = people(&server, &bodies, |load| load.paced(CLIENTS, seconds, rate));
            (beside, positions.join().unwrap_or_else(|_| Err("a thread failed".into())))
        });
        let (mut beside, (mut positions, late)) = (beside?, positions?);
        let growth = beside.percentile(99) / alone.percentile(99);
        say(format_args!(
            "    {turn:>4}{:>15.2}{:>8.2}{:>16.2}{:>8.2}{growth:>9.2}{:>19.2}{:>8.2}{late:>7}{:>7.0}/s",
            alone.percentile(50),
            alone.percentile(99),
            beside.percentile(50),
            beside.percentile(99),
            positions.percentile(50),
            positions.percentile(99),
            positions.rate() * 10.0,
        ));
        growths.push(growth);
    }
    growths.sort_by(f64::total_cmp);
    let middle = growths[TURNS / 2];
    let kept = fleet.kept(&drivers)?;
    let resident = server.resident().map_or(0.0, |it| it.now);
    say(format_args!(
        "    the middle one: {middle:.2}; the goal is {GROWTH}. Acknowledged {kept}, kept {kept}; {} s of positions; {resident:.0} MB\n",
        seconds * TURNS as u64
    ));
    server.stop()
}

/// Signs in for each turn, because a token expires after a few minutes.
fn people(server: &Server, bodies: &[String], work: impl Fn(&Load<'_>) -> Result<Sample>) -> Result<Sample> {
    let token = server.token()?;
    work(&Load { address: &server.address, path: "/graphql", token: &token, bodies, gzip: false })
}

/// Returns equally many requests of each kind.
fn mix(url: &str) -> Result<Vec<String>> {
    let all = [work::some(), work::lookups(url)?, work::opened(url)?];
    Ok(all.into_iter().flatten().map(|case| case.body).collect())
}
