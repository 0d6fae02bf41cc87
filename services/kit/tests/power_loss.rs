//! Tests that names are synced to disk before an upload is confirmed, and what is said of those that could not be, by
//! tracing system calls with strace.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bytes::Bytes;
use kit::blob::{Blob, Key, LocalBlob, LocalConfig};
use kit::clock::Clock;
use kit::config::{Flags, Target, load, private_dir};

const NAME: &str = "names_of_new_folders_are_on_disk_before_an_upload_is_answered";
const NAME_OF_FAILURES: &str = "a_name_that_could_not_be_synced_is_not_said_to_exist";
/// The environment variable that contains the folder of the traced process.
const TRACED: &str = "WAYBILL_TEST_TRACED";
/// The question mark allows for systems that only have the calls ending in "at".
const CALLS: &str = "trace=?mkdir,mkdirat,?link,linkat,?rename,?renameat,?renameat2,openat,fsync,fdatasync";

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Made(PathBuf),
    /// A finished file got its name.
    Linked(PathBuf),
    Synced(PathBuf),
    Opened(PathBuf),
}

/// Starts with an empty folder, uploads an object into it, and then writes a file that confirms the upload.
fn upload(dir: &Path) {
    let mut config = load(&Flags::default(), Target::All).unwrap().config;
    config.data = dir.join("data");
    private_dir(&config.data).unwrap();
    config.generate_secrets().unwrap();
    let secret = "s".repeat(32).into();
    let local = LocalConfig { root: config.data.join("objects"), public_url: None, secret };
    let blob = LocalBlob::new(local, Clock::system()).unwrap();
    let key = Key::parse("proof/4b1c/door.png").unwrap();
    let content = futures::stream::iter([Ok::<_, kit::Error>(Bytes::from_static(b"a picture"))]);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(blob.write_stream(&key, content, 1_000)).unwrap();
    std::fs::write(dir.join("answered"), "").unwrap();
}

/// Writes objects again whose names could not be synced. strace fails every sync of the folders `above` and
/// `failing/proof/4b1c`; a folder has such a name for as long as the disk is meant to fail.
fn write_again(dir: &Path) {
    let (objects, failing) = (dir.join("objects"), dir.join("failing"));
    let secret = "s".repeat(32).into();
    let config = LocalConfig { root: objects.clone(), public_url: None, secret };
    let local = LocalBlob::new(config, Clock::system()).unwrap();
    let blob = Blob::Local(local.clone());
    let key = |name: &str| Key::parse(&format!("proof/4b1c/{name}")).unwrap();
    let create = async |name: &str| {
        let created = blob.create(&key(name), Bytes::from_static(b"a picture")).await;
        created.map_err(|error| error.reason)
    };
    let upload = async |name: &str| {
        let content = futures::stream::iter([Ok::<_, kit::Error>(Bytes::from_static(b"a picture"))]);
        let uploaded = local.write_stream(&key(name), content, 1_000).await;
        uploaded.map(|_| ()).map_err(|error| error.reason)
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        create("first.png").await.unwrap();
        std::fs::rename(&objects, &failing).unwrap();
        std::os::unix::fs::symlink(&failing, &objects).unwrap();
        for _ in 0..2 {
            assert_eq!(create("door.png").await.unwrap_err(), "OBJECTS_UNAVAILABLE");
            assert_eq!(upload("sack.png").await.unwrap_err(), "OBJECTS_UNAVAILABLE");
        }
        std::fs::remove_file(&objects).unwrap();
        std::fs::rename(&failing, &objects).unwrap();
        assert_eq!(create("door.png").await.unwrap_err(), "OBJECT_EXISTS");
        assert_eq!(upload("sack.png").await.unwrap_err(), "OBJECT_EXISTS");
    });
    let new = dir.join("above/new");
    for _ in 0..2 {
        kit::folder::create(&new, 0o700).unwrap_err();
        assert!(!new.exists());
    }
}

