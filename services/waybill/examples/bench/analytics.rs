//! W4: measures the figures of a week and the names of a drop-down list through the whole product, against
//! hand-written SQL on the same rows. Also measures how long a rebuild of those rows takes while people query
//! them.

use std::time::{Duration, Instant};

use crate::http::{Load, NUMBER, once};
use crate::postgres::{self, Databases};
use crate::server::{Server, members};
use crate::{Folder, Plan, Result, lists, say};

const PATH: &str = "/cubejs-api/v1/load";
/// The number of days for which the seed has deliveries, without the partial days at both ends.
const DAYS: i64 = 80;
const PREFIXES: [&str; 12] = ["b", "d", "e", "g", "ku", "l", "ma", "n", "p", "pa", "s", "t"];
/// Time limit for a rebuild of ten million deliveries.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// One request, and the SQL statement with the same answer.
struct Case {
    body: String,
    statement: String,
}

pub fn run(plan: &Plan) -> Result<()> {
    let databases = Databases::make(plan, "analytics")?;
    let folder = Folder::make("analytics")?;
    if !databases.are_filled {
        lists::fill(plan, &databases, folder.path())?;
    }
    let url = databases.of("analytics");
    let server = Server::start(plan, folder.path(), Some(&databases.url()))?;
    if !databases.are_filled {
        server.create_admin()?;
    }
    rebuild(&server, &url)?;
    postgres::one(&url, "VACUUM (ANALYZE)")?;
    say(
        "    analytics                   clients   product/s    p50     p99   limit/s    p50     p99   ratio   p99 ratio   product CPU ms",
    );
    let first = postgres::one(&url, "SELECT min(schedule_date_time)::date + 2 FROM delivery_fact")?;
    let another: Vec<Case> = (0..DAYS).map(|day| week(&url, &first, day, NUMBER)).collect::<Result<_>>()?;
    let same = vec![week(&url, &first, DAYS / 2, "10000")?];
    let works = [
        ("W4a another week each time", another),
        ("W4h the same week", same),
        ("W4b names by a prefix", names(&url, &first, "999")?),
        ("W4b no prefix and week twice", names(&url, &first, NUMBER)?),
    ];
    for (name, cases) in works {
        for case in &cases {
            case.compare(&server, &url)?;
        }
        let mut files = Vec::new();
        for (number, case) in cases.iter().enumerate() {
            let path = folder.path().join(format!("analytics-{number}.sql"));
            std::fs::write(&path, format!("{};", case.statement))?;
            files.push(path);
        }
        let bodies: Vec<String> = cases.iter().map(|case| case.body.clone()).collect();
        let token = server.token()?;
        let load = Load { address: &server.address, path: PATH, token: &token, bodies: &bodies, gzip: false };
        lists::pair(plan, &server, &load, &url, &files, 16, folder.path(), name)?;
    }
    let resident = server.resident();
    say(format_args!("    after the load the process held {:.0} MB\n", resident.map_or(0.0, |it| it.now)));
    server.stop()
}

