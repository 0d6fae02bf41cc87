//! Reads rows of which a statement selects only some columns.

use chrono::{DateTime, Utc};
use sea_orm::sea_query::ArrayType;
use sea_orm::{DbErr, EntityTrait, ModelTrait, QueryResult, Value};
use uuid::Uuid;

/// Returns a row that has the selected columns, in this order, from the database, and the others from `blank`.
pub(super) fn read<M: ModelTrait>(
    row: &QueryResult,
    columns: &[<M::Entity as EntityTrait>::Column],
    blank: &M,
) -> Result<M, DbErr> {
    let mut model = blank.clone();
    for (place, column) in columns.iter().enumerate() {
        model.try_set(*column, value(row, place, &M::get_value_type(*column))?)?;
    }
    Ok(model)
}

fn value(row: &QueryResult, place: usize, of: &ArrayType) -> Result<Value, DbErr> {
    Ok(match of {
        ArrayType::String => row.try_get_by_index::<Option<String>>(place)?.into(),
        ArrayType::Bool => row.try_get_by_index::<Option<bool>>(place)?.into(),
        ArrayType::Int => row.try_get_by_index::<Option<i32>>(place)?.into(),
        ArrayType::BigInt => row.try_get_by_index::<Option<i64>>(place)?.into(),
        ArrayType::Double => row.try_get_by_index::<Option<f64>>(place)?.into(),
        ArrayType::Uuid => row.try_get_by_index::<Option<Uuid>>(place)?.into(),
        ArrayType::ChronoDateTimeUtc => row.try_get_by_index::<Option<DateTime<Utc>>>(place)?.into(),
        other => return Err(DbErr::Type(format!("a list has no column of {other:?}"))),
    })
}
