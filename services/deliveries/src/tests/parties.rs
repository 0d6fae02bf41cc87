//! Customers, sources and addresses. Each change is recorded with its author, and nobody can overwrite
//! changes they did not see.

use proto::common::v1::{Filter, Page};
use proto::deliveries::v1::{ProofSet, UpdateCustomerRequest};

use super::*;
use crate::domain::party;
use crate::domain::proof::{PodRequirement, Proof};
use crate::domain::state::Place;
use crate::queries::{addresses, proof_requirements, truckers};
use crate::{commands, queries, tables};
use ::store::audit::By;
use ::store::page::Window;

const NAME: &str = "Aling Nena Store";

fn form(address: &str, code: &str) -> party::Customer {
    let request = UpdateCustomerRequest {
        customer_address: address.into(),
        code: Some(code.into()),
        ..UpdateCustomerRequest::default()
    };
    party::customer(request).unwrap()
}

fn by(actor: &str, now: chrono::DateTime<chrono::Utc>) -> By<'_> {
    By { actor, address: "", now }
}

fn named(name: &str, is_active: bool) -> party::Source {
    party::source(name, is_active, None).unwrap()
}

async fn new_customer(db: &Db, name: &str) {
    let tx = db.begin().await.unwrap();
    let new = tables::customers::New { name: name.into(), email: None, address: String::new() };
    tables::customers::create_missing(&*tx, vec![new], "maria", Clock::system().now()).await.unwrap();
    tx.commit().await.unwrap();
}

on_both!(sixty_four_editors_of_one_customer_make_one_chain, Migrator, |db: Db| async move {
    new_customer(&db, NAME).await;
    let editors = (0..64).map(|editor| {
        let db = db.clone();
        tokio::spawn(async move {
            let (actor, mut refused) = (format!("editor {editor}"), 0);
            loop {
                let seen = queries::customers::get(&db, NAME).await.unwrap().version.unsigned_abs();
                let form = form("12 Mabini St", &actor);
                match commands::customers::update(&db, NAME, seen, form, by(&actor, Clock::system().now()))
                    .await
                {
                    Ok(row) => return (row.version, row.updated_by, refused),
                    Err(error) if error.reason == "CUSTOMER_CHANGED" => refused += 1,
                    Err(error) if error.kind == Kind::Unavailable => {}
                    Err(error) => panic!("{error}"),
                }
            }
        })
    });
    let mut accepted = Vec::new();
    let mut refusals = 0;
    for editor in editors.collect::<Vec<_>>() {
        let (version, by, refused) = editor.await.unwrap();
        accepted.push((version, by));
        refusals += refused;
    }
    accepted.sort();
    let versions: Vec<i64> = accepted.iter().map(|(version, _)| *version).collect();
    assert_eq!(versions, (2..=65).collect::<Vec<_>>(), "each edit is a version of its own");
    let last = queries::customers::get(&db, NAME).await.unwrap();
    assert_eq!((last.version, &last.updated_by), (65, &accepted[63].1));
    assert_eq!(last.code.as_deref(), Some(accepted[63].1.as_str()), "the last edit is what is there");
    assert_eq!(last.created_by, "maria");
    assert!(refusals > 0, "some saw an old version, or nothing was tried");
});

on_both!(an_edit_of_an_old_version_changes_nothing, Migrator, |db: Db| async move {
    let now = Clock::system().now();
    new_customer(&db, NAME).await;
    commands::customers::update(&db, " ALING nena store ", 1, form("12 Mabini St", "A"), by("ana", now))
        .await
        .unwrap();
    let error =
        commands::customers::update(&db, NAME, 1, form("Elsewhere", "B"), by("ben", now)).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "CUSTOMER_CHANGED"));
    let there = queries::customers::get(&db, NAME).await.unwrap();
    assert_eq!((there.version, there.customer_address.as_str()), (2, "12 Mabini St"));
    assert_eq!(there.updated_by, "ana");
    let error =
        commands::customers::update(&db, "Nobody", 1, form("", ""), by("ben", now)).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::NotFound, "CUSTOMER_NOT_FOUND"));

    let source = sources::create(&db, named("Web orders", true), by("ana", now)).await.unwrap();
    let id = source.id.to_string();
    let changed = sources::update(&db, &id, 1, named("Web", true), by("ana", now)).await.unwrap();
    assert_eq!((changed.version, changed.name.as_str(), changed.name_key.as_str()), (2, "Web", "web"));
    let error = sources::update(&db, &id, 1, named("Shop", true), by("ben", now)).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::FailedPrecondition, "SOURCE_CHANGED"));
    assert_eq!(queries::sources::get(&db, &id).await.unwrap(), changed);
    for unknown in ["no id", &new_id().to_string()] {
        assert_eq!(queries::sources::get(&db, unknown).await.unwrap_err().reason, "SOURCE_NOT_FOUND");
    }
});

