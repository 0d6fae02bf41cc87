//! Values of a file that match no driver, customer or trucker, and what is imported instead.

use async_graphql::{Context, Enum, InputObject, Object, SimpleObject};
use proto::upload::v1 as contract;

use super::clients;
use super::error::Failure;
use super::page;
use super::uploads::UploadLog;
use super::value::known;

/// Expected number of values of a file, for estimating the complexity of a query.
const VALUES: usize = 100;

#[derive(Default)]
pub struct UploadValuesQuery;

#[Object]
impl UploadValuesQuery {
    /// The values of a file that match no record, those of most rows first: at most 500 of each field. For a file
    /// that was imported without a check: those for which a remembered choice was used.
    #[graphql(complexity = "page::times(VALUES, child_complexity)")]
    async fn import_values(&self, ctx: &Context<'_>, upload_log: String) -> Result<ImportValues, Failure> {
        let ask = contract::ListUploadValuesRequest { upload_log_id: upload_log };
        clients::uploads(ctx)?.list_upload_values(ask).await?.into_inner().try_into()
    }
}

#[derive(Default)]
pub struct UploadValuesMutation;

#[Object]
impl UploadValuesMutation {
    /// Chooses how values of a checked file are imported, at most 500 at a time. The choices are also used for
    /// files with the same headings.
    async fn match_import_values(
        &self,
        ctx: &Context<'_>,
        input: MatchImportValuesInput,
    ) -> Result<UploadLog, Failure> {
        let values = input.values.into_iter().map(MatchedValueInput::wire).collect();
        let ask = contract::MatchValuesRequest { upload_log_id: input.upload_log, values };
        Ok(UploadLog(clients::uploads(ctx)?.match_values(ask).await?.into_inner()))
    }

    /// Checks a checked file again, with the values as they are matched and the cells as they are now.
    async fn check_import_again(
        &self,
        ctx: &Context<'_>,
        input: CheckImportAgainInput,
    ) -> Result<UploadLog, Failure> {
        let ask = contract::CheckAgainRequest { id: input.id };
        Ok(UploadLog(clients::uploads(ctx)?.check_again(ask).await?.into_inner()))
    }
}

#[derive(InputObject)]
pub struct MatchImportValuesInput {
    upload_log: String,
    values: Vec<MatchedValueInput>,
}

#[derive(InputObject)]
pub struct MatchedValueInput {
    field: ImportValueField,
    value: String,
    /// Null takes the choice back.
    choice: Option<ImportValueChoice>,
    /// With the choice `use`: the driver's id, or the customer's or trucker's name.
    target: Option<String>,
}

impl MatchedValueInput {
    fn wire(self) -> contract::MatchedValue {
        let Self { field, value, choice, target } = self;
        let choice = choice.map_or(contract::UploadValueChoice::Unspecified, Into::into);
        contract::MatchedValue {
            field: contract::UploadValueField::from(field).into(),
            value,
            choice: choice.into(),
            target: target.unwrap_or_default(),
        }
    }
}

#[derive(InputObject)]
pub struct CheckImportAgainInput {
    id: String,
}

#[derive(SimpleObject)]
pub struct ImportValues {
    values: Vec<ImportValue>,
    /// Whether rows with an unknown driver are refused.
    refuse_unknown_drivers: bool,
}

#[derive(SimpleObject)]
pub struct ImportValue {
    field: ImportValueField,
    /// The value as in its first row.
    value: String,
    /// Number of rows with the value, in any case.
    rows: u32,
    /// At most three records, the most similar first.
    suggestions: Vec<ImportValueTarget>,
    /// Null: nothing was chosen, and the value is imported as with `keep`.
    choice: Option<ImportValueChoice>,
    /// What is imported instead, with the choice `use`.
    target: Option<ImportValueTarget>,
    /// Whether the choice was made for an earlier file with the same headings.
    remembered: bool,
}

#[derive(SimpleObject)]
pub struct ImportValueTarget {
    /// The driver's id, or the customer's or trucker's name.
    name: String,
    label: String,
}

/// A field whose values name records.
#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum ImportValueField {
    Driver,
    Customer,
    Trucker,
}

proto::same_enum!(contract::UploadValueField => ImportValueField {
    Driver => Driver,
    Customer => Customer,
    Trucker => Trucker,
});

#[derive(Enum, Clone, Copy, PartialEq, Eq)]
#[graphql(rename_items = "snake_case")]
pub enum ImportValueChoice {
    /// Imports the value as it is in the file.
    Keep,
    /// Imports an existing record instead.
    Use,
}

proto::same_enum!(contract::UploadValueChoice => ImportValueChoice {
    Keep => Keep,
    Use => Use,
});

impl TryFrom<contract::ListUploadValuesResponse> for ImportValues {
    type Error = Failure;

    fn try_from(answer: contract::ListUploadValuesResponse) -> Result<Self, Failure> {
        let contract::ListUploadValuesResponse { values, refuse_unknown_drivers } = answer;
        let values: Result<_, Failure> = values.into_iter().map(value).collect();
        Ok(Self { values: values?, refuse_unknown_drivers })
    }
}

fn value(value: contract::UploadValue) -> Result<ImportValue, Failure> {
    let choice = value.choice().try_into().ok();
    let contract::UploadValue { field, value, rows, suggestions, choice: _, target, remembered } = value;
    Ok(ImportValue {
        field: known::<contract::UploadValueField, _>(field)?,
        value,
        rows,
        suggestions: suggestions.into_iter().map(Into::into).collect(),
        choice,
        target: target.map(Into::into),
        remembered,
    })
}

impl From<contract::UploadValueTarget> for ImportValueTarget {
    fn from(target: contract::UploadValueTarget) -> Self {
        let contract::UploadValueTarget { name, label } = target;
        Self { name, label }
    }
}
