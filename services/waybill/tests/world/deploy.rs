//! The accounts that `deploy/` creates for each service, and what they are allowed to do.

mod bus;
mod databases;

use waybill::target::SERVICES;

/// Returns the names of the services.
fn names() -> impl Iterator<Item = &'static str> {
    SERVICES.iter().map(|row| row.name)
}
