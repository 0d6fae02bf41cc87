//! Accounts of drivers, for those who help a driver to a new PIN.

use kit::Result;
use proto::auth::v1 as wire;
use proto::common::v1::{Count, Filter, Page};

use super::Service;
use crate::store::users::{self, Kind};

impl Service {
    pub(super) async fn driver_accounts(&self, page: &Page) -> Result<wire::ListDriverAccountsResponse> {
        let (rows, more) = users::list(&self.context.db, Kind::Driver, page).await?;
        let driver_accounts = rows.into_iter().map(Into::into).collect();
        Ok(wire::ListDriverAccountsResponse { driver_accounts, more })
    }

    pub(super) async fn driver_accounts_count(&self, filters: &[Filter]) -> Result<Count> {
        users::count(&self.context.db, Kind::Driver, filters).await
    }
}
