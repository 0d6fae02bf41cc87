//! Mappings of columns that people save under a name.

use ::store::{Db, on_both};
use kit::principal::Role;
use kit::{Error, Kind};
use proto::upload::v1::saved_mappings_service_server::SavedMappingsService;
use proto::upload::v1::*;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use tonic::Response;
use uuid::Uuid;

use super::columns::ask;
use super::undo::by;
use super::world::World;
use crate::Migrator;
use crate::entity::upload_log::{self, Status};
use crate::rpc::saved_mappings::SavedMappings;

const FILE: &str = "Beleg,Tour,Kunde,Datum,Farbe\nA,S-1,Acme,03/04/2026,red\n";
const FIELDS: [&str; 5] = ["delivery_id", "shipmentnumber", "customername", "scheduledate", ""];
/// The same columns in another order, without one and with others.
const MOVED: &str = "Lager,Datum,BELEG,Kunde,Tour\n7,05/06/2026,B,Nena,S-2\n";

fn new(id: Uuid, name: &str) -> CreateSavedMappingRequest {
    let mut request = CreateSavedMappingRequest {
        upload_log_id: id.to_string(),
        header_line: 1,
        name: name.to_owned(),
        fields: FIELDS.map(str::to_owned).to_vec(),
        ..CreateSavedMappingRequest::default()
    };
    request.set_date_order(UploadDateOrder::Dmy);
    request
}

impl World {
    fn named(&self) -> SavedMappings {
        SavedMappings { context: self.context.clone() }
    }

    async fn waiting(&self, text: &str) -> Uuid {
        let id = self.upload("a.csv", text).await;
        assert!(self.attempt().await);
        assert_eq!(self.log(id).await.status, Status::NeedsMapping);
        id
    }

    async fn create(&self, who: &str, request: CreateSavedMappingRequest) -> Result<SavedMapping, Error> {
        let answer = self.named().create_saved_mapping(by(who, Role::Dispatcher, request)).await;
        answer.map(Response::into_inner).map_err(Error::from)
    }

    async fn saved_list(&self, who: &str, role: Role, id: Uuid) -> Result<Vec<SavedMapping>, Error> {
        let request = ListSavedMappingsRequest {
            upload_log_id: id.to_string(),
            header_line: 1,
            ..ListSavedMappingsRequest::default()
        };
        let answer = self.named().list_saved_mappings(by(who, role, request)).await;
        answer.map(|answer| answer.into_inner().mappings).map_err(Error::from)
    }

    async fn rename(&self, who: &str, role: Role, id: &str, name: &str) -> Result<SavedMapping, Error> {
        let request = RenameSavedMappingRequest { id: id.to_owned(), name: name.to_owned() };
        let answer = self.named().rename_saved_mapping(by(who, role, request)).await;
        answer.map(Response::into_inner).map_err(Error::from)
    }

    async fn delete(&self, who: &str, role: Role, id: &str) -> Result<(), Error> {
        let request = DeleteSavedMappingRequest { id: id.to_owned() };
        self.named().delete_saved_mapping(by(who, role, request)).await.map(drop).map_err(Error::from)
    }

