//! On Postgres many rows are inserted from one array for each column: `INSERT … SELECT unnest($1), unnest($2), …`.
//!
//! The text of such a statement is the same for any number of rows, so it is prepared once on a connection.
//! Statements with a placeholder for each value took longer to parse and plan than to run.

use chrono::SecondsFormat;
use kit::{Error, Result};
use sea_orm::sea_query::{ColumnType, Expr, ExprTrait, Func, InsertStatement, OnConflict, Query};
use sea_orm::{ActiveModelTrait, ActiveValue, ColumnTrait, EntityName, EntityTrait, Iterable, Value};
use uuid::fmt::Hyphenated;

type Column<A> = <<A as ActiveModelTrait>::Entity as EntityTrait>::Column;

/// Returns the statement that inserts these rows, whose values it takes. A column that only some rows set is NULL in
/// the others. `None` if a column has a type that no array is written for; the rows then keep their values.
pub(super) fn insert<A: ActiveModelTrait>(
    rows: &mut [A],
    conflict: Option<&OnConflict>,
) -> Result<Option<InsertStatement>> {
    let Some(types) = types(rows) else { return Ok(None) };
    let mut insert = Query::insert();
    insert.into_table(A::Entity::default().table_ref());
    let mut arrays = Query::select();
    for (column, array_type) in &types {
        // The rows have lost values by now, so they can't be written in another way.
        let array =
            array(rows, *column).ok_or_else(|| Error::internal("a column has values of several types"))?;
        // The array is bound as text. Bound as an array, it couldn't contain NULL.
        let array = Expr::val(array).cast_as("text").cast_as(*array_type);
        arrays.expr(Func::cust("unnest").arg(array));
    }
    let columns = types.into_iter().map(|(column, _)| column);
    insert.columns(columns).select_from(arrays).map_err(Error::internal)?;
    if let Some(conflict) = conflict {
        insert.on_conflict(conflict.clone());
    }
    Ok(Some(insert))
}

/// Returns the columns that a row sets, with the types of their arrays. `None` if there is no array for one of them.
fn types<A: ActiveModelTrait>(rows: &[A]) -> Option<Vec<(Column<A>, &'static str)>> {
    let mut types = Vec::new();
    for column in Column::<A>::iter() {
        let Some(value) = rows.iter().find_map(|row| row.get(column).into_value()) else { continue };
        // All values of a column have the type of its field, so checking the first one suffices.
        element(&mut String::new(), value)?;
        types.push((column, array_type(column)?));
    }
    Some(types)
}

fn array_type(column: impl ColumnTrait) -> Option<&'static str> {
    Some(match column.def().get_column_type() {
        ColumnType::String(_) | ColumnType::Text | ColumnType::Char(_) => "text[]",
        ColumnType::SmallInteger => "smallint[]",
        ColumnType::Integer => "integer[]",
        ColumnType::BigInteger => "bigint[]",
        ColumnType::Double => "double precision[]",
        ColumnType::Boolean => "boolean[]",
        ColumnType::Uuid => "uuid[]",
        ColumnType::TimestampWithTimeZone => "timestamptz[]",
        ColumnType::Date => "date[]",
        ColumnType::JsonBinary => "jsonb[]",
        ColumnType::Blob | ColumnType::Binary(_) | ColumnType::VarBinary(_) => "bytea[]",
        _ => return None,
    })
}

/// Takes the values of one column, and writes them as an array of Postgres.
fn array<A: ActiveModelTrait>(rows: &mut [A], column: Column<A>) -> Option<String> {
    let mut text = String::with_capacity(rows.len() * 16);
    text.push('{');
    for row in rows {
        if text.len() > 1 {
            text.push(',');
        }
        match row.take(column) {
            ActiveValue::Set(value) | ActiveValue::Unchanged(value) => element(&mut text, value)?,
            ActiveValue::NotSet => text.push_str("NULL"),
        }
    }
    text.push('}');
    Some(text)
}

fn element(text: &mut String, value: Value) -> Option<()> {
    use std::fmt::Write as _;
    match value {
        Value::String(Some(it)) => quoted(text, &it),
        Value::Json(Some(it)) => quoted(text, &it.to_string()),
        Value::Bytes(Some(it)) => {
            text.push_str("\"\\\\x");
            text.push_str(&hex::encode(it));
            text.push('"');
        }
        Value::Bool(Some(it)) => text.push(if it { 't' } else { 'f' }),
        Value::SmallInt(Some(it)) => write!(text, "{it}").ok()?,
        Value::Int(Some(it)) => write!(text, "{it}").ok()?,
        Value::BigInt(Some(it)) => write!(text, "{it}").ok()?,
        Value::Double(Some(it)) => write!(text, "{it}").ok()?,
        Value::Uuid(Some(it)) => text.push_str(it.hyphenated().encode_lower(&mut [0; Hyphenated::LENGTH])),
        Value::ChronoDate(Some(it)) => write!(text, "{it}").ok()?,
        // Postgres keeps microseconds, and would round.
        Value::ChronoDateTimeUtc(Some(it)) => {
            text.push_str(&it.to_rfc3339_opts(SecondsFormat::Micros, true));
        }
        Value::String(None)
        | Value::Json(None)
        | Value::Bytes(None)
        | Value::Bool(None)
        | Value::SmallInt(None)
        | Value::Int(None)
        | Value::BigInt(None)
        | Value::Double(None)
        | Value::Uuid(None)
        | Value::ChronoDate(None)
        | Value::ChronoDateTimeUtc(None) => text.push_str("NULL"),
        _ => return None,
    }
    Some(())
}

fn quoted(text: &mut String, value: &str) {
    text.push('"');
    for part in value.split_inclusive(['"', '\\']) {
        match part.strip_suffix(['"', '\\']) {
            Some(before) => {
                text.push_str(before);
                text.push('\\');
                text.push_str(&part[before.len()..]);
            }
            None => text.push_str(part),
        }
    }
    text.push('"');
}
