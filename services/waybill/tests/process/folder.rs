//! Two programs cannot share a folder or a port, and some folders are unusable. In each case the program
//! refuses to start, with a helpful message.

use crate::program::{Ports, Program, refused};

/// A second process would delete unfinished uploads of the first, and take its leases.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_program_on_the_same_folder_is_refused_in_words() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let program = Program::start(&data).await;
    let text = refused(Ports::free().command(&data));
    assert!(text.contains("Another Waybill"), "{text}");
    assert!(text.contains(&format!("process {}", program.child.id())), "{text}");
    assert!(text.contains(data.to_str().unwrap()) && text.contains("--data"), "{text}");
    // A killed process releases the folder.
    program.kill();
    drop(Program::start(&data).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_port_that_is_taken_is_named_by_the_setting_that_changes_it() {
    let dir = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    for section in ["http", "ops", "ingest"] {
        let mut ports = Ports::free();
        match section {
            "http" => ports.http = port,
            "ops" => ports.ops = port,
            _ => ports.ingest = port,
        }
        let text = refused(ports.command(&dir.path().join(section)));
        assert!(text.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{text}");
        let variable = format!("WAYBILL__{}__PORT", section.to_uppercase());
        assert!(text.contains(&format!("{section}.port")) && text.contains(&variable), "{text}");
        assert_eq!(text.contains("--listen"), section == "http", "{text}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    // The user who runs the tests may be able to write everywhere, but nobody can create a folder inside a
    // file.
    let data = file.join("data");
    let text = refused(Ports::free().command(&data));
    assert!(text.contains(data.to_str().unwrap()) && text.contains("--data"), "{text}");
    let mut migrate = Ports::free().command(&data);
    migrate.arg("migrate");
    let text = refused(migrate);
    assert!(text.contains(data.join("auth.db").to_str().unwrap()), "{text}");
}
