//! The contract's handlers. The first line of each is its access rule.

pub mod drivers;
mod logs;
pub mod snapshot;
pub mod tracker;

use std::sync::Arc;

use kit::{Error, Result};

use crate::Context;
use crate::ingest::Ingest;
use crate::lookup::Lookup;
use crate::strangers::Strangers;

/// Maximum number of ids per batch call.
const MAX_IDS: usize = 1_000;

/// State shared by the handlers.
#[derive(Clone)]
pub struct Shared {
    pub context: Context,
    pub lookup: Arc<Lookup>,
    pub ingest: Ingest,
    pub strangers: Arc<Strangers>,
}

fn bounded(field: &str, ids: Vec<String>) -> Result<Vec<String>> {
    if ids.len() > MAX_IDS {
        return Err(Error::invalid_field(field, format!("at most {MAX_IDS} at once")));
    }
    Ok(ids)
}
