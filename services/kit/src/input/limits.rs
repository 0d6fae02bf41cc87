//! Maximum lengths of texts, in characters as stored, and ranges of numbers.
//!
//! Imports and forms share these limits. `frontend/src/form/limits.ts` repeats some of them, so that a form
//! can report a problem before it is sent; a test compares the two. `docs/import.md` lists the limits of an
//! import.

use std::ops::RangeInclusive;

/// Ids and numbers of documents, shipments, items, drivers and customers; codes of reasons.
pub const CODE: usize = 64;
/// Names of customers, contacts and recipients.
pub const NAME: usize = 200;
/// Truckers, sources, reference documents, SKUs, barcodes.
pub const SHORT_NAME: usize = 100;
pub const ADDRESS: usize = 500;
/// Notes, instructions, descriptions.
pub const NOTE: usize = 2_000;
pub const PHONE: usize = 40;
/// The longest address that SMTP can carry.
pub const EMAIL: usize = 254;
pub const UNIT: usize = 20;

pub const USERNAME: usize = 64;
/// Names of drivers and of people with an account.
pub const PERSON: usize = 100;
pub const LICENCE_NUMBER: usize = 40;
pub const VEHICLE_PLATE: usize = 20;
pub const LANGUAGE: usize = 35;
/// The id that a tracking device sends.
pub const DEVICE_ID: usize = 100;
pub const FILENAME: usize = 255;

/// Maximum number of items of one delivery, entered or imported, and of items that a delivery form shows.
pub const ITEMS: usize = 5_000;
/// Maximum quantity: one billion, in thousandths.
pub const QUANTITY_THOUSANDTHS: i64 = 1_000_000_000_000;
/// Maximum weight: a thousand tonnes, in grams.
pub const WEIGHT_GRAMS: i64 = 1_000_000_000;

/// Attempts per delivery, in the configuration and in the setting.
pub const ATTEMPTS: RangeInclusive<u64> = 1..=100;
/// Files per attempt, in the configuration and in the setting.
pub const ATTACHMENTS: RangeInclusive<u64> = 1..=100;
/// Size of one file, in MiB.
pub const ATTACHMENT_MIB: RangeInclusive<u64> = 1..=100;
/// Age of the last position, in seconds, up to which a driver is shown as online.
pub const ONLINE_SECONDS: RangeInclusive<u64> = 1..=86_400;
/// Age of the last position, in seconds, up to which a driver is shown as stale.
pub const STALE_SECONDS: RangeInclusive<u64> = 2..=604_800;
/// People who get one report by mail.
pub const REPORT_RECIPIENTS: usize = 20;
/// Size of the file of a report that is mailed. Many mail servers refuse mails of more than 10 MB, and a file grows
/// by a third there.
pub const REPORT_FILE_BYTES: usize = 7 << 20;
/// Maximum number of time units in a date range that is grouped by that unit: 50,000 seconds are about 14 hours, 50,000
/// minutes about 34 days.
pub const TIME_GROUPS: u32 = 50_000;
/// Days that positions and driver logs are kept.
pub const KEEP_DAYS: RangeInclusive<u64> = 1..=3_650;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Reads the lines `name: 200,` of `limits.ts`.
    fn limits_of_the_browser() -> BTreeMap<String, usize> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../frontend/src/form/limits.ts");
        let text = std::fs::read_to_string(path).unwrap();
        let entry = |line: &str| {
            let (name, number) = line.trim().strip_suffix(',')?.split_once(": ")?;
            Some((name.to_owned(), number.replace('_', "").parse().ok()?))
        };
        text.lines().filter_map(entry).collect()
    }

    #[test]
    fn the_browser_has_the_same_limits() {
        let ours = [
            ("code", CODE),
            ("name", NAME),
            ("shortName", SHORT_NAME),
            ("note", NOTE),
            ("address", ADDRESS),
            ("phone", PHONE),
            ("email", EMAIL),
            ("unit", UNIT),
            ("username", USERNAME),
            ("person", PERSON),
            ("licenceNumber", LICENCE_NUMBER),
            ("vehiclePlate", VEHICLE_PLATE),
            ("language", LANGUAGE),
            ("items", ITEMS),
            ("reportRecipients", REPORT_RECIPIENTS),
            ("timeGroups", usize::try_from(TIME_GROUPS).unwrap()),
        ];
        let ours: BTreeMap<String, usize> = ours.map(|(name, limit)| (name.to_owned(), limit)).into();
        assert_eq!(limits_of_the_browser(), ours);
    }

    #[test]
    fn the_page_about_imports_has_the_same_limits() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/import.md");
        let page = std::fs::read_to_string(path).unwrap();
        let row = |column: &str| {
            let row = page.lines().find(|line| line.starts_with('|') && line.contains(column));
            row.unwrap_or_else(|| panic!("no row for {column}")).to_owned()
        };
        for (column, limit) in [
            ("Delivery Doc", CODE),
            ("Item Number", CODE),
            ("SKU", SHORT_NAME),
            ("Trucker", SHORT_NAME),
            ("Customer Name", NAME),
            ("Customer Address", ADDRESS),
            ("Contact Email", EMAIL),
            ("Contact Phone", PHONE),
            ("Unit", UNIT),
            ("Instructions", NOTE),
        ] {
            let shown = row(column).split('|').nth(2).map(|cell| cell.trim().replace(',', ""));
            assert_eq!(shown.as_deref(), Some(&*limit.to_string()), "{column}");
        }
        let most = |column: &str, most: i64| {
            let row = row(column).replace(',', "");
            assert!(row.contains(&format!("up to {most} ")), "{row}");
        };
        most("Quantity", QUANTITY_THOUSANDTHS / 1_000);
        let years = super::super::time::YEARS;
        assert!(row("Dispatch Date").contains(&format!("years {} to {}", years.start(), years.end())));
    }
}
