//! The catalogue of reasons.

use ::store::audit::Actor;
use kit::{Error, Result};
use proto::deliveries::v1::*;
use sea_orm::Iterable;

use super::seen;
use crate::Context;
use crate::domain::reason::{self, AppliesTo};
use crate::{commands, queries};

pub async fn list(context: &Context, request: ListReasonsRequest) -> Result<ListReasonsResponse> {
    let applies_to = match request.applies_to.as_str() {
        "" => None,
        name => Some(list_named(name)?),
    };
    let rows = queries::reasons::list(&context.db, applies_to).await?;
    Ok(ListReasonsResponse { reasons: rows.into_iter().map(Into::into).collect() })
}

pub async fn update(context: &Context, actor: &Actor, request: UpdateReasonRequest) -> Result<Reason> {
    let UpdateReasonRequest {
        applies_to,
        code,
        version,
        label,
        requires_photo,
        requires_note,
        responsible,
        is_active,
        order,
    } = request;
    let edited = reason::Reason {
        applies_to: list_named(&applies_to)?,
        code,
        label,
        requires_photo,
        requires_note,
        responsible: reason::Responsible::iter().find(|it| it.as_str() == responsible).ok_or_else(|| {
            let names = reason::Responsible::SPELLINGS.join(", ");
            Error::invalid_field("responsible", format!("Responsible must be one of {names}"))
        })?,
        is_active,
        order: i32::try_from(order).unwrap_or(i32::MAX),
    };
    let by = actor.at(context.clock.now());
    Ok(commands::reasons::update(&context.db, seen(version), edited.checked()?, by).await?.into())
}

fn list_named(name: &str) -> Result<AppliesTo> {
    AppliesTo::iter().find(|it| it.as_str() == name).ok_or_else(|| {
        let names = AppliesTo::SPELLINGS.join(", ");
        Error::invalid_field("appliesTo", format!("The list of reasons must be one of {names}"))
    })
}
