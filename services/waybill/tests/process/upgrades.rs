//! First starts and upgrades that are killed, or that two processes begin at the same time.

use std::path::Path;
use std::process::Stdio;

use store::Db;
use store::testing::{config, kills};
use waybill::target::SERVICES;

use crate::program::{Ports, refused};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_service_starts_after_a_kill_at_any_statement_of_its_migrations() {
    for row in SERVICES {
        kills::survives_a_kill_at_every_statement(row.migrations).await;
    }
}

/// Without the lock, one of the processes would fail with "table already exists".
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_migrate_one_folder_at_once_wait_for_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let programs: Vec<_> = (0..4)
        .map(|_| {
            let mut command = Ports::free().command(&data);
            command.arg("migrate").stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for program in programs {
        let output = program.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    for row in SERVICES {
        let db = open(&data, row.name).await;
        row.migrations.require_current(&db, row.name).await.unwrap();
        db.close().await;
    }
}

/// They would upgrade some databases and not others, and without a copy of all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commands_that_create_databases_do_not_upgrade_them() {
    kit::install_crypto();
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut before = Vec::new();
    for row in SERVICES {
        let db = open(&data, row.name).await;
        let all = u32::try_from(row.migrations.count()).unwrap();
        row.migrations.first(&db, all - 1).await.unwrap();
        before.push(kills::schema(&db).await);
        db.close().await;
    }
    let admin =
        ["admin", "create", "--username", "maria", "--email", "maria@example.com", "--password-stdin"];
    for arguments in [&admin[..], &["seed", "--deliveries", "1"]] {
        let mut command = Ports::free().command(&data);
        command.args(arguments);
        let text = refused(command);
        assert!(text.contains("Run `waybill migrate` first"), "{text}");
    }
    for (row, before) in SERVICES.iter().zip(before) {
        let db = open(&data, row.name).await;
        assert_eq!(kills::schema(&db).await, before, "{}", row.name);
        db.close().await;
    }
}

async fn open(data: &Path, service: &str) -> Db {
    Db::connect(&format!("sqlite://{}/{service}.db", data.display()), &config()).await.unwrap()
}
