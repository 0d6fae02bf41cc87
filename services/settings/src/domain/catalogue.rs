//! All settings, their allowed values and their defaults.
//!
//! Each start updates the rows of the table from this catalogue, except for the roles that may read and
//! change a setting: the catalogue only has their initial values.

use kit::config::{DateOrder, Deliveries, Drivers, FailedAttemptProof, Imports, Organization};
use kit::input::limits;

use super::access::Access;
use super::rule::{Rule, proof_text, whole};
use super::value::{self, Type};

/// Defaults from the configuration.
#[derive(Debug, Clone)]
pub struct Defaults {
    pub organization: Organization,
    pub deliveries: Deliveries,
    pub drivers: Drivers,
    pub imports: Imports,
}

pub struct Setting {
    pub id: &'static str,
    pub name: &'static str,
    pub kind: Type,
    pub group: &'static str,
    pub description: &'static str,
    pub rule: Rule,
    /// Who may read the setting initially; afterwards its row in the table decides.
    pub readers: Access,
    /// Who may change the setting initially; afterwards its row in the table decides.
    pub editors: Access,
}

const ORGANIZATION: &str = "Organization";
const DELIVERIES: &str = "Deliveries";
const PROOF: &str = "Proof of delivery";
const DRIVERS: &str = "Drivers";
const IMPORTS: &str = "Imports";

const NO_LOGO: &str = r#"{"url":"","size":130,"gap":8,"vertical":0,"urlObject":""}"#;
const BYTES_OF_MIB: u64 = 1 << 20;

/// The logo's setting. Its value has the format of `logo::value`.
pub const LOGO: &str = crate::logo::ID;
pub const ONLINE: &str = "driver-online-seconds";
pub const STALE: &str = "driver-stale-seconds";

const fn of(id: &'static str, group: &'static str, kind: Type, name: &'static str) -> Setting {
    let (readers, editors) = (Access::Admin, Access::Admin);
    Setting { id, name, kind, group, description: "", rule: Rule::Any, readers, editors }
}

impl Setting {
    const fn told(mut self, description: &'static str) -> Self {
        self.description = description;
        self
    }

    const fn rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// Lets planners read and change the setting, too.
    const fn for_planners(mut self) -> Self {
        self.readers = Access::Planner;
        self.editors = Access::Planner;
        self
    }

    /// Lets all staff read the setting.
    const fn for_all_to_see(mut self) -> Self {
        self.readers = Access::Staff;
        self
    }

    /// Returns the value in the form that is stored, or what is wrong with it.
    pub fn check(&self, text: &str) -> Result<String, String> {
        self.rule.check(self.kind, value::check(self.kind, text)?)
    }

    pub fn min(&self) -> Option<String> {
        self.rule.min(self.kind)
    }

    pub fn max(&self) -> Option<String> {
        self.rule.max()
    }

    pub fn pattern(&self) -> Option<&'static str> {
        self.rule.pattern()
    }

    pub fn options(&self) -> Vec<String> {
        self.rule.options()
    }
}

