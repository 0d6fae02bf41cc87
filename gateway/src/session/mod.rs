//! The session behind a request: the bearer token, from which the session is found, and the cookie with a
//! session's secret.
//!
//! The two never mix: only `/auth` reads the cookie, everything else takes only the bearer token. Start at
//! [`identify`].

mod address;
mod bearer;
mod check;
mod cookie;
mod person;

pub use address::{address, network};
pub use bearer::bearer;
pub use check::{again, end, forget, identify, identify_again, identify_token, still, still_beyond_token};
pub use cookie::Cookies;
pub use person::{Identity, Session, SignedIn};
