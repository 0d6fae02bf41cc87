//! Looks up members by name. An unknown name is an error in the contract's wording.

use kit::Result;

use super::{refuse, unknown};
use crate::members::{self, Dimension, Measure};

pub fn dimension(name: &str) -> Result<&'static Dimension> {
    members::dimension(name).ok_or_else(|| missing(name))
}

pub fn measure(name: &str) -> Result<&'static Measure> {
    members::measure_named(name).ok_or_else(|| missing(name))
}

/// Looks up a time dimension.
pub fn time(name: &str) -> Result<&'static Dimension> {
    let dimension = dimension(name)?;
    if dimension.is_time() {
        Ok(dimension)
    } else {
        Err(refuse(&format!("'{name}' is not a time dimension")))
    }
}

/// Returns the error for a name that is not a member of the requested kind.
pub fn missing(name: &str) -> kit::Error {
    let word =
        |part: &str| !part.is_empty() && part.chars().all(|it| it.is_ascii_alphanumeric() || it == '_');
    let shown: String = name.chars().take(100).collect();
    match name.split_once('.') {
        Some((cube, member)) if word(cube) && word(member) && name.len() <= 100 => {
            if members::is_cube(cube) {
                unknown(&format!("'{member}' not found for path '{name}'"))
            } else {
                unknown(&format!("Cube '{cube}' not found for path '{name}'"))
            }
        }
        _ => refuse(&format!("Invalid query format: '{shown}' is not the name of a member")),
    }
}
