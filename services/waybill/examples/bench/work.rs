//! What people ask for, and the statements that answer the same: W1u, W1, W2, W3 and W6.

use crate::http::Sample;
use crate::server::{Server, members};
use crate::{Result, postgres};

/// As the browser application asks.
const LIST: &str = "query DeliveriesPage($page: PageOptions, $where: [Filter!]) { \
    deliveries(page: $page) { id deliverystatus scheduledatetime deliverydatetime driverId linecount \
    customername trucker shipmentnumber referencedoc scanmode __typename } \
    deliveriesCount(where: $where) { total exact __typename } }";
const LOOKUP: &str = "query Lookup($page: PageOptions) { deliveries(page: $page) { id __typename } }";
const DELIVERY: &str = "query Delivery($id: String!) { delivery(id: $id) { id deliverystatus scheduledatetime \
    deliverydatetime driverId customername trucker shipmentnumber referencedoc scanmode version \
    items { itemNumber description quantity quantityDelivered unit } \
    history { fromStatus toStatus occurredAt receivedAt actorName } } }";

/// The limit. Every column, because the service answers whole deliveries; one row more than the
/// page, because that tells whether there is another.
const ALL: &str = include_str!("all.sql");
const SOME: &str = include_str!("some.sql");
const ONE: &str = include_str!("one.sql");

const PREFIXES: &[&str] = &["b", "d", "e", "g", "ku", "l", "ma", "n", "p", "pa", "s", "t"];
const STATUSES: &[[&str; 2]] = &[
    ["Complete_No_Variance", "Complete_With_Variance"],
    ["Pending", "Undelivered"],
    ["Complete_With_Variance", "Rejected"],
];
/// Deliveries that are looked up and opened.
const DRAWN: usize = 36;

/// One request and the statements that answer the same.
pub struct Case {
    /// JSON.
    pub body: String,
    pub statements: String,
    /// Whether the second statement counts what the request's total says.
    is_counted: bool,
}

/// A row of the benchmark.
pub struct Work {
    pub name: &'static str,
    pub cases: Vec<Case>,
}

impl Work {
    pub fn bodies(&self) -> Vec<String> {
        self.cases.iter().map(|case| case.body.clone()).collect()
    }

    /// Both sides must answer the same, or the ratio would mean nothing.
    pub fn compare(&self, server: &Server, url: &str) -> Result<()> {
        let token = server.token()?;
        self.cases.iter().try_for_each(|case| case.compare(server, &token, url))
    }
}

/// On the rows of this database.
pub fn all(url: &str) -> Result<Vec<Work>> {
    let first = Case { body: list("[]", "[]", 0), statements: ALL.to_owned(), is_counted: true };
    Ok(vec![
        Work { name: "W1u newest first, no filter", cases: vec![first] },
        Work { name: "W1  two states and a prefix", cases: some() },
        Work { name: "W2  lookup by a prefix", cases: lookups(url)? },
        Work { name: "W3  delivery, items, history", cases: opened(url)? },
        Work { name: "W6  page at a far offset", cases: deep(url)? },
    ])
}

/// The first page of a filter, and its total.
pub fn some() -> Vec<Case> {
    let mut cases = Vec::new();
    for prefix in PREFIXES {
        for [one, two] in STATUSES {
            let filter = |key: &str, operator: &str, values: &str| {
                format!("{{\"key\":\"{key}\",\"operator\":\"{operator}\",\"values\":[{values}]}}")
            };
            let states = filter("deliverystatus", "equals", &format!("\"{one}\",\"{two}\""));
            let name = filter("customername", "startsWith", &format!("\"{prefix}\""));
            let values = [(":one", *one), (":two", *two), (":prefix", *prefix), (":end", &after(prefix))];
            cases.push(Case {
                body: list(&format!("[{states},{name}]"), "[]", 0),
                statements: bound(SOME, &values),
                is_counted: true,
            });
        }
    }
    cases
}

/// The first 30 numbers that begin as some delivery's does.
pub fn lookups(url: &str) -> Result<Vec<Case>> {
    let case = |id: String| {
        let prefix = &id[..id.len().saturating_sub(3)];
        let key = prefix.to_lowercase();
        let statement =
            "SELECT id FROM delivery WHERE id_key >= :prefix AND id_key < :end ORDER BY id_key LIMIT 30;";
        Case {
            body: format!(
                "{{\"operationName\":\"Lookup\",\"query\":\"{LOOKUP}\",\"variables\":{{\"page\":{{\"limit\":30,\"where\":\
                 [{{\"key\":\"id\",\"operator\":\"startsWith\",\"values\":[\"{prefix}\"]}}],\
                 \"sort\":[{{\"key\":\"id\",\"direction\":\"asc\"}}]}}}}}}"
            ),
            statements: bound(statement, &[(":prefix", &key), (":end", &after(&key))]),
            is_counted: false,
        }
    };
    Ok(drawn(url)?.map(case).collect())
}

