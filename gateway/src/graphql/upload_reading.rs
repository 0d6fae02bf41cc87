//! How the columns of an imported file are read.

use async_graphql::{Enum, SimpleObject};
use proto::upload::v1 as contract;

use super::error::Failure;
use super::value::known;

#[derive(SimpleObject)]
pub struct UploadColumn {
    heading: String,
    reading: UploadColumnReading,
}

impl UploadColumn {
    pub(super) fn of(column: &contract::UploadColumn) -> Result<Self, Failure> {
        let reading = known::<contract::UploadColumnReading, _>(column.reading)?;
        Ok(Self { heading: column.heading.clone(), reading })
    }
}

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum UploadColumnReading {
    DayFirst,
    MonthFirst,
    DecimalPoint,
    DecimalComma,
}

proto::same_enum!(contract::UploadColumnReading => UploadColumnReading {
    DayFirst => DayFirst,
    MonthFirst => MonthFirst,
    DecimalPoint => DecimalPoint,
    DecimalComma => DecimalComma,
});