/// Runs a test of this program once more, as a traced process with a folder.
fn run_again(strace: &mut Command, name: &str, dir: &Path) {
    let program = std::env::current_exe().unwrap();
    let ended = strace.arg(program).args(["--exact", name]).env(TRACED, dir).output().unwrap();
    let [said, failed] = [ended.stdout, ended.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    assert!(ended.status.success(), "{said}{failed}");
}

/// Returns the calls of a trace, one per item: strace splits a call when another thread interrupts it.
fn calls(trace: &str) -> Vec<String> {
    let (mut open, mut calls) = (HashMap::new(), Vec::new());
    for line in trace.lines() {
        let (thread, call) = line.trim_start().split_once(' ').unwrap();
        let call = call.trim_start();
        if let Some(begun) = call.strip_suffix(" <unfinished ...>") {
            open.insert(thread, begun);
        } else if let Some((_, end)) = call.split_once(" resumed>") {
            calls.push(format!("{}{end}", open.remove(thread).unwrap()));
        } else {
            calls.push(call.to_owned());
        }
    }
    calls
}

/// Returns the effect of a call; `None` if it failed.
fn step(call: &str) -> Option<Step> {
    let (asked, answer) = call.rsplit_once(" = ")?;
    if answer.starts_with('-') {
        return None;
    }
    let quoted = |number: usize| asked.split('"').nth(2 * number + 1).map(PathBuf::from);
    let file = || Some(PathBuf::from(asked.split_once('<')?.1.rsplit_once('>')?.0));
    match asked.split('(').next()? {
        "mkdir" | "mkdirat" => quoted(0).map(Step::Made),
        "link" | "linkat" | "rename" | "renameat" | "renameat2" => quoted(1).map(Step::Linked),
        "openat" => quoted(0).map(Step::Opened),
        "fsync" | "fdatasync" => file().map(Step::Synced),
        _ => None,
    }
}

/// Returns whether strace is installed and permitted. Fails if it does not work although scripts/test-rust.sh
/// found it.
fn can_trace() -> bool {
    let traced =
        Command::new("strace").args(["-f", "-qq", "-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    let can = traced.is_ok_and(|status| status.success());
    assert!(can || std::env::var_os("WAYBILL_STRACE").is_none(), "strace does not trace");
    can
}

#[test]
fn names_of_new_folders_are_on_disk_before_an_upload_is_answered() {
    if let Some(dir) = std::env::var_os(TRACED) {
        return upload(Path::new(&dir));
    }
    if !can_trace() {
        eprintln!("strace is missing or may not trace: nothing was tested");
        return;
    }
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path().canonicalize().unwrap();
    let trace = dir.join("trace");
    let mut strace = Command::new("strace");
    strace.args(["-f", "-y", "-qq", "-e", "signal=none", "-e", CALLS, "-o"]).arg(&trace);
    run_again(&mut strace, NAME, &dir);

    let trace = std::fs::read_to_string(trace).unwrap();
    let steps: Vec<Step> = calls(&trace).iter().filter_map(|call| step(call)).collect();
    let answered = steps.iter().position(|it| *it == Step::Opened(dir.join("answered")));
    let steps = &steps[..answered.expect("it ended")];
    let synced = |from: usize, path: &Path| steps[from..].contains(&Step::Synced(path.to_owned()));
    let mut named = Vec::new();
    for (at, it) in steps.iter().enumerate() {
        if let Step::Made(path) | Step::Linked(path) = it
            && let Ok(name) = path.strip_prefix(&dir)
        {
            assert!(synced(at, path.parent().unwrap()), "{} may be forgotten", path.display());
            named.push(name.to_str().unwrap());
        }
    }
    let expected = [
        "data",
        "data/secrets",
        "data/secrets/service_secret",
        "data/secrets/link_key",
        "data/objects",
        "data/objects/.incoming",
        "data/objects/proof",
        "data/objects/proof/4b1c",
        "data/objects/proof/4b1c/door.png",
    ];
    assert_eq!(named, expected);

    let data = dir.join("data");
    let linked_at = |path: &Path| steps.iter().position(|it| *it == Step::Linked(path.to_owned())).unwrap();
    let linked = linked_at(&data.join("objects/proof/4b1c/door.png"));
    let incoming = Step::Synced(data.join("objects/.incoming/proof+4b1c+door.png"));
    assert!(steps[..linked].contains(&incoming), "the content is on disk before it has its name");
    for secret in ["service_secret", "link_key"] {
        let path = data.join("secrets").join(secret);
        let written = Step::Synced(path.with_extension("unfinished"));
        assert!(steps[..linked_at(&path)].contains(&written), "{secret} may be empty");
    }
}

/// Whoever repeats a write takes `OBJECT_EXISTS` for its success, and a power failure could still lose the name.
#[test]
fn a_name_that_could_not_be_synced_is_not_said_to_exist() {
    if let Some(dir) = std::env::var_os(TRACED) {
        return write_again(Path::new(&dir));
    }
    if !can_trace() {
        eprintln!("strace is missing or may not trace: nothing was tested");
        return;
    }
    let temporary = tempfile::tempdir().unwrap();
    // strace compares paths as the system names them.
    let dir = temporary.path().canonicalize().unwrap();
    std::fs::create_dir(dir.join("above")).unwrap();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync"]);
    strace.args(["-e", "inject=fsync,fdatasync:error=EIO"]);
    for folder in ["above", "failing/proof/4b1c"] {
        strace.arg("-P").arg(dir.join(folder));
    }
    run_again(&mut strace, NAME_OF_FAILURES, &dir);
}
