use super::*;

fn span(world: &World, id: &str, from: i64, to: i64) -> ListPositionsRequest {
    let time = |seconds| Some(proto::timestamp(world.clock.now() + Duration::seconds(seconds)));
    ListPositionsRequest { driver_id: id.into(), from: time(from), to: time(to), after: None, limit: 0 }
}

store::on_both!(a_way_is_read_in_pieces, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    world.create("DRV-2").await;
    for id in ["DRV-1", "DRV-2"] {
        // Two points at each instant: the second is a duplicate.
        let points = (0..50).flat_map(|step| {
            let one = world.point(-step * 10);
            [PositionInput { altitude: Some(1.0), ..one.clone() }, one]
        });
        assert_eq!(world.tell(id, points.collect()).await.unwrap(), (100, 50));
    }
    let whole = good(world.tracker.list_positions(viewer(span(&world, "drv-1", -490, 1))).await);
    assert_eq!((whole.positions.len(), whole.more), (100, false));
    let (mut read, mut after) = (Vec::new(), None);
    loop {
        let request = ListPositionsRequest { after, limit: 7, ..span(&world, "DRV-1", -490, 1) };
        let part = good(world.tracker.list_positions(viewer(request)).await);
        read.extend(part.positions);
        after = Some(part.cursor);
        if !part.more {
            break;
        }
    }
    assert_eq!(read, whole.positions, "between cursors nothing is lost or twice");
    assert!(read.iter().all(|it| it.driver_id == "DRV-1"));
    // `from` is inclusive, `to` is exclusive.
    let some = good(world.tracker.list_positions(viewer(span(&world, "DRV-1", -20, 0))).await);
    assert_eq!(some.positions.len(), 4);
    let none = good(world.tracker.list_positions(viewer(span(&world, "DRV-1", 10, 20))).await);
    assert_eq!((none.positions.len(), none.cursor.as_str(), none.more), (0, "", false));
    for wrong in [
        ListPositionsRequest { limit: 10_001, ..span(&world, "DRV-1", 0, 1) },
        ListPositionsRequest { after: Some("x".into()), ..span(&world, "DRV-1", 0, 1) },
        ListPositionsRequest { from: None, ..span(&world, "DRV-1", 0, 1) },
    ] {
        assert_eq!(refused(world.tracker.list_positions(viewer(wrong)).await).kind, Kind::InvalidInput);
    }
    let nobody = world.tracker.list_positions(viewer(span(&world, "DRV-9", 0, 1))).await;
    assert_eq!(refused(nobody).reason, "DRIVER_NOT_FOUND");
    world.stop().await;
});

store::on_both!(an_answer_stays_below_what_a_client_takes, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    world.create("DRV-1").await;
    let long: std::collections::HashMap<_, _> = [("text".to_owned(), "x".repeat(1_900))].into();
    for batch in 0..3 {
        let points = (0..1_000)
            .map(|step| PositionInput { attributes: long.clone(), ..world.point(-(batch * 1_000 + step)) });
        world.tell("DRV-1", points.collect()).await.unwrap();
    }
    let (mut count, mut after, mut parts) = (0, None, 0);
    loop {
        let request = ListPositionsRequest { after, ..span(&world, "DRV-1", -3_600, 1) };
        let part = good(world.tracker.list_positions(viewer(request)).await);
        assert!(part.encoded_len() < 4 << 20, "{}", part.encoded_len());
        count += part.positions.len();
        after = Some(part.cursor);
        parts += 1;
        if !part.more {
            break;
        }
    }
    assert_eq!(count, 3_000);
    assert!(parts > 1);
    world.stop().await;
});

store::on_both!(whoever_follows_misses_no_move, Migrator, |db: Db| async move {
    let world = World::start(db).await;
    for id in ["DRV-1", "DRV-2", "DRV-3"] {
        world.create(id).await;
    }
    assert!(world.locations(None).await.locations.is_empty(), "nobody is anywhere yet");
    world.tell("DRV-1", vec![world.point(-1)]).await.unwrap();
    world.tell("DRV-2", vec![world.point(-1)]).await.unwrap();
    let first = world.locations(None).await;
    let ids = |it: &ListLocationsResponse| -> Vec<String> {
        it.locations.iter().map(|it| it.driver_id.clone()).collect()
    };
    assert_eq!((ids(&first), first.more), (vec!["DRV-1".to_owned(), "DRV-2".to_owned()], false));
    assert_eq!(first.locations[0].online_state(), OnlineState::Online);
    // The clock of the process that stores the next position is behind.
    world.clock.advance(Duration::seconds(-10));
    world.tell("DRV-3", vec![world.point(-1)]).await.unwrap();
    world.clock.advance(Duration::seconds(40));
    let second = world.locations(Some(&first.cursor)).await;
    assert_eq!(ids(&second), ["DRV-3"]);
    // Later responses contain only changed locations.
    world.clock.advance(Duration::seconds(60));
    world.tell("DRV-1", vec![world.point(-1)]).await.unwrap();
    let third = world.locations(Some(&second.cursor)).await;
    world.clock.advance(Duration::seconds(600));
    world.tell("DRV-2", vec![world.point(-1)]).await.unwrap();
    let fourth = world.locations(Some(&third.cursor)).await;
    assert_eq!(ids(&fourth).last().map(String::as_str), Some("DRV-2"));
    let one = ListLocationsRequest { after: None, driver_ids: vec!["drv-1".into()] };
    let one = good(world.tracker.list_locations(viewer(one)).await);
    assert_eq!(ids(&one), ["DRV-1"]);
    assert_eq!(one.locations[0].online_state(), OnlineState::Offline);
    // Readers who follow changes also learn that a driver was blocked.
    world.clock.advance(Duration::seconds(60));
    world.block("DRV-3", true).await;
    let fifth = world.locations(Some(&fourth.cursor)).await;
    let shown = fifth.locations.iter().find(|it| it.driver_id == "DRV-3").unwrap();
    assert_eq!(shown.status(), DriverStatus::Blocked);
    world.stop().await;
});
