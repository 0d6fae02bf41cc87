//! Postgres: one pool of connections for everything, and one connection for readiness checks.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kit::config::Database as DatabaseConfig;
use sea_orm::ConnectOptions;
use sea_orm::sqlx::pool::PoolConnectionMetadata;
use sea_orm::sqlx::{self, Connection, Executor, PgConnection, Row};

use super::{is_reusable, keepalive, no_delay, quiet};

/// How long a connection may be idle before it is tested. Testing each time would double the round trips of most
/// requests.
const TRUSTED: Duration = Duration::from_secs(1);
/// How long a test of a connection may take. It is shorter than the time to acquire a connection, which then
/// suffices to open another one.
const ANSWER: Duration = Duration::from_secs(2);
/// Age from which a connection to a server that accepts no changes is replaced. A younger one shows that new
/// connections do not reach another server yet.
const REPLACED: Duration = Duration::from_secs(3);
/// After a connection was found whose server accepts no changes, each connection is tested before it is used, for
/// this long.
const SUSPECTED: Duration = Duration::from_secs(60);
/// Makes the server end a session whose transaction has waited a minute for its next statement: a process that hangs
/// would keep its locks for good. No transaction waits that long for anything else, such as the storage.
const LONGEST_IDLE: &str = "SET idle_in_transaction_session_timeout = 60000";
/// Asks whether the server accepts no changes. The answer is `on` on a standby and on a server that was made
/// read-only, otherwise `off`.
pub(super) const IS_READ_ONLY: &str = "SHOW transaction_read_only";

/// When a connection was last found whose server accepts no changes. Shared by the pools of a database: after a switch
/// to another server, old connections may still lead to the former one, and a busy connection is never idle for
/// long enough to be tested.
#[derive(Clone, Default)]
pub(super) struct Demotion(Arc<Mutex<Option<Instant>>>);

impl Demotion {
    fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn is_suspected(&self) -> bool {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|at| at.elapsed() < SUSPECTED)
    }
}

pub(super) fn options(url: &str, config: &DatabaseConfig, demotion: &Demotion) -> ConnectOptions {
    // The server ends a statement whose caller is gone at its own limit.
    let longest = Duration::from_secs(config.statement_timeout_seconds) + ANSWER;
    let mut options = pool(url, config, longest, demotion);
    options.max_connections(config.max_connections).min_connections(1);
    options
}

/// Returns the options of the connection for readiness checks, which is opened by the first check.
pub(super) fn probe_options(url: &str, config: &DatabaseConfig, demotion: &Demotion) -> ConnectOptions {
    let mut options = pool(url, config, ANSWER, demotion);
    options.max_connections(1).connect_lazy(true);
    options
}

/// `longest` is how long a statement of this pool may take.
fn pool(url: &str, config: &DatabaseConfig, longest: Duration, demotion: &Demotion) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    let demotion = demotion.clone();
    quiet(&mut options);
    let port = keepalive::port_of(url);
    options
        .set_application_name("waybill")
        .map_sqlx_postgres_pool_opts(move |it| {
            let demotion = demotion.clone();
            it.after_connect(move |connection, _| {
                no_delay::set();
                Box::pin(limit(port, connection))
            })
            .before_acquire(move |connection, state| {
                let demotion = demotion.clone();
                Box::pin(async move { is_usable(connection, &state, &demotion).await })
            })
            .after_release(move |connection, _| Box::pin(is_returnable(connection, longest)))
        })
        .test_before_acquire(false)
        .statement_timeout(Duration::from_secs(config.statement_timeout_seconds));
    options
}

/// Makes the server end the session of a caller that is gone.
async fn limit(port: u16, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    keepalive::set_at_both_ends(port, connection).await?;
    connection.execute(LONGEST_IDLE).await.map(|_| ())
}

/// Returns whether an idle connection may be used; otherwise a new one takes its place. The server or something on the
/// way may have ended it, and its server may accept no changes any more while another one does.
async fn is_usable(
    connection: &mut PgConnection,
    state: &PoolConnectionMetadata,
    demotion: &Demotion,
) -> Result<bool, sqlx::Error> {
    if state.idle_for <= TRUSTED && !demotion.is_suspected() {
        return Ok(true);
    }
    let answer = within(ANSWER, connection.fetch_one(IS_READ_ONLY)).await?;
    if answer.try_get::<String, _>(0)? != "on" {
        return Ok(true);
    }
    demotion.note();
    Ok(state.age < REPLACED)
}

