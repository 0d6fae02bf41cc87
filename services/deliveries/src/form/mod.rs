//! The delivery form as a PDF: one attempt at one delivery, on paper.
//!
//! `content` builds a plain [`Form`] from the frozen content, and [`describe`] turns it into texts. The
//! screen shows that description, and [`pdf`] draws the same one, so screen and paper agree.
//!
//! [`pdf`] uses no clock, database or network: the same form and fonts give the same file. It computes for
//! tens of milliseconds, so call it in `spawn_blocking`, a few at a time. `layout` places everything, with
//! `blocks` for facts and frames, `items` for the table, `proof` for signature and photos, `foot` and
//! `chips`. These modules fill a [`sheet::Sheet`], and `render` writes it. `font` measures and breaks text,
//! `picture` and `qr` make images, `words` formats values. Other modules store forms, hash their content and
//! check who may read them.

mod blocks;
mod chips;
pub mod code;
pub mod content;
mod describe;
mod flow;
mod font;
mod foot;
mod items;
mod jpeg;
mod layout;
pub mod picture;
mod proof;
mod qr;
mod render;
mod sheet;
#[cfg(test)]
pub mod tests;
mod words;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use kit::Result;

pub use describe::describe;
pub use font::Fonts;
use picture::Picture;

use crate::domain::delivery::{ScanMode, Status};
use crate::domain::line::Condition;
use crate::domain::state::Relation;

/// Everything in a form, as it was when the form was issued.
#[derive(Debug, Clone)]
pub struct Form {
    pub organization: Organization,
    /// The organization's time zone, for all printed times.
    pub time_zone: Tz,
    /// Delivery Doc.
    pub delivery_id: String,
    pub status: Status,
    /// Number of the attempt, counted from 1.
    pub attempt: u32,
    pub max_attempts: u32,
    pub form_version: i32,
    pub issued_at: DateTime<Utc>,
    /// Why the previous version was corrected; `None` if this version corrects nothing.
    pub correction_reason: Option<String>,
    pub superseded_by: Option<Successor>,
    pub shipmentnumber: String,
    pub referencedoc: Option<String>,
    pub trucker: String,
    /// The assigned driver; `None` while the delivery is unassigned.
    pub driver: Option<Driver>,
    pub customer: Customer,
    pub scheduledatetime: DateTime<Utc>,
    /// `None` while Pending, and only then.
    pub outcome: Option<Outcome>,
    pub items: Vec<Item>,
    /// Variances of the delivery as a whole.
    pub variances: Vec<Variance>,
    pub pictures: Vec<ShownAttachment>,
    /// Files that are only listed.
    pub files: Vec<File>,
    /// The verification code as it is printed.
    pub verification_code: String,
    /// Hexadecimal.
    pub content_hash: String,
    /// The address in the QR code.
    pub url: String,
    pub without: Without,
}

/// Which parts of the form a copy omits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Without {
    pub photos: bool,
    pub distance: bool,
    pub notes: bool,
}

#[derive(Debug, Clone)]
pub struct Driver {
    pub id: String,
    /// `None` if the drivers service never sent the name.
    pub name: Option<String>,
}

/// The issuer of the form.
#[derive(Debug, Clone, Default)]
pub struct Organization {
    pub name: String,
    /// Address, phone: one line each.
    pub lines: Vec<String>,
    /// The logo's URL, for browsers.
    pub logo_url: Option<String>,
    /// If `None`, the name and Waybill's mark are shown.
    pub logo: Option<Picture>,
}

/// The version that replaces this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Successor {
    pub form_version: i32,
    pub issued_at: DateTime<Utc>,
    pub attempt: u32,
}

/// The planned recipient.
#[derive(Debug, Clone, Default)]
pub struct Customer {
    pub name: String,
    pub address: String,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
}

/// The outcome of the attempt.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The time that counts as processed.
    pub processed_at: DateTime<Utc>,
    /// When the outcome happened, by the device's clock.
    pub occurred_at: DateTime<Utc>,
    /// When the server received the outcome, by its own clock.
    pub received_at: DateTime<Utc>,
    pub late: bool,
    pub scanmode: ScanMode,
    /// Label of the reason.
    pub reason: Option<String>,
    pub note: Option<String>,
    pub received_by: Option<String>,
    pub relation: Option<Relation>,
    /// Distance from the customer's address, in meters.
    pub distance: Option<f64>,
    /// Accuracy of the recorded position, in meters.
    pub accuracy: Option<f64>,
}

/// An item of the delivery. Quantities are in thousandths.
#[derive(Debug, Clone)]
pub struct Item {
    pub item_number: String,
    pub sku: Option<String>,
    pub description: Option<String>,
    pub unit: Option<String>,
    pub expected: i64,
    /// `None` while nothing is counted.
    pub counted: Option<Counted>,
}

#[derive(Debug, Clone)]
pub struct Counted {
    pub delivered: i64,
    pub rejected: i64,
    pub condition: Condition,
    /// Label of the reason.
    pub reason: Option<String>,
    pub note: Option<String>,
}

/// A variance without an item.
#[derive(Debug, Clone)]
pub struct Variance {
    pub reason: Option<String>,
    pub note: Option<String>,
    /// Difference in thousandths; 0 if no quantity differs, as with a wrong document.
    pub difference: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownKind {
    Signature,
    Photo,
}

/// A picture that is shown.
#[derive(Debug, Clone)]
pub struct ShownAttachment {
    /// Id of the attachment.
    pub id: String,
    /// URL of the object, without query.
    pub url: String,
    pub content_type: String,
    pub kind: ShownKind,
    pub picture: Result<Picture, Unshown>,
    /// Number of the item that the picture shows.
    pub item: Option<String>,
    pub note: Option<String>,
    /// When the picture was taken, by the device's clock.
    pub captured_at: DateTime<Utc>,
    /// When the server received the picture, by its own clock.
    pub received_at: DateTime<Utc>,
    /// Whether the picture was added after the outcome was known.
    pub added_after_completion: bool,
}

/// Why a box replaces a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unshown {
    /// The picture has a format that cannot be decoded here, is missing, or was not read.
    Unreadable,
    /// The picture's bytes differ from those that were added.
    Changed,
}

/// A file that is only listed.
#[derive(Debug, Clone)]
pub struct File {
    /// The kind of attachment in words.
    pub kind: &'static str,
    pub filename: String,
    pub received_at: DateTime<Utc>,
    pub added_after_completion: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper {
    A4,
    Letter,
}

impl Paper {
    /// Returns width and height in CSS pixels, the unit of all measures here.
    fn size(self) -> (f32, f32) {
        match self {
            Paper::A4 => (210.0 / 25.4 * 96.0, 297.0 / 25.4 * 96.0),
            Paper::Letter => (8.5 * 96.0, 11.0 * 96.0),
        }
    }
}

/// Renders the form on paper.
pub fn pdf(form: &Form, fonts: &Fonts, paper: Paper) -> Result<Vec<u8>> {
    let sheet = layout::sheet(form, fonts, paper)?;
    render::render(form, &sheet)
}
