//! Names of a file that match no driver, customer or trucker.

use ::store::{Db, on_both};
use kit::principal::Principal;
use kit::{Result, Role};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::parties_service_server::PartiesService;
use proto::deliveries::v1::*;

use super::office::*;
use crate::Migrator;
use crate::rpc::parties::Service;

impl Office {
    async fn matches(
        &self,
        kind: PartyKind,
        names: &[&str],
        targets: &[&str],
    ) -> Result<MatchPartiesResponse> {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let request = MatchPartiesRequest { kind: kind.into(), names: texts(names), targets: texts(targets) };
        let service = Service { context: self.context.clone() };
        let principal = Principal::Service { name: "upload".into() };
        told(service.match_parties(sent(principal, request)).await)
    }
}

fn unmatched(answer: &MatchPartiesResponse) -> Vec<(&str, Vec<&str>)> {
    answer
        .unmatched
        .iter()
        .map(|it| (it.name.as_str(), it.suggestions.iter().map(|party| party.name.as_str()).collect()))
        .collect()
}

fn names(parties: &[Party]) -> Vec<&str> {
    parties.iter().map(|party| party.name.as_str()).collect()
}

on_both!(unknown_names_come_with_similar_ones, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    // While nothing is known, there is nothing to match.
    for kind in [PartyKind::Driver, PartyKind::Customer, PartyKind::Trucker] {
        let answer = office.matches(kind, &["Acme"], &["Acme"]).await.unwrap();
        assert_eq!(answer, MatchPartiesResponse::default(), "{kind:?}");
    }
    for (id, customername, trucker) in
        [("DR-1", "Aling Nena Store", "Isla Express"), ("DR-2", "Panadería José", "Luzon Freight")]
    {
        let head = DeliveryHead { customername: customername.into(), trucker: trucker.into(), ..head("S-1") };
        let head = Some(DeliveryHead { driver_id: None, ..head });
        let request = CreateDeliveryRequest { id: id.into(), head, source_id: None, items: two_items() };
        office.service().create_delivery(by(Role::Dispatcher, request)).await.unwrap();
    }
    let file = ["ALING NENA STORE", "Panaderia Jose", "Aling Nena", "Zebra"];
    let answer = office.matches(PartyKind::Customer, &file, &["aling nena store", "Zebra"]).await.unwrap();
    let wanted = [
        ("Panaderia Jose", vec!["Panadería José"]),
        ("Aling Nena", vec!["Aling Nena Store"]),
        ("Zebra", vec![]),
    ];
    assert_eq!(unmatched(&answer), wanted);
    assert_eq!(names(&answer.targets), ["Aling Nena Store"]);
    let answer = office.matches(PartyKind::Trucker, &["Isla Exprss", "luzon freight"], &[]).await.unwrap();
    assert_eq!(unmatched(&answer), [("Isla Exprss", vec!["Isla Express"])]);
});

on_both!(blocked_drivers_are_known_but_never_offered, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.hears("D-0001", "blocked", 1).await.unwrap();
    let answer = office.matches(PartyKind::Driver, &["D-0001", "D-9"], &["D-0001"]).await.unwrap();
    assert_eq!(unmatched(&answer), [("D-9", vec![])], "nobody else can be offered");
    assert_eq!(answer.targets, []);
    office.hears("D-0002", "active", 1).await.unwrap();
    let file = ["d-0001", "D-0003", "d-0002 who drives"];
    let answer = office.matches(PartyKind::Driver, &file, &["d-0002", "D-9"]).await.unwrap();
    assert_eq!(unmatched(&answer), [("D-0003", vec!["D-0002"]), ("d-0002 who drives", vec!["D-0002"])]);
    let [target] = <[_; 1]>::try_from(answer.targets).unwrap();
    assert_eq!((target.name.as_str(), target.label.as_str()), ("D-0002", "D-0002 who drives (D-0002)"));
});

on_both!(thousands_of_names_are_looked_up_at_once, Migrator, |db: Db| async move {
    let office = Office::open(&db);
    office.create("DR-1", "S-1", two_items()).await;
    let file: Vec<String> = (0..1_000).map(|n| format!("Store {n}")).collect();
    let file: Vec<&str> = file.iter().map(String::as_str).collect();
    let answer = office.matches(PartyKind::Customer, &file, &[]).await.unwrap();
    assert_eq!(answer.unmatched.len(), 1_000);
    let more = [&file[..], &["One more"]].concat();
    assert!(office.matches(PartyKind::Customer, &more, &[]).await.is_err());
    assert!(office.matches(PartyKind::Customer, &[], &more).await.is_err());
    assert!(office.matches(PartyKind::Unspecified, &["A"], &[]).await.is_err());
});
