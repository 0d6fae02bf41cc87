//! Limits sign-in attempts, so that guessing is hopeless and nobody can be locked out.
//!
//! - Wrong sign-ins are counted for each account by its folded name, even if no such account exists. Some are
//!   free; each further one causes a wait, during which no password is checked.
//! - An address from which the account recently signed in has its own counter for this account, so that what
//!   others do elsewhere does not lock the owner out.
//! - An address with too many wrong attempts is refused for a while, except for accounts that recently signed
//!   in from it. Attempts that an account's own wait refuses do not count against the address.
//! - An attempt is counted before the password is checked and uncounted when it was right, so that concurrent
//!   attempts get no more tries than sequential ones.
//!
//! All counters are in the database: a restart forgets nothing, and replicas share them. `lately` only saves
//! repeated queries. Sign-ups and mails with reset links are counted in the same table. `rule` is the
//! arithmetic, `counters` the statements. Devices are deliberately not recognized, by cookies or otherwise.

mod counters;
mod lately;
mod rule;
mod turns;

#[cfg(test)]
mod tests;

use ::store::clearing::Doubts;
use ::store::filter::fold;
use ::store::{Db, Tx, db};
use chrono::{DateTime, Duration, Utc};
use kit::clock::Clock;
use kit::{Error, Result, network};
use ring::hmac;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, JoinType, OnConflict, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};
use uuid::Uuid;

use crate::domain::Username;
use crate::entity::{sign_in_address, user};
use counters::Key;
use lately::Lately;
use rule::Rule;
use turns::{Turn, Turns};

pub use counters::prune;

const PURPOSE: &[u8] = b"waybill throttle\0";
/// How long wrong sign-ins count against an address.
const ADDRESS_WINDOW: Duration = Duration::minutes(10);
/// How long networks of sign-ins are remembered, and how many per account.
const LATELY: Duration = Duration::days(30);
const ADDRESSES: u64 = 10;

const MAIL_GAP: Rule = Rule::Window { limit: 1, length: Duration::minutes(1) };
const MAILS: Rule = Rule::Window { limit: 5, length: Duration::hours(1) };
const MAILS_OF_ADDRESS: Rule = Rule::Window { limit: 20, length: Duration::hours(1) };
const SIGN_UPS: Rule = Rule::Window { limit: 20, length: Duration::hours(1) };

/// Cheap to clone.
#[derive(Clone)]
pub struct Throttle {
    db: Db,
    clock: Clock,
    key: hmac::Key,
    account: Rule,
    address: Rule,
    /// Maximum number of concurrent attempts on one account.
    at_once: u32,
    turns: Turns,
    lately: Lately,
}

/// A sign-in attempt that [`Throttle::look`] admitted.
pub struct Attempt {
    /// The account's counter for attempts from any address.
    name: Key,
    /// The counter that counts this attempt: `name` or, if `known`, the account's counter for this address.
    account: Key,
    address: Option<Key>,
    network: Option<String>,
    /// Whether the account recently signed in from the address.
    known: bool,
    /// Whether the attempt was counted against the address.
    counted: bool,
    /// Held until the attempt is over.
    _turn: Turn,
}

impl Throttle {
    pub fn new(db: Db, clock: Clock, config: &kit::config::Auth) -> Self {
        let seconds = |count: u32| Duration::seconds(i64::from(count));
        Self {
            db,
            clock,
            key: hmac::Key::new(hmac::HMAC_SHA256, config.service_secret.first().as_bytes()),
            account: Rule::Backoff { free: config.free_attempts, longest: seconds(config.max_wait_seconds) },
            address: Rule::Window { limit: config.address_attempts, length: ADDRESS_WINDOW },
            at_once: config.free_attempts,
            turns: Turns::default(),
            lately: Lately::default(),
        }
    }

