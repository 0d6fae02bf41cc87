//! "is empty" and "is not empty" as SQL: missing, or a text without a character.

use kit::Result;
use proto::common::v1::Filter;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, Condition};

use super::sql::unsuited;
use super::{Field, FieldKind, Related, Start, refuse};

/// Where a value lies, and whether it is a text.
enum Held<C> {
    Text(C),
    Other(C),
    /// In a column of another table, whose `key` is `on` here.
    Elsewhere {
        on: C,
        table: &'static str,
        key: &'static str,
        column: &'static str,
    },
}

pub(super) fn absent<C: ColumnTrait>(field: &Field<C>, filter: &Filter) -> Result<SimpleExpr> {
    Ok(match held(field, filter)? {
        Held::Text(column) if is_nullable(column) => column.is_null().or(column.eq("")),
        Held::Text(column) => column.eq(""),
        Held::Other(column) => column.is_null(),
        // By a look for each row: a list of all that have one would be read before the first.
        Held::Elsewhere { on, table, key, column } => {
            let mut rows = saying(table, column);
            rows.expr(Expr::val(1)).and_where(of_table(table, key).eq(on.into_expr()));
            Expr::exists(rows).not()
        }
    })
}

pub(super) fn present<C: ColumnTrait>(field: &Field<C>, filter: &Filter) -> Result<SimpleExpr> {
    Ok(match held(field, filter)? {
        // One range of its index, which a missing value is not in either.
        Held::Text(column) => column.gt(""),
        Held::Other(column) => column.is_not_null(),
        // SQLite makes a join of EXISTS that has a row for each that it finds.
        Held::Elsewhere { on, table, key, column } => {
            on.in_subquery(saying(table, column).expr(of_table(table, key)).take())
        }
    })
}

/// The parts of the field's index that `absent` means.
pub(super) fn starts<C: ColumnTrait>(field: &Field<C>) -> Vec<Start<C>> {
    let (column, is_text) = match field.kind {
        FieldKind::Text { folded } | FieldKind::Search { folded, .. } => (folded, true),
        _ => (field.column, false),
    };
    let all = |of: SimpleExpr| Condition::all().add(of);
    let missing = is_nullable(column).then(|| Start { rows: all(column.is_null()), missing: Some(column) });
    let blank = is_text.then(|| Start::from(all(column.eq(""))));
    missing.into_iter().chain(blank).collect()
}

fn held<C: ColumnTrait>(field: &Field<C>, filter: &Filter) -> Result<Held<C>> {
    if !filter.values.is_empty() {
        let text = format!("{} on {} takes no values", filter.operator, field.key);
        return Err(refuse("FILTER_VALUES", text));
    }
    match field.kind {
        FieldKind::Text { folded } | FieldKind::Search { folded, .. } => Ok(Held::Text(folded)),
        FieldKind::Choices(_) => Ok(Held::Text(field.column)),
        FieldKind::Related { on, table, key, value } => {
            let (Related::Text { folded: column, .. } | Related::Choice { column, .. }) = value;
            Ok(Held::Elsewhere { on, table, key, column })
        }
        FieldKind::FirstInstant { .. } => Err(unsuited(field.key, filter)),
        _ if is_nullable(field.column) => Ok(Held::Other(field.column)),
        _ => Err(unsuited(field.key, filter)),
    }
}

fn is_nullable(column: impl ColumnTrait) -> bool {
    column.def().is_null()
}

/// Rows of another table that have a text in the column.
fn saying(table: &'static str, column: &'static str) -> SelectStatement {
    Query::select().from(Alias::new(table)).and_where(of_table(table, column).gt("")).take()
}

fn of_table(table: &'static str, column: &'static str) -> Expr {
    Expr::col((Alias::new(table), Alias::new(column)))
}
