//! Sends mails with reports for the analytics service, each at most once.

use async_trait::async_trait;
use kit::clock::derived_id;
use kit::input::{Check, limits, text};
use kit::principal::{Role, principal};
use kit::{Error, Result};
use proto::auth::v1 as wire;
use proto::auth::v1::ReportMailState;
use proto::auth::v1::report_mail_service_server::ReportMailService;
use ring::digest::{SHA256, digest};
use tonic::{Request, Response, Status as Refusal};

use ::store::filter::fold;

use crate::Context;
use crate::domain::Status;
use crate::entity::report_mail::State;
use crate::mail::report::{CSV, Delivery, File, XLSX};
use crate::mail::{Letter, TIMEOUT, letters};
use crate::store::{self, Account, report_mails};

/// The service that sends reports.
const SENDER: &str = "analytics";
const KEY_CHARS: usize = 200;
const REPORT_CHARS: usize = 100;
const TEXT_CHARS: usize = 2_000;
const FILE_NAME_CHARS: usize = 150;
const PATH_CHARS: usize = 200;
/// Maximum size of a request: the file, and room for the texts.
pub const MAX_REQUEST_BYTES: usize = 8 << 20;

pub struct Service {
    pub context: Context,
}

/// A checked request to send a mail.
struct Asked {
    key: Vec<u8>,
    /// The message id. Derived from the key, so that a receiver could recognize a second copy.
    id: String,
    owner: String,
    recipient: String,
    report: String,
    text: String,
    path: String,
    file: File,
    knows_delayed: bool,
}

#[async_trait]
impl ReportMailService for Service {
    async fn check_report_mail(
        &self,
        request: Request<wire::CheckReportMailRequest>,
    ) -> Result<Response<wire::CheckReportMailResponse>, Refusal> {
        principal(&request)?.require_service(SENDER)?;
        Ok(Response::new(self.check(request.into_inner()).await?))
    }

    async fn send_report_mail(
        &self,
        request: Request<wire::SendReportMailRequest>,
    ) -> Result<Response<wire::SendReportMailResponse>, Refusal> {
        principal(&request)?.require_service(SENDER)?;
        let asked = parse(request.into_inner())?;
        let state = self.send(asked).await?;
        Ok(Response::new(wire::SendReportMailResponse { state: state.into() }))
    }
}

impl Service {
    async fn check(&self, asked: wire::CheckReportMailRequest) -> Result<wire::CheckReportMailResponse> {
        let wire::CheckReportMailRequest { owner, recipients } = asked;
        if recipients.len() > limits::REPORT_RECIPIENTS {
            return Err(Error::invalid_field("recipients", format!("at most {}", limits::REPORT_RECIPIENTS)));
        }
        self.require_owner(&owner).await?;
        let (mut left, mut skipped) = (Vec::new(), Vec::new());
        for name in recipients {
            match self.recipient(&name).await? {
                Some(_) => left.push(name),
                None => skipped.push(name),
            }
        }
        Ok(wire::CheckReportMailResponse { recipients: left, skipped })
    }

    async fn send(&self, asked: Asked) -> Result<ReportMailState> {
        let Context { db, clock, .. } = &self.context;
        if let Some(known) = report_mails::state(db, &asked.key, clock.now()).await? {
            return known_state(known);
        }
        self.require_owner(&asked.owner).await?;
        let Some(account) = self.recipient(&asked.recipient).await? else {
            return Ok(ReportMailState::Skipped);
        };
        // Look first whether the server answers at all: after the claim, a broken connection leaves open whether
        // the mail was sent.
        if !self.context.mailing.is_reachable(TIMEOUT).await {
            return Err(busy("The mail server can't be reached. The report is sent when it can."));
        }
        if !report_mails::claim(db, &asked.key, clock.now()).await? {
            let known = report_mails::state(db, &asked.key, clock.now()).await?;
            return known_state(known.unwrap_or(State::Sending));
        }
        // Send it in a task of its own, so that the result is noted even if the caller stops waiting.
        let sending = tokio::spawn(deliver(self.context.clone(), account, asked));
        sending.await.map_err(Error::internal)?
    }

