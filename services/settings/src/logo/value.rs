//! What the setting `customer-logo-information` holds: JSON text.

use kit::{Error, Result};
use serde::Deserialize;

use super::ROUTE;

/// Of the setting.
pub const ID: &str = "customer-logo-information";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Text {
    url: String,
    #[serde(default = "size")]
    size: i64,
    #[serde(default = "gap")]
    gap: i64,
    #[serde(default)]
    vertical: i64,
    url_object: String,
}

fn size() -> i64 {
    130
}

fn gap() -> i64 {
    8
}

/// What of it concerns us; the measures are the browser's.
#[derive(Debug, PartialEq, Eq)]
pub struct Logo {
    /// Digest and extension.
    pub file: String,
    /// Of the upload.
    pub url_object: String,
}

/// Reads a value and checks all that can be said without looking anything up.
pub fn parse(text: &str, public_url: &str) -> Result<Logo> {
    let Text { url, size, gap, vertical, url_object } = serde_json::from_str(text)
        .map_err(|error| invalid("value", "The logo is not described as it should be").with_source(error))?;
    for (name, title, number, least, most) in [
        ("size", "Size", size, 1, 130),
        ("gap", "Gap", gap, 1, 30),
        ("vertical", "Vertical align", vertical, -30, 30),
    ] {
        if !(least..=most).contains(&number) {
            return Err(invalid(name, &format!("{title} must be {least} to {most}")));
        }
    }
    let path = url.strip_prefix(public_url).unwrap_or(&url);
    let file = path.strip_prefix(ROUTE).filter(|file| is_file(file));
    let file = file.ok_or_else(|| invalid("url", "The logo must be one that was uploaded here"))?;
    Ok(Logo { file: file.to_owned(), url_object })
}

/// What a value refers to, wherever the product was when it was saved.
pub fn referred(text: &str) -> Option<Logo> {
    let Text { url, url_object, .. } = serde_json::from_str(text).ok()?;
    let (_, file) = url.rsplit_once(ROUTE)?;
    is_file(file).then(|| Logo { file: file.to_owned(), url_object })
}

/// A digest, and what kind of picture it is.
pub fn is_file(file: &str) -> bool {
    let digest = file.strip_suffix(".png").or_else(|| file.strip_suffix(".svg"));
    digest.is_some_and(|it| it.len() == 64 && it.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
}

pub fn invalid(field: &str, text: &str) -> Error {
    let error = Error::invalid("SETTING_VALUE_INVALID", text).field("value", text);
    if field == "value" { error } else { error.field(field, text) }
}
