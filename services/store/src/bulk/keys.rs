//! A condition on many keys, in a statement whose text is the same for any number of them.

use sea_orm::sea_query::{ArrayType, Expr, ExprTrait, Func, Query, extension::postgres::PgFunc};
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, Value};

/// Returns whether `column`, which holds text, has one of these keys.
///
/// Use it where hundreds of keys are usual, in a transaction with [`crate::Tx::plan_for_keys`]. With a placeholder
/// for each key, a statement would be parsed again for each number of keys.
pub fn among<K: Into<String>>(
    connection: &impl ConnectionTrait,
    column: impl ColumnTrait,
    keys: impl IntoIterator<Item = K>,
) -> Expr {
    let column = Expr::col(column.as_column_ref());
    let keys = keys.into_iter().map(Into::into);
    if connection.get_database_backend() == DbBackend::Postgres {
        let keys = keys.map(|key| Value::String(Some(key))).collect();
        return column.eq(PgFunc::any(Expr::val(Value::Array(ArrayType::String, Some(Box::new(keys))))));
    }
    let keys = serde_json::Value::from_iter(keys).to_string();
    let each = Func::cust("json_each").arg(Expr::val(keys));
    column.in_subquery(Query::select().column("value").from_function(each, "keys").to_owned())
}