on_both!(a_name_of_a_source_is_taken_once, Migrator, |db: Db| async move {
    let now = Clock::system().now();
    let web = sources::create(&db, named("Web orders", true), by("ana", now)).await.unwrap();
    let error = sources::create(&db, named(" WEB Orders", false), by("ben", now)).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (Kind::AlreadyExists, "SOURCE_EXISTS"));
    assert!(error.fields.contains_key("name"), "{error}");
    let other = sources::create(&db, named("Pasig", true), by("ana", now)).await.unwrap();
    let error =
        sources::update(&db, &other.id.to_string(), 1, named("web orders", true), by("ben", now)).await;
    assert_eq!(error.unwrap_err().reason, "SOURCE_EXISTS");
    // A source may keep its own name in another spelling.
    let id = web.id.to_string();
    let same = sources::update(&db, &id, 1, named("WEB ORDERS", true), by("ana", now)).await.unwrap();
    assert_eq!(same.name, "WEB ORDERS");
});

on_both!(a_source_that_is_disabled_keeps_what_it_has, Migrator, |db: Db| async move {
    let now = Clock::system().now();
    let id = default_source(&db).await;
    import(&db, new_id(), 0, vec![row(2, "DR-1", "S-1", "1", 1)]).await.unwrap();
    sources::update(&db, &id, 1, named("Default", false), by("ana", now)).await.unwrap();
    let error = import(&db, new_id(), 0, vec![row(2, "DR-2", "S-1", "1", 1)]).await.unwrap_err();
    assert_eq!(error.reason, "SOURCE_DISABLED");
    assert!(error.message.contains("Enable it or choose another one"), "{error}");
    assert_eq!(queries::deliveries::get(&db, "DR-1").await.unwrap().source_id.unwrap().to_string(), id);
    assert_eq!(delivery::Entity::find().count(db.read()).await.unwrap(), 1);
    sources::update(&db, &id, 2, named("Default", true), by("ana", now)).await.unwrap();
    import(&db, new_id(), 0, vec![row(2, "DR-2", "S-1", "1", 1)]).await.unwrap();
});

