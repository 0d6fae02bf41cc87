//! Postgres: one pool of connections for everything.

use std::time::Duration;

use kit::config::Database as DatabaseConfig;
use sea_orm::ConnectOptions;

use super::{is_reusable, no_delay, quiet};

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
            .after_release(|connection, _| Box::pin(is_reusable(connection)))
        })
        .statement_timeout(Duration::from_secs(config.statement_timeout_seconds));
    options
}
