//! The audit log of privileged actions.

use async_graphql::{Context, Object};
use kit::Error;
use proto::auth::v1 as contract;
use serde_json::Value;

use super::clients;
use super::error::Failure;
use super::page::{self, Count, Filter, PageOptions};
use super::value::{DateTime, given, set_time};

#[derive(Default)]
pub struct AuditQuery;

#[Object]
impl AuditQuery {
    #[graphql(complexity = "page::cost(&page, child_complexity)")]
    async fn audit_entries(
        &self,
        ctx: &Context<'_>,
        page: Option<PageOptions>,
    ) -> Result<Vec<AuditEntry>, Failure> {
        let mut client = clients::auth(ctx)?;
        let ask = contract::ListAuditEntriesRequest { page: Some(page::page(page)?) };
        let found = client.list_audit_entries(ask).await?.into_inner().audit_entries;
        Ok(found.into_iter().map(AuditEntry).collect())
    }

    async fn audit_entries_count(
        &self,
        ctx: &Context<'_>,
        r#where: Option<Vec<Filter>>,
    ) -> Result<Count, Failure> {
        let count = clients::auth(ctx)?.count_audit_entries(page::count(r#where)).await?;
        Ok(count.into_inner().into())
    }
}

pub struct AuditEntry(contract::AuditEntry);

#[Object]
impl AuditEntry {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn at(&self) -> Result<DateTime, Failure> {
        set_time(self.0.at)
    }
    async fn actor(&self) -> &str {
        &self.0.actor
    }
    /// Network address of the actor; null for background work.
    async fn address(&self) -> Option<&str> {
        given(&self.0.address)
    }
    /// The same as `address`, under the name that the driver log uses.
    async fn ip(&self) -> Option<&str> {
        given(&self.0.address)
    }
    async fn action(&self) -> &str {
        &self.0.action
    }
    async fn entity(&self) -> &str {
        &self.0.entity
    }
    async fn entity_id(&self) -> &str {
        &self.0.entity_id
    }
    async fn entity_name(&self) -> &str {
        &self.0.entity_name
    }
    /// The changed fields, with their values before the action.
    async fn before(&self) -> Result<Option<Value>, Failure> {
        changes(&self.0.before_json)
    }
    /// The changed fields, with their values after the action.
    async fn after(&self) -> Result<Option<Value>, Failure> {
        changes(&self.0.after_json)
    }
    async fn request_id(&self) -> Option<&str> {
        given(&self.0.request_id)
    }
}

fn changes(json: &str) -> Result<Option<Value>, Failure> {
    let Some(json) = given(json) else { return Ok(None) };
    // Leave out the parser's error: it would put a part of the JSON into the log.
    let changes = serde_json::from_str(json)
        .map_err(|_| Error::internal("auth sent an audit entry whose changes are no JSON"))?;
    Ok(Some(changes))
}
