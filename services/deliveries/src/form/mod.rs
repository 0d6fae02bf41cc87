//! The delivery form as a PDF: what became of one attempt at one delivery, on paper.
//!
//! [`pdf`] takes a plain [`Form`] and gives the bytes. It reads no clock, database or network, so the
//! same form is the same file. It computes for tens of milliseconds, and decodes pictures of strangers:
//! call it in `spawn_blocking`, a few at a time.
//!
//! `layout` says what stands where, with `items` for the table, `proof` for signature and photos, `foot`
//! and `chips`; they fill a [`sheet::Sheet`] and `render` writes it. `font` measures and breaks text, `picture` and
//! `qr` make images, `words` spells values. Deliberately absent: how the code is made, who may see a
//! form, and where it is kept.

mod chips;
mod font;
mod foot;
mod items;
mod layout;
mod picture;
mod proof;
mod qr;
mod render;
mod sheet;
#[cfg(test)]
mod tests;
mod words;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use kit::Result;

use crate::domain::delivery::{ScanMode, Status};
use crate::domain::line::Condition;
use crate::domain::state::{Place, Relation};

/// Everything that a form says, as it was when the form was issued.
#[derive(Clone)]
pub struct Form {
    pub organization: Organization,
    /// The organisation's; every time is printed in it.
    pub time_zone: Tz,
    /// Delivery Doc.
    pub delivery_id: String,
    pub status: Status,
    /// From 1.
    pub attempt: i32,
    pub max_attempts: i32,
    pub form_version: i32,
    pub issued_at: DateTime<Utc>,
    /// Issued because what was recorded has been corrected.
    pub corrected: bool,
    pub superseded_by: Option<Successor>,
    pub shipmentnumber: String,
    pub referencedoc: Option<String>,
    pub trucker: Option<String>,
    /// Number and name; absent while nobody is assigned.
    pub driver: Option<String>,
    pub customer: Customer,
    pub scheduledatetime: DateTime<Utc>,
    pub arrived_at: Option<DateTime<Utc>>,
    /// Absent exactly while Pending.
    pub outcome: Option<Outcome>,
    pub items: Vec<Item>,
    pub evidence: Vec<Evidence>,
    /// As it is printed.
    pub verification_code: String,
    /// What the QR code opens.
    pub url: String,
}

/// Who issues the form.
#[derive(Clone, Default)]
pub struct Organization {
    pub name: String,
    /// Address, phone: a line each.
    pub lines: Vec<String>,
    /// A PNG, JPEG or WebP; the name stands in for one that is absent or unreadable.
    pub logo: Option<Vec<u8>>,
}

/// The form that replaced this one.
#[derive(Debug, Clone, Copy)]
pub struct Successor {
    pub form_version: i32,
    pub issued_at: DateTime<Utc>,
}

/// Where the goods were to go.
#[derive(Clone, Default)]
pub struct Customer {
    pub name: String,
    pub address: String,
    pub contact_name: Option<String>,
    pub contact_phone: Option<String>,
    pub place: Option<Place>,
}

/// What became of the attempt.
#[derive(Clone)]
pub struct Outcome {
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
    pub place: Option<Place>,
    /// From the customer's place, in metres.
    pub distance: Option<f64>,
}

/// A line of the delivery. Quantities are in thousandths.
#[derive(Clone)]
pub struct Item {
    pub item_number: String,
    pub description: Option<String>,
    pub unit: Option<String>,
    pub expected: i64,
    /// Absent while nothing is counted.
    pub counted: Option<Counted>,
}

#[derive(Clone)]
pub struct Counted {
    pub delivered: i64,
    pub rejected: i64,
    pub condition: Condition,
    /// Label of the reason.
    pub reason: Option<String>,
    pub note: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceKind {
    Signature,
    Photo,
    /// A paper, an identity card, whatever is no photo of the goods.
    Document,
}

#[derive(Clone)]
pub struct Evidence {
    pub kind: EvidenceKind,
    pub content_type: String,
    pub bytes: Vec<u8>,
    /// What it shows.
    pub caption: Option<String>,
    /// As the device says.
    pub captured_at: Option<DateTime<Utc>>,
    /// By the server.
    pub received_at: DateTime<Utc>,
    /// After the outcome was known.
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
pub fn pdf(form: &Form, paper: Paper) -> Result<Vec<u8>> {
    let fonts = font::Fonts::new()?;
    let sheet = layout::sheet(form, &fonts, paper)?;
    render::render(form, &fonts, sheet)
}
