//! Two programs cannot share a folder or a port, and some folders are unusable. In each case the program
//! refuses to start, with a helpful message.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Stdio;

use waybill::target::SERVICES;

use crate::program::{Ports, Program, refused, strace, through};

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

#[test]
fn data_is_in_the_folder_that_was_given_whatever_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let run = |data: &str, arguments: &[&str]| {
        let mut command = Ports::free().command(Path::new(data));
        let output = command.args(arguments).current_dir(dir.path()).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{data}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let names = ["a b", "a%41", "a?b", "a:b"];
    for name in names {
        let (backup, restored) = (format!("{name} backup"), format!("{name} restored"));
        run(name, &["migrate"]);
        run(name, &["backup", "--to", &backup]);
        run(&restored, &["restore", "--from", &backup]);
        for row in SERVICES {
            for folder in [name, restored.as_str()] {
                let file = dir.path().join(folder).join(format!("{}.db", row.name));
                assert!(file.is_file(), "{}", file.display());
            }
        }
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 3 * names.len());
}

/// FAT has no hard links, and some network drives have no locks. Without the check, the program would start, and refuse
/// every upload with "try again in a moment".
#[test]
fn a_disk_without_hard_links_or_locks_is_refused_in_words() {
    for (calls, answer) in [("?link,linkat", "EPERM"), ("flock", "ENOLCK")] {
        let Some(mut faulty) = strace(Path::new("/dev/null")) else { return };
        let dir = tempfile::tempdir().unwrap();
        let command = Ports::free().command(&dir.path().join("data"));
        faulty.args(["-e", &format!("trace={calls}"), "-e", &format!("inject={calls}:error={answer}")]);
        let text = refused(through(faulty, &command));
        assert!(text.contains(dir.path().join("data").to_str().unwrap()), "{text}");
        assert!(text.contains("no hard links or no file locks"), "{text}");
        assert!(text.contains("local disk") && text.contains("--data"), "{text}");
    }
}

/// Every file can be read by the user root, who may run the tests, so the file here is a link to itself.
#[test]
fn a_database_that_cannot_be_used_is_named_with_the_account() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("auth.db");
    std::os::unix::fs::symlink(&file, &file).unwrap();
    let user = std::fs::metadata(dir.path()).unwrap().uid();
    let text = refused(Ports::free().command(dir.path()));
    assert!(text.contains(file.to_str().unwrap()), "{text}");
    assert!(text.contains(&format!("runs as user {user}")), "{text}");
}
