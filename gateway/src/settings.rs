//! Settings that the gateway and screens use: name, time zone, logo, and the rules that a screen states
//! before a service enforces them.
//!
//! Cached for a few seconds, and at most until a notice says that a setting has changed. While the service is
//! down, its last answer applies. Before the first answer, nothing is known of the organization, because the settings
//! may differ from the configuration: screens wait, and what needs its time zone is refused. Settings override the
//! configuration as in the services, so that screens and server agree. Deliberately absent: settings that no screen
//! shows, and every secret.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::try_join_all;
use kit::config::{Config, DateOrder, Deliveries, Drivers, FailedAttemptProof, Imports, Organization, Proof};
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use kit::{Error, Kind, Result};
use proto::settings::v1::GetSettingRequest;
use proto::settings::v1::settings_service_client::SettingsServiceClient;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::context::Context;
use crate::notices::{Notices, OfficeNotice};

const NAME: &str = "organization-name";
const TIME_ZONE: &str = "organization-time-zone";
const LOGO: &str = "customer-logo-information";
const MAX_ATTEMPTS: &str = "delivery-max-attempts";
const OVER_DELIVERY: &str = "delivery-over-delivery";
const UNDELIVERED_IS_FINAL: &str = "delivery-undelivered-is-final";
const PROOF: &str = "delivery-proof";
const FAILED_ATTEMPT_PROOF: &str = "delivery-failed-attempt-proof";
const MAX_ATTACHMENTS: &str = "delivery-max-attachments";
const MAX_ATTACHMENT_SIZE: &str = "delivery-max-attachment-size";
const ONLINE: &str = "driver-online-seconds";
const STALE: &str = "driver-stale-seconds";
const DATE_ORDER: &str = "import-date-order";
const EARLIEST: &str = "import-earliest-date";
const PARTIAL_DOCUMENTS: &str = "import-partial-documents";
const UNKNOWN_DRIVERS: &str = "import-unknown-drivers";
const PAUSED_UNTIL: &str = "import-paused-until";

const SHOWN: [&str; 17] = [
    NAME,
    TIME_ZONE,
    LOGO,
    MAX_ATTEMPTS,
    OVER_DELIVERY,
    UNDELIVERED_IS_FINAL,
    PROOF,
    FAILED_ATTEMPT_PROOF,
    MAX_ATTACHMENTS,
    MAX_ATTACHMENT_SIZE,
    ONLINE,
    STALE,
    DATE_ORDER,
    EARLIEST,
    PARTIAL_DOCUMENTS,
    UNKNOWN_DRIVERS,
    PAUSED_UNTIL,
];
/// How long values are cached. Short, because a notice of a change may be lost.
const KEPT_FOR: Duration = Duration::from_secs(5);
/// Pause before asking again, until the first answer.
const RETRY: Duration = Duration::from_secs(1);
/// Maximum wait for the service. After that, the older values are used.
const PATIENCE: Duration = Duration::from_secs(1);
/// Maximum wait of an attempt in the background. Longer than [`PATIENCE`], because no request waits for it.
const RETRY_PATIENCE: Duration = Duration::from_secs(10);

/// Returns whether a setting is sent to screens.
pub fn is_shown(id: &str) -> bool {
    SHOWN.contains(&id)
}

/// The settings at one moment.
#[derive(Clone)]
pub struct Office {
    /// Whether the service has answered. If not, all values are those of the configuration.
    pub is_known: bool,
    pub organization: Arc<Organization>,
    pub rules: Arc<Rules>,
    /// `None` if no logo was saved.
    pub logo: Option<Arc<Logo>>,
}

/// The rules that every signed-in person can read. None of them is secret: an error message names any rule that
/// somebody breaks.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rules {
    max_attempts: i32,
    pub allow_over_delivery: bool,
    undelivered_is_final: bool,
    /// The proof required if neither the customer nor the source sets one. What a given delivery requires is
    /// a field of that delivery.
    proof: Vec<Proof>,
    pub failed_attempt_proof: FailedAttemptProof,
    /// Maximum number of files per attempt.
    pub max_attachments: u64,
    pub max_attachment_bytes: u64,
    driver_online_seconds: u32,
    driver_stale_seconds: u32,
    import_date_order: DateOrder,
    import_earliest_date: Option<String>,
    import_partial_documents: bool,
    import_unknown_drivers: String,
    /// When the pause of imports ends, in the organization's local time.
    import_paused_until: Option<String>,
    max_import_bytes: u64,
}

