//! Finds the values of a file that match no record, and what was chosen for them.
//!
//! A dry run lists all of them, so that people can choose. An import without a dry run asks nobody: it uses the
//! choices for earlier files with the same header, and lists the values to which they apply.

use std::collections::HashMap;

use ::store::filter::fold;
use ::store::jobs::{Halt, Hold};
use kit::rpc::Client;
use kit::{Error, Result};
use proto::deliveries::v1::parties_service_client::PartiesServiceClient;
use proto::deliveries::v1::{MatchPartiesRequest, Party, PartyKind};

use super::carry::patiently;
use super::survey::Survey;
use crate::Context;
use crate::entity::upload_log::{Model as UploadLog, Status};
use crate::entity::upload_value::{Target, ValueField};
use crate::store::{self, Choice, Chosen, LISTED, NewValue, ValueKey};

/// Number of values per request.
const NAMES: usize = 500;
/// Maximum size of a response in bytes.
const MAX_ANSWER: usize = 16 << 20;

/// Returns the values of a file to be stored when its import or dry run begins; `None` when those of the dry run
/// before the import apply.
pub(super) async fn found(
    context: &Context,
    log: &UploadLog,
    hold: &Hold,
    survey: &Survey,
) -> Result<Option<Vec<NewValue>>, Halt> {
    let checks = log.status == Status::Checking;
    if log.dry_run && !checks {
        return Ok(None);
    }
    let mut chosen = store::remembered_choices(&context.db, survey.mapping.headings()).await?;
    if checks {
        // What was chosen for this file wins.
        chosen.extend(store::chosen(&context.db, log.id).await?);
    }
    let search = Search { context, hold, chosen, all: checks };
    let mut found = Vec::new();
    for field in ValueField::ALL {
        found.extend(search.field(field, survey.values.of(field)).await?);
    }
    Ok(Some(found))
}

struct Search<'a> {
    context: &'a Context,
    hold: &'a Hold,
    chosen: HashMap<ValueKey, Chosen>,
    /// Whether to return values without a choice, too.
    all: bool,
}

impl Search<'_> {
    async fn field(&self, field: ValueField, mut values: Vec<(&str, u32)>) -> Result<Vec<NewValue>, Halt> {
        let chosen = |value: &str| self.chosen.get(&(field, fold(value)));
        if !self.all {
            values.retain(|(value, _)| chosen(value).is_some_and(|it| it.target.is_some()));
        }
        let mut found = self.unmatched(field, &values).await?;
        let targets = found.iter().filter_map(|it| chosen(&it.value)?.target.clone());
        let targets = self.targets(field, targets.collect()).await?;
        for value in &mut found {
            let Some(Chosen { target, remembered }) = chosen(&value.value) else { continue };
            value.choice = match target {
                None => Some(Choice::Keep),
                // A record that no longer exists is not used, and somebody has to choose again.
                Some(name) => targets.get(&fold(name)).cloned().map(Choice::Use),
            };
            value.remembered = *remembered && value.choice.is_some();
        }
        found.retain(|value| self.all || value.choice.is_some());
        Ok(found)
    }

    /// Returns the values that match no record, at most [`LISTED`].
    async fn unmatched(&self, field: ValueField, values: &[(&str, u32)]) -> Result<Vec<NewValue>, Halt> {
        let mut found = Vec::new();
        for some in values.chunks(NAMES) {
            let rows: HashMap<&str, u32> = some.iter().copied().collect();
            let names = some.iter().map(|(value, _)| (*value).to_owned()).collect();
            let request = MatchPartiesRequest { kind: kind(field).into(), names, targets: Vec::new() };
            let answer = patiently(self.hold, || ask(self.context, request.clone())).await?;
            found.extend(answer.unmatched.into_iter().map(|it| NewValue {
                field,
                rows: rows.get(it.name.as_str()).copied().unwrap_or_default(),
                value: it.name,
                suggestions: it.suggestions.into_iter().map(target).collect(),
                choice: None,
                remembered: false,
            }));
            if found.len() >= LISTED {
                found.truncate(LISTED);
                break;
            }
        }
        Ok(found)
    }

    async fn targets(&self, field: ValueField, names: Vec<String>) -> Result<HashMap<String, Target>, Halt> {
        if names.is_empty() {
            return Ok(HashMap::new());
        }
        patiently(self.hold, || existing(self.context, field, names.clone())).await
    }
}

/// Returns the records with these names that deliveries can name, by folded name.
pub async fn existing(
    context: &Context,
    field: ValueField,
    names: Vec<String>,
) -> Result<HashMap<String, Target>> {
    let request = MatchPartiesRequest { kind: kind(field).into(), names: Vec::new(), targets: names };
    let answer = ask(context, request).await?;
    Ok(answer.targets.into_iter().map(|party| (fold(&party.name), target(party))).collect())
}

async fn ask(
    context: &Context,
    request: MatchPartiesRequest,
) -> Result<proto::deliveries::v1::MatchPartiesResponse> {
    Ok(client(context)?.match_parties(request).await?.into_inner())
}

fn client(context: &Context) -> Result<PartiesServiceClient<Client>, Error> {
    let token = context.identity.token()?;
    let client = PartiesServiceClient::new(context.deliveries.with_token(token.into()));
    Ok(client.max_decoding_message_size(MAX_ANSWER))
}

fn kind(field: ValueField) -> PartyKind {
    match field {
        ValueField::Driver => PartyKind::Driver,
        ValueField::Customer => PartyKind::Customer,
        ValueField::Trucker => PartyKind::Trucker,
    }
}

fn target(Party { name, label }: Party) -> Target {
    Target { name, label }
}
