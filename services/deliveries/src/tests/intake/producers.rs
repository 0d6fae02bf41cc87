//! Edits of producers by several administrators.

use super::*;
use crate::entity::producer;

on_both!(an_outdated_edit_of_a_producer_is_refused, Migrator, |db: Db| async move {
    let office = open(&db);
    let endpoint = office.endpoint("ERP", "http://127.0.0.1:9/").await;
    let seen = office.producer("erp", &endpoint).await;
    let save = async |is_active: bool| {
        let request = SaveProducerRequest {
            id: seen.id.clone(),
            version: seen.version,
            endpoint_id: endpoint.id.clone(),
            is_active,
            ..Default::default()
        };
        told(office.intake().save_producer(by(Role::Admin, request)).await)
    };
    let rows = async || producer::Entity::find().all(db.read()).await.unwrap();
    // One administrator disables the producer while others have its form open.
    save(false).await.unwrap();
    let disabled = rows().await;
    let rotate = RotateProducerTokenRequest { id: seen.id.clone(), version: seen.version };
    let delete = DeleteProducerRequest { id: seen.id.clone(), version: seen.version };
    let refused = [
        save(true).await.unwrap_err(),
        told(office.intake().rotate_producer_token(by(Role::Admin, rotate)).await).unwrap_err(),
        told(office.intake().delete_producer(by(Role::Admin, delete)).await).unwrap_err(),
    ];
    for error in refused {
        assert_eq!(error.reason, "PRODUCER_CHANGED");
    }
    assert_eq!(rows().await, disabled);
});
