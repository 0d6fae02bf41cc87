//! Which crate may stand on which. The reasons are in ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};

use waybill::target::SERVICES;

/// Allowed edges between crates of ours, tests left aside.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut all = BTreeMap::from([
        // Contracts know nobody, or a change anywhere could change the wire.
        ("proto", vec![]),
        // Runtime plumbing without SQL.
        ("kit", vec!["proto"]),
        // SQL without tables.
        ("store", vec!["kit", "proto"]),
        // The gateway owns no data: it cannot reach a database.
        ("gateway", vec!["kit", "proto"]),
    ]);
    // A service knows no other service: they meet in contracts only.
    all.extend(SERVICES.iter().map(|row| (row.name, vec!["kit", "proto", "store"])));
    // The program is the only one that knows everybody.
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

/// Rules stay free of queries: `domain` may not touch the database or the wire's services.
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
