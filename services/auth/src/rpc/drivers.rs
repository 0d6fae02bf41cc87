//! Accounts of drivers, for office users who help a driver get a new PIN.

use kit::{Error, Result};
use proto::auth::v1 as wire;
use proto::common::v1::{Count, Filter, Page};

use super::Service;
use crate::domain::about;
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

    /// Refuses names of office users. The drivers service reports everything else that is wrong with a name.
    pub(super) async fn driver_username(&self, name: &str) -> Result<wire::CheckDriverUsernameResponse> {
        if users::is_of_office(&self.context.db, name).await? {
            let text = "This username belongs to an office account. Choose another one";
            return Err(about("username", Error::already_exists("USERNAME_TAKEN", text)));
        }
        Ok(wire::CheckDriverUsernameResponse {})
    }
}
