//! Checks that the rows of the registry of events are consistent, and that docs/events.md matches them.
//!
//! WAYBILL_WRITE_EVENTS=1 rewrites the table of that page.

#![allow(clippy::unwrap_used, clippy::expect_used)] // a test fails by panicking

use std::collections::BTreeSet;
use std::path::PathBuf;

use prost::Message;
use proto::events::{
    ALL, DeliveryChangeKind, DeliveryChanged, Effect, Entry, copies, readers, subjects_read_by, watched,
};

const SERVICES: [&str; 6] = ["analytics", "auth", "deliveries", "drivers", "settings", "upload"];

#[test]
fn subjects_and_consumers_are_unique_and_of_known_services() {
    let names: BTreeSet<_> = ALL.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), ALL.len());
    for entry in ALL {
        let tokens: Vec<_> = entry.name.split('.').collect();
        assert!(matches!(tokens[..], [_, _, version] if version.starts_with('v')), "{}", entry.name);
        assert!(entry.owners.iter().all(|owner| SERVICES.contains(owner)), "{}", entry.name);
        for reader in entry.consumers {
            assert!(SERVICES.contains(&reader.service()), "{}", reader.name);
            let read = subjects_read_by(reader.service());
            assert_eq!(read.iter().filter(|(name, _)| *name == reader.name).count(), entry.owners.len());
        }
    }
    assert_eq!(readers("settings"), ["auth", "deliveries", "drivers", "upload"]);
    assert_eq!(readers("auth"), ["deliveries", "drivers"], "what it gave up is seen there");
    assert!(watched().contains(&"waybill.deliveries.delivery.changed.v1".to_owned()));
}

/// Returns all calls in the contracts, as `package.Service/Method`.
fn calls() -> BTreeSet<String> {
    let all = prost_types::FileDescriptorSet::decode(proto::DESCRIPTORS).unwrap();
    let services = all.file.iter().flat_map(|file| file.service.iter().map(move |it| (file.package(), it)));
    services
        .flat_map(|(package, service)| {
            service.method.iter().map(move |it| format!("{package}.{}/{}", service.name(), it.name()))
        })
        .collect()
}

#[test]
fn an_event_that_copies_are_kept_by_names_its_snapshot() {
    let calls = calls();
    for entry in ALL {
        let is_kept = entry.consumers.iter().any(|it| matches!(it.effect, Effect::Copy(_)));
        let name = entry.name;
        assert_eq!(
            entry.snapshot.is_some(),
            is_kept,
            "{name}: a snapshot is there exactly where there is a copy"
        );
        if is_kept {
            assert!(entry.aggregate.is_some(), "{name}: a copy needs to know which of two events is newer");
            assert_eq!(entry.owners.len(), 1, "{name}: a copy has one owner");
        }
        assert!(entry.snapshot.is_none_or(|call| calls.contains(call)), "{name}: there is no such call");
        // An effect that begins with "keeps" must be a copy, so that it can be rebuilt.
        for reader in entry.consumers.iter().filter(|it| it.effect.text().starts_with("keeps")) {
            assert!(
                matches!(reader.effect, Effect::Copy(_)),
                "{} keeps what nobody can rebuild",
                reader.name
            );
        }
    }
    assert_eq!(copies("deliveries"), ["deliveries-drivers", "deliveries-settings"]);
}

#[test]
fn kinds_of_change_are_read_from_neighbouring_releases() {
    let kinds: Vec<_> = (1..).map_while(|number| DeliveryChangeKind::try_from(number).ok()).collect();
    assert_eq!(kinds.last(), Some(&DeliveryChangeKind::AttachmentAdded));
    for kind in kinds {
        let change = kind.released_name().to_owned();
        let before = DeliveryChanged { change: change.clone(), ..Default::default() };
        assert_eq!(before.known_kind(), Some(kind), "the release before has the text alone");
        let now = DeliveryChanged { change, kind: kind.into(), ..Default::default() };
        assert_eq!(now.known_kind(), Some(kind));
    }
    let after = DeliveryChanged { change: "split".into(), kind: 1_000, ..Default::default() };
    assert_eq!(after.known_kind(), None, "only a later release knows it");
    assert_eq!(DeliveryChanged::default().known_kind(), None);
}

fn row(entry: &Entry) -> String {
    let (owner, owners) = match entry.owners {
        [owner] => ((*owner).to_owned(), (*owner).to_owned()),
        owners => ("<service>".to_owned(), owners.join(", ")),
    };
    let mut consumers: Vec<String> = entry
        .consumers
        .iter()
        .map(|reader| format!("{} (`{}`): {}", reader.service(), reader.name, reader.effect.text()))
        .collect();
    if entry.watched {
        consumers.push("gateway: passes it on to open screens".to_owned());
    }
    let consumers = if consumers.is_empty() { "no service".to_owned() } else { consumers.join("; ") };
    format!("| `{}` | {owners} | {} | {consumers} |", entry.subject(&owner), entry.when)
}

#[test]
fn the_page_has_the_rows_of_the_registry() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/events.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let start = page.find("| Subject |").expect("the table");
    let end = start + page[start..].find("\n\n").expect("its end");
    let head = "| Subject | Emitted by | When | Consumed by |\n|---|---|---|---|";
    let table = ALL.iter().fold(head.to_owned(), |table, entry| format!("{table}\n{}", row(entry)));
    if std::env::var_os("WAYBILL_WRITE_EVENTS").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &page[..start], &page[end..])).unwrap();
        return;
    }
    assert!(page[start..end] == table, "write docs/events.md anew with WAYBILL_WRITE_EVENTS=1");
}
