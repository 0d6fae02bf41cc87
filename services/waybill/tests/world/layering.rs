//! Which crate may depend on which other. The reasons are in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};

use waybill::target::SERVICES;

/// Returns the allowed dependencies between our crates, except for tests.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut all = BTreeMap::from([
        // Contracts depend on nothing. Otherwise a change anywhere could change the wire format.
        ("proto", vec![]),
        // Plumbing that uses no SQL.
        ("kit", vec!["proto"]),
        // SQL, but no tables of its own.
        ("store", vec!["kit", "proto"]),
        // The gateway owns no data, so it has no access to a database.
        ("gateway", vec!["kit", "proto"]),
    ]);
    // A service depends on no other service. Services meet only in contracts.
    all.extend(SERVICES.iter().map(|row| (row.name, vec!["kit", "proto", "store"])));
    // Only the program depends on everything.
    all.insert("waybill", all.keys().copied().collect());
    all
}

#[test]
fn crates_stand_only_on_what_they_may() {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec().unwrap();
    let ours: BTreeSet<String> = metadata.packages.iter().map(|it| it.name.to_string()).collect();
    let allowed = allowed();
    assert_eq!(ours, allowed.keys().map(|it| (*it).to_owned()).collect(), "a crate without a row");
    for package in &metadata.packages {
        for dependency in &package.dependencies {
            let name = package.name.to_string();
            let counts = dependency.kind != cargo_metadata::DependencyKind::Development;
            if counts && ours.contains(&dependency.name) {
                assert!(
                    allowed[name.as_str()].contains(&dependency.name.as_str()),
                    "{name} must not stand on {}",
                    dependency.name
                );
            }
            if counts && dependency.name.starts_with("sea-orm") {
                assert!(!["proto", "kit", "gateway"].contains(&name.as_str()), "{name} must not know SQL");
            }
        }
    }
}

/// Business rules run no queries: `domain` may use neither the database nor the services of the contracts.
#[test]
fn domains_run_no_queries() {
    let root = format!("{}/..", env!("CARGO_MANIFEST_DIR"));
    for service in SERVICES.iter().map(|row| row.name) {
        let folder = format!("{root}/{service}/src/domain");
        let mut files = vec![format!("{root}/{service}/src/domain.rs")];
        files.extend(
            std::fs::read_dir(folder)
                .into_iter()
                .flatten()
                .map(|it| it.unwrap().path().display().to_string()),
        );
        for file in files {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            for forbidden in ["EntityTrait", "ConnectionTrait", "store::Db", "tonic::"] {
                assert!(!text.contains(forbidden), "{file} uses {forbidden}");
            }
        }
    }
}

/// In the deliveries service, queries change nothing, and tables use neither commands nor queries. The
/// reasons are in docs/adr/0077.
#[test]
fn queries_change_nothing() {
    const QUERIES: &[&str] = &[
        "crate::commands",
        "commands::",
        "Tx",
        ".begin()",
        "Entity::insert",
        "Entity::update",
        "Entity::delete",
    ];
    const TABLES: &[&str] = &["crate::commands", "crate::queries", "crate::rpc", "crate::{"];
    for (folder, forbidden) in [("queries", QUERIES), ("tables", TABLES)] {
        let folder = format!("{}/../deliveries/src/{folder}", env!("CARGO_MANIFEST_DIR"));
        let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
        assert!(files.len() > 10, "{files:?}");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            for word in forbidden {
                assert!(!text.contains(word), "{} has {word}", file.display());
            }
        }
    }
}
