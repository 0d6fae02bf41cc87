//! Values of a file that a person matches with records, in the contract's terms.

use std::collections::HashMap;

use ::store::filter::fold;
use kit::{Error, Result};
use proto::upload::v1::*;
use uuid::Uuid;

use crate::entity::upload_value::{Target, ValueField};
use crate::settings::Reading;
use crate::store::{Choice, Decision};
use crate::{Context, import, store};

/// Maximum number of values per request.
const VALUES: usize = 500;

/// Returns the values of an import that match no record.
pub(super) async fn listed(context: &Context, log: Uuid) -> Result<ListUploadValuesResponse> {
    let values = store::values(&context.db, log).await?.into_iter().map(Into::into).collect();
    let refuse_unknown_drivers = Reading::now(context).refuse_unknown_drivers;
    Ok(ListUploadValuesResponse { values, refuse_unknown_drivers })
}

/// Returns the decisions that a request makes. Fails if a target does not exist.
pub(super) async fn decisions(context: &Context, values: Vec<MatchedValue>) -> Result<Vec<Decision>> {
    if values.is_empty() || values.len() > VALUES {
        return Err(Error::invalid_field("values", format!("1 to {VALUES} at once")));
    }
    let mut named: HashMap<ValueField, Vec<String>> = HashMap::new();
    for value in values.iter().filter(|value| value.choice() == UploadValueChoice::Use) {
        named.entry(field(value)?).or_default().push(value.target.clone());
    }
    let mut existing: HashMap<ValueField, HashMap<String, Target>> = HashMap::new();
    for (field, names) in named {
        existing.insert(field, import::existing(context, field, names).await?);
    }
    let decision = |value: MatchedValue| {
        let field = field(&value)?;
        let choice = match value.choice() {
            UploadValueChoice::Unspecified => None,
            UploadValueChoice::Keep => Some(Choice::Keep),
            UploadValueChoice::Use => {
                let found = existing.get(&field).and_then(|known| known.get(&fold(&value.target)));
                Some(Choice::Use(found.cloned().ok_or_else(|| unknown(field, &value.target))?))
            }
        };
        Ok(Decision { field, value: value.value, choice })
    };
    values.into_iter().map(decision).collect()
}

fn field(value: &MatchedValue) -> Result<ValueField> {
    value.field().try_into().map_err(|_| Error::invalid_field("values", "Choose a field for each value"))
}

fn unknown(field: ValueField, name: &str) -> Error {
    let text = match field {
        ValueField::Driver => format!("There is no active driver {name}. Choose one from the list."),
        ValueField::Customer => format!("There is no customer {name}. Choose one from the list."),
        ValueField::Trucker => format!("There is no trucker {name}. Choose one from the list."),
    };
    Error::invalid_field("values", text)
}
