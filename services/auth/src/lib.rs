//! Accounts, sessions and the keys that sign access tokens.
//!
//! `rpc` answers the contract, `domain` decides, `store` reads and writes, `entity` holds the
//! tables; `password` hashes, `tokens` signs. A session is a row: ending it ends everything that
//! names it. Deliberately absent: cookies and origins (the gateway's), what a role may do (each
//! handler's first line), throttling of sign-ins.

mod common;
mod domain;
mod entity;
mod migration;
mod password;
mod random;
mod rpc;
mod setup_token;
mod store;
mod tokens;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::store::Db;
use kit::Result;
use kit::clock::Clock;
use kit::principal::KeySource;
use proto::auth::v1::User;
use proto::auth::v1::auth_service_server::AuthServiceServer;
use secrecy::SecretString;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

pub use migration::Migrator;

use domain::{Limits, NewAccount};
use password::Passwords;

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
    let tasks = Tasks { context: context.clone() };
    let handlers = rpc::Service { context, passwords };
    let mut routes = Routes::builder();
    routes.add_service(AuthServiceServer::new(handlers).max_decoding_message_size(MAX_REQUEST_BYTES));
    Ok(Started { routes: routes.routes(), setup_token, keys, tasks })
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
        return Err(store::admin_exists());
    }
    let new = NewAccount::parse(username, email, password)?;
    let account = rpc::first_admin(context, &hashing(context).await?, new).await?;
    Ok(account.into())
}

/// What happens by itself: signing keys are replaced, sessions that are over are deleted.
pub struct Tasks {
    context: Context,
}

impl Tasks {
    pub async fn run(self, stop: CancellationToken) -> Result<()> {
        let mut chores = tokio::time::interval(CHORES_EVERY);
        loop {
            tokio::select! {
                () = stop.cancelled() => return Ok(()),
                _ = chores.tick() => {}
            }
            // Neither is urgent: what fails is done the next time.
            if let Err(error) = self.once().await {
                tracing::warn!("signing keys or old sessions wait for the next time: {error}");
            }
        }
    }

    async fn once(&self) -> Result<()> {
        let now = self.context.clock.now();
        tokens::rotate(&self.context.db, now).await?;
        let gone = store::clear_sessions(&self.context.db, now, self.context.limits()).await?;
        if gone > 0 {
            tracing::debug!(sessions = gone, "sessions that are over were deleted");
        }
        Ok(())
    }
}
