//! Converts the names of a file and what they match.

use ::store::Db;
use kit::{Error, Result};
use proto::deliveries::v1::*;

use super::bounded;
use crate::domain::likeness::Party as Known;
use crate::queries::parties::{self, Kind};

/// Returns which names match no record, and which targets exist.
pub async fn matches(db: &Db, request: MatchPartiesRequest) -> Result<MatchPartiesResponse> {
    let kind = match request.kind() {
        PartyKind::Driver => Kind::Driver,
        PartyKind::Customer => Kind::Customer,
        PartyKind::Trucker => Kind::Trucker,
        PartyKind::Unspecified => return Err(Error::invalid_field("kind", "Choose a kind")),
    };
    let (names, targets) = (bounded(request.names)?, bounded(request.targets)?);
    let found = parties::matches(db, kind, names, &targets).await?;
    let unmatched = found.unmatched.into_iter().map(|(name, similar)| UnmatchedParty {
        name,
        suggestions: similar.into_iter().map(party).collect(),
    });
    let targets = found.targets.into_iter().map(party).collect();
    Ok(MatchPartiesResponse { unmatched: unmatched.collect(), targets })
}

fn party(Known { name, label, other: _ }: Known) -> Party {
    Party { name, label }
}
