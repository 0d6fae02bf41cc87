//! Answers in the formats of the contract: results with annotations, normalized queries, statements.

use chrono::{DateTime, SecondsFormat, Utc};
use kit::Result;
use sea_orm::DbBackend;
use sea_orm::sea_query::{PostgresQueryBuilder, SqliteQueryBuilder, Values};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::check::{Asked, Query, QueryType};
use super::plan::{Source, plan};
use super::refuse;
use super::run::{Cell, Rows};
use super::sql::Sql;
use super::wire::{Direction, Format};
use crate::members::{Dimension, Measure};
use crate::meta;

const COMPARED: &str = "compareDateRange";

/// Returns the body of `/load`: one result or, with `multi`, a list of results.
pub fn load(
    asked: &Asked,
    answers: Vec<Rows>,
    multi: bool,
    now: DateTime<Utc>,
    backend: DbBackend,
) -> Result<String> {
    if !multi {
        single(asked)?;
    }
    let refreshed = now.to_rfc3339_opts(SecondsFormat::Millis, true);
    let results = asked.queries.iter().zip(answers).map(|(query, rows)| Outcome {
        query: query.echo(),
        data: Data { rows: marked(asked.kind, query, rows), format: query.format },
        last_refresh_time: refreshed.clone(),
        annotation: annotation(query),
        data_source: "default",
        db_type: db_type(backend),
        ext_db_type: db_type(backend),
        external: false,
        slow_query: false,
        total: None,
    });
    let results: Vec<Outcome> = results
        .map(|mut it| {
            it.total = it.data.rows.total;
            it
        })
        .collect();
    let body = if multi {
        let query_type = asked.kind.name();
        serde_json::to_string(&Multi { query_type, results, pivot_query: pivot(asked), slow_query: false })
    } else {
        serde_json::to_string(&results.into_iter().next())
    };
    body.map_err(kit::Error::internal)
}

/// Refuses requests with several results, unless the client sent `queryType=multi`.
pub fn single(asked: &Asked) -> Result<()> {
    if asked.kind == QueryType::Regular {
        return Ok(());
    }
    let kind = asked.kind.name();
    Err(refuse(&format!("'{kind}' query type is not supported by the client.Please update the client.")))
}

fn db_type(backend: DbBackend) -> &'static str {
    match backend {
        DbBackend::Postgres => "postgres",
        _ => "sqlite",
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Multi {
    query_type: &'static str,
    results: Vec<Outcome>,
    pivot_query: Value,
    slow_query: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome {
    query: Map<String, Value>,
    data: Data,
    last_refresh_time: String,
    annotation: Value,
    data_source: &'static str,
    db_type: &'static str,
    ext_db_type: &'static str,
    external: bool,
    slow_query: bool,
    total: Option<u64>,
}

struct Data {
    rows: Rows,
    format: Format,
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let Rows { columns, rows, .. } = &self.rows;
        match self.format {
            Format::Default => {
                let mut list = to.serialize_seq(Some(rows.len()))?;
                for cells in rows {
                    list.serialize_element(&Row { columns, cells })?;
                }
                list.end()
            }
            Format::Compact => {
                let mut map = to.serialize_map(Some(2))?;
                map.serialize_entry("members", columns)?;
                map.serialize_entry("dataset", rows)?;
                map.end()
            }
            Format::Columnar => {
                let column = |at| rows.iter().map(|row| row.get(at)).collect::<Vec<_>>();
                let mut map = to.serialize_map(Some(2))?;
                map.serialize_entry("members", columns)?;
                map.serialize_entry("columns", &(0..columns.len()).map(column).collect::<Vec<_>>())?;
                map.end()
            }
        }
    }
}

struct Row<'a> {
    columns: &'a [String],
    cells: &'a [Cell],
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_map(self.columns.iter().zip(self.cells))
    }
}

/// Adds a column that clients of multi-result requests need: the compared range, or the time to align rows
/// by.
fn marked(kind: QueryType, query: &Query, mut rows: Rows) -> Rows {
    match kind {
        QueryType::Regular => {}
        QueryType::CompareDateRange => {
            let range = query.compared.and_then(|at| query.times.get(at)?.range);
            let text = range.map(|range| range.texts().join(" - "));
            rows.columns.push(COMPARED.to_owned());
            for row in &mut rows.rows {
                row.push(text.clone());
            }
        }
        QueryType::Blending => {
            let Some((time, unit)) = query.cut().next() else { return rows };
            let name = format!("{}.{}", time.dimension.name, unit.name());
            let at = rows.columns.iter().position(|column| *column == name);
            rows.columns.push(format!("time.{}", unit.name()));
            for row in &mut rows.rows {
                let value = at.and_then(|at| row.get(at).cloned()).flatten();
                row.push(value);
            }
        }
    }
    rows
}

