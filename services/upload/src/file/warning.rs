//! What a person should check about a file.
//!
//! Here: the warnings about a file as a whole, which are also known before anybody decides how it is read. The other
//! warnings are made where their values are read (`columns`, `joined`).

use super::header::shorten;

/// Characters shown of the name of a sheet.
const NAME_CHARS: usize = 60;

/// Something in a file that a person should check, although the file can be imported.
///
/// Stable codes: DATES_AMBIGUOUS, DATES_PARTLY_TEXT, NUMBERS_AMBIGUOUS, ENCODING_ASSUMED, HEADING_NOT_USED,
/// SHEET_NOT_READ, ITEM_WITHOUT_DELIVERY, TIME_MISSING.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub line: Option<u32>,
    /// The heading in the file.
    pub column: Option<String>,
    pub code: &'static str,
    pub text: String,
}

impl Warning {
    pub(crate) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { line: None, column: None, code, text: text.into() }
    }

    pub(crate) fn of(self, column: String) -> Self {
        Self { column: Some(column), ..self }
    }

    pub(crate) fn at(self, line: u32) -> Self {
        Self { line: Some(line), ..self }
    }
}

/// Returns the warning that the encoding of a text file was assumed. `example` quotes a word that another encoding might
/// change.
pub(super) fn encoding_assumed(example: &str, line: u32) -> Warning {
    let warning = Warning::new(
        "ENCODING_ASSUMED",
        format!(
            "The file isn't in UTF-8. It was read as Windows-1252 (Western European), for example {example}. If that's garbled, discard or undo this import, save the file as “CSV UTF-8” and import it again.",
        ),
    );
    warning.at(line)
}

/// Returns the warning that a sheet with content is left out.
pub(super) fn sheet_not_read(name: &str) -> Warning {
    let name = shorten(name, NAME_CHARS);
    Warning::new(
        "SHEET_NOT_READ",
        format!(
            "The sheet “{name}” has content that this import leaves out. If it holds deliveries or their items, select it where you match the columns. If the import has already run, import the file again first."
        ),
    )
}
