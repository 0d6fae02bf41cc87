//! Lists the audit log for admins, and records reads by any office user.

use kit::Result;
use kit::clock::new_id;
use kit::principal::{Caller, Principal};
use proto::auth::v1 as wire;
use proto::common::v1::{Count, Filter, Page};

use super::Service;
use crate::audit::Actor;
use crate::audit::access::{self, Access, Often};
use crate::audit::chain::{self, Entry};
use crate::fields;

impl Service {
    pub(super) async fn audit_entries(&self, page: &Page) -> Result<wire::ListAuditEntriesResponse> {
        let (rows, more) = fields::AUDIT_LOG.page(&self.context.db, page).await?;
        Ok(wire::ListAuditEntriesResponse { audit_entries: rows.into_iter().map(Into::into).collect(), more })
    }

    pub(super) async fn audit_entries_count(&self, filters: &[Filter]) -> Result<Count> {
        fields::AUDIT_LOG.count(&self.context.db, filters).await
    }

    /// Records a read by the caller. Nobody can record a read by somebody else.
    pub(super) async fn access(
        &self,
        caller: &Caller,
        request: wire::RecordAccessRequest,
    ) -> Result<wire::RecordAccessResponse> {
        let access = Access::parse(request)?;
        let (db, now) = (&self.context.db, self.context.clock.now());
        let (id, remember_seconds) = match (access.often, &caller.principal) {
            (Often::Hourly, Principal::User { id, .. }) => {
                (access.id_of_hour(id, now), access::seconds_left(now))
            }
            _ => (new_id(), 0),
        };
        let answer = wire::RecordAccessResponse { remember_seconds };
        // Look before locking the head of the log: most views are recorded already.
        if access.often == Often::Hourly && chain::is_there(db.read(), id).await? {
            return Ok(answer);
        }
        let actor = Actor::from(caller);
        let entry = Entry {
            id,
            at: now,
            actor: actor.name,
            address: actor.address,
            action: access.action.as_str().to_owned(),
            entity: access.entity.as_str().to_owned(),
            entity_id: access.entity_id,
            entity_name: access.entity_name,
            before_json: String::new(),
            after_json: access.detail,
            request_id: kit::trace::id().unwrap_or_default(),
        };
        let tx = db.begin().await?;
        chain::append_once(&tx, entry).await?;
        kit::fail_point("auth.access.noted");
        tx.commit().await?;
        Ok(answer)
    }
}
