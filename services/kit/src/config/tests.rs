use std::path::Path;

use super::*;

pub(super) fn load_toml(text: &str, target: Target) -> Result<Loaded, Problems> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("waybill.toml");
    std::fs::write(&file, text).unwrap();
    load(&Flags { file: Some(file), services: vec!["auth", "upload"], ..Flags::default() }, target)
}

#[test]
fn the_defaults_run_everything_in_one_process() {
    let loaded = load_toml("", Target::All).unwrap();
    assert_eq!(loaded.config.http.port, 8080);
    assert_eq!(loaded.config.database.address(Path::new("/d"), "auth"), "sqlite:///d/auth.db");
}

#[test]
fn any_folder_has_an_address_that_leads_back_to_it() {
    let database = load_toml("", Target::All).unwrap().config.database;
    for folder in ["/a b", "/a%41", "/a?b", "/a#b", "/a:b", "/{service}", "/Zoë", "//twice"] {
        let url = database.address(Path::new(folder), "auth");
        let expected = Path::new(&folder.replace("//", "/")).join("auth.db");
        assert_eq!(sqlite_file(&url), Some(expected), "{url}");
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/.:%".contains(&byte);
        assert!(url.bytes().all(is_plain), "{url}");
    }
    let relative = database.address(Path::new("a:b c"), "auth");
    let expected = std::env::current_dir().unwrap().join("a:b c/auth.db");
    assert_eq!(sqlite_file(&relative), Some(expected));
    assert_eq!(sqlite_file("sqlite:///d/auth.db?mode=ro"), Some("/d/auth.db".into()));
    assert_eq!(sqlite_file("postgres://d/auth"), None);
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
fn a_problem_names_its_key_as_it_is_documented_and_its_file() {
    let unknown = load_toml("[http]\nprot = 1", Target::All).unwrap_err().0;
    assert!(unknown[0].starts_with("unknown key http.prot (from /"), "{unknown:?}");
    assert!(unknown[0].ends_with("/waybill.toml)"), "{unknown:?}");
    let wrong = load_toml("[http]\nport = \"many\"", Target::All).unwrap_err().0;
    assert!(wrong[0].starts_with("http.port: ") && wrong[0].ends_with("/waybill.toml)"), "{wrong:?}");
    let broken = load_toml("[http", Target::All).unwrap_err().0;
    assert!(broken[0].starts_with('/') && broken[0].contains("/waybill.toml: TOML"), "{broken:?}");
}

#[test]
fn a_missing_file_and_an_unreadable_one_are_different_problems() {
    let dir = tempfile::tempdir().unwrap();
    let problem = |file: &Path| {
        let flags = Flags { file: Some(file.to_owned()), ..Flags::default() };
        load(&flags, Target::All).unwrap_err().0.join("; ")
    };
    let missing = dir.path().join("waybill.toml");
    assert_eq!(problem(&missing), format!("there is no file {}", missing.display()));
    let folder = problem(dir.path());
    assert!(folder.starts_with(&format!("{}: ", dir.path().display())), "{folder}");
    assert!(folder.contains("directory"), "{folder}");
}

#[test]
fn a_value_with_which_nothing_starts_is_a_problem() {
    for (text, key) in [
        ("data = \"\"", "data"),
        ("[database]\nurl = \"\"", "database.url"),
        ("[telemetry]\nlog = \"foo=bar=baz\"", "telemetry.log"),
        ("[http]\nhost = \"\"", "http.host"),
        ("[grpc]\nhost = \"\"", "grpc.host"),
        ("[ops]\nhost = \"\"", "ops.host"),
        ("[ingest]\nhost = \"\"", "ingest.host"),
    ] {
        let problems = load_toml(text, Target::All).unwrap_err().0;
        assert!(problems.len() == 1 && problems[0].starts_with(&format!("{key}: ")), "{problems:?}");
    }
    assert!(load_toml("[telemetry]\nlog = \"info,sqlx=warn\"", Target::All).is_ok());
}

#[test]
fn an_empty_file_of_a_secret_is_a_problem() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("empty");
    std::fs::write(&file, "\n").unwrap();
    for (section, key) in [("database", "url"), ("auth", "service_secret"), ("mail", "smtp_url")] {
        let text = format!("[{section}]\n{key}_file = {:?}", file.display().to_string());
        let problems = load_toml(&text, Target::All).unwrap_err().0;
        assert_eq!(problems, [format!("{section}.{key}_file: {} is empty", file.display())]);
    }
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
fn limits_leave_room_for_somebody() {
    for key in ["timeout_seconds", "max_anonymous_in_flight", "max_connections", "write_timeout_seconds"] {
        let problems = load_toml(&format!("[http]\n{key} = 0"), Target::All).unwrap_err();
        assert_eq!(problems.0, [format!("http.{key}: 1 to 1000000")]);
    }
}

#[test]
fn every_wrong_value_is_reported_at_once() {
    let text =
        "[organization]\ntimezone = \"Manila\"\n[auth]\ntoken_seconds = 900\n[bus]\nnamespace = \"A b\"";
    assert_eq!(load_toml(text, Target::All).unwrap_err().0.len(), 3);
}

#[test]
fn mails_by_a_server_have_a_sender_that_it_sends_for() {
    let of = |mail: &str| {
        let text = format!("[http]\npublic_url = \"https://waybill.example\"\n[mail]\n{mail}");
        load_toml(&text, Target::All).map(|_| ()).map_err(|problems| problems.0.join("\n"))
    };
    let server = "smtp_url = \"smtps://mail.example\"";
    assert!(of("").is_ok(), "without a server, nobody sees the sender");
    assert!(of(server).unwrap_err().starts_with("mail.from: "));
    assert!(of(&format!("{server}\nfrom = \"no-reply@LOCALHOST\"")).is_err());
    assert_eq!(of(&format!("{server}\nfrom = \"Waybill <no-reply@localhost.example>\"")), Ok(()));
}

#[test]
fn redis_is_reached_with_tls_or_without_but_never_unchecked() {
    let of = |url: &str| load_toml(&format!("[cache]\nurl = \"{url}\""), Target::All);
    assert!(of("redis://cache:6379").is_ok() && of("rediss://:pw@cache:6379/0").is_ok());
    for url in ["rediss://cache:6379/#insecure", "https://cache"] {
        assert!(of(url).unwrap_err().to_string().contains("cache.url"), "{url}");
    }
}

#[test]
fn a_service_alone_needs_its_neighbours() {
    let problems = |part| load_toml("", Target::Service(part)).unwrap_err().to_string();
    let upload = problems(Part { name: "upload", keeps_objects: true });
    for key in ["database.url", "bus.url", "blob.kind", "auth.service_secret"] {
        assert!(upload.contains(key), "{key} in {upload}");
    }
    let auth = problems(Part { name: "auth", keeps_objects: false });
    assert!(auth.contains("for target auth") && !auth.contains("blob.kind"), "{auth}");
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
    assert_eq!(loaded.config.auth.service_secret.first().len(), 32);
    let shown = loaded.show();
    assert!(shown.iter().any(|(key, value, _)| key == "cache.url" && value == "********"));
    let file = secret.display().to_string();
    let of_file = ("auth.service_secret".to_owned(), "********".to_owned(), file);
    assert!(shown.contains(&of_file), "the value is that of the file, and not the default: {shown:?}");
    assert!(!format!("{shown:?}{loaded:?}").contains(":pw@"), "a secret is shown");
}

#[test]
fn a_secret_of_the_wrong_type_is_refused_without_showing_it() {
    const SECRET: &str = "1234567890123456";
    for (text, key) in [
        ("[blob]\nsecret_key = 1234567890123456", "blob.secret_key"),
        ("[blob]\nsecret_key = [\"1234567890123456\"]", "blob.secret_key"),
        ("[auth]\nservice_secret = { a = \"1234567890123456\" }", "auth.service_secret"),
        ("cache = \"redis://:1234567890123456@cache\"", "cache"),
        ("[blob]\nsecret_key = a1234567890123456", "line 2"),
    ] {
        let problems = load_toml(text, Target::All).unwrap_err().to_string();
        assert!(problems.contains(key) && !problems.contains(SECRET), "{problems}");
    }
    let problems = load_toml("[http]\nport = \"many\"", Target::All).unwrap_err().to_string();
    assert!(problems.contains("many"), "other values are shown: {problems}");
}

#[test]
fn generated_secrets_stay_and_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let make = || {
        let mut config = load_toml("", Target::All).unwrap().config;
        config.data = dir.path().to_owned();
        config.generate_secrets().unwrap();
        config.auth.service_secret.first().to_owned()
    };
    let first = make();
    assert_eq!(first.len(), 64);
    assert_eq!(first, make());
    let mode = std::fs::metadata(dir.path().join("secrets/service_secret")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// With a new secret, nobody could read what was sealed with the old one.
#[test]
fn a_damaged_secret_is_refused_and_stays_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let load = || {
        let mut config = load_toml("", Target::All).unwrap().config;
        config.data = dir.path().to_owned();
        config.generate_secrets().map(|()| config.auth.service_secret)
    };
    let secrets = dir.path().join("secrets");
    private_dir(&secrets).unwrap();
    let unfinished = secrets.join("service_secret.unfinished");
    std::fs::write(&unfinished, "0123").unwrap();
    load().unwrap();
    assert!(!unfinished.exists(), "a start that was interrupted is repeated");
    for name in ["service_secret", "link_key"] {
        let file = secrets.join(name);
        let whole = std::fs::read(&file).unwrap();
        let mut damaged = whole.clone();
        damaged[3..5].fill(0xff);
        let second_is_short = [&whole[..], b"short\n"].concat();
        for content in [damaged, vec![0; whole.len()], whole[..31].to_vec(), second_is_short, Vec::new()] {
            std::fs::write(&file, &content).unwrap();
            let error = load().unwrap_err();
            assert_eq!(error.reason, "SECRET_UNREADABLE");
            let path = file.display().to_string();
            assert!(error.message.contains(&path) && error.message.contains("backup"), "{}", error.message);
            assert_eq!(std::fs::read(&file).unwrap(), content);
        }
        std::fs::remove_file(&file).unwrap();
        std::fs::create_dir(&file).unwrap();
        assert_eq!(load().unwrap_err().reason, "SECRET_UNREADABLE", "it cannot be read");
        std::fs::remove_dir(&file).unwrap();
        std::fs::write(&file, whole).unwrap();
    }
    let both = format!("{}\r\n{}\n", "a".repeat(32), "b".repeat(32));
    std::fs::write(secrets.join("service_secret"), both).unwrap();
    assert_eq!(load().unwrap().all().count(), 2, "while it is being replaced");
}

/// A database may be in a folder that others use, so the folder's permissions must stay.
#[test]
fn a_folder_that_is_there_keeps_its_rights_and_one_that_cannot_be_made_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let dir = tempfile::tempdir().unwrap();
    let shared = dir.path().join("shared");
    std::fs::create_dir(&shared).unwrap();
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o755)).unwrap();
    private_dir(&shared).unwrap();
    private_dir(&shared.join("data")).unwrap();
    assert_eq!((mode(&shared), mode(&shared.join("data"))), (0o755, 0o700));
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = private_dir(&file.join("data")).unwrap_err().to_string();
    assert!(error.contains(&file.join("data").display().to_string()), "{error}");
}