/// The customer's logo: its public address, and its placement.
#[derive(Debug, Serialize)]
pub struct Logo {
    url: String,
    size: i32,
    gap: i32,
    vertical: i32,
}

#[derive(Clone)]
pub struct OfficeSettings(Arc<Shared>);

struct Shared {
    service: Transport,
    identity: ServiceIdentity,
    notices: Notices,
    configured: Configured,
    kept: Mutex<Kept>,
    is_retrying: AtomicBool,
    stop: CancellationToken,
}

/// The values that apply to settings which were never changed.
struct Configured {
    organization: Organization,
    deliveries: Deliveries,
    drivers: Drivers,
    imports: Imports,
}

struct Kept {
    office: Office,
    /// When the values were requested, and how many changes were known then; `None` before the first request.
    asked: Option<(Instant, u64)>,
}

impl OfficeSettings {
    pub fn new(context: &Context) -> Self {
        let Context { settings, identity, notices, config, stop, .. } = context;
        let configured = Configured::new(config);
        let office = Office { is_known: false, ..configured.under(&Values::default()) };
        let kept = Mutex::new(Kept { office, asked: None });
        let (service, identity, notices) = (settings.clone(), identity.clone(), notices.clone());
        let (is_retrying, stop) = (AtomicBool::new(false), stop.clone());
        Self(Arc::new(Shared { service, identity, notices, configured, kept, is_retrying, stop }))
    }

    /// Returns the current values; concurrent callers share one request.
    pub async fn now(&self) -> Office {
        let office = self.0.now().await;
        if !office.is_known && !self.0.is_retrying.swap(true, Ordering::Relaxed) {
            tokio::spawn(self.0.clone().retry());
        }
        office
    }

    /// Returns the organization, whose time zone decides which instants a day or a local time means.
    ///
    /// # Errors
    ///
    /// `ORGANIZATION_UNKNOWN` until the service has answered once.
    pub async fn organization(&self) -> Result<Arc<Organization>> {
        let office = self.now().await;
        if !office.is_known {
            return Err(Error::unavailable(
                "ORGANIZATION_UNKNOWN",
                "The organization's time zone isn't known yet. Try again in a moment.",
            ));
        }
        Ok(office.organization)
    }
}

impl Shared {
    async fn now(&self) -> Office {
        let mut kept = self.kept.lock().await;
        let changes = self.notices.settings_changed();
        let holds = |(at, known): (Instant, u64)| at.elapsed() < KEPT_FOR && known == changes;
        if !kept.asked.is_some_and(holds) {
            match timeout(PATIENCE, self.ask()).await {
                Ok(Ok(office)) => kept.office = office,
                Ok(Err(error)) => error.log(),
                Err(_) => tracing::warn!("the settings service is slow, what was known before holds"),
            }
            kept.asked = Some((Instant::now(), changes));
        }
        kept.office.clone()
    }

    /// Asks until the service has answered once, then updates open screens. They have no organization and no
    /// settings yet, and no notice reports that a service is back.
    async fn retry(self: Arc<Self>) {
        loop {
            // Without the lock, so that nobody waits for a service that is away.
            let attempt = async {
                sleep(RETRY).await;
                timeout(RETRY_PATIENCE, self.ask()).await
            };
            let answer = tokio::select! {
                answer = attempt => answer,
                () = self.stop.cancelled() => return,
            };
            if let Ok(Ok(office)) = answer {
                let mut kept = self.kept.lock().await;
                // A request may have received a newer answer in the meantime.
                if !kept.office.is_known {
                    kept.office = office;
                }
                drop(kept);
                return self.notices.notify_office(OfficeNotice::Setting(TIME_ZONE.to_owned()));
            }
        }
    }