    /// Makes an import one of another source.
    async fn move_to_another_source(&self, id: Uuid) {
        let tx = self.db().begin().await.unwrap();
        upload_log::Entity::update_many()
            .col_expr(upload_log::Column::SourceId, Expr::value(kit::clock::new_id()))
            .filter(upload_log::Column::Id.eq(id))
            .exec(&*tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }
}

on_both!(a_saved_mapping_is_proposed_for_its_source_and_offered_for_others, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let first = world.waiting(FILE).await;
    let dates = [("trucker", "Luzon Haul"), ("scheduletime", "08:30"), ("scheduledate", "2026-12-24")];
    let defaults = dates.map(|(field, value)| UploadDefault { field: field.into(), value: value.into() });
    let saved = CreateSavedMappingRequest { defaults: defaults.to_vec(), ..new(first, " Orders  of Acme ") };
    let saved = world.create("maria", saved).await.unwrap();
    assert_eq!((saved.name.as_str(), saved.columns, saved.used_count), ("Orders  of Acme", 4, 0));
    // Another one of this source fits, too, with fewer columns; one doesn't have all required fields.
    let mut least = CreateSavedMappingRequest { ..new(first, "Least") };
    least.fields[2].clear();
    least.defaults = vec![UploadDefault { field: "customername".into(), value: "Acme".into() }];
    world.create("maria", least).await.unwrap();
    let mut part = CreateSavedMappingRequest { ..new(first, "Part") };
    part.fields[0].clear();
    world.create("maria", part).await.unwrap();

    let second = world.waiting(MOVED).await;
    let shown = world.shown(ask(second)).await.unwrap();
    let proposed = shown.saved_mapping.clone().unwrap();
    assert_eq!((&proposed.id, proposed.proposed, proposed.missing.len()), (&saved.id, true, 0));
    let fields = ["", "scheduledate", "delivery_id", "customername", "shipmentnumber"];
    assert_eq!(shown.chosen, fields);
    assert_eq!(shown.columns[2].confidence(), UploadConfidence::Saved);
    assert_eq!(shown.date_order(), UploadDateOrder::Dmy);
    let lasting: Vec<_> = shown.defaults.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(lasting, ["scheduletime", "trucker"], "not the date of one file");
    // Once the choices are changed, nothing else is proposed, and the badges stay as long as the mapping is named.
    let changed = GetMappingRequest { header_line: 1, fields: shown.chosen.clone(), ..ask(second) };
    assert_eq!(world.shown(changed.clone()).await.unwrap().saved_mapping, None);
    let changed = GetMappingRequest { saved_mapping: Some(saved.id.clone()), ..changed };
    let applied = world.shown(changed).await.unwrap().saved_mapping.unwrap();
    assert_eq!((applied.name.as_str(), applied.proposed), ("Orders  of Acme", false));
    let without = GetMappingRequest { saved_mapping: Some(String::new()), ..ask(second) };
    assert_eq!(world.shown(without).await.unwrap().saved_mapping, None);

    // For another source it is only offered, after those of that source.
    world.move_to_another_source(second).await;
    assert_eq!(world.shown(ask(second)).await.unwrap().saved_mapping, None);
    let own = CreateSavedMappingRequest {
        fields: ["sku", "", "", "", ""].map(str::to_owned).to_vec(),
        ..new(second, "Zebra")
    };
    world.create("juan", own).await.unwrap();
    let all = world.saved_list("juan", Role::Dispatcher, second).await.unwrap();
    let names: Vec<_> = all.iter().map(|it| (it.name.as_str(), it.can_change, it.missing.len())).collect();
    let of_maria = [("Least", false, 0), ("Orders  of Acme", false, 0), ("Part", false, 0)];
    assert_eq!(names, [&[("Zebra", true, 0)][..], &of_maria].concat());
    let third = world.waiting("Beleg,Tour\nA,S-1\n").await;
    let all = world.saved_list("juan", Role::Dispatcher, third).await.unwrap();
    let missing: Vec<_> = all.iter().map(|it| (it.name.as_str(), it.missing.clone())).collect();
    assert_eq!(missing[1], ("Orders  of Acme", vec!["Kunde".to_owned(), "Datum".to_owned()]));
    assert!(world.saved_list("vera", Role::Viewer, third).await.is_err());

    // It is chosen: the draft keeps its choices, and the import counts its use.
    let mut decided = SaveMappingRequest {
        id: second.to_string(),
        header_line: 1,
        draft: true,
        saved_mapping: saved.id.clone(),
        ..SaveMappingRequest::default()
    };
    world.save(decided.clone()).await.unwrap();
    let kept = world.shown(ask(second)).await.unwrap();
    assert_eq!(
        (&kept.chosen, kept.date_order(), kept.defaults.len()),
        (&shown.chosen, shown.date_order(), 2)
    );
    assert_eq!(world.saved_list("maria", Role::Admin, second).await.unwrap()[2].used_count, 0);
    decided.fields = shown.chosen;
    decided.draft = false;
    decided.set_date_order(UploadDateOrder::Dmy);
    world.save(decided).await.unwrap();
    let used = world.saved_list("maria", Role::Admin, third).await.unwrap().remove(1);
    assert_eq!((used.used_count, used.last_used_at), (1, Some(proto::timestamp(world.now()))));
    assert!(world.attempt().await);
    assert_eq!(world.log(second).await.status, Status::Imported);
});

on_both!(files_whose_headings_are_known_need_no_saved_mapping, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let first = world.waiting(FILE).await;
    world.create("maria", new(first, "Orders")).await.unwrap();
    let known = "Delivery Doc,Shipment no.,Customer Name,Delivery Date,Beleg,Tour,Kunde,Datum\n";
    let id =
        world.upload_as("a.csv", format!("{known}A,S,C,2026-11-23,,,,\n").into_bytes(), false, true).await;
    assert!(world.attempt().await);
    assert_eq!(world.shown(ask(id)).await.unwrap().saved_mapping, None);
    // What somebody decided about the same headings wins over a saved mapping.
    let mut decided = SaveMappingRequest {
        id: first.to_string(),
        header_line: 1,
        fields: FIELDS.map(str::to_owned).to_vec(),
        ..SaveMappingRequest::default()
    };
    decided.fields.swap(2, 4);
    world.save(decided).await.unwrap();
    let again = world.upload_as("b.csv", FILE.as_bytes().to_vec(), false, true).await;
    while world.attempt().await {}
    let shown = world.shown(ask(again)).await.unwrap();
    assert_eq!((shown.saved_mapping, shown.chosen[4].as_str()), (None, "customername"));
});

