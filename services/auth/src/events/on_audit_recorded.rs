//! Appends acts of other services to the audit log, each under its event's id.

use ::store::Tx;
use ::store::consume::Meta;
use kit::Result;
use proto::events::AuditRecorded;

use crate::audit::Actor;
use crate::audit::chain::{self, Entry};
use crate::domain::{ACTOR_CHARS, note};

const WORD_CHARS: usize = 64;
const NAME_CHARS: usize = 200;

pub async fn apply(tx: &Tx, act: AuditRecorded, meta: &Meta) -> Result<()> {
    let AuditRecorded {
        action,
        entity,
        entity_id,
        entity_name,
        before_json,
        after_json,
        address,
        request_id,
    } = act;
    let actor = Actor::new(note(&meta.actor, ACTOR_CHARS), &address);
    let entry = Entry {
        id: meta.id,
        at: meta.occurred_at,
        actor: actor.name,
        address: actor.address,
        // Not parsed, so that actions of later releases are stored, too.
        action: note(&action, WORD_CHARS),
        entity: note(&entity, WORD_CHARS),
        entity_id: note(&entity_id, NAME_CHARS),
        entity_name: note(&entity_name, NAME_CHARS),
        before_json,
        after_json,
        request_id: note(&request_id, WORD_CHARS),
    };
    // Add it only once, even if the inbox has forgotten the event: the inbox keeps ids for some days only.
    chain::append_once(tx, entry).await?;
    kit::fail_point("auth.audit.followed");
    Ok(())
}