    async fn ask(&self) -> Result<Office> {
        let token = self.identity.token()?;
        let value = async |id: &'static str| {
            let mut client = SettingsServiceClient::new(self.service.with_token(token.as_str().into()));
            match client.get_setting(GetSettingRequest { id: id.to_owned() }).await.map_err(Error::from) {
                Ok(answer) => Ok(Some((id, answer.into_inner().value))),
                // A service of an older release does not know this setting.
                Err(error) if error.kind == Kind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        };
        let found = try_join_all(SHOWN.into_iter().map(value)).await?;
        Ok(self.configured.under(&Values(found.into_iter().flatten().collect())))
    }
}

/// The settings service's values, by id.
#[derive(Default)]
struct Values(HashMap<&'static str, String>);

impl Values {
    fn text(&self, id: &str) -> Option<String> {
        self.0.get(id).cloned()
    }

    fn parsed<T: FromStr>(&self, id: &str) -> Option<T> {
        self.0.get(id)?.parse().ok()
    }

    /// Parses one of a fixed set of words.
    fn word<T: DeserializeOwned>(&self, id: &str) -> Option<T> {
        serde_json::from_value(Value::String(self.text(id)?)).ok()
    }

    /// Parses "none", or comma-separated words.
    fn proofs(&self, id: &str) -> Option<Vec<Proof>> {
        let text = self.0.get(id)?;
        let word = |word: &str| serde_json::from_value(Value::String(word.to_owned())).ok();
        if text == "none" { Some(Vec::new()) } else { text.split(',').map(word).collect() }
    }
}

impl Configured {
    fn new(config: &Config) -> Self {
        let Config { organization, deliveries, drivers, imports, .. } = config.clone();
        Self { organization, deliveries, drivers, imports }
    }

    fn under(&self, set: &Values) -> Office {
        let Self { organization, deliveries, drivers, imports } = self;
        let online = set.parsed(ONLINE).unwrap_or(drivers.online_seconds);
        let mebibytes = set.parsed::<u64>(MAX_ATTACHMENT_SIZE);
        let rules = Rules {
            max_attempts: set.parsed(MAX_ATTEMPTS).unwrap_or(deliveries.max_attempts),
            allow_over_delivery: set.parsed(OVER_DELIVERY).unwrap_or(deliveries.allow_over_delivery),
            undelivered_is_final: set.parsed(UNDELIVERED_IS_FINAL).unwrap_or(deliveries.undelivered_is_final),
            proof: set.proofs(PROOF).unwrap_or_else(|| deliveries.pod_requirement.clone()),
            failed_attempt_proof: set.word(FAILED_ATTEMPT_PROOF).unwrap_or(deliveries.failed_attempt_proof),
            max_attachments: set.parsed(MAX_ATTACHMENTS).unwrap_or(deliveries.max_attachments),
            // A configured value need not be whole MiB.
            max_attachment_bytes: mebibytes.map_or(deliveries.max_attachment_bytes, |size| size << 20),
            driver_online_seconds: online,
            // The limits for online and stale may change one after the other, so keep the latter at least as
            // large as the former, as the service does.
            driver_stale_seconds: set.parsed(STALE).unwrap_or(drivers.stale_seconds).max(online),
            import_date_order: set.word(DATE_ORDER).unwrap_or(imports.date_order),
            import_earliest_date: set.text(EARLIEST),
            import_partial_documents: set.parsed(PARTIAL_DOCUMENTS).unwrap_or_default(),
            import_unknown_drivers: set.text(UNKNOWN_DRIVERS).unwrap_or_else(|| "keep".to_owned()),
            import_paused_until: set.text(PAUSED_UNTIL),
            max_import_bytes: imports.max_file_bytes,
        };
        let organization = Organization {
            name: set.text(NAME).unwrap_or_else(|| organization.name.clone()),
            timezone: set.text(TIME_ZONE).unwrap_or_else(|| organization.timezone.clone()),
        };
        Office {
            is_known: true,
            organization: Arc::new(organization),
            rules: Arc::new(rules),
            logo: set.text(LOGO).and_then(|text| Logo::parse(&text)).map(Arc::new),
        }
    }
}

impl Logo {
    /// Parses the logo's setting. Drops the host of the saved address, because the host may have changed
    /// since.
    fn parse(text: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Saved {
            url: String,
            #[serde(default = "size")]
            size: i32,
            #[serde(default = "gap")]
            gap: i32,
            #[serde(default)]
            vertical: i32,
        }
        fn size() -> i32 {
            130
        }
        fn gap() -> i32 {
            8
        }
        let Saved { url, size, gap, vertical } = serde_json::from_str(text).ok()?;
        let (_, file) = url.rsplit_once("/logo/")?;
        logo_file(file)?;
        Some(Self { url: format!("/logo/{file}"), size, gap, vertical })
    }
}

/// Returns the digest and the content type in the name of a logo's file.
pub fn logo_file(file: &str) -> Option<(&str, &'static str)> {
    let (digest, content_type) = match file.split_once('.')? {
        (digest, "png") => (digest, "image/png"),
        (digest, "svg") => (digest, "image/svg+xml"),
        _ => return None,
    };
    let is_digest = digest.len() == 64 && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    is_digest.then_some((digest, content_type))
}

#[cfg(test)]
mod tests {
    use kit::config::{Flags, Target, load};
    use serde_json::json;

    use super::*;

    fn configured() -> Configured {
        Configured::new(&load(&Flags::default(), Target::All).unwrap().config)
    }

    fn set(values: &[(&'static str, &str)]) -> Values {
        Values(values.iter().map(|(id, value)| (*id, (*value).to_owned())).collect())
    }

    #[test]
    fn what_nobody_set_is_as_the_configuration_says() {
        let office = configured().under(&Values::default());
        let rules = serde_json::to_value(&*office.rules).unwrap();
        for (name, value) in [
            ("maxAttempts", json!(3)),
            ("proof", json!([])),
            ("failedAttemptProof", json!("photo_or_note")),
            ("maxAttachmentBytes", json!(10_485_760)),
            ("driverOnlineSeconds", json!(120)),
            ("driverStaleSeconds", json!(600)),
            ("importDateOrder", json!("mdy")),
            ("maxImportBytes", json!(52_428_800)),
        ] {
            assert_eq!(rules[name], value, "{name}");
        }
        assert!(office.logo.is_none());
    }

    #[test]
    fn a_value_that_cannot_be_read_leaves_the_configuration() {
        let mut configured = configured();
        configured.deliveries.max_attachment_bytes = 1_500_000;
        // 1,500,000 bytes, in megabytes as the catalogue of settings formats them.
        let rules = configured.under(&set(&[(MAX_ATTACHMENT_SIZE, "1.43"), (MAX_ATTEMPTS, "many")])).rules;
        assert_eq!((rules.max_attachment_bytes, rules.max_attempts), (1_500_000, 3));
        let rules = configured.under(&set(&[(PROOF, "photo,pin"), (FAILED_ATTEMPT_PROOF, "pin")])).rules;
        assert_eq!((&*rules.proof, rules.failed_attempt_proof), (&[][..], FailedAttemptProof::PhotoOrNote));
        let rules = configured.under(&set(&[(PROOF, "photo,recipientName"), (ONLINE, "900")])).rules;
        assert_eq!(rules.proof, [Proof::Photo, Proof::RecipientName]);
        assert_eq!(rules.driver_stale_seconds, 900, "nobody is offline who is online");
    }

    #[test]
    fn only_a_picture_of_ours_is_the_logo() {
        let digest = "0a".repeat(32);
        let logo = |url: &str| Logo::parse(&json!({ "url": url, "size": 90, "gap": 4 }).to_string());
        let found = logo(&format!("https://waybill.example/logo/{digest}.png")).unwrap();
        assert_eq!(
            serde_json::to_value(&found).unwrap(),
            json!({ "url": format!("/logo/{digest}.png"), "size": 90, "gap": 4, "vertical": 0 })
        );
        for other in ["", "/logo/a.png", "/logo/../objects/a.png", "javascript:alert(1)"] {
            assert!(logo(other).is_none(), "{other}");
        }
        assert!(Logo::parse("no json").is_none());
    }
}
