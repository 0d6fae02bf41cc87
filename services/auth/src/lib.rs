//! Accounts of the office and of drivers, sessions, passwords, the audit log and the keys that sign
//! access tokens.
//!
//! `rpc` answers the contract, `domain` decides, `store` reads and writes, `entity` holds the
//! tables; `password` hashes, `tokens` signs, `throttle` counts attempts, `resets` and `mail` work
//! behind the answers, `drivers` follows events, `audit` keeps the record. A session is a row: ending
//! it ends everything that names it. Deliberately absent: cookies and origins (the gateway's), what a
//! role may do (each handler's first line).

mod audit;
mod common;
mod domain;
mod drivers;
mod entity;
mod fields;
mod mail;
mod migration;
mod password;
mod random;
mod resets;
mod rpc;
mod setup_token;
mod store;
mod throttle;
mod tokens;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::store::Db;
use kit::Result;
use kit::bus::Consumer;
use kit::clock::Clock;
use kit::principal::KeySource;
use proto::auth::v1::User;
use proto::auth::v1::auth_service_server::AuthServiceServer;
use secrecy::SecretString;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

pub use audit::chain::{Found as AuditFound, Seal};
pub use drivers::{DriverChange, follow as follow_drivers};
pub use mail::Mailing;
pub use migration::Migrator;

use domain::{Limits, NewAccount};
use mail::{Post, Postman};
use password::Passwords;
use resets::Resets;
use throttle::Throttle;

/// Name in addresses, subjects and databases.
pub const NAME: &str = "auth";

const CHORES_EVERY: Duration = Duration::from_secs(600);
/// No request of this service is larger: short texts only.
const MAX_REQUEST_BYTES: usize = 64 << 10;

/// What the service stands on.
#[derive(Clone)]
pub struct Context {
    pub db: Db,
    pub clock: Clock,
    pub config: kit::config::Auth,
    /// Whether making the first account wants the token printed at start.
    pub setup_token_needed: bool,
    pub mailing: Mailing,
}

impl Context {
    fn limits(&self) -> Limits {
        Limits {
            idle: chrono::Duration::seconds(self.config.session_idle_seconds),
            absolute: chrono::Duration::seconds(self.config.session_absolute_seconds),
        }
    }
}

/// The running service: what to mount, what to print, what to run.
pub struct Started {
    /// To be mounted.
    pub routes: Routes,
    /// To be printed, when the first account is still to be made and wants it.
    pub setup_token: Option<String>,
    /// For verifying tokens in this process, without a call to ourselves.
    pub keys: Arc<dyn KeySource>,
    /// To be registered before any relay starts, and run.
    pub consumers: Vec<Consumer>,
    /// To be run until the process stops.
    pub tasks: Tasks,
}

// By hand: the set-up token is a secret.
impl fmt::Debug for Started {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Started")
            .field("setup_token", &self.setup_token.as_ref().map(|_| "hidden"))
            .finish_non_exhaustive()
    }
}

/// The service's contract, key source and tasks. Makes the first signing key when there is none.
pub async fn service(context: Context) -> Result<Started> {
    let passwords = hashing(&context).await?;
    assemble(context, passwords).await
}

async fn hashing(context: &Context) -> Result<Passwords> {
    Passwords::new(context.config.hash_workers, context.config.hash_queue).await
}

async fn assemble(context: Context, passwords: Passwords) -> Result<Started> {
    tokens::rotate(&context.db, context.clock.now()).await?;
    let row = store::setup(context.db.read()).await?;
    let wanted = context.setup_token_needed && row.done_at.is_none();
    let setup_token = wanted.then(|| setup_token::make(&context.config.service_secret, &row));
    let keys = Arc::new(tokens::LocalKeys { db: context.db.clone(), clock: context.clock.clone() });
    let throttle = Throttle::new(context.db.clone(), context.clock.clone(), &context.config);
    let (post, postman) = Post::new(context.mailing.clone(), context.clock.clone());
    let (resets, worker) = Resets::new(context.clone(), throttle.clone(), post.clone());
    let mut consumers = vec![drivers::consumer(&context.db, &context.clock)];
    consumers.extend(audit::follow::consumers(&context.db, &context.clock));
    let tasks = Tasks { context: context.clone(), worker, postman };
    let handlers = rpc::Service { context, passwords, throttle, post, resets };
    let mut routes = Routes::builder();
    routes.add_service(AuthServiceServer::new(handlers).max_decoding_message_size(MAX_REQUEST_BYTES));
    Ok(Started { routes: routes.routes(), setup_token, keys, consumers, tasks })
}

/// Makes the first account, an admin, for someone who may use the command line. Refuses with
/// `ADMIN_EXISTS` when there is an account.
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

/// Walks the audit log: whether every entry is there and as it was written. With a seal that was noted
/// earlier, whether the log up to there is still that one.
pub async fn check_audit(db: &Db, noted: Option<&Seal>) -> Result<AuditFound> {
    audit::chain::check(db.read(), noted).await
}

/// What happens by itself: mails leave, signing keys are replaced, what is over is deleted.
pub struct Tasks {
    context: Context,
    worker: resets::Worker,
    postman: Postman,
}

impl Tasks {
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        let Self { context, worker, postman } = self;
        // A panic of one ends all three, and with them the process.
        tokio::join!(chores(&context, stop.clone()), worker.run(stop.clone()), postman.run(stop));
        Ok(())
    }
}

async fn chores(context: &Context, stop: CancellationToken) {
    let mut due = tokio::time::interval(CHORES_EVERY);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = due.tick() => {}
        }
        // None is urgent: what fails is done the next time.
        if let Err(error) = chores_once(context).await {
            tracing::warn!("signing keys or what is over wait for the next time: {error}");
        }
    }
}

async fn chores_once(context: &Context) -> Result<()> {
    let (db, now) = (&context.db, context.clock.now());
    tokens::rotate(db, now).await?;
    let gone = store::sessions::clear(db, now, context.limits()).await?;
    if gone > 0 {
        tracing::debug!(sessions = gone, "sessions that are over were deleted");
    }
    store::passwords::prune(db, now).await?;
    throttle::prune(db, now).await?;
    throttle::forget_addresses(db, now).await
}
