//! Many rows that are written at once.

use std::collections::BTreeMap;

use ::store::{Db, Tx};
use proto::events::envelope::Payload;
use proto::events::{DeliveryChanged, DeliveryFact};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use store::testing::{Backend, TestDb};

use super::World;
use crate::store::{Origin, Write, deliveries, shipments};
use crate::{Migrator, facts};

/// Returns changes of many deliveries, each delivery once.
fn changes(world: &World) -> Vec<DeliveryChanged> {
    let mut newest = BTreeMap::new();
    while newest.len() < 30 {
        if let Some(Payload::DeliveryChanged(changed)) = world.owner.change().payload {
            newest.insert(changed.delivery.as_ref().unwrap().id.clone(), changed);
        }
    }
    newest.into_values().collect()
}

/// Writes the deliveries and shipments of these changes in one transaction, which is not committed yet.
async fn write(db: &Db, changes: &[DeliveryChanged]) -> Tx {
    let tx = db.begin().await.unwrap();
    let mut write = Write::begin_many(&tx, Origin::Event).await.unwrap();
    let (mut rows, mut of_them) = (Vec::new(), Vec::new());
    for changed in changes {
        let fact = changed.delivery.as_ref().unwrap();
        of_them.extend(facts::shipment_of(fact).unwrap());
        rows.push(facts::delivery(fact, &changed.variances).unwrap());
    }
    shipments::write(&mut write, of_them).await.unwrap();
    deliveries::write(&mut write, rows).await.unwrap();
    write.finish().await.unwrap();
    tx
}

store::on_both!(many_rows_at_once_are_like_one_at_a_time, Migrator, |db: Db| async move {
    let world = World::open(&db, 91);
    let mut rounds = vec![changes(&world), changes(&world)];
    let removed = rounds[1].iter().cloned().map(|mut changed| {
        let fact = changed.delivery.take().unwrap();
        changed.delivery = Some(DeliveryFact { sequence: fact.sequence + 1, removed: true, ..fact });
        changed
    });
    let removed = removed.collect();
    rounds.push(removed);
    let mut together = Vec::new();
    for changes in &rounds {
        write(&db, changes).await.commit().await.unwrap();
        together.push(world.tables().await);
    }
    assert!(together[1].deliveries.len() >= 30 && !together[1].variances.is_empty());
    assert!(together[2].deliveries.len() < together[1].deliveries.len());
    assert!(together[2].rollups.iter().all(|row| row.deliveries > 0));
    world.forget().await;
    for (changes, together) in rounds.iter().zip(together) {
        for one in changes {
            write(&db, std::slice::from_ref(one)).await.commit().await.unwrap();
        }
        assert_eq!(world.tables().await, together);
    }
});

/// With a placeholder for each value, Postgres takes longer to parse and plan a statement than to run it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statements_do_not_grow_with_the_number_of_rows() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let world = World::open(&test.db, 92);
    for _ in 0..2 {
        let tx = write(&test.db, &changes(&world)).await;
        let most = "SELECT max(cardinality(parameter_types)) AS most FROM pg_prepared_statements";
        let most = Statement::from_string(DbBackend::Postgres, most);
        let most = tx.query_one_raw(most).await.unwrap().unwrap();
        let most: i32 = most.try_get("", "most").unwrap();
        // A row of the widest table has 27 values. Keys of roll-ups that lose deliveries are values of their own.
        assert!(most <= 128 + 1, "{most} values");
        tx.commit().await.unwrap();
    }
    test.close().await;
}
