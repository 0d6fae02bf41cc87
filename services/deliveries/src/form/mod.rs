//! The delivery form as a PDF: what became of one attempt at one delivery, on paper.
//!
//! `content` makes a plain [`Form`] of the frozen content, and [`describe`] puts it into words. That
//! description is what the screen shows, and [`pdf`] draws nothing but it, so both say the same.
//!
//! [`pdf`] reads no clock, database or network: the same form is the same file on the same fonts. It
//! computes for tens of milliseconds: call it in `spawn_blocking`, a few at a time. `layout` says what
//! stands where, with `blocks` for facts and frames, `items` for the table, `proof` for signature and
//! photos, `foot` and `chips`; they fill a [`sheet::Sheet`] and `render` writes it. `font` measures and
//! breaks text, `picture` and `qr` make images, `words` spells values. Deliberately absent: how the code
//! is made, who may see a form, and where it is kept.

mod blocks;
mod chips;
pub mod code;
pub mod content;
mod describe;
mod flow;
mod font;
mod foot;
mod items;
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

/// Everything that a form says, as it was when the form was issued.
#[derive(Debug, Clone)]
pub struct Form {
    pub organization: Organization,
    /// The organisation's; every time is printed in it.
    pub time_zone: Tz,
    /// Delivery Doc.
    pub delivery_id: String,
    pub status: Status,
    /// From 1.
    pub attempt: u32,
    pub max_attempts: u32,
    pub form_version: i32,
    pub issued_at: DateTime<Utc>,
    /// Why it replaces the version before it, when that had to be corrected.
    pub correction_reason: Option<String>,
    pub superseded_by: Option<Successor>,
    pub shipmentnumber: String,
    pub referencedoc: Option<String>,
    pub trucker: String,
    /// Absent while nobody is assigned.
    pub driver: Option<Driver>,
    pub customer: Customer,
    pub scheduledatetime: DateTime<Utc>,
    /// Absent exactly while Pending.
    pub outcome: Option<Outcome>,
    pub items: Vec<Item>,
    /// Of the delivery as a whole.
    pub variances: Vec<Variance>,
    pub evidence: Vec<Evidence>,
    /// Files that are named and not shown.
    pub files: Vec<File>,
    /// As it is printed.
    pub verification_code: String,
    /// Hexadecimal.
    pub content_hash: String,
    /// What the QR code opens.
    pub url: String,
    pub without: Without,
}

/// What a copy goes without.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Without {
    pub photos: bool,
    pub distance: bool,
    pub notes: bool,
}

#[derive(Debug, Clone)]
pub struct Driver {
    pub id: String,
    /// Absent for one whom the drivers service never named.
    pub name: Option<String>,
}

/// Who issues the form.
#[derive(Debug, Clone, Default)]
pub struct Organization {
    pub name: String,
    /// Address, phone: a line each.
    pub lines: Vec<String>,
    /// Where a browser finds the logo.
    pub logo_url: Option<String>,
    /// The name and our mark stand in for one that is absent.
    pub logo: Option<Picture>,
}

/// The form that came after this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Successor {
    pub form_version: i32,
    pub issued_at: DateTime<Utc>,
    pub attempt: u32,
}

/// Where the goods were to go.
#[derive(Debug, Clone, Default)]
pub struct Customer {
    pub name: String,
    pub address: String,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
}

/// What became of the attempt.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// When it counts as done.
    pub processed_at: DateTime<Utc>,
    /// As the device says.
    pub occurred_at: DateTime<Utc>,
    /// By the server.
    pub received_at: DateTime<Utc>,
    pub late: bool,
    pub scanmode: ScanMode,
    /// Label of the reason.
    pub reason: Option<String>,
    pub note: Option<String>,
    pub received_by: Option<String>,
    pub relation: Option<Relation>,
    /// From the customer's address, in metres.
    pub distance: Option<f64>,
    /// How far the recorded position may be off, in metres.
    pub accuracy: Option<f64>,
}

/// A line of the delivery. Quantities are in thousandths.
#[derive(Debug, Clone)]
pub struct Item {
    pub item_number: String,
    pub sku: Option<String>,
    pub description: Option<String>,
    pub unit: Option<String>,
    pub expected: i64,
    /// Absent while nothing is counted.
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

/// What is not as expected, of no line in particular.
#[derive(Debug, Clone)]
pub struct Variance {
    pub reason: Option<String>,
    pub note: Option<String>,
    /// In thousandths; none for papers and the like.
    pub difference: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceKind {
    Signature,
    Photo,
}

/// A picture that is shown.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// Of the attachment.
    pub id: String,
    /// Of the object, without query.
    pub url: String,
    pub content_type: String,
    pub kind: EvidenceKind,
    pub picture: Result<Picture, Unshown>,
    /// What it shows.
    pub caption: Option<String>,
    /// As the device says.
    pub captured_at: DateTime<Utc>,
    /// By the server.
    pub received_at: DateTime<Utc>,
    /// After the outcome was known.
    pub added_after_completion: bool,
}

/// Why there is a box in place of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unshown {
    /// Of a kind that cannot be decoded here, gone, or not read.
    Unreadable,
    /// Its bytes are not those that were added.
    Changed,
}

/// A file that is no picture of goods or people signing.
#[derive(Debug, Clone)]
pub struct File {
    /// In words.
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
    /// Width and height in CSS pixels, in which everything here is measured.
    fn size(self) -> (f32, f32) {
        match self {
            Paper::A4 => (210.0 / 25.4 * 96.0, 297.0 / 25.4 * 96.0),
            Paper::Letter => (8.5 * 96.0, 11.0 * 96.0),
        }
    }
}

/// The form on paper.
pub fn pdf(form: &Form, fonts: &Fonts, paper: Paper) -> Result<Vec<u8>> {
    let sheet = layout::sheet(form, fonts, paper)?;
    render::render(form, &sheet)
}
