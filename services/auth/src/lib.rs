//! Accounts of the office and of drivers, sessions, passwords, mail, the audit log and the keys that sign
//! access tokens.
//!
//! `rpc` implements the contract, `domain` has the rules, `store` reads and writes, `entity` has the tables.
//! `password` hashes passwords, `tokens` signs access tokens, `throttle` counts attempts, `resets`, `refusals`
//! and `mail` work after the response, `events` handles events of other services, `audit` keeps the audit log. A
//! session is a row: deleting it invalidates everything that refers to it. Deliberately absent: cookies and
//! origins, which belong to the gateway; the permissions of roles, which the first line of each handler checks.

mod audit;
mod common_passwords;
mod domain;
mod drivers;
mod entity;
mod events;
mod fields;
mod mail;
mod migration;
mod password;
mod pin;
mod random;
mod refusals;
mod resets;
mod rpc;
pub mod seed;
mod settings;
mod setup_token;
mod store;
mod throttle;
mod tokens;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use ::store::Db;
use ::store::clearing::{self, Doubts};
use ::store::published::Published;
use ::store::settings::Settings;
use kit::Result;
use kit::clock::Clock;
use kit::principal::KeySource;
use kit::service::{FirstRun, Service, Task};
use proto::auth::v1::User;
use proto::auth::v1::auth_service_server::AuthServiceServer;
use proto::auth::v1::report_mail_service_server::ReportMailServiceServer;
use secrecy::SecretString;
use tonic::service::Routes;

pub use audit::Action as AuditAction;
pub use audit::chain::{Found as AuditFound, Seal};
pub use events::copies;
pub use mail::Mailing;
pub use migration::Migrator;

use domain::{Limits, NewAccount};
use mail::{Post, Postman};
use password::Passwords;
use refusals::Refusals;
use resets::Resets;
use throttle::Throttle;

/// The service's name in addresses, subjects and databases.
pub const NAME: &str = "auth";

const CHORES_EVERY: Duration = Duration::from_secs(600);
/// Maximum size of a request. Small, because all texts are short.
const MAX_REQUEST_BYTES: usize = 64 << 10;

/// The dependencies of the service.
#[derive(Clone)]
pub struct Context {
    pub db: Db,
    pub clock: Clock,
    pub config: kit::config::Auth,
    /// Whether creating the first account requires the token printed at start.
    pub setup_token_needed: bool,
    pub mailing: Mailing,
    /// Runtime settings; they override the configuration.
    pub settings: Settings,
}

impl Context {
    fn limits(&self) -> Limits {
        Limits {
            idle: chrono::Duration::seconds(self.config.session_idle_seconds),
            absolute: chrono::Duration::seconds(self.config.session_absolute_seconds),
        }
    }
}

/// Assembles the service. Creates the first signing key if there is none.
pub async fn service(context: Context) -> Result<Service> {
    let passwords = hashing(&context).await?;
    Ok(assemble(context, passwords).await?.into_service())
}

async fn hashing(context: &Context) -> Result<Passwords> {
    Passwords::new(context.config.hash_workers, context.config.hash_queue).await
}

/// The parts of the service, for tests that run them one by one.
struct Assembled {
    handlers: rpc::Service,
    setup_token: Option<SecretString>,
    keys: Arc<dyn KeySource>,
    worker: resets::Worker,
    reporter: refusals::Reporter,
    postman: Postman,
}

async fn assemble(mut context: Context, passwords: Passwords) -> Result<Assembled> {
    context.mailing = context.mailing.named_by(context.settings.clone());
    tokens::prepare(&context.db, clearing::now(&context.db, &context.clock).await?).await?;
    let row = store::setup(context.db.read()).await?;
    let wanted = context.setup_token_needed && row.done_at.is_none();
    let setup_token = wanted.then(|| setup_token::make(&context.config.service_secret, &row));
    let keys = Arc::new(tokens::LocalKeys { db: context.db.clone(), clock: context.clock.clone() });
    let throttle = Throttle::new(context.db.clone(), context.clock.clone(), &context.config);
    let (post, postman) = Post::new(context.mailing.clone(), context.clock.clone());
    let (resets, worker) = Resets::new(context.clone(), throttle.clone(), post.clone());
    let (refusals, reporter) = Refusals::new(context.clone());
    let handlers = rpc::Service { context, passwords, throttle, post, resets, refusals };
    Ok(Assembled { handlers, setup_token, keys, worker, reporter, postman })
}

impl Assembled {
    fn into_service(self) -> Service {
        let Self { handlers, setup_token, keys, worker, reporter, postman } = self;
        let context = handlers.context.clone();
        let consumers = events::consumers(&context);
        let following = events::follow_settings(&context);
        kit::metrics::driver_links(0);
        kit::metrics::mails_given_up(0);
        let doubts = Arc::new(Doubts::default());
        let tasks = vec![
            Task::every("chores", CHORES_EVERY, FirstRun::AtStart, move || {
                let (context, doubts) = (context.clone(), doubts.clone());
                async move { chores(&context, &doubts).await }
            }),
            Task::on_queue("password resets", |stop| worker.run(stop)),
            Task::on_queue("refused sign-ins", |stop| reporter.run(stop)),
            Task::on_queue("mail", |stop| postman.run(stop)),
            following.task(),
        ];
        Service { consumers, tasks, keys: Some(keys), setup_token, ..Service::new(NAME, routes(handlers)) }
    }
}

fn routes(handlers: rpc::Service) -> Routes {
    let published = Published::service(&handlers.context.db, NAME);
    let report_mail = rpc::report_mail::Service { context: handlers.context.clone() };
    let report_mail = ReportMailServiceServer::new(report_mail)
        .max_decoding_message_size(rpc::report_mail::MAX_REQUEST_BYTES);
    Routes::new(AuthServiceServer::new(handlers).max_decoding_message_size(MAX_REQUEST_BYTES))
        .add_service(report_mail)
        .add_service(published)
}

/// Creates the first account, an admin's, for the command line. Fails with `ADMIN_EXISTS` when there is an
/// account.
pub async fn create_admin(
    context: &Context,
    username: &str,
    email: &str,
    password: SecretString,
) -> Result<User> {
    if store::setup(context.db.read()).await?.done_at.is_some() {
        return Err(store::users::admin_exists());
    }
    let new = NewAccount::parse(username, email, password)?;
    let account = rpc::first_admin(context, &hashing(context).await?, "", new).await?;
    Ok(account.into())
}

/// Checks that every entry of the audit log exists and is unchanged. With a seal that was noted earlier, also
/// checks that the log up to that seal's entry is still the same.
pub async fn check_audit(db: &Db, noted: Option<&Seal>) -> Result<AuditFound> {
    audit::chain::check(db.read(), noted).await
}

/// Replaces signing keys and deletes what has expired.
async fn chores(context: &Context, doubts: &Doubts) -> Result<()> {
    let db = &context.db;
    let now = clearing::now(db, &context.clock).await?;
    tokens::rotate(db, now).await?;
    let gone = store::sessions::clear(db, now, context.limits(), doubts).await?;
    if gone > 0 {
        tracing::debug!(sessions = gone, "sessions that are over were deleted");
    }
    store::passwords::prune(db, now, doubts).await?;
    store::report_mails::prune(db, now, doubts).await?;
    throttle::prune(db, now, doubts).await?;
    throttle::forget_addresses(db, now, doubts).await
}
