//! The requests that people make, and the equivalent SQL statements: W1u, W1, W2, W3 and W6.

use crate::http::Sample;
use crate::server::{Server, members};
use crate::{Result, postgres};

/// The browser application's query.
const LIST: &str = "query DeliveriesPage($page: PageOptions, $where: [Filter!]) { \
    deliveries(page: $page) { id deliverystatus scheduledatetime deliverydatetime driverId linecount \
    customername trucker shipmentnumber referencedoc scanmode __typename } \
    deliveriesCount(where: $where) { total exact __typename } }";
const LOOKUP: &str = "query Lookup($page: PageOptions) { deliveries(page: $page) { id __typename } }";
const DELIVERY: &str = "query Delivery($id: String!) { delivery(id: $id) { id deliverystatus scheduledatetime \
    deliverydatetime driverId customername trucker shipmentnumber referencedoc scanmode version \
    items { itemNumber description quantity quantityDelivered unit } \
    history { fromStatus toStatus occurredAt receivedAt actorName } } }";

/// The statement of the baseline. It reads all columns, because the service returns whole deliveries, and one
/// row more than a page, which shows whether there is a next page.
const ALL: &str = include_str!("all.sql");
const SOME: &str = include_str!("some.sql");
const ONE: &str = include_str!("one.sql");

const PREFIXES: &[&str] = &["b", "d", "e", "g", "ku", "l", "ma", "n", "p", "pa", "s", "t"];
const STATUSES: &[[&str; 2]] = &[
    ["Complete_No_Variance", "Complete_With_Variance"],
    ["Pending", "Undelivered"],
    ["Complete_With_Variance", "Rejected"],
];
/// The number of deliveries that are looked up and opened.
const DRAWN: usize = 36;

/// A request and the equivalent statements.
pub struct Case {
    /// The request as JSON.
    pub body: String,
    pub statements: String,
    /// Whether the second statement counts the request's total.
    is_counted: bool,
}

/// One row of the benchmark.
pub struct Work {
    pub name: &'static str,
    pub cases: Vec<Case>,
}

impl Work {
    pub fn bodies(&self) -> Vec<String> {
        self.cases.iter().map(|case| case.body.clone()).collect()
    }

    /// Fails unless the product and the SQL statements return the same result: only then may their times be
    /// compared.
    pub fn compare(&self, server: &Server, url: &str) -> Result<()> {
        let token = server.token()?;
        self.cases.iter().try_for_each(|case| case.compare(server, &token, url))
    }
}

/// Returns the work for the rows of this database.
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

/// Returns requests for the first pages of some filters, with totals.
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

/// Returns lookups by the first characters of a delivery's number: the first 30 numbers that match.
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

/// Returns requests that open single deliveries with their items and history.
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

/// Returns requests for pages that begin after a tenth of the table. The baseline finds the keys in the index
/// first, and then their rows.
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

/// Builds the request for a page and its total; filters and sorts are JSON.
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

/// Returns the smallest string that sorts after all strings with this prefix. The prefix ends in an ASCII
/// letter or digit.
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
        // The baseline reads one row more than a page of 25.
        let most = if self.is_counted { 25 } else { usize::MAX };
        if !ids.lines().take(most).eq(members(&answer, "id")) {
            return Err(format!("Postgres answers {ids} to {list}, the product {answer}").into());
        }
        let [count] = rest else { return Ok(()) };
        let total: u64 = postgres::one(url, count)?.parse()?;
        // The product stops counting filtered rows at a limit, and then says that the total is not exact. The
        // baseline counts one row more.
        let ours = members(&answer, "total").next().ok_or("a total")?;
        let exact = members(&answer, "exact").next() == Some("true");
        if ours != (if exact { total } else { total - 1 }).to_string() {
            return Err(format!("Postgres counts {total}, the product {answer}").into());
        }
        Ok(())
    }
}

/// Returns the product's processor time per request, in milliseconds.
pub fn each(busy: f64, sample: &Sample) -> f64 {
    busy * 1_000.0 / sample.micros.len().max(1) as f64
}