/// Waits for the full rebuild that the first start begins, and runs queries in the meantime.
fn rebuild(server: &Server, url: &str) -> Result<()> {
    let token = server.token()?;
    let body = "{\"query\":{\"measures\":[\"Delivery.count\"],\"dimensions\":[\"Delivery.deliverystatus\"]}}";
    let begun = Instant::now();
    let (mut answers, mut slowest, mut since) = (0_u32, Duration::ZERO, begun);
    let mut token = token;
    loop {
        let done = postgres::one(url, "SELECT complete_run > 0 AND complete_run = run FROM data_version")?;
        if done == "t" {
            break;
        }
        if since.elapsed() > Duration::from_secs(120) {
            (token, since) = (server.token()?, Instant::now());
        }
        let asked = Instant::now();
        let headers = format!("content-type: application/json\r\nauthorization: {token}\r\n");
        let answer = once(&server.address, "POST", PATH, &headers, body)?.good()?;
        // "Continue wait" also has status 200, but it is not an answer.
        if !answer.contains("\"data\":") {
            return Err(format!("no figures while they are rebuilt: {answer}").into());
        }
        slowest = slowest.max(asked.elapsed());
        answers += 1;
        if begun.elapsed() > PATIENCE {
            return Err("the rebuild never ended".into());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let rows = postgres::one(url, "SELECT count(*) FROM delivery_fact")?;
    say(format_args!(
        "    a rebuild of {rows} deliveries took {:.0} s; {answers} queries were answered meanwhile, the slowest in {:.0} ms",
        begun.elapsed().as_secs_f64(),
        slowest.as_secs_f64() * 1_000.0
    ));
    Ok(())
}

/// Counts deliveries by status and day over seven days. `limit` cuts off no rows; it only makes the text of
/// queries different.
fn week(url: &str, first: &str, day: i64, limit: &str) -> Result<Case> {
    let from = postgres::one(url, &format!("SELECT '{first}'::date + {day}"))?;
    let to = postgres::one(url, &format!("SELECT '{first}'::date + {}", day + 6))?;
    Ok(Case {
        body: format!(
            "{{\"query\":{{\"measures\":[\"Delivery.count\"],\"dimensions\":[\"Delivery.deliverystatus\"],\"timeDimensions\":\
             [{{\"dimension\":\"Delivery.scheduledatetime\",\"granularity\":\"day\",\"dateRange\":[\"{from}\",\"{to}\"]}}],\
             \"order\":[[\"Delivery.scheduledatetime\",\"asc\"],[\"Delivery.deliverystatus\",\"asc\"]],\"limit\":{limit}}}}}"
        ),
        statement: format!(
            "SELECT date_trunc('day', schedule_date_time AT TIME ZONE 'UTC') AS day, delivery_status AS shown, count(*) AS number \
             FROM delivery_fact WHERE schedule_date_time >= '{from} 00:00Z' AND schedule_date_time < '{to} 00:00Z'::timestamptz + interval '1 day' \
             GROUP BY 1, 2 ORDER BY 1, delivery_status COLLATE \"C\""
        ),
    })
}

/// Returns the names of customers with a prefix who had deliveries in seven days. `end` has the digits after
/// the decimal point of the range's last second.
fn names(url: &str, first: &str, end: &str) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for prefix in PREFIXES {
        for day in (0..DAYS).step_by(8) {
            let from = postgres::one(url, &format!("SELECT '{first}'::date + {day}"))?;
            let to = postgres::one(url, &format!("SELECT '{first}'::date + {}", day + 6))?;
            cases.push(Case {
                body: format!(
                    "{{\"query\":{{\"dimensions\":[\"CustomerReport.customername\"],\"filters\":[{{\"member\":\"CustomerReport.customername\",\
                     \"operator\":\"startsWith\",\"values\":[\"{prefix}\"]}}],\"timeDimensions\":[{{\"dimension\":\"Delivery.scheduledatetime\",\
                     \"dateRange\":[\"{from}T00:00:00.000\",\"{to}T23:59:59.{end}\"]}}],\"order\":[[\"CustomerReport.customername\",\"asc\"]],\
                     \"limit\":100}}}}"
                ),
                statement: format!(
                    "SELECT min(customer_name COLLATE \"C\") AS shown FROM delivery_fact WHERE customer_name_key >= '{prefix}' \
                     AND customer_name_key < '{prefix}~' AND schedule_date_time >= '{from} 00:00Z' \
                     AND schedule_date_time < '{to} 00:00Z'::timestamptz + interval '1 day' \
                     GROUP BY customer_name_key ORDER BY customer_name_key LIMIT 100"
                ),
            });
        }
    }
    Ok(cases)
}

impl Case {
    /// Fails unless the product and the SQL statement return the same result: only then may their times be
    /// compared.
    fn compare(&self, server: &Server, url: &str) -> Result<()> {
        let body = self.body.replace(NUMBER, "50000");
        let answer = server.post(PATH, &server.token()?, &body)?;
        let is_count = self.statement.contains(" AS number");
        let (columns, member) = match is_count {
            true => ("number", "Delivery.count"),
            false => ("shown", "CustomerReport.customername"),
        };
        let expected = postgres::one(url, &format!("SELECT {columns} FROM ({}) AS answer", self.statement))?;
        let data = answer.split_once("\"data\":").map_or("", |(_, rest)| rest);
        let data = data.split_once("\"lastRefreshTime\"").map_or(data, |(rows, _)| rows);
        if !expected.lines().eq(members(data, member)) {
            return Err(
                format!("Postgres answers {expected} to {}, the product {answer}", self.statement).into()
            );
        }
        Ok(())
    }
}
