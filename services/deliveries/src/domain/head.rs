//! The optional texts of a delivery's head, each declared once.
//!
//! What the office enters, what a file brings, what an undo brings back, what a change records and which columns are
//! written follow from the declaration. The other fields of a head have rules of their own: see
//! `domain::document::Header`.

use kit::input::text::visible;
use kit::input::{Check, limits};
use kit::text::normalize;
use proto::deliveries::v1 as wire;
use serde::{Deserialize, Serialize};

use super::text::keep_spelling;

/// Calls the macro `$with` with all declarations. Each has the field's name in contracts and in the table (after `=>`
/// the folded column beside it, if lists filter by the field), its name in GraphQL, its label in forms, its heading in
/// files, and its shape.
macro_rules! head_texts {
    ($with:ident) => {
        $with! {
            driver_id => driver_id_key, "driverId", "Driver ID", "Driver ID", Id(limits::CODE);
            referencedoc => referencedoc_key, "referencedoc", "Reference Doc", "Reference Doc",
                Line(limits::SHORT_NAME);
            contact_name, "contactName", "Contact name", "Contact Name", Line(limits::NAME);
            contact_phone, "contactPhone", "Contact phone", "Contact Phone", Line(limits::PHONE);
            contact_email, "contactEmail", "Contact email", "Contact Email", Email;
            instructions, "instructions", "Instructions", "Instructions", Lines(limits::NOTE);
            internal_note, "internalNote", "Internal note", "Internal Note", Lines(limits::NOTE);
        }
    };
}
pub(crate) use head_texts;

/// The shape of a text, with its maximum number of characters.
enum Shape {
    /// One line that names another record, in whatever spelling.
    Id(usize),
    Line(usize),
    Lines(usize),
    Email,
}
use Shape::{Email, Id, Line, Lines};

impl Shape {
    fn read(&self, check: &mut Check, name: &str, label: &str, value: Option<&str>) -> Option<String> {
        match *self {
            Id(most) => check.line(name, label, value.map(|id| visible(id, &[])).as_deref(), most),
            Line(most) => check.line(name, label, value, most),
            Lines(most) => check.lines(name, label, value, most),
            Email => check.email(name, label, value),
        }
    }

    /// Returns the text after a line of a file.
    fn after(&self, known: &Option<String>, line: &Option<String>) -> Option<String> {
        match (self, known, line) {
            (Id(_), Some(known), Some(line)) => Some(keep_spelling(known, line, &[]).to_owned()),
            (_, known, None) => known.clone(),
            (_, _, line) => line.clone(),
        }
    }
}

macro_rules! texts {
    ($($field:ident $(=> $key:ident)?, $name:literal, $label:literal, $heading:literal, $shape:expr;)+) => {
        // A field of these messages that is neither a text nor known here was forgotten, and does not compile.
        const _: fn(&wire::DeliveryHead) = |head| {
            let wire::DeliveryHead {
                $($field: _,)+
                shipmentnumber: _, customername: _, customeraddress: _, address_point: _, trucker: _,
                scheduledatetime: _, time_window_start: _, time_window_end: _, priority: _,
            } = head;
        };
        const _: fn(&wire::ImportRow) = |row| {
            let wire::ImportRow {
                $($field: _,)+
                line: _, delivery_id: _, shipmentnumber: _, customername: _, customer_email: _,
                customeraddress: _, trucker: _, scheduledatetime: _, time_window_start: _, time_window_end: _,
                priority: _, item: _, item_number_given: _, document_incomplete: _,
            } = row;
        };

        /// The optional texts of a head.
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Texts { $(pub $field: Option<String>,)+ }

        impl Texts {
            /// Validates what the office entered.
            pub fn entered(check: &mut Check, head: &wire::DeliveryHead) -> Self {
                Self { $($field: $shape.read(check, $name, $label, head.$field.as_deref()),)+ }
            }

            /// Returns what a line of a file has. The upload service has validated it.
            pub fn imported(row: &wire::ImportRow) -> Self {
                Self { $($field: row.$field.as_deref().map(normalize),)+ }
            }

            /// Returns these texts after a line of a file. A field that the line does not have stays as it is, and so
            /// does an id that the line spells differently.
            pub fn after(&self, line: &Self) -> Self {
                Self { $($field: $shape.after(&self.$field, &line.$field),)+ }
            }

            /// Returns whether every text of the line equals the known one, so that the line changes nothing.
            pub fn includes(&self, line: &Self) -> bool {
                $((line.$field.is_none() || line.$field == self.$field))&&+
            }

            /// Returns the heading of the first text that has another value in `new`. A missing text contradicts
            /// nothing.
            pub fn contradiction(&self, new: &Self) -> Option<&'static str> {
                $(if self.$field.is_some() && self.$field != new.$field {
                    return Some($heading);
                })+
                None
            }

            /// Returns the names in GraphQL and the values, in the order of the declarations.
            pub fn values(&self) -> Vec<(&'static str, Option<String>)> {
                vec![$(($name, self.$field.clone()),)+]
            }
        }
    };
}
head_texts!(texts);
