//! The audit log, for admins. Reading it is all that can be done with it.

use kit::Result;
use proto::auth::v1 as wire;
use proto::common::v1::{Count, Filter, Page};
use sea_orm::Order;

use ::store::filter::condition;
use ::store::list;
use ::store::page::{order, window};

use super::Service;
use crate::entity::audit_entry::{Column, Entity};
use crate::fields;

impl Service {
    pub(super) async fn audit_entries(&self, page: &Page) -> Result<wire::ListAuditEntriesResponse> {
        let condition = condition(fields::AUDIT_ENTRIES, &page.r#where)?;
        let order = order(fields::AUDIT_ENTRIES, &page.sort, (Column::At, Order::Desc), Column::Id)?;
        let db = &self.context.db;
        let (rows, more) = list::page::<Entity, _>(db, condition, &order, Column::Id, window(page)?).await?;
        Ok(wire::ListAuditEntriesResponse { audit_entries: rows.into_iter().map(Into::into).collect(), more })
    }

    pub(super) async fn audit_entries_count(&self, filters: &[Filter]) -> Result<Count> {
        let condition = condition(fields::AUDIT_ENTRIES, filters)?;
        list::count::<Entity>(&self.context.db, condition, Column::Id).await
    }
}