/// Returns whether a connection may go back to the pool. On an error, sqlx closes it without a farewell to the
/// server.
///
/// sqlx pings each connection that comes back, without a time limit. A connection over which a caller stopped
/// waiting keeps its place in the pool until its statement ends, and would keep it for good if the link is dead. So
/// wait for the rest of such an answer here, no longer than the server works on a statement. Without one, `flush`
/// does nothing: the common case has no further round trip. A link that dies between two statements is left to the
/// socket options of `keepalive`.
async fn is_returnable(connection: &mut PgConnection, longest: Duration) -> Result<bool, sqlx::Error> {
    within(longest, connection.flush()).await?;
    within(ANSWER, is_reusable(connection)).await
}

/// Fails if there is no answer within this time.
async fn within<T>(
    time: Duration,
    answer: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, sqlx::Error> {
    match tokio::time::timeout(time, answer).await {
        Ok(answer) => answer,
        Err(_) => Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())),
    }
}

#[cfg(test)]
mod tests {
    use kit::testing::Proxy;
    use sea_orm::{ConnectionTrait, DbBackend, Statement};
    use tokio::task::JoinSet;
    use tokio::time::{sleep, timeout};

    use super::*;
    use crate::Db;
    use crate::testing::{config, create_postgres, drop_postgres};

    /// Starts a proxy in front of the server of `url`; returns it and the address through it.
    async fn behind_proxy(url: &str) -> (Proxy, String) {
        let (server, name) = url.rsplit_once('/').unwrap();
        let (user, server) = server.rsplit_once('@').unwrap();
        let proxy = Proxy::start(server).await.unwrap();
        let url = format!("{user}@{}/{name}", proxy.address());
        (proxy, url)
    }

