//! The Postgres roles of a deployment. Each role has its own database and nothing else.

use std::path::Path;
use std::process::Command;

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbErr};
use store::testing::{drop_postgres, postgres_url};

use super::names;

/// Returns the URL at which a role connects to a database.
fn address(role: &str, database: &str) -> String {
    let admin = postgres_url();
    let (scheme, rest) = admin.split_once("://").unwrap();
    let host = rest.split_once('@').map_or(rest, |(_, host)| host);
    let (host, _) = host.split_once('/').unwrap();
    format!("{scheme}://{role}:secret-of-{role}@{host}/{database}")
}

async fn open(address: &str) -> Result<DatabaseConnection, DbErr> {
    let mut options = sea_orm::ConnectOptions::new(address);
    options.max_connections(1).sqlx_logging(false).connect_timeout(std::time::Duration::from_secs(10));
    Database::connect(options).await
}

async fn refused(connection: &DatabaseConnection, sql: &str) {
    let error = connection.execute_unprepared(sql).await.unwrap_err().to_string();
    assert!(error.contains("permission denied") || error.contains("must be"), "{sql}: {error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_reaches_its_own_database_alone() {
    kit::install_crypto();
    let dir = tempfile::tempdir().unwrap();
    let prefix = format!("role_{}_", kit::clock::new_id().simple());
    for service in names() {
        let password = format!("secret-of-{prefix}{service}\n");
        std::fs::write(dir.path().join(format!("{service}_database_password")), password).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/databases.sh");
    let done = Command::new("bash")
        .arg(script)
        .env("WAYBILL_ADMIN_URL", postgres_url())
        .env("WAYBILL_SECRETS", dir.path())
        .env("WAYBILL_PREFIX", &prefix)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));

    for service in names() {
        let role = format!("{prefix}{service}");
        let own = open(&address(&role, &role)).await.unwrap();
        // The service changes its schema, as migrations do.
        for sql in
            ["CREATE EXTENSION pg_trgm", "CREATE TABLE t (x text)", "CREATE TEMPORARY TABLE u (x text)"]
        {
            own.execute_unprepared(sql).await.unwrap_or_else(|error| panic!("{service}: {sql}: {error}"));
        }
        for sql in [
            "CREATE DATABASE more",
            "CREATE ROLE more",
            "ALTER ROLE CURRENT_USER SUPERUSER",
            "SELECT pg_read_file('/etc/passwd')",
            "COPY t FROM PROGRAM 'id'",
            "SELECT rolpassword FROM pg_authid",
        ] {
            refused(&own, sql).await;
        }
        own.close().await.unwrap();
        for other in names().filter(|other| *other != service) {
            let error = open(&address(&role, &format!("{prefix}{other}"))).await.unwrap_err().to_string();
            assert!(error.contains("permission denied for database"), "{service} in {other}: {error}");
        }
    }
    let admin = open(&postgres_url()).await.unwrap();
    for service in names() {
        drop_postgres(&format!("{prefix}{service}")).await;
        admin.execute_unprepared(&format!("DROP ROLE {prefix}{service}")).await.unwrap();
    }
    admin.close().await.unwrap();
}
