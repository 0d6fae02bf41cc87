//! Every filter of the delivery list combined with every sort of its screen: measures the response times of
//! the first page and its total through the product.

use std::time::Instant;

use crate::http::{Connection, Sample};
use crate::server::Server;
use crate::work::list;
use crate::{Result, postgres, say};

/// The screen's sorts.
const SORTS: &[&str] = &["scheduledatetime", "id", "customername", "deliverystatus", "driverId"];
/// The limit of the 95th percentile, in milliseconds.
const GOAL: f64 = 150.0;
/// How many requests are sent for each value of a filter and each sort.
const TURNS: usize = 3;

/// A filter, and an SQL statement that returns its values, one per line. The two values of a range are
/// separated by `|`. The values are spread over the data: some match many rows and some few, some near the
/// start of the sort order and some near its end.
struct Filter {
    key: &'static str,
    operator: &'static str,
    values: &'static str,
}

const fn filter(key: &'static str, operator: &'static str, values: &'static str) -> Filter {
    Filter { key, operator, values }
}

const FILTERS: &[Filter] = &[
    filter("id", "contains", "SELECT unnest(ARRAY['001', '0123', '99', '54321', 'DR-', '000000'])"),
    filter("id", "startsWith", "SELECT unnest(ARRAY['DR-000', 'DR-0001', 'DR-00012', 'DR-0009'])"),
    filter("id", "endsWith", "SELECT unnest(ARRAY['000', '789', '4321'])"),
    filter("id", "!contains", "SELECT unnest(ARRAY['001', '9999'])"),
    filter(
        "customername",
        "contains",
        "SELECT DISTINCT substr(customer_name_key, 3, 3 + length(customer_name_key) % 8) FROM customer \
         WHERE length(customer_name_key) > 14 AND hashtext(customer_name_key) % 700 = 0 LIMIT 8",
    ),
    filter(
        "customername",
        "startsWith",
        "SELECT DISTINCT substr(customer_name_key, 1, 3) FROM customer WHERE hashtext(customer_name_key) % 700 = 0 LIMIT 6",
    ),
    filter(
        "customername",
        "equals",
        "(SELECT customername FROM delivery GROUP BY 1 ORDER BY count(*) DESC LIMIT 2) UNION ALL \
         (SELECT customername FROM delivery GROUP BY 1 ORDER BY count(*) LIMIT 2)",
    ),
    filter("trucker", "contains", "SELECT DISTINCT substr(name_key, 2, 4) FROM trucker LIMIT 6"),
    filter("trucker", "equals", "SELECT name FROM trucker LIMIT 3"),
    filter(
        "scheduledatetime",
        "inDateRange",
        "SELECT to_char(day AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') || '|' || \
         to_char((day + length) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') \
         FROM (SELECT date_trunc('day', min(scheduledatetime)) + interval '1 day' * unnest(ARRAY[1, 20, 20, 60, 70, 0]) AS day, \
         unnest(ARRAY[interval '1 day', '7 days', '30 days', '1 day', '7 days', '100 days']) AS length FROM delivery) AS ranges",
    ),
    filter(
        "deliverydatetime",
        "inDateRange",
        "SELECT to_char(day AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') || '|' || \
         to_char((day + length) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') \
         FROM (SELECT date_trunc('day', min(scheduledatetime)) + interval '1 day' * unnest(ARRAY[1, 20, 20, 60, 70, 0]) AS day, \
         unnest(ARRAY[interval '1 day', '7 days', '30 days', '1 day', '7 days', '100 days']) AS length FROM delivery) AS ranges",
    ),
    filter(
        "deliverystatus",
        "equals",
        "SELECT unnest(ARRAY['Pending', 'Complete_No_Variance', 'Complete_With_Variance', 'Undelivered', 'Rejected'])",
    ),
    filter("deliverystatus", "!equals", "SELECT unnest(ARRAY['Complete_No_Variance', 'Pending'])"),
    filter(
        "reason",
        "contains",
        "SELECT DISTINCT substr(reason_key, 2, 5) FROM variance WHERE reason_key IS NOT NULL LIMIT 6",
    ),
    filter("reason", "equals", "SELECT DISTINCT reason FROM variance WHERE reason IS NOT NULL LIMIT 4"),
    filter("scanmode", "equals", "SELECT unnest(ARRAY['Yes', 'No'])"),
    filter(
        "shipmentnumber",
        "contains",
        "SELECT substr(shipmentnumber_key, length(shipmentnumber_key) - 3, 3 + length % 2) FROM \
         (SELECT shipmentnumber_key, length(shipmentnumber_key) FROM shipment ORDER BY hashtext(shipmentnumber_key) LIMIT 6) AS drawn",
    ),
    filter(
        "shipmentnumber",
        "startsWith",
        "SELECT substr(shipmentnumber_key, 1, length(shipmentnumber_key) - 2) FROM shipment ORDER BY hashtext(shipmentnumber_key) LIMIT 4",
    ),
    filter("shipmentstatus", "equals", "SELECT unnest(ARRAY['Pending', 'Partial', 'Completed'])"),
    filter("referencedoc", "contains", "SELECT unnest(ARRAY['SI-', '200', '2001', '12345', '777'])"),
    filter(
        "driverId",
        "equals",
        "SELECT driver_id FROM (SELECT DISTINCT driver_id FROM delivery WHERE driver_id IS NOT NULL) AS drivers \
         ORDER BY hashtext(driver_id) LIMIT 4",
    ),
    filter("sourceId", "equals", "SELECT id::text FROM source ORDER BY hashtext(name) LIMIT 5"),
];