    /// Checks whether this account may be tried from this address now. Counts nothing, so that refusing a
    /// flood causes no writes.
    pub async fn look(&self, username: &str, address: &str) -> Result<Attempt> {
        let now = self.clock.now();
        let name = fold(username);
        let network = network::of(address);
        let account = self.digest(&["account", &name]);
        if let Some(until) = self.lately.closed_until(&account, network.as_deref(), now) {
            return Err(refused(until - now));
        }
        // Skip the query for a name that no account can have, because some of these names would make it fail.
        let networks = match Username::known(username) {
            Ok(name) => self.known_networks(&name.key, now).await?,
            Err(_) => Vec::new(),
        };
        let known = network.as_ref().filter(|network| networks.contains(network));
        let apart = known.map(|network| self.digest(&["account from address", &name, network]));
        let counted = apart.unwrap_or_else(|| account.clone());
        let turn = self.turns.begin(&counted, self.at_once);
        let attempt = Attempt {
            _turn: turn.ok_or_else(|| refused(Duration::seconds(1)))?,
            known: known.is_some(),
            account: counted,
            address: network.as_ref().map(|network| self.digest(&["address", network])),
            network,
            name: account,
            counted: false,
        };
        let db = self.db.read();
        if let Some(until) = counters::closed_until(db, &attempt.account, self.account, now).await? {
            if !attempt.known {
                self.lately.note(attempt.name, until, networks);
            }
            return Err(refused(until - now));
        }
        if let Some(address) = attempt.address.as_ref().filter(|_| !attempt.known)
            && let Some(until) = counters::closed_until(db, address, self.address, now).await?
        {
            return Err(refused(until - now));
        }
        Ok(attempt)
    }

    /// Counts the attempt as a wrong one. Refuses it if no attempt is allowed any more.
    pub async fn count(&self, attempt: &mut Attempt) -> Result<()> {
        let now = self.clock.now();
        let tx = self.db.begin().await?;
        // Always take the counters in this order, to avoid deadlocks.
        let closed = if !counters::take(&tx, &attempt.account, self.account, now).await? {
            Some((&attempt.account, self.account))
        } else if let Some(address) = &attempt.address {
            attempt.counted = counters::take(&tx, address, self.address, now).await?;
            (!attempt.counted && !attempt.known).then_some((address, self.address))
        } else {
            None
        };
        match closed {
            None => {
                kit::fail_point("auth.guess.counted");
                tx.commit().await
            }
            Some((key, rule)) => Err(refused_by(&tx, key, rule, now).await?),
        }
    }

    /// Uncounts a successful attempt and remembers its network, in the transaction that stores the attempt's
    /// result.
    pub async fn right(&self, tx: &Tx, attempt: &Attempt, user_id: Uuid) -> Result<()> {
        let now = self.clock.now();
        self.lately.forget(&attempt.name);
        counters::forget(tx, vec![attempt.account.clone()]).await?;
        if let (Some(address), true) = (&attempt.address, attempt.counted) {
            counters::give_back(tx, address, now).await?;
        }
        match &attempt.network {
            Some(network) => remember(tx, user_id, network, now).await,
            None => Ok(()),
        }
    }

    /// Deletes the counters of an account that gets a new password, so that attempts on it start from zero.
    pub async fn forget(&self, tx: &Tx, user_id: Uuid, username_key: &str) -> Result<()> {
        use sign_in_address::{Column, Entity};
        let addresses: Vec<String> = Entity::find()
            .select_only()
            .column(Column::Address)
            .filter(Column::UserId.eq(user_id))
            .limit(ADDRESSES)
            .into_tuple()
            .all(&**tx)
            .await
            .map_err(db)?;
        let account = self.digest(&["account", username_key]);
        self.lately.forget(&account);
        let mut keys = vec![account];
        keys.extend(
            addresses.iter().map(|network| self.digest(&["account from address", username_key, network])),
        );
        counters::forget(tx, keys).await
    }