pub static ALL: &[Setting] = &[
    of("organization-name", ORGANIZATION, Type::Text, "Organization name")
        .told("Shown in the drawer and in emails, and printed on delivery forms.")
        .rule(Rule::Length(120)),
    of("organization-time-zone", ORGANIZATION, Type::Text, "Time zone")
        .told("All times are shown in this zone, and times without an offset are read in it.")
        .rule(Rule::Zone),
    of("organization-email", ORGANIZATION, Type::Email, "Contact email")
        .told("Printed on delivery forms below the name, once it is set."),
    of("organization-website", ORGANIZATION, Type::Url, "Website")
        .told("Printed on delivery forms below the name, once it is set.")
        .rule(Rule::Length(200)),
    of(LOGO, ORGANIZATION, Type::Text, "Customer logo")
        .told("Address and size of the logo, as JSON. The page Edit Logo saves it.")
        .for_all_to_see(),
    of("delivery-max-attempts", DELIVERIES, Type::Number, "Attempts per delivery")
        .told("How many attempts a new delivery can have. Existing deliveries keep their limit.")
        .rule(whole(&limits::ATTEMPTS))
        .for_planners(),
    of("delivery-over-delivery", DELIVERIES, Type::Boolean, "Allow over-delivery")
        .told("Allows more than the expected quantity to be delivered. The extra quantity then needs a reason."),
    of("delivery-undelivered-is-final", DELIVERIES, Type::Boolean, "Count Undelivered as final")
        .told(
            "Counts an Undelivered delivery as done in its shipment, even while attempts are left. Shipments keep \
             their status until one of their deliveries changes.",
        ),
    of("delivery-proof", PROOF, Type::Text, "Proof of a completed delivery")
        .told(
            "Required where neither the customer nor the source says otherwise: none, or any of signature, \
             photo, recipientName, scan, location, note, separated by commas.",
        )
        .rule(Rule::Proofs)
        .for_planners(),
    of("delivery-failed-attempt-proof", PROOF, Type::Text, "Proof of a failed attempt")
        .told("Required to record a delivery as Undelivered.")
        .rule(Rule::OneOf(&["photo_or_note", "photo", "note", "nothing"])),
    of("delivery-max-attachments", PROOF, Type::Number, "Files per attempt")
        .told("How many signatures, photos and documents one attempt can have.")
        .rule(whole(&limits::ATTACHMENTS)),
    of("delivery-max-attachment-size", PROOF, Type::Number, "Maximum file size (MiB)")
        .told("Size limit of each signature, photo and document.")
        .rule(whole(&limits::ATTACHMENT_MIB)),
    of(ONLINE, DRIVERS, Type::Number, "Online until (seconds since last position)")
        .told("Drivers whose last position is newer than this are online. Must be less than Stale until.")
        .rule(whole(&limits::ONLINE_SECONDS))
        .for_planners(),
    of(STALE, DRIVERS, Type::Number, "Stale until (seconds since last position)")
        .told("Drivers whose last position is older than this are offline.")
        .rule(whole(&limits::STALE_SECONDS))
        .for_planners(),
    of("driver-positions-keep-days", DRIVERS, Type::Number, "Days to keep positions")
        .told("Positions older than this are deleted permanently.")
        .rule(whole(&limits::KEEP_DAYS)),
    of("driver-logs-keep-days", DRIVERS, Type::Number, "Days to keep the driver log")
        .told(
            "Entries older than this are deleted permanently, with the times when drivers arrived at deliveries and \
             left. How long they stayed is kept for reports.",
        )
        .rule(whole(&limits::KEEP_DAYS)),
    of("import-date-order", IMPORTS, Type::Text, "Date order in files")
        .told("Used for columns whose dates don't show it: mdy reads 03/04/2026 as March 4, dmy as April 3.")
        .rule(Rule::OneOf(&["mdy", "dmy"]))
        .for_planners(),
    of("import-earliest-date", IMPORTS, Type::Date, "Earliest dispatch date")
        .told("Rows of a file with an earlier date are refused.")
        .rule(Rule::From("2000-01-01"))
        .for_planners(),
    of("import-partial-documents", IMPORTS, Type::Boolean, "Import parts of a document")
        .told(
            "Import the other rows of a document when one of its rows is refused. Otherwise the whole document \
             is refused. A delivery imported in part is marked.",
        )
        .for_planners(),
    of("import-unknown-drivers", IMPORTS, Type::Text, "Unknown drivers in files")
        .told(
            "keep: import the row with a warning; a blocked driver is not assigned. refuse: refuse rows whose \
             driver is unknown or blocked.",
        )
        .rule(Rule::OneOf(&["keep", "refuse"]))
        .for_planners(),
    of("import-paused-until", IMPORTS, Type::DateTime, "Imports paused until")
        .told("No import can start before this time, in the time zone of the organization.")
        .rule(Rule::From("2000-01-01"))
        .for_planners(),
];

/// Alternative ids by which a setting can be requested. The original id stays, because it appears in events
/// and in the copies of other services, even of the previous release.
const ALIASES: [(&str, &str); 3] = [
    ("organization-timezone", "organization-time-zone"),
    ("delivery-allow-over-delivery", "delivery-over-delivery"),
    ("shipment-undelivered-is-final", "delivery-undelivered-is-final"),
];

pub fn find(id: &str) -> Option<&'static Setting> {
    let id = ALIASES.into_iter().find(|(alias, _)| *alias == id).map_or(id, |(_, own)| own);
    ALL.iter().find(|setting| setting.id == id)
}

/// Pairs of settings of which the first must be less than the second.
pub const BELOW: [(&str, &str); 1] = [(ONLINE, STALE)];

