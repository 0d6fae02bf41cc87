//! Postgres: one pool of connections for everything, and one connection for readiness checks.

use std::io;
use std::time::Duration;

use kit::config::Database as DatabaseConfig;
use sea_orm::ConnectOptions;
use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{self, Connection, PgConnection};

use super::{is_reusable, keepalive, no_delay, quiet};

/// How long a connection may be idle before it is tested. Testing each time would double the round trips of most
/// requests.
const TRUSTED: Duration = Duration::from_secs(1);
/// How long a test of a connection may take. It is shorter than the time to acquire a connection, which then
/// suffices to open another one.
const ANSWER: Duration = Duration::from_secs(2);

pub(super) fn options(url: &str, config: &DatabaseConfig) -> ConnectOptions {
    // The server ends a statement whose caller is gone at its own limit.
    let longest = Duration::from_secs(config.statement_timeout_seconds) + ANSWER;
    let mut options = pool(url, config, longest);
    options.max_connections(config.max_connections).min_connections(1);
    options
}

/// Returns the options of the connection for readiness checks, which is opened by the first check.
pub(super) fn probe_options(url: &str, config: &DatabaseConfig) -> ConnectOptions {
    let mut options = pool(url, config, ANSWER);
    options.max_connections(1).connect_lazy(true);
    options
}

/// `longest` is how long a statement of this pool may take.
fn pool(url: &str, config: &DatabaseConfig, longest: Duration) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    quiet(&mut options);
    // An invalid address fails when connecting. No connection has port 0.
    let port = url.parse::<PgConnectOptions>().map_or(0, |it| it.get_port());
    options
        .set_application_name("waybill")
        .map_sqlx_postgres_pool_opts(move |it| {
            it.after_connect(move |_, _| {
                no_delay::set();
                keepalive::set(port);
                Box::pin(std::future::ready(Ok(())))
            })
            .before_acquire(|connection, state| Box::pin(is_alive(connection, state.idle_for)))
            .after_release(move |connection, _| Box::pin(is_returnable(connection, longest)))
        })
        .test_before_acquire(false)
        .statement_timeout(Duration::from_secs(config.statement_timeout_seconds));
    options
}

/// Returns whether an idle connection still answers: the server or something on the way may have ended it.
async fn is_alive(connection: &mut PgConnection, idle: Duration) -> Result<bool, sqlx::Error> {
    if idle > TRUSTED {
        within(ANSWER, connection.ping()).await?;
    }
    Ok(true)
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
    use std::time::Instant;

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
}
