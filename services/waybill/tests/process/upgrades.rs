//! First starts and upgrades that are killed, or that two processes begin at the same time.

use std::process::Stdio;

use store::Db;
use store::testing::{config, kills};
use waybill::target::SERVICES;

use crate::program::Ports;

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
        let url = format!("sqlite://{}/{}.db", data.display(), row.name);
        let db = Db::connect(&url, &config()).await.unwrap();
        row.migrations.require_current(&db, row.name).await.unwrap();
        db.close().await;
    }
}