    /// Fails if mail is off, or if reports may no longer be sent on behalf of this person.
    async fn require_owner(&self, owner: &str) -> Result<()> {
        if !self.context.mailing.has_server() {
            let text = "Email isn't set up for this organization, so reports can't be sent.";
            return Err(Error::precondition("MAIL_OFF", text));
        }
        match self.reader(owner).await? {
            Some(_) => Ok(()),
            None => {
                let text = "The schedule's owner is no longer active or may no longer see reports. Resume the \
                            schedule to become its owner.";
                Err(Error::precondition("REPORT_OWNER_GONE", text))
            }
        }
    }

    /// Returns the account of this name if it is active and may see reports.
    async fn reader(&self, name: &str) -> Result<Option<Account>> {
        let found = store::account_by_name(self.context.db.read(), &fold(name)).await?;
        Ok(found.filter(|account| {
            account.user.status == Status::Active
                && account.user.driver_id.is_none()
                && account.roles.iter().any(|role| Role::STAFF.contains(role))
        }))
    }

    async fn recipient(&self, name: &str) -> Result<Option<Account>> {
        Ok(self.reader(name).await?.filter(|account| !account.user.email.is_empty()))
    }
}

/// Sends a claimed mail and notes the result.
async fn deliver(context: Context, account: Account, asked: Asked) -> Result<ReportMailState> {
    let Context { db, clock, mailing, .. } = &context;
    let Asked { key, id, report, text, path, file, knows_delayed, .. } = asked;
    let organization = mailing.organization();
    let text = letters::report(&organization, account.name(), &report, &text, &mailing.page(&path));
    let letter = Letter { to: account.user.email, text };
    let state = match mailing.deliver_report(&id, letter, file, clock.now().into()).await {
        Delivery::Sent => {
            tracing::info!(mail.id = id, "a report was mailed");
            State::Sent
        }
        Delivery::Refused(why) => {
            tracing::error!(mail.id = id, "a mail with a report was refused: {why}");
            State::Refused
        }
        Delivery::Uncertain(why) => {
            tracing::error!(mail.id = id, "a mail with a report may not have arrived: {why}");
            State::Uncertain
        }
        Delivery::Delayed(why) => {
            tracing::warn!(mail.id = id, "a mail with a report could not be sent: {why}");
            report_mails::release(db, &key).await?;
            if knows_delayed {
                return Ok(ReportMailState::Delayed);
            }
            return Err(busy("The mail server is busy. The report is sent when it accepts it."));
        }
    };
    report_mails::note(db, &key, state).await?;
    known_state(state)
}

fn known_state(state: State) -> Result<ReportMailState> {
    match state {
        State::Sent => Ok(ReportMailState::Sent),
        State::Refused => Ok(ReportMailState::Refused),
        State::Uncertain => Ok(ReportMailState::Uncertain),
        State::Sending => Err(busy("This report is being sent.")),
    }
}

fn busy(text: &str) -> Error {
    Error::unavailable("REPORT_MAIL_DELAYED", text)
}

fn parse(asked: wire::SendReportMailRequest) -> Result<Asked> {
    let wire::SendReportMailRequest {
        key,
        owner,
        recipient,
        report,
        text,
        file_name,
        file,
        path,
        is_xlsx,
        knows_delayed,
    } = asked;
    let mut check = Check::new();
    let key = check.required("key", "Key", &key, KEY_CHARS);
    let owner = check.required("owner", "Owner", &owner, limits::USERNAME);
    let recipient = check.required("recipient", "Recipient", &recipient, limits::USERNAME);
    let report = check.required("report", "Report", &report, REPORT_CHARS);
    let text = check.read("text", text::lines("Text", Some(&text), TEXT_CHARS)).flatten().unwrap_or_default();
    let name = check.required("fileName", "File name", &file_name, FILE_NAME_CHARS);
    let is_page = path.len() <= PATH_CHARS
        && path.starts_with('/')
        && !path.starts_with("//")
        && path.bytes().all(|byte| byte.is_ascii_graphic());
    check.require(is_page, "path", "Path must be the path of a page");
    check.require(file.len() <= limits::REPORT_FILE_BYTES, "file", "File must be no larger than 7 MB");
    let id = derived_id(&[&key]).to_string();
    let key = digest(&SHA256, key.as_bytes()).as_ref().to_vec();
    let content_type = if is_xlsx { XLSX } else { CSV };
    let file = File { name, content_type, bytes: file };
    check.done(Asked { key, id, owner, recipient, report, text, path, file, knows_delayed })
}
