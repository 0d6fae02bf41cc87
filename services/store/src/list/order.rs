//! Which orders an index has.

use sea_orm::{ColumnTrait, Order};

use crate::filter::Field;
use crate::page::{SortBy, end};

/// Returns whether the list's order is that of the index on the field it is sorted by first: the field, the columns
/// that follow it there, and the key, all in one direction.
pub(super) fn is_of_index<C: ColumnTrait>(first: &Field<C>, key: &[C], order: &[(SortBy<C>, Order)]) -> bool {
    let mut index: Vec<(SortBy<C>, Order)> = order.iter().take(1).cloned().collect();
    end(&mut index, first.then);
    end(&mut index, key);
    let of_index = index.iter().map(|(by, way)| (by.references(), way));
    let has_all_rows = first.indexed && !first.sparse;
    has_all_rows && of_index.eq(order.iter().map(|(by, way)| (by.references(), way)))
}

/// Returns whether the index on a column, continued by the columns `then`, is in the list's order for a
/// single value of that column.
pub(super) fn goes_on<C: ColumnTrait>(then: &[C], key: &[C], order: &[(SortBy<C>, Order)]) -> bool {
    let one_way = order
        .windows(2)
        .all(|two| matches!((&two[0].1, &two[1].1), (Order::Asc, Order::Asc) | (Order::Desc, Order::Desc)));
    let columns = then.iter().chain(key).map(|column| vec![column.as_column_ref()]);
    !then.is_empty() && one_way && columns.eq(order.iter().map(|(by, _)| by.references()))
}
