use super::*;

fn load_toml(text: &str, target: Target) -> Result<Loaded, Problems> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("waybill.toml");
    std::fs::write(&file, text).unwrap();
    load(&Flags { file: Some(file), ..Flags::default() }, target)
}

#[test]
fn the_defaults_run_everything_in_one_process() {
    let loaded = load_toml("", Target::All).unwrap();
    assert_eq!(loaded.config.http.port, 8080);
    assert_eq!(loaded.config.database.address(Path::new("d"), "auth"), "sqlite://d/auth.db");
}

#[test]
fn deliveries_have_their_defaults() {
    let read = load_toml("", Target::All).unwrap().config.deliveries;
    assert_eq!(read, Deliveries::default());
    let read = load_toml("[deliveries]\npod_requirement = [\"recipientName\"]", Target::All).unwrap();
    assert_eq!(read.config.deliveries.pod_requirement, [Proof::RecipientName]);
    let problems = load_toml("[deliveries]\nfailed_attempt_proof = \"pin\"", Target::All).unwrap_err();
    assert!(problems.to_string().contains("pin"), "{problems}");
}

#[test]
fn drivers_have_their_defaults() {
    assert_eq!(load_toml("", Target::All).unwrap().config.drivers, Drivers::default());
    let problems = load_toml("[drivers]\nstale_seconds = 60", Target::All).unwrap_err();
    assert!(problems.to_string().contains("drivers.stale_seconds"), "{problems}");
}

#[test]
fn unknown_keys_are_all_named() {
    let problems = load_toml("[http]\nprot = 1\n[auth]\nsecrets = 2", Target::All).unwrap_err().0;
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("auth.secrets") && problems[1].contains("http.prot"));
}

#[test]
fn ports_outside_their_range_are_refused() {
    for port in ["0", "65536", "-1", "\"many\""] {
        let problems = load_toml(&format!("[http]\nport = {port}"), Target::All).unwrap_err();
        assert!(problems.to_string().contains("port"), "{problems}");
    }
    assert!(load_toml("[http]\nport = 65535", Target::All).is_ok());
}

#[test]
fn every_wrong_value_is_reported_at_once() {
    let text =
        "[organization]\ntimezone = \"Manila\"\n[auth]\ntoken_seconds = 900\n[bus]\nnamespace = \"A b\"";
    assert_eq!(load_toml(text, Target::All).unwrap_err().0.len(), 3);
}

#[test]
fn a_service_alone_needs_its_neighbours() {
    let problems = load_toml("", Target::Upload).unwrap_err().to_string();
    for key in ["database.url", "bus.url", "blob.kind", "auth.service_secret"] {
        assert!(problems.contains(key), "{key} in {problems}");
    }
}

#[test]
fn secrets_are_masked_and_files_read() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("secret");
    std::fs::write(&secret, "0123456789abcdef0123456789abcdef\n").unwrap();
    let text = format!(
        "[auth]\nservice_secret_file = {:?}\n[cache]\nurl = \"redis://:pw@h\"",
        secret.display().to_string()
    );
    let loaded = load_toml(&text, Target::All).unwrap();
    assert_eq!(loaded.config.auth.service_secret.expose_secret().len(), 32);
    let shown = loaded.show();
    assert!(shown.iter().any(|(key, value, _)| key == "cache.url" && value == "********"));
    assert!(!format!("{shown:?}{loaded:?}").contains(":pw@"), "a secret is shown");
}

#[test]
fn generated_secrets_stay_and_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let make = || {
        let mut config = load_toml("", Target::All).unwrap().config;
        config.data = dir.path().to_owned();
        config.generate_secrets().unwrap();
        config.auth.service_secret.expose_secret().to_owned()
    };
    let first = make();
    assert_eq!(first.len(), 64);
    assert_eq!(first, make());
    let mode = std::fs::metadata(dir.path().join("secrets/service_secret")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