    async fn asleep(db: &Db) -> i64 {
        let sql = "SELECT count(*) AS asleep FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event = 'PgSleep'";
        let row = db.read().query_one_raw(Statement::from_string(DbBackend::Postgres, sql)).await;
        row.unwrap().unwrap().try_get("", "asleep").unwrap()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn links_that_die_under_calls_do_not_take_the_pool_along() {
        let (url, name) = create_postgres().await;
        let (proxy, through) = behind_proxy(&url).await;
        let config = kit::config::Database { statement_timeout_seconds: 5, ..config() };
        let db = Db::connect(&through, &config).await.unwrap();
        let direct = Db::connect(&url, &config).await.unwrap();
        let mut calls = JoinSet::new();
        for _ in 0..config.max_connections {
            let db = db.clone();
            calls.spawn(async move { db.read().execute_unprepared("SELECT pg_sleep(25)").await });
        }
        let begun = Instant::now();
        while asleep(&direct).await < i64::from(config.max_connections) {
            assert!(begun.elapsed() < Duration::from_secs(10), "the calls did not begin");
            sleep(Duration::from_millis(20)).await;
        }
        // The pool is used up, and the database is there.
        timeout(Duration::from_secs(4), db.ping()).await.unwrap().unwrap();
        proxy.strand();
        // The callers stop waiting, as handlers do at their deadline.
        calls.shutdown().await;
        let begun = Instant::now();
        while !matches!(timeout(Duration::from_secs(6), db.read().ping()).await, Ok(Ok(()))) {
            assert!(begun.elapsed() < Duration::from_secs(20), "the pool never came back");
        }
        timeout(Duration::from_secs(10), db.close()).await.unwrap();
        direct.close().await;
        drop_postgres(&name).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_idle_link_that_died_is_replaced_within_the_call() {
        let (url, name) = create_postgres().await;
        let (proxy, url) = behind_proxy(&url).await;
        let db = Db::connect(&url, &config()).await.unwrap();
        for connection in [&db.reader, &db.probe] {
            connection.ping().await.unwrap();
        }
        // The connections must be back in their pools: giving one back takes a round trip.
        sleep(Duration::from_millis(500)).await;
        proxy.strand();
        sleep(TRUSTED + Duration::from_millis(200)).await;
        let pings = [&db.reader, &db.probe].map(|it| timeout(Duration::from_secs(10), it.ping()));
        for answer in futures::future::join_all(pings).await {
            answer.unwrap().unwrap();
        }
        db.close().await;
        drop_postgres(&name).await;
    }

    // The proxy gives the test a port of its own. Its kernel acknowledges everything, so a test cannot wait
    // for the options to take effect.
    #[cfg(target_os = "linux")]
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn connections_of_a_pool_have_the_options() {
        let (url, name) = create_postgres().await;
        let (proxy, url) = behind_proxy(&url).await;
        let db = Db::connect(&url, &config()).await.unwrap();
        db.ping().await.unwrap();
        let mut found = Vec::new();
        no_delay::each_open_file(|number| {
            if keepalive::peer_port(number) == Some(proxy.address().port()) {
                found.push(keepalive::tests::options(number));
            }
        });
        assert!(found.contains(&Ok(Some([5, 2, 3, 10_000]))), "{found:?}");
        db.close().await;
        drop_postgres(&name).await;
    }

    /// Returns the text that a query answers.
    async fn text(connection: &impl ConnectionTrait, sql: &str) -> String {
        let row = connection.query_one_raw(Statement::from_string(DbBackend::Postgres, sql)).await;
        row.unwrap().unwrap().try_get_by_index(0).unwrap()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn the_server_ends_the_session_of_a_caller_that_is_gone() {
        let (url, name) = create_postgres().await;
        let db = Db::connect(&url, &config()).await.unwrap();
        let tx = db.begin().await.unwrap();
        let limits = "SELECT concat_ws(' ', current_setting('tcp_keepalives_idle'), \
             current_setting('tcp_keepalives_interval'), current_setting('tcp_keepalives_count'), \
             current_setting('tcp_user_timeout'), current_setting('idle_in_transaction_session_timeout'))";
        assert_eq!(text(&*tx, limits).await, "5 2 3 10000 1min");
        let session = text(&*tx, "SELECT pg_backend_pid()::text").await;
        tx.execute_unprepared("SET LOCAL idle_in_transaction_session_timeout = 20").await.unwrap();
        let sessions = format!("SELECT count(*)::text FROM pg_stat_activity WHERE pid = {session}");
        let begun = Instant::now();
        while text(&db.reader, &sessions).await != "0" {
            assert!(begun.elapsed() < Duration::from_secs(10), "the session stayed");
            sleep(Duration::from_millis(20)).await;
        }
        let refused = tx.execute_unprepared("SELECT 1").await.map_err(crate::db).unwrap_err();
        assert_eq!((refused.kind, refused.reason.as_str()), (kit::Kind::Unavailable, "DATABASE_BUSY"));
        drop(tx);
        db.begin().await.unwrap().commit().await.unwrap();
        db.close().await;
        drop_postgres(&name).await;
    }

    /// Makes the server that this connection leads to look like one that was demoted. New connections reach one that
    /// accepts changes.
    async fn demote(connection: &sea_orm::DatabaseConnection) {
        connection.execute_unprepared("SET default_transaction_read_only = on").await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn busy_connections_to_a_server_that_was_demoted_are_replaced() {
        let (url, name) = create_postgres().await;
        let config = kit::config::Database { max_connections: 1, ..config() };
        let db = Db::connect(&url, &config).await.unwrap();
        let change = "CREATE TABLE IF NOT EXISTS note (name TEXT)";
        let begun = Instant::now();
        demote(&db.writer).await;
        demote(&db.probe).await;
        let refused = db.writer.execute_unprepared(change).await.map_err(crate::db).unwrap_err();
        assert_eq!(refused.reason, "DATABASE_UNAVAILABLE");
        // Used so often that the connection is never idle for as long as it is trusted.
        let changing = async {
            while db.writer.execute_unprepared(change).await.is_err() {
                assert!(begun.elapsed() < Duration::from_secs(30), "the connection stayed");
                sleep(Duration::from_millis(100)).await;
            }
        };
        let probing = async {
            loop {
                sleep(TRUSTED + Duration::from_millis(200)).await;
                let _ = db.require_writable().await;
            }
        };
        tokio::select! {
            () = changing => {}
            () = probing => {}
        }
        while db.require_writable().await.is_err() {
            assert!(begun.elapsed() < Duration::from_secs(30), "the connection of the probe stayed");
            sleep(Duration::from_millis(100)).await;
        }
        db.close().await;
        drop_postgres(&name).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_server_that_accepts_no_changes_answers_and_is_not_writable() {
        let (url, name) = create_postgres().await;
        let db = Db::connect(&url, &config()).await.unwrap();
        db.require_writable().await.unwrap();
        let sql = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
        db.writer.execute_unprepared(&sql).await.unwrap();
        db.close().await;
        let db = Db::connect(&url, &config()).await.unwrap();
        db.ping().await.unwrap();
        let refused = db.require_writable().await.unwrap_err();
        assert_eq!((refused.kind, refused.reason.as_str()), (kit::Kind::Unavailable, "DATABASE_UNAVAILABLE"));
        let tx = db.begin().await.unwrap();
        let refused = tx.execute_unprepared("CREATE TABLE note (name TEXT)").await.map_err(crate::db);
        assert_eq!(refused.unwrap_err().reason, "DATABASE_UNAVAILABLE");
        drop(tx);
        db.close().await;
        drop_postgres(&name).await;
    }
}