on_both!(any_name_is_found_again, Migrator, |db: Db| async move {
    let names =
        ["A/B Trading", "100% Juan & Sons", "Ñandú \u{1f69a}", "..", "a\\b_c", "It's \"quoted\"", "İstanbul"];
    for name in names {
        new_customer(&db, name).await;
        let there = queries::customers::get(&db, name).await.unwrap();
        assert_eq!(there.customer_name, name);
        for operator in ["equals", "contains", "startsWith", "endsWith"] {
            let filter =
                Filter { key: "customerName".into(), operator: operator.into(), values: vec![name.into()] };
            let page = Page { r#where: vec![filter], ..Page::default() };
            let (rows, _) = queries::customers::LIST.page(&db, &page).await.unwrap();
            assert_eq!(rows.len(), 1, "{operator} {name}");
        }
    }
    assert_eq!(
        queries::customers::get(&db, "ÑANDÚ \u{1f69a}").await.unwrap().customer_name,
        "Ñandú \u{1f69a}"
    );
});

on_both!(addresses_are_known_once_they_are_seen, Migrator, |db: Db| async move {
    let mut with_address = row(2, "DR-1", "S-1", "1", 1);
    with_address.customeraddress = Some("12 Mabini St, Pasig".into());
    let mut again = row(3, "DR-2", "S-1", "1", 1);
    again.customeraddress = Some("12 MABINI St, Pasig".into());
    let mut by_another = row(4, "DR-3", "S-1", "1", 1);
    by_another.trucker = Some("Isla Freight".into());
    import(&db, new_id(), 0, vec![with_address, again, by_another]).await.unwrap();
    let all = |values: &[&str]| {
        let values = values.iter().map(|it| (*it).to_owned()).collect();
        let filter = Filter { key: "address".into(), operator: "contains".into(), values };
        Page { r#where: vec![filter], ..Page::default() }
    };
    let (found, _) = addresses::LIST.page(&db, &all(&["mabini"])).await.unwrap();
    assert_eq!(found.len(), 1, "ignoring case, and none that is empty");
    assert_eq!((found[0].lat, addresses::LIST.count(&db, &[]).await.unwrap().total), (None, 1));

    // An address that the office enters for a customer is added to the lookup, with its location.
    let place = Place { lat: 14.56, lng: 121.02, accuracy: Some(10.0) };
    let moved = party::Customer { place: Some(place), ..form("12 Mabini St, Pasig", "A") };
    commands::customers::update(&db, NAME, 1, moved, by("ana", Clock::system().now())).await.unwrap();
    let moved = form("7 Rizal Ave", "A");
    commands::customers::update(&db, NAME, 2, moved, by("ana", Clock::system().now())).await.unwrap();
    let (found, _) = addresses::LIST.page(&db, &all(&["mabini", "rizal"])).await.unwrap();
    let points: Vec<_> = found.iter().map(|it| (it.address.as_str(), it.lat)).collect();
    assert_eq!(points, [("12 Mabini St, Pasig", Some(14.56)), ("7 Rizal Ave", None)]);
    for (offset, expected) in [(0, &["Isla Express", "Isla Freight"][..]), (1, &["Isla Freight"][..])] {
        let window = Window { limit: 10, offset };
        assert_eq!(truckers::by_prefix(&db, "isla", window).await.unwrap(), expected);
    }
});

on_both!(the_customer_decides_before_the_source_and_the_setting, Migrator, |db: Db| async move {
    let now = Clock::system().now();
    let id = default_source(&db).await;
    let mut other = row(3, "DR-2", "S-1", "1", 1);
    other.customername = "Another Store".into();
    import(&db, new_id(), 0, vec![row(2, "DR-1", "S-1", "1", 1), other]).await.unwrap();
    let setting = PodRequirement::of(&[Proof::Note]);
    let of = async || {
        let mut rows = delivery::Entity::find().all(db.read()).await.unwrap();
        rows.sort_by(|a, b| a.id_key.cmp(&b.id_key));
        proof_requirements::of(db.read(), &rows, &setting).await.unwrap()
    };
    assert_eq!(of().await, [setting.clone(), setting.clone()]);
    let of_source = party::source("Default", true, Some(ProofSet { proofs: vec!["photo".into()] })).unwrap();
    sources::update(&db, &id, 1, of_source, by("ana", now)).await.unwrap();
    let photo = PodRequirement::of(&[Proof::Photo]);
    assert_eq!(of().await, [photo.clone(), photo.clone()]);
    let nothing = party::Customer { pod_requirement: Some(PodRequirement::default()), ..form("", "") };
    commands::customers::update(&db, NAME, 1, nothing, by("ana", now)).await.unwrap();
    assert_eq!(of().await, [PodRequirement::default(), photo]);
    let wire = proto::deliveries::v1::Customer::from(queries::customers::get(&db, NAME).await.unwrap());
    assert_eq!(wire.pod_requirement, Some(ProofSet { proofs: Vec::new() }), "nothing is a decision");
});

on_both!(each_change_of_a_party_or_a_reason_is_one_act, Migrator, |db: Db| async move {
    use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
    use proto::deliveries::v1::parties_service_server::PartiesService;
    use proto::deliveries::v1::{CreateSourceRequest, UpdateReasonRequest, UpdateSourceRequest};

    use super::office::by as sent_by;
    use super::office::{Office, told};
    let office = Office::open(&db);
    let parties = crate::rpc::parties::Service { context: office.context.clone() };
    new_customer(&db, NAME).await;
    let dispatcher = kit::Role::Dispatcher;
    for version in [1, 2] {
        // The second time no value changes, so there is no audit entry.
        let request = UpdateCustomerRequest {
            customer_name: NAME.into(),
            version,
            phone: Some("555".into()),
            ..Default::default()
        };
        told(parties.update_customer(sent_by(dispatcher, request)).await).unwrap();
    }
    let request = CreateSourceRequest { name: "Web".into(), is_active: true, pod_requirement: None };
    let made = told(parties.create_source(sent_by(dispatcher, request)).await).unwrap();
    let request = UpdateSourceRequest {
        id: made.id,
        version: 1,
        name: "Web".into(),
        is_active: false,
        pod_requirement: None,
    };
    told(parties.update_source(sent_by(dispatcher, request)).await).unwrap();
    let request = UpdateReasonRequest {
        applies_to: "variance".into(),
        code: "short_shipped".into(),
        version: 1,
        label: "Short".into(),
        responsible: "shipper".into(),
        is_active: true,
        order: 1,
        ..Default::default()
    };
    told(office.service().update_reason(sent_by(kit::Role::Admin, request)).await).unwrap();

    let acts = ::store::testing::acts(&db).await;
    let told: Vec<[&str; 4]> = acts
        .iter()
        .map(|(event, it)| {
            [event.actor.as_str(), it.action.as_str(), it.entity_name.as_str(), it.after_json.as_str()]
        })
        .collect();
    assert_eq!(
        told,
        [
            ["dispatcher.office", "customer.updated", NAME, r#"{"phone":"555"}"#],
            ["dispatcher.office", "source.created", "Web", r#"{"isActive":true,"name":"Web"}"#],
            ["dispatcher.office", "source.updated", "Web", r#"{"isActive":false}"#],
            ["admin.office", "reason.updated", "Short", r#"{"label":"Short"}"#],
        ]
    );
});
