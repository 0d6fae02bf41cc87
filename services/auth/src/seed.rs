//! Accounts of demo data: those of drivers as events of their service would make them, and staff of each role.

use chrono::{DateTime, Utc};
use kit::{Result, Role};
use store::Db;

use crate::domain::NewAccount;
use crate::password::Passwords;

pub use crate::drivers::DriverChange;
pub use crate::store::drivers::follow as follow_drivers;

/// Of all of them. Everybody can read it, so these accounts are for demonstrations alone.
pub const STAFF_PASSWORD: &str = "kalesa-48-sampalok";
pub const STAFF: [(&str, Role); 4] = [
    ("demo.admin", Role::Admin),
    ("demo.planner", Role::TransportPlanner),
    ("demo.dispatcher", Role::Dispatcher),
    ("demo.viewer", Role::Viewer),
];

/// Fails when somebody has an account already: a password that everybody knows must not open what is in use.
pub async fn require_no_staff(db: &Db) -> Result<()> {
    match crate::store::setup(db.read()).await?.done_at {
        None => Ok(()),
        Some(_) => Err(crate::store::users::admin_exists()),
    }
}

/// Makes an account for each role of the office, the first administrator among them. All or none.
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