    /// Counts a mail with a reset link and returns true, unless a limit of this account or address is
    /// reached.
    pub async fn may_mail(&self, tx: &Tx, user_id: Uuid, address: &str) -> Result<bool> {
        let (now, user_id) = (self.clock.now(), user_id.to_string());
        let mut counted = vec![
            (self.digest(&["mail gap", &user_id]), MAIL_GAP),
            (self.digest(&["mails", &user_id]), MAILS),
        ];
        if let Some(network) = network::of(address) {
            counted.push((self.digest(&["mails of address", &network]), MAILS_OF_ADDRESS));
        }
        for (key, rule) in counted {
            if !counters::take(tx, &key, rule, now).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Refuses a sign-up that [`Throttle::may_sign_up`] would refuse now. Counts nothing, so that refusing a
    /// flood causes neither hashes nor writes.
    pub async fn look_at_sign_up(&self, address: &str) -> Result<()> {
        let now = self.clock.now();
        match counters::closed_until(self.db.read(), &self.sign_ups(address), SIGN_UPS, now).await? {
            Some(until) => Err(refused(until - now)),
            None => Ok(()),
        }
    }

    /// Counts a sign-up or refuses it.
    pub async fn may_sign_up(&self, tx: &Tx, address: &str) -> Result<()> {
        let now = self.clock.now();
        let key = self.sign_ups(address);
        if counters::take(tx, &key, SIGN_UPS, now).await? {
            return Ok(());
        }
        Err(refused_by(tx, &key, SIGN_UPS, now).await?)
    }

    /// Returns the key of the counter of sign-ups from an address. Unknown addresses share one.
    fn sign_ups(&self, address: &str) -> Key {
        self.digest(&["sign-ups", &network::of(address).unwrap_or_default()])
    }

    /// Returns the networks that the account of this name recently signed in from; empty when there is no
    /// account.
    async fn known_networks(&self, username_key: &str, now: DateTime<Utc>) -> Result<Vec<String>> {
        use sign_in_address::{Column, Entity};
        let of_account = Entity::belongs_to(user::Entity).from(Column::UserId).to(user::Column::Id).into();
        Entity::find()
            .select_only()
            .column(Column::Address)
            .join(JoinType::InnerJoin, of_account)
            .filter(user::Column::UsernameKey.eq(username_key))
            .filter(Column::LastUsedAt.gt(now - LATELY))
            .limit(ADDRESSES)
            .into_tuple()
            .all(self.db.read())
            .await
            .map_err(db)
    }

    /// Returns a counter's key, which reveals nothing to somebody who has only the database.
    fn digest(&self, parts: &[&str]) -> Key {
        let mut context = hmac::Context::with_key(&self.key);
        context.update(PURPOSE);
        for part in parts {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part.as_bytes());
        }
        context.sign().as_ref().to_vec()
    }
}

/// Remembers the network of a sign-in. Beyond the limit, forgets the one that was used least recently.
async fn remember(tx: &Tx, user_id: Uuid, network: &str, now: DateTime<Utc>) -> Result<()> {
    use sign_in_address::{ActiveModel, Column, Entity};
    let row = ActiveModel { user_id: Set(user_id), address: Set(network.to_owned()), last_used_at: Set(now) };
    Entity::insert(row)
        .on_conflict(
            OnConflict::columns([Column::UserId, Column::Address])
                .update_column(Column::LastUsedAt)
                .to_owned(),
        )
        .exec_without_returning(&**tx)
        .await
        .map_err(db)?;
    let mut newest = Query::select();
    newest
        .column(Column::Address)
        .from(Entity)
        .and_where(Expr::col(Column::UserId).eq(user_id))
        .order_by(Column::LastUsedAt, sea_orm::Order::Desc)
        .order_by(Column::Address, sea_orm::Order::Asc)
        .limit(ADDRESSES);
    Entity::delete_many()
        .filter(Column::UserId.eq(user_id))
        .filter(Condition::all().add(Expr::col(Column::Address).not_in_subquery(newest)))
        .exec(&**tx)
        .await
        .map_err(db)?;
    Ok(())
}

/// Deletes old networks of sign-ins.
pub async fn forget_addresses(db_: &Db, now: DateTime<Utc>, doubts: &Doubts) -> Result<()> {
    use sign_in_address::{Column, Entity};
    let over = Condition::all().add(Column::LastUsedAt.lte(now - LATELY));
    if !doubts.allow_rows::<Entity>(db_, "addresses", over.clone()).await? {
        return Ok(());
    }
    let tx = db_.begin().await?;
    Entity::delete_many().filter(over).exec(&*tx).await.map_err(db)?;
    tx.commit().await
}

async fn refused_by(tx: &Tx, key: &Key, rule: Rule, now: DateTime<Utc>) -> Result<Error> {
    let until = counters::closed_until(&**tx, key, rule, now).await?;
    Ok(refused(until.map_or(Duration::seconds(1), |until| until - now)))
}

fn refused(wait: Duration) -> Error {
    // Round up, so that a retry after this time is admitted.
    let seconds = Ord::max(wait.num_milliseconds(), 1).unsigned_abs().div_ceil(1000);
    let wait = match seconds {
        1 => "1 second".to_owned(),
        2..=90 => format!("{seconds} seconds"),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    };
    Error::rate_limited(
        "SIGN_IN_THROTTLED",
        format!("Too many attempts. Try again in {wait}."),
        std::time::Duration::from_secs(seconds),
    )
}
