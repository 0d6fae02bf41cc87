use proto::upload::v1 as wire;
use sea_orm::FromJsonQueryResult;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

::store::text_enum!(
    /// A field whose values name records.
    ValueField {
        Driver => "driver",
        Customer => "customer",
        Trucker => "trucker",
    }
);

impl ValueField {
    pub const ALL: [Self; 3] = [Self::Driver, Self::Customer, Self::Trucker];
}

proto::same_enum!(wire::UploadValueField => ValueField {
    Driver => Driver,
    Customer => Customer,
    Trucker => Trucker,
});

/// A record that can be imported instead of a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The driver's id, or the customer's or trucker's name.
    pub name: String,
    /// The text for people.
    pub label: String,
}

/// A list of records, stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Targets(pub Vec<Target>);

/// A value of a file that matches no record, and what was chosen for it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_value")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub upload_log_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub field: ValueField,
    #[sea_orm(primary_key, auto_increment = false)]
    pub value_key: String,
    /// The value as in its first row.
    pub value: String,
    /// Number of rows with the value.
    pub row_count: i32,
    pub suggestions: Targets,
    /// Whether somebody chose. Without a target, the value is then kept as it is.
    pub decided: bool,
    pub target: Option<String>,
    pub target_label: Option<String>,
    /// Whether the choice was made for an earlier file.
    pub remembered: bool,
}

impl ActiveModelBehavior for ActiveModel {}

impl From<Target> for wire::UploadValueTarget {
    fn from(Target { name, label }: Target) -> Self {
        wire::UploadValueTarget { name, label }
    }
}

impl From<Model> for wire::UploadValue {
    fn from(row: Model) -> Self {
        let Model {
            upload_log_id: _,
            field,
            value_key: _,
            value,
            row_count,
            suggestions,
            decided,
            target,
            target_label,
            remembered,
        } = row;
        let choice = match (decided, &target) {
            (false, _) => wire::UploadValueChoice::Unspecified,
            (true, None) => wire::UploadValueChoice::Keep,
            (true, Some(_)) => wire::UploadValueChoice::Use,
        };
        let target = target.map(|name| {
            let label = target_label.unwrap_or_else(|| name.clone());
            wire::UploadValueTarget { name, label }
        });
        wire::UploadValue {
            field: wire::UploadValueField::from(field).into(),
            value,
            rows: row_count.unsigned_abs(),
            suggestions: suggestions.0.into_iter().map(Into::into).collect(),
            choice: choice.into(),
            target,
            remembered,
        }
    }
}
