//! Postgres: one pool of connections for everything.

use std::time::Duration;

use kit::config::Database as DatabaseConfig;
use sea_orm::ConnectOptions;
use sea_orm::sqlx::{self, Connection, PgConnection};

use super::{is_reusable, no_delay, quiet};

/// How long a connection may be idle before it is tested. Testing each time would double the round trips of most
/// requests.
const TRUSTED: Duration = Duration::from_secs(1);

pub(super) fn options(url: &str, config: &DatabaseConfig) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    quiet(&mut options);
    options
        .max_connections(config.max_connections)
        .min_connections(1)
        .set_application_name("waybill")
        .map_sqlx_postgres_pool_opts(|it| {
            it.after_connect(|_, _| {
                no_delay::set();
                Box::pin(std::future::ready(Ok(())))
            })
            .before_acquire(|connection, state| Box::pin(is_alive(connection, state.idle_for)))
            .after_release(|connection, _| Box::pin(is_reusable(connection)))
        })
        .test_before_acquire(false)
        .statement_timeout(Duration::from_secs(config.statement_timeout_seconds));
    options
}

/// Returns whether an idle connection still answers: the server or something on the way may have ended it.
async fn is_alive(connection: &mut PgConnection, idle: Duration) -> Result<bool, sqlx::Error> {
    if idle > TRUSTED {
        connection.ping().await?;
    }
    Ok(true)
}
