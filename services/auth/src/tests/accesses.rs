//! Acts that other services report by events, and acts that only read.

use kit::clock::{Clock, new_id};
use proto::auth::v1::{RecordAccessRequest, RecordAccessResponse};
use proto::events::envelope::Payload;
use proto::events::{AuditRecorded, Envelope};

use super::*;
use crate::Migrator;
use crate::audit::chain::{self, Found};

fn told(id: &str, action: &str) -> Envelope {
    let act = AuditRecorded {
        action: action.into(),
        entity: "setting".into(),
        entity_id: "delivery-max-attempts".into(),
        entity_name: "Attempts".into(),
        before_json: r#"{"value":"3"}"#.into(),
        after_json: r#"{"value":"4"}"#.into(),
        address: "2001:DB8::7".into(),
        request_id: "abc".into(),
    };
    Envelope {
        id: id.into(),
        subject: "waybill.settings.audit.recorded.v1".into(),
        occurred_at: Some(proto::timestamp("2027-01-15T07:00:00Z".parse().unwrap())),
        actor: "Maria".into(),
        payload: Some(Payload::AuditRecorded(act)),
        ..Envelope::default()
    }
}

::store::on_both!(an_act_that_is_told_of_is_one_entry, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    let consumers = crate::events::consumers(&world.context);
    let follower = consumers.into_iter().find(|it| it.name == "auth-audit").unwrap().handler;
    let id = new_id().to_string();
    for _ in 0..3 {
        follower.handle(&told(&id, "setting.updated")).await.unwrap();
    }
    // The event arrives once more after the inbox has deleted its id.
    let tx = world.context.db.begin().await.unwrap();
    let forgotten = ::store::inbox::prune(&*tx, Clock::system().now() + Duration::days(9), 10).await.unwrap();
    assert_eq!(forgotten, 1);
    tx.commit().await.unwrap();
    follower.handle(&told(&id, "setting.updated")).await.unwrap();
    follower.handle(&told(&new_id().to_string(), "setting.invented_later")).await.unwrap();
    let all = world.audit().await;
    assert_eq!(all.len(), 3, "the first account, this one, and the one that nobody knows yet");
    let entry = &all[1];
    assert_eq!((entry.id.to_string(), entry.number), (id, 2));
    assert_eq!((entry.actor.as_str(), entry.address.as_str()), ("Maria", "2001:db8::7"));
    assert_eq!(entry.at.to_rfc3339(), "2027-01-15T07:00:00+00:00", "when it was done, not when it came");
    assert_eq!((entry.entity_name_key.as_str(), entry.request_id.as_str()), ("attempts", "abc"));
    assert_eq!(entry.after_json, r#"{"value":"4"}"#);
    assert_eq!(all[2].action, "setting.invented_later");
    let found = chain::check(world.context.db.read(), None).await.unwrap();
    assert!(matches!(found, Found::Intact { head } if head.number == 3));
});

async fn access(person: &Person<'_>, action: &str, id: &str) -> Result<RecordAccessResponse, Error> {
    let request = RecordAccessRequest {
        action: action.into(),
        entity_id: id.into(),
        entity_name: id.into(),
        detail_json: r#"{"format":"csv"}"#.into(),
    };
    Ok(person.client().await.record_access(request).await?.into_inner())
}

::store::on_both!(an_export_is_an_entry_and_a_view_is_one_in_an_hour, Migrator, |db: Db| async move {
    let world = World::with_admin(db).await;
    world.make("Vera", &["viewer"]).await;
    world.make("Dina", &["dispatcher"]).await;
    let (vera, dina) = (world.sign_in("Vera").await, world.sign_in("Dina").await);
    let before = world.audit().await.len();
    for _ in 0..2 {
        let answer = access(&vera, "deliveries.exported", "").await.unwrap();
        assert_eq!(answer.remember_seconds, 0);
    }
    // Eight views at the same time make one entry, even if the id's spelling differs.
    let views = futures::future::join_all((0..8).map(|_| access(&vera, "proof.viewed", "D-1"))).await;
    assert!(views.iter().all(|it| it.as_ref().unwrap().remember_seconds == 3_600));
    access(&vera, "proof.viewed", "d-1").await.unwrap();
    access(&vera, "proof.viewed", "D-2").await.unwrap();
    access(&dina, "proof.viewed", "D-1").await.unwrap();
    world.advance(Duration::minutes(59));
    let (vera, dina) = (world.sign_in("Vera").await, world.sign_in("Dina").await);
    assert_eq!(access(&dina, "proof.viewed", "D-1").await.unwrap().remember_seconds, 60);
    world.advance(Duration::minutes(1));
    access(&vera, "proof.viewed", "D-1").await.unwrap();
    let told = |it: &audit_entry::Model| format!("{} {} {} {}", it.actor, it.action, it.entity, it.entity_id);
    let left: Vec<String> = world.audit().await[before..].iter().map(told).collect();
    assert_eq!(
        left,
        [
            "Vera deliveries.exported delivery ",
            "Vera deliveries.exported delivery ",
            "Vera proof.viewed delivery D-1",
            "Vera proof.viewed delivery D-2",
            "Dina proof.viewed delivery D-1",
            "Vera proof.viewed delivery D-1",
        ]
    );
    let entry = world.audit().await.pop().unwrap();
    assert_eq!((entry.after_json.as_str(), entry.address.as_str()), (r#"{"format":"csv"}"#, HOME));
    // The gateway may report only acts that read.
    let error = access(&vera, "user.roles_changed", "").await.unwrap_err();
    assert!(error.fields.contains_key("action"), "{error}");
    assert_eq!(world.audit().await.len(), before + 6);
});