impl Defaults {
    /// Returns the default of a setting.
    pub fn of(&self, id: &str) -> String {
        let Self { organization, deliveries, drivers, imports } = self;
        match id {
            "organization-name" => organization.name.clone(),
            "organization-time-zone" => organization.timezone.clone(),
            LOGO => NO_LOGO.to_owned(),
            "delivery-max-attempts" => deliveries.max_attempts.to_string(),
            "delivery-over-delivery" => deliveries.allow_over_delivery.to_string(),
            "delivery-undelivered-is-final" => deliveries.undelivered_is_final.to_string(),
            "delivery-proof" => proof_text(&deliveries.pod_requirement),
            "delivery-failed-attempt-proof" => match deliveries.failed_attempt_proof {
                FailedAttemptProof::PhotoOrNote => "photo_or_note".to_owned(),
                FailedAttemptProof::Photo => "photo".to_owned(),
                FailedAttemptProof::Note => "note".to_owned(),
                FailedAttemptProof::Nothing => "nothing".to_owned(),
            },
            "delivery-max-attachments" => deliveries.max_attachments.to_string(),
            "delivery-max-attachment-size" => mebibytes(deliveries.max_attachment_bytes),
            ONLINE => drivers.online_seconds.to_string(),
            STALE => drivers.stale_seconds.to_string(),
            "driver-positions-keep-days" => drivers.positions_keep_days.to_string(),
            "driver-logs-keep-days" => drivers.logs_keep_days.to_string(),
            "import-date-order" => match imports.date_order {
                DateOrder::Mdy => "mdy".to_owned(),
                DateOrder::Dmy => "dmy".to_owned(),
            },
            "import-earliest-date" => "2000-01-01".to_owned(),
            "import-paused-until" => "2000-01-01T00:00".to_owned(),
            "import-partial-documents" => "false".to_owned(),
            "import-unknown-drivers" => "keep".to_owned(),
            _ => String::new(),
        }
    }
}

/// Formats a configured number of bytes as MiB, with decimals if it is not a whole number.
fn mebibytes(bytes: u64) -> String {
    if bytes.is_multiple_of(BYTES_OF_MIB) {
        return (bytes / BYTES_OF_MIB).to_string();
    }
    #[allow(clippy::cast_precision_loss)] // 100 MiB at most
    let size = bytes as f64 / BYTES_OF_MIB as f64;
    format!("{size:.2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn defaults() -> Defaults {
        let config = kit::config::load(&kit::config::Flags::default(), kit::config::Target::All);
        let config = config.unwrap().config;
        Defaults {
            organization: config.organization,
            deliveries: config.deliveries,
            drivers: config.drivers,
            imports: config.imports,
        }
    }

    #[test]
    fn every_default_of_the_configuration_is_a_value_that_could_be_set() {
        let defaults = defaults();
        for setting in ALL {
            let value = defaults.of(setting.id);
            // Email and website are empty by default, and then left out in print. They cannot be set to an
            // empty value.
            if ["organization-email", "organization-website"].contains(&setting.id) {
                assert_eq!(value, "", "{}", setting.id);
                continue;
            }
            assert_eq!(setting.check(&value), Ok(value.clone()), "{}", setting.id);
        }
        assert_eq!(defaults.of("delivery-max-attachment-size"), "10");
    }

    #[test]
    fn ids_are_spelled_as_addresses_and_occur_once() {
        let mut ids: Vec<&str> = ALL.iter().map(|it| it.id).collect();
        assert!(ids.iter().all(|id| id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ALL.len());
        assert!(ALL.iter().all(|it| !it.description.is_empty() && !it.name.is_empty()));
        for (alias, id) in ALIASES {
            assert!(!ids.contains(&alias), "{alias}");
            assert_eq!(find(alias).map(|it| it.id), Some(id));
        }
    }

    #[test]
    fn each_rule_refuses_what_its_type_would_take() {
        for (id, good, bad) in [
            ("organization-name", &["Acme"][..], &["", &*"x".repeat(121)][..]),
            (
                "organization-time-zone",
                &["Europe/Amsterdam", "UTC"],
                &["Mars/Olympus", "+08:00", "asia/nowhere"],
            ),
            ("organization-email", &["ops@example.com"], &["ops"]),
            ("organization-website", &["https://example.com"], &["example.com", "javascript:alert(1)"]),
            ("delivery-max-attempts", &["1", "100"], &["0", "101", "1.5", "-1", "many"]),
            ("delivery-over-delivery", &["true", "false"], &["1", "TRUE"]),
            ("delivery-failed-attempt-proof", &["photo", "nothing"], &["pin", "Photo"]),
            ("delivery-max-attachments", &["1", "100"], &["0", "101"]),
            ("driver-online-seconds", &["1", "86400"], &["0", "86401"]),
            ("driver-stale-seconds", &["2", "604800"], &["1", "604801"]),
            ("import-date-order", &["dmy"], &["ymd"]),
            ("import-earliest-date", &["2026-01-31"], &["1999-12-31", "31/01/2026"]),
            ("import-paused-until", &["2026-01-31T06:00"], &["1999-12-31T23:59", "2026-01-31"]),
            (
                "delivery-proof",
                &["none", "photo", "photo,note"],
                &["none,photo", "photo;note", "pin", "Photo", "photo,"],
            ),
        ] {
            let setting = find(id).unwrap();
            for value in good {
                assert!(setting.check(value).is_ok(), "{id} takes {value}");
            }
            for value in bad {
                assert!(setting.check(value).is_err(), "{id} refuses {value}");
            }
        }
    }

    #[test]
    fn sizes_are_told_in_mebibytes() {
        assert_eq!(mebibytes(10 << 20), "10");
        assert_eq!(mebibytes(1_500_000), "1.43");
    }
}