on_both!(names_are_unique_and_mappings_belong_to_who_saved_them, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.waiting(FILE).await;
    let first = world.create("maria", new(id, "Orders")).await.unwrap();
    let taken = world.create("maria", new(id, "ORDERS")).await.unwrap_err();
    assert_eq!((taken.kind, taken.reason.as_str()), (Kind::AlreadyExists, "SAVED_MAPPING_EXISTS"));
    assert_eq!(taken.fields["name"], ["There is already a saved mapping named ORDERS. Choose another name."]);
    let again = |who: &'static str| {
        let request = CreateSavedMappingRequest { replace: true, ..new(id, "ORDERS") };
        world.create(who, request)
    };
    assert_eq!(again("juan").await.unwrap_err().reason, "SAVED_MAPPING_OF_OTHERS");
    let replaced = again("maria").await.unwrap();
    assert_eq!((replaced.id.as_str(), replaced.name.as_str()), (first.id.as_str(), "ORDERS"));

    let second = world.create("juan", new(id, "Returns")).await.unwrap();
    let refused = world.rename("juan", Role::Dispatcher, &first.id, "Mine").await.unwrap_err();
    assert_eq!((refused.kind, refused.reason.as_str()), (Kind::Forbidden, "SAVED_MAPPING_OF_OTHERS"));
    assert!(world.delete("juan", Role::Dispatcher, &first.id).await.is_err());
    let taken = world.rename("juan", Role::Dispatcher, &second.id, "orders").await.unwrap_err();
    assert_eq!(taken.reason, "SAVED_MAPPING_EXISTS");
    assert!(world.rename("juan", Role::Dispatcher, &second.id, "  ").await.is_err());
    world.rename("juan", Role::Dispatcher, &second.id, "RETURNS").await.unwrap();
    assert_eq!(world.rename("ana", Role::Admin, &second.id, "Refunds").await.unwrap().saved_by, "juan");
    for _ in 0..2 {
        world.delete("ana", Role::Admin, &second.id).await.unwrap();
    }
    let gone = world.rename("ana", Role::Admin, &second.id, "Refunds").await.unwrap_err();
    assert_eq!(gone.reason, "SAVED_MAPPING_NOT_FOUND");
    let asked = GetMappingRequest { saved_mapping: Some(second.id), ..ask(id) };
    assert_eq!(world.shown(asked).await.unwrap().saved_mapping, None, "it was deleted");
    assert_eq!(world.saved_list("maria", Role::Dispatcher, id).await.unwrap().len(), 1);
});

on_both!(saved_mappings_are_bounded, Migrator, |db: Db| async move {
    let world = World::open(&db).await;
    let id = world.waiting(FILE).await;
    assert!(world.create("maria", new(id, &"x".repeat(61))).await.is_err());
    assert!(
        world.create("maria", CreateSavedMappingRequest { header_line: 9, ..new(id, "A") }).await.is_err()
    );
    let none = CreateSavedMappingRequest { fields: Vec::new(), ..new(id, "A") };
    assert!(world.create("maria", none).await.unwrap_err().fields.contains_key("fields"));
    let twice = CreateSavedMappingRequest { fields: vec!["sku".into(), "sku".into()], ..new(id, "A") };
    assert!(world.create("maria", twice).await.is_err());
    for n in 0..200 {
        world.create("maria", new(id, &format!("Mapping {n}"))).await.unwrap();
    }
    let refused = world.create("maria", new(id, "One more")).await.unwrap_err();
    assert_eq!(refused.reason, "TOO_MANY_SAVED_MAPPINGS");
    let all = world.saved_list("maria", Role::Dispatcher, id).await.unwrap();
    assert_eq!(all.len(), 200);
    world.delete("maria", Role::Dispatcher, &all[7].id).await.unwrap();
    world.create("maria", new(id, "One more")).await.unwrap();
});

on_both!(
    a_saved_mapping_finds_its_header_above_a_row_with_words_of_headings,
    Migrator,
    |db: Db| async move {
        let world = World::open(&db).await;
        let text = "Farbe,Beleg,Tour,Kunde,Datum\nWeight,C,Trip,Branch,2026-11-23\n";
        let first = world.waiting(text).await;
        assert_eq!(world.shown(ask(first)).await.unwrap().header_line, 2);
        let other = world.waiting(FILE).await;
        let saved = world.create("maria", new(other, "Orders of Acme")).await.unwrap();
        let shown = world.shown(ask(first)).await.unwrap();
        assert_eq!((shown.header_line, shown.saved_mapping.unwrap().id), (1, saved.id));
    }
);
