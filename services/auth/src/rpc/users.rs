//! Accounts of the office, for admins.

use kit::principal::Caller;
use kit::{Error, Result};
use proto::auth::v1 as wire;
use proto::common::v1::{Count, Filter, Page};

use super::{Service, account_id, texts};
use crate::domain::{NewUser, Profile, Status, parse_roles};
use crate::store::users::{self, Kind};
use crate::store::{self, Account};

impl Service {
    pub(super) async fn users(&self, page: &Page) -> Result<wire::ListUsersResponse> {
        let db = &self.context.db;
        let (rows, more) = users::list(db, Kind::Office, page).await?;
        let accounts = store::with_roles(db.read(), rows).await?;
        Ok(wire::ListUsersResponse { users: accounts.into_iter().map(Into::into).collect(), more })
    }

    pub(super) async fn users_count(&self, filters: &[Filter]) -> Result<Count> {
        users::count(&self.context.db, Kind::Office, filters).await
    }

    pub(super) async fn user(&self, id: &str) -> Result<wire::User> {
        let found = store::account_by_id(self.context.db.read(), account_id(id)?).await?;
        Ok(found.ok_or_else(store::user_not_found)?.into())
    }

    pub(super) async fn make_user(
        &self,
        caller: &Caller,
        asked: wire::CreateUserRequest,
    ) -> Result<wire::User> {
        let (db, now) = (&self.context.db, self.context.clock.now());
        let account = users::create(db, now, &caller.into(), NewUser::try_from(asked)?).await?;
        tracing::info!(user.id = %account.user.id, "account made");
        Ok(account.into())
    }

    pub(super) async fn change_user(
        &self,
        caller: &Caller,
        asked: wire::UpdateUserRequest,
    ) -> Result<wire::User> {
        let wire::UpdateUserRequest { id, version, display_name, email } = asked;
        let (id, profile) = (account_id(&id)?, Profile::parse(&display_name, &email)?);
        let (db, now) = (&self.context.db, self.context.clock.now());
        Ok(users::update(db, now, &caller.into(), id, version, profile).await?.into())
    }

    pub(super) async fn change_roles(
        &self,
        caller: &Caller,
        asked: wire::UpdateUserRolesRequest,
    ) -> Result<wire::ChangedUser> {
        let wire::UpdateUserRolesRequest { id, version, roles } = asked;
        let id = account_id(&id)?;
        let roles = parse_roles(&roles).map_err(|text| Error::invalid_field("roles", text))?;
        let (db, now) = (&self.context.db, self.context.clock.now());
        let done = users::change_roles(db, now, &caller.into(), id, version, roles).await?;
        tracing::info!(user.id = %id, "roles changed");
        Ok(changed(done))
    }

    pub(super) async fn change_status(
        &self,
        caller: &Caller,
        asked: wire::UpdateUserStatusRequest,
    ) -> Result<wire::ChangedUser> {
        let enabled = match Status::try_from(asked.status()) {
            Ok(Status::Active) => true,
            Ok(Status::Disabled) => false,
            Ok(Status::Invited) | Err(_) => {
                return Err(Error::invalid_field("status", "Status must be active or disabled"));
            }
        };
        let id = account_id(&asked.id)?;
        let (db, now) = (&self.context.db, self.context.clock.now());
        let done = users::change_status(db, now, &caller.into(), id, asked.version, enabled).await?;
        tracing::info!(user.id = %id, enabled, "status changed");
        Ok(changed(done))
    }
}

fn changed((account, ended): (Account, Vec<uuid::Uuid>)) -> wire::ChangedUser {
    wire::ChangedUser { user: Some(account.into()), ended_session_ids: texts(ended) }
}