/// Filters without an index: within a second they return a result, or advice on how to narrow the search.
const HARD: &[Filter] = &[
    filter("id", "contains", "SELECT unnest(ARRAY['1', '12', 'zz'])"),
    filter("id", "!contains", "SELECT unnest(ARRAY['dr', '0'])"),
    filter("customername", "!contains", "SELECT unnest(ARRAY['a', 'e', 'st'])"),
    filter("referencedoc", "endsWith", "SELECT unnest(ARRAY['7', 'x'])"),
    filter("linecount", "equals", "SELECT unnest(ARRAY['3', '999'])"),
];

pub fn run(server: &Server, url: &str) -> Result<()> {
    let names = SORTS.iter().map(|it| format!("{it:>18}")).collect::<String>();
    say(format_args!("    filter, p95 in ms of list and total, one client {names}"));
    let (mut worst, mut above, mut all): (f64, usize, usize) = (0.0, 0, 0);
    for filter in FILTERS {
        let mut line = String::new();
        for sort in SORTS {
            let p95 = take(server, url, filter, sort)?.percentile(95);
            worst = worst.max(p95);
            above += usize::from(p95 > GOAL);
            all += 1;
            line += &format!("{p95:>18.1}");
        }
        say(format_args!("    {:<18}{:<14}{line}", filter.key, filter.operator));
    }
    say(format_args!("    {above} of {all} above {GOAL} ms; the worst is {worst:.0} ms\n"));

    let mut longest: f64 = 0.0;
    for filter in HARD {
        for sort in SORTS {
            longest = longest.max(take(server, url, filter, sort)?.percentile(100));
        }
    }
    say(format_args!("    what no index serves took {longest:.0} ms at most\n"));
    Ok(())
}

/// Sends several requests for each value, in both sort directions.
fn take(server: &Server, url: &str, filter: &Filter, sort: &str) -> Result<Sample> {
    let token = server.token()?;
    let mut connection = Connection::open(&server.address)?;
    let headers = format!("content-type: application/json\r\nauthorization: Bearer {token}\r\n");
    let mut sample = Sample::default();
    for values in postgres::one(url, filter.values)?.lines() {
        let values = values.split('|').map(|it| format!("\"{it}\"")).collect::<Vec<_>>().join(",");
        let (key, operator) = (filter.key, filter.operator);
        let filters = format!("[{{\"key\":\"{key}\",\"operator\":\"{operator}\",\"values\":[{values}]}}]");
        for direction in ["asc", "desc"] {
            let sorts = format!("[{{\"key\":\"{sort}\",\"direction\":\"{direction}\"}}]");
            let request = connection.request("POST", "/graphql", &headers, &list(&filters, &sorts, 0));
            for _ in 0..TURNS {
                let begun = Instant::now();
                let answer = connection.send(&request)?;
                sample.micros.push(begun.elapsed().as_micros() as u64);
                let text = String::from_utf8_lossy(&answer.body);
                if !text.contains("LIST_TOO_BROAD") {
                    answer.good()?;
                }
            }
        }
    }
    Ok(sample)
}
