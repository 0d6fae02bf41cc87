//! The HTTP endpoints of the public port, one file each, and their error formats.

pub mod actions;
pub mod analytics;
pub mod auth;
pub mod driver;
pub mod export;
pub mod forms;
pub mod geocode;
pub mod graphql;
pub mod health;
pub mod host;
pub mod intake;
pub mod live;
pub mod logo;
pub mod objects;
mod origin;
mod shape;
pub mod spa;
pub mod third_party;

pub use origin::{from_our_pages, resource_policy};
pub use shape::{
    Shape, body, code, content_length, is_analytics, later, not_found, retry_after, text, whole_seconds,
    with_retry, wrong_verb,
};
