//! Messages about imports and their undo.

use kit::clock::new_id;
use kit::principal::Principal;
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use serde_json::Value;
use uuid::Uuid;

use super::*;
use crate::commands::import;
use crate::domain::row::Row;
use crate::tests::{batch, default_source, row};

impl Office {
    async fn import_rows(&self, upload: Uuid, rows: Vec<Row>) {
        let source_id = default_source(&self.context.db).await;
        import::run(&self.context, batch(upload, 0, source_id, rows)).await.unwrap();
    }

    async fn undo_file(&self, upload: Uuid) {
        let request = UndoImportRequest {
            upload_log_id: upload.to_string(),
            after: String::new(),
            undone_by: "ana".into(),
        };
        let caller = Principal::Service { name: "upload".into() };
        let part = told(self.service().undo_import(sent(caller, request)).await).unwrap();
        assert!(part.next.is_empty(), "one part");
    }

    async fn methods_about(&self, id: &str) -> Vec<Method> {
        let sends = self.sends().await;
        sends.iter().filter(|it| it.delivery_id == id).map(|it| it.method).collect()
    }
}

on_both!(a_delivery_that_exists_again_after_an_undo_is_created, Migrator, |db: Db| async move {
    let office = open(&db);
    office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let line = |id: &str| row(2, id, "S-1", "1", 5_000);
    let undone = new_id();
    office.import_rows(undone, vec![line("DR-1"), line("DR-2")]).await;
    office.undo_file(undone).await;
    office.import_rows(new_id(), vec![line("DR-1")]).await;
    let changed = Row { shipmentnumber: "S-2".into(), ..line("DR-1") };
    office.import_rows(new_id(), vec![changed]).await;
    // An outcome that arrives after the undo restores the delivery.
    let outcome = outcome("DR-2", Some(DeliveryStatus::Undelivered), vec![]);
    office.record(Role::Dispatcher, outcome).await.unwrap();
    use Method::{Cancel, Create, Status, Update};
    assert_eq!(office.methods_about("DR-1").await, [Create, Cancel, Create, Update]);
    assert_eq!(office.methods_about("DR-2").await[..4], [Create, Cancel, Create, Status]);
});

on_both!(messages_about_an_import_have_the_whole_delivery, Migrator, |db: Db| async move {
    let office = open(&db);
    office.endpoint("ERP", "http://127.0.0.1:9/").await;
    office.create("DR-1", "S-1", two_items()).await;
    let mut imported = row(2, "DR-2", "S-1", "1", 5_000);
    imported.texts.referencedoc = Some("SI-880377".into());
    office.import_rows(new_id(), vec![imported]).await;
    let sends = office.sends().await;
    let data = |send: &Model| serde_json::from_str::<Value>(&send.payload).unwrap()["data"].clone();
    let keys = |data: &Value| data.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let [entered, imported] = &sends[..] else { panic!("one of each") };
    let (entered, imported) = (data(entered), data(imported));
    assert_eq!(keys(&imported), keys(&entered));
    assert_eq!(imported["referencedoc"], "SI-880377");
    assert_eq!(imported["attempt"], 1);
});
