//! "is empty" and "is not empty" as SQL: NULL, or a text without characters.

use sea_orm::ColumnTrait;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Query, SelectStatement, SimpleExpr};

use super::{Field, FieldKind, Related};

/// Where a value that may be empty is stored, and whether it is a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Held<C> {
    Text(C),
    Other(C),
    /// In a column of another table, whose column `key` refers to `on` here.
    Elsewhere {
        on: C,
        table: &'static str,
        key: &'static str,
        column: &'static str,
    },
}

/// Returns where the field's value is stored; `None` for a field that is never empty, or if more than one column
/// decides whether it is.
pub(super) fn held<C: ColumnTrait>(field: &Field<C>) -> Option<Held<C>> {
    match field.kind {
        FieldKind::Text { folded } | FieldKind::Search { folded, .. } => Some(Held::Text(folded)),
        FieldKind::Choices(_) => Some(Held::Text(field.column)),
        FieldKind::Related { on, table, key, value } => {
            let (Related::Text { folded: column, .. } | Related::Choice { column, .. }) = value;
            Some(Held::Elsewhere { on, table, key, column })
        }
        FieldKind::FirstInstant { .. } | FieldKind::InstantIf { .. } => None,
        _ => is_nullable(field.column).then_some(Held::Other(field.column)),
    }
}

pub(super) fn absent<C: ColumnTrait>(held: &Held<C>) -> SimpleExpr {
    match *held {
        Held::Text(column) if is_nullable(column) => column.is_null().or(column.eq("")),
        Held::Text(column) => column.eq(""),
        Held::Other(column) => column.is_null(),
        // Looks up each row in the other table: a list of all keys with a value would be read completely
        // before the first row is returned.
        Held::Elsewhere { on, table, key, column } => {
            let mut rows = saying(table, column);
            rows.expr(Expr::val(1)).and_where(of_table(table, key).eq(on.into_expr()));
            Expr::exists(rows).not()
        }
    }
}

pub(super) fn present<C: ColumnTrait>(held: &Held<C>) -> SimpleExpr {
    match *held {
        // `> ''` excludes NULL as well as the empty string, and needs only one range of the column's index.
        Held::Text(column) => column.gt(""),
        Held::Other(column) => column.is_not_null(),
        // EXISTS must not be used here: SQLite turns it into a join that returns one row per match.
        Held::Elsewhere { on, table, key, column } => {
            on.in_subquery(saying(table, column).expr(of_table(table, key)).take())
        }
    }
}

pub(super) fn is_nullable(column: impl ColumnTrait) -> bool {
    column.def().is_null()
}

/// Selects rows of another table that have a text in the column.
fn saying(table: &'static str, column: &'static str) -> SelectStatement {
    Query::select().from(Alias::new(table)).and_where(of_table(table, column).gt("")).take()
}

fn of_table(table: &'static str, column: &'static str) -> Expr {
    Expr::col((Alias::new(table), Alias::new(column)))
}