/// One delivery with its items and its history.
pub fn opened(url: &str) -> Result<Vec<Case>> {
    let case = |id: String| Case {
        body: format!(
            "{{\"operationName\":\"Delivery\",\"query\":\"{DELIVERY}\",\"variables\":{{\"id\":\"{id}\"}}}}"
        ),
        statements: bound(ONE, &[(":key", &id.to_lowercase())]),
        is_counted: false,
    };
    Ok(drawn(url)?.map(case).collect())
}

/// Pages from a tenth of the table on. The limit finds the keys in the index alone, then their rows.
fn deep(url: &str) -> Result<Vec<Case>> {
    let rows: usize = postgres::one(url, "SELECT count(*) FROM delivery")?.parse()?;
    let (page, count) = ALL.split_once(';').ok_or("a page and a count")?;
    let (columns, _) = page.split_once("FROM delivery").ok_or("columns")?;
    let order = "ORDER BY scheduledatetime DESC, id_key DESC";
    let case = |tenth: usize| {
        let offset = rows / 10 * tenth;
        Case {
            body: list("[]", "[]", offset),
            statements: format!(
                "{columns} FROM delivery WHERE id_key IN (SELECT id_key FROM delivery {order} LIMIT 26 OFFSET {offset}) \
                 {order};{count}"
            ),
            is_counted: true,
        }
    };
    Ok((1..10).map(case).collect())
}

/// The request for a page and its total; filters and sorts are JSON.
pub fn list(filters: &str, sorts: &str, offset: usize) -> String {
    format!(
        "{{\"operationName\":\"DeliveriesPage\",\"query\":\"{LIST}\",\"variables\":\
         {{\"page\":{{\"limit\":25,\"offset\":{offset},\"where\":{filters},\"sort\":{sorts}}},\"where\":{filters}}}}}"
    )
}

fn drawn(url: &str) -> Result<impl Iterator<Item = String>> {
    let some =
        format!("SELECT id FROM delivery TABLESAMPLE SYSTEM (5) REPEATABLE (7) ORDER BY id LIMIT {DRAWN}");
    let ids: Vec<String> = postgres::one(url, &some)?.lines().map(str::to_owned).collect();
    if ids.len() < DRAWN {
        return Err(format!("{DRAWN} deliveries to ask for").into());
    }
    Ok(ids.into_iter())
}

/// The least text after all with this prefix, which ends in a plain letter or digit.
fn after(prefix: &str) -> String {
    let mut end = prefix.to_owned();
    let last = end.pop().map(|letter| ((letter as u8) + 1) as char);
    end.extend(last);
    end
}

fn bound(statements: &str, values: &[(&str, &str)]) -> String {
    let write = |text: String, (name, value): &(&str, &str)| text.replace(name, &format!("'{value}'"));
    values.iter().fold(statements.to_owned(), write)
}

impl Case {
    fn compare(&self, server: &Server, token: &str, url: &str) -> Result<()> {
        let answer = server.post_graphql(token, &self.body)?;
        let statements: Vec<&str> = self.statements.split(';').filter(|it| !it.trim().is_empty()).collect();
        let [list, rest @ ..] = statements.as_slice() else { return Err("a statement".into()) };
        let ids = postgres::one(url, &format!("SELECT id FROM ({list}) AS page"))?;
        // The limit reads one row more than a page of 25 has.
        let most = if self.is_counted { 25 } else { usize::MAX };
        if !ids.lines().take(most).eq(members(&answer, "id")) {
            return Err(format!("Postgres answers {ids} to {list}, the product {answer}").into());
        }
        let [count] = rest else { return Ok(()) };
        let total: u64 = postgres::one(url, count)?.parse()?;
        // A filtered total stops counting at its bound, and says so.
        let ours = members(&answer, "total").next().ok_or("a total")?;
        let exact = members(&answer, "exact").next() == Some("true");
        if ours != (if exact { total } else { total - 1 }).to_string() {
            return Err(format!("Postgres counts {total}, the product {answer}").into());
        }
        Ok(())
    }
}

/// Processor time of the product for each request, in milliseconds.
pub fn each(busy: f64, sample: &Sample) -> f64 {
    busy * 1_000.0 / sample.micros.len().max(1) as f64
}
