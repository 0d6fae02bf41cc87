//! The value of the setting `customer-logo-information`, which is JSON.

use kit::{Error, Result};
use serde::Deserialize;

use super::ROUTE;

/// The setting's id.
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

/// The parts of the value that matter here. The sizes matter only to the browser.
#[derive(Debug, PartialEq, Eq)]
pub struct Logo {
    /// The digest of the logo's bytes, with an extension.
    pub file: String,
    /// URL of the upload.
    pub url_object: String,
}

/// Parses a value and checks everything that needs no query. The address in the value `before` stays good
/// even if the product's address has changed since it was saved.
pub fn parse(text: &str, before: Option<&str>, public_url: &str) -> Result<Logo> {
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
    let before = before.and_then(|text| serde_json::from_str::<Text>(text).ok());
    let file = match before.is_some_and(|before| before.url == url) {
        true => url.rsplit_once(ROUTE).map(|(_, file)| file),
        false => url.strip_prefix(public_url).unwrap_or(&url).strip_prefix(ROUTE),
    };
    let file = file.filter(|file| is_file(file));
    let file = file.ok_or_else(|| invalid("url", "The logo must be one that was uploaded here"))?;
    Ok(Logo { file: file.to_owned(), url_object })
}

/// Returns the logo in a value, even if the product's address has changed since the value was saved.
pub fn referred(text: &str) -> Option<Logo> {
    let Text { url, url_object, .. } = serde_json::from_str(text).ok()?;
    let (_, file) = url.rsplit_once(ROUTE)?;
    is_file(file).then(|| Logo { file: file.to_owned(), url_object })
}

/// Returns whether the text is a digest with a known extension.
pub fn is_file(file: &str) -> bool {
    let digest = file.strip_suffix(".png").or_else(|| file.strip_suffix(".svg"));
    digest.is_some_and(|it| it.len() == 64 && it.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')))
}

pub fn invalid(field: &str, text: &str) -> Error {
    let error = Error::invalid("SETTING_VALUE_INVALID", text).field("value", text);
    if field == "value" { error } else { error.field(field, text) }
}