/// Returns the pivot query, from which clients lay out tables and charts.
fn pivot(asked: &Asked) -> Value {
    let mut pivot = match asked.kind {
        QueryType::Regular | QueryType::CompareDateRange => {
            asked.queries.first().map(Query::echo).unwrap_or_default()
        }
        QueryType::Blending => blended(&asked.queries),
    };
    if asked.kind == QueryType::CompareDateRange
        && let Some(Value::Array(dimensions)) = pivot.get_mut("dimensions")
    {
        dimensions.insert(0, json!(COMPARED));
    }
    pivot.insert("queryType".to_owned(), json!(asked.kind.name()));
    Value::Object(pivot)
}

fn blended(queries: &[Query]) -> Map<String, Value> {
    let mut measures: Vec<&str> = Vec::new();
    let mut dimensions: Vec<&str> = Vec::new();
    for query in queries {
        measures.extend(
            query.measures.iter().map(|it| it.name).filter(|it| !measures.contains(it)).collect::<Vec<_>>(),
        );
        dimensions.extend(
            query
                .dimensions
                .iter()
                .map(|it| it.name)
                .filter(|it| !dimensions.contains(it))
                .collect::<Vec<_>>(),
        );
    }
    let unit = queries.first().and_then(|query| query.cut().next()).map(|(_, unit)| unit.name());
    let mut pivot = Map::new();
    pivot.insert("measures".to_owned(), json!(measures));
    pivot.insert("dimensions".to_owned(), json!(dimensions));
    pivot.insert("timeDimensions".to_owned(), json!([{ "dimension": "time", "granularity": unit }]));
    pivot
}

fn annotation(query: &Query) -> Value {
    let named = |name: &str, value: Value| (name.to_owned(), value);
    let measures: Map<String, Value> = query.measures.iter().map(|it| named(it.name, measure(it))).collect();
    let dimensions: Map<String, Value> =
        query.dimensions.iter().map(|it| named(it.name, dimension(it))).collect();
    let mut times = Map::new();
    for (time, unit) in query.cut() {
        let mut cut = dimension(time.dimension);
        cut["granularity"] = meta::granularity(unit);
        times.insert(format!("{}.{}", time.dimension.name, unit.name()), cut);
        times.insert(time.dimension.name.to_owned(), dimension(time.dimension));
    }
    json!({ "measures": measures, "dimensions": dimensions, "segments": {}, "timeDimensions": times })
}

fn measure(measure: &Measure) -> Value {
    let mut shown = json!({
        "title": measure.title,
        "shortTitle": measure.short_title,
        "type": "number",
        "drillMembers": measure.drill,
        "drillMembersGrouped": { "measures": [], "dimensions": measure.drill },
    });
    if measure.is_rate() {
        shown["format"] = json!("percent");
    }
    shown
}

fn dimension(dimension: &Dimension) -> Value {
    let kind = if dimension.is_time() { "time" } else { "string" };
    json!({ "title": dimension.title, "shortTitle": dimension.short_title, "type": kind })
}

/// Returns the body of `/dry-run`.
pub fn dry_run(asked: &Asked) -> String {
    let order = asked.queries.iter().map(order).collect::<Vec<_>>();
    let normalized: Vec<_> = asked.queries.iter().map(Query::echo).collect();
    json!({
        "queryType": asked.kind.name(),
        "normalizedQueries": normalized,
        "queryOrder": order,
        "transformedQueries": [],
        "pivotQuery": pivot(asked),
    })
    .to_string()
}

fn order(query: &Query) -> Value {
    let way = |way: Direction| if way == Direction::Desc { "desc" } else { "asc" };
    query.order.iter().map(|(name, it)| (name.clone(), json!(way(*it)))).collect::<Map<_, _>>().into()
}

/// Returns the body of `/sql`: the statement, its values, and the table it reads.
pub fn sql(asked: &Asked, backend: DbBackend) -> String {
    let one = |query: &Query| {
        let plan = plan(query);
        let (text, values) = text(&Sql::new(&plan, backend), backend);
        let values: Vec<Value> =
            values.iter().map(sea_orm::sea_query::value::sea_value_to_json_value).collect();
        json!({
            "sql": {
                "sql": [text, values],
                "order": order(query),
                "source": if matches!(plan.source, Source::Rollup { .. }) { "rollup" } else { "facts" },
                "table": plan.source.table(plan.root),
            },
            "dataSource": "default",
        })
    };
    match (asked.kind, asked.queries.as_slice()) {
        (QueryType::Regular, [query]) => one(query).to_string(),
        (_, queries) => queries.iter().map(one).collect::<Value>().to_string(),
    }
}

fn text(sql: &Sql<'_>, backend: DbBackend) -> (String, Values) {
    match backend {
        DbBackend::Postgres => sql.rows().build(PostgresQueryBuilder),
        _ => sql.rows().build(SqliteQueryBuilder),
    }
}
