use proto::deliveries::v1 as wire;
use sea_orm::entity::prelude::*;

use crate::domain::line::VarianceKind;
use crate::domain::reason::Responsible;

/// One line of an attempt, or a whole delivery, that did not go as expected.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "variance")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub delivery_key: String,
    pub attempt: i32,
    pub item_key: Option<String>,
    pub item_number: Option<String>,
    /// Label of the reason at the time of the variance.
    pub reason: Option<String>,
    pub reason_key: Option<String>,
    pub reason_code: Option<String>,
    pub kind: VarianceKind,
    pub expected: i64,
    pub actual: i64,
    pub difference: i64,
    pub note: Option<String>,
    /// Who reported the variance: `driver` or `office`.
    pub reported_by: String,
    pub occurred_at: DateTimeUtc,
    /// Who was responsible according to the reason at that time. NULL in rows that are older than the column.
    pub responsible: Option<Responsible>,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Model> for wire::Variance {
    fn from(row: Model) -> Self {
        let Model {
            id,
            delivery_key,
            attempt,
            item_key: _,
            item_number,
            reason,
            reason_key: _,
            reason_code,
            kind,
            expected,
            actual,
            difference,
            note,
            reported_by,
            occurred_at,
            responsible: _,
        } = row;
        wire::Variance {
            id: id.to_string(),
            delivery_id: delivery_key,
            attempt: attempt.unsigned_abs(),
            item_number,
            reason,
            reason_code,
            kind: kind.as_str().to_owned(),
            expected_thousandths: expected,
            actual_thousandths: actual,
            difference_thousandths: difference,
            note,
            reported_by,
            occurred_at: Some(proto::timestamp(occurred_at)),
        }
    }
}
