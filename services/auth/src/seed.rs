//! Demo accounts: drivers, created as events of the drivers service would create them, and staff of each
//! role.

use chrono::{DateTime, Utc};
use kit::{Error, Result, Role};
use store::Db;

use crate::domain::NewAccount;
use crate::password::Passwords;

pub use crate::drivers::DriverChange;
pub use crate::store::drivers::follow as follow_drivers;

/// The password of all demo staff. It is public, so these accounts are for demonstrations only.
pub const STAFF_PASSWORD: &str = "kalesa-48-sampalok";
pub const STAFF: [(&str, Role); 4] = [
    ("demo.admin", Role::Admin),
    ("demo.planner", Role::TransportPlanner),
    ("demo.dispatcher", Role::Dispatcher),
    ("demo.viewer", Role::Viewer),
];

/// Fails if there is an account already, because a public password must not open an installation in use.
pub async fn require_no_staff(db: &Db) -> Result<()> {
    match crate::store::setup(db.read()).await?.done_at {
        None => Ok(()),
        Some(_) => Err(Error::precondition(
            "ADMIN_EXISTS",
            "An account already exists, and the password of demo staff is public. Leave out --staff, or use an empty \
             installation.",
        )),
    }
}

/// Creates an account for each office role, all or none. The first is an admin.
pub async fn staff(db: &Db, now: DateTime<Utc>) -> Result<()> {
    let passwords = Passwords::new(1, STAFF.len()).await?;
    let mut all = Vec::with_capacity(STAFF.len());
    for (username, role) in STAFF {
        let email = format!("{username}@waybill.example");
        let new = NewAccount::parse(username, &email, STAFF_PASSWORD.to_owned().into())?;
        let hash = passwords.hash(new.password.clone()).await?;
        all.push((new, role, hash));
    }
    crate::store::users::add_first(db, now, "", all).await
}
