//! Durable jobs: what they survive, who works on them, and how they end.

mod endings;
mod leases;
mod sharing;
mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kit::Error;
use kit::clock::new_id;
use proto::common::v1::Page;
use serde_json::json;
use store::jobs::{self, Halt, NewJob, State, Wanted};
use store::{Db, on_both};
use tokio_util::sync::CancellationToken;

use world::{Migrator, Scripted, World, step, steps, steps_left};

on_both!(a_job_is_added_with_the_change_that_asks_for_it, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let jobs = world.jobs(Scripted::new("count", steps));
    let new = |id| NewJob {
        id,
        kind: "count",
        payload: json!({ "steps": 2 }),
        created_by: "ana",
        created_at: world.now(),
    };
    let (dropped, kept) = (new_id(), new_id());
    let tx = db.begin().await.unwrap();
    assert!(jobs::enqueue(&tx, new(dropped)).await.unwrap());
    drop(tx);
    for is_first in [true, false] {
        let tx = db.begin().await.unwrap();
        assert_eq!(jobs::enqueue(&tx, new(kept)).await.unwrap(), is_first);
        tx.commit().await.unwrap();
        jobs.run_all().await.unwrap();
    }
    assert_eq!(jobs::get(&db, dropped).await.unwrap_err().reason, "JOB_NOT_FOUND");
    assert_eq!(world.noted("effect", kept).await, ["0", "1"], "asked for twice, done once");
    let job = world.job(kept).await;
    assert_eq!((job.state, job.progress_done, job.progress_total), (State::Done, 2, Some(2)));
    assert_eq!((job.finished_at, job.lease_owner, job.lease_until), (Some(world.now()), None, None));
    assert_eq!(world.noted("ending", kept).await, ["done"]);
});

on_both!(work_goes_on_from_its_last_checkpoint, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let fails = Arc::new(AtomicBool::new(true));
    let jobs = world.jobs(Scripted::new("count", move |job, hold| {
        let fails = fails.clone();
        async move {
            for at in steps_left(&job) {
                if at == 3 && fails.swap(false, Ordering::SeqCst) {
                    // An effect whose transaction is not committed must leave no trace.
                    let held = hold.begin().await?;
                    world::insert(&held, "effect", job.id, "half a step").await?;
                    return Err(Error::internal("a defect").into());
                }
                step(&job, &hold, at).await?;
            }
            Ok(())
        }
    }));
    let id = world.add("count", "ana", 5).await;
    assert_eq!(jobs.run_all().await.unwrap(), 1);
    let job = world.job(id).await;
    assert_eq!((job.state, job.progress_done, job.checkpoint), (State::Waiting, 3, Some(json!(3))));
    assert_eq!(job.failure_code.as_deref(), Some("INTERNAL"), "an administrator sees why it waits");
    world.later(11);
    assert_eq!(jobs.run_all().await.unwrap(), 1);
    assert_eq!(world.noted("effect", id).await, ["0", "1", "2", "3", "4"]);
    assert_eq!(world.state(id).await, State::Done);
});

on_both!(jobs_start_when_they_are_added_and_stop_between_two_steps, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    let work = Scripted::new("count", move |job, hold| {
        let stopping = stopping.clone();
        async move {
            for at in steps_left(&job) {
                hold.check()?;
                step(&job, &hold, at).await?;
                if at == 1 {
                    stopping.cancel();
                }
            }
            Ok(())
        }
    });
    // The worker polls so rarely that only a wake-up can start the job.
    let running = tokio::spawn(world.jobs(work).polling(Duration::from_secs(3_600)).run(stop.clone()));
    let first = world.add("count", "ana", 1).await;
    world.until(first, State::Done).await;
    let second = world.add("count", "ana", 4).await;
    running.await.unwrap().unwrap();
    let job = world.job(second).await;
    assert_eq!((job.state, job.progress_done, job.attempts, job.not_before), (State::Waiting, 2, 0, None));
    world.jobs(Scripted::new("count", steps)).run_all().await.unwrap();
    assert_eq!(world.noted("effect", second).await, ["0", "1", "2", "3"]);
});

on_both!(a_job_wakes_all_runners_of_its_database, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let stop = CancellationToken::new();
    let start = |kind| {
        let jobs = world.jobs(Scripted::new(kind, steps)).polling(Duration::from_secs(3_600));
        tokio::spawn(jobs.run(stop.clone()))
    };
    let runners = [start("one"), start("other")];
    for kind in ["one", "other", "other", "one"] {
        let id = world.add(kind, "ana", 1).await;
        // Less than the ten seconds after which runners look for jobs anyway, because they update metrics.
        let done = tokio::time::timeout(Duration::from_secs(8), world.until(id, State::Done)).await;
        done.unwrap_or_else(|_| panic!("the runner of {kind} sleeps"));
    }
    stop.cancel();
    for runner in runners {
        runner.await.unwrap().unwrap();
    }
});

on_both!(an_administrator_finds_jobs_by_how_they_are, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let refused = || Error::precondition("SOURCE_DISABLED", "The source is disabled");
    let jobs = world.jobs(Scripted::new("bad", move |_, _| async move { Err(Halt::Failed(refused())) }));
    let mut bad = Vec::new();
    for _ in 0..3 {
        world.later(1);
        bad.insert(0, world.add("bad", "ana", 1).await);
    }
    jobs.run_all().await.unwrap();
    let waiting = world.add("other", "ben", 1).await;
    let page = |limit| Page { limit, ..Page::default() };
    let list = async |wanted, limit| {
        let (found, more) = jobs::list(&db, wanted, &page(limit)).await.unwrap();
        (found.iter().map(|job| job.id).collect::<Vec<_>>(), more)
    };
    let failed = Wanted { state: Some(State::Failed), ..Wanted::default() };
    assert_eq!(list(failed, 10).await, (bad.clone(), false));
    assert_eq!(list(failed, 2).await, (bad[..2].to_vec(), true));
    assert_eq!(
        list(Wanted { created_by: Some("ben"), ..Wanted::default() }, 10).await,
        (vec![waiting], false)
    );
    assert_eq!(list(Wanted { kind: Some("bad"), ..failed }, 10).await.0.len(), 3);
    let (found, _) = jobs::list(&db, failed, &page(1)).await.unwrap();
    assert_eq!(found[0].failure_code.as_deref(), Some("SOURCE_DISABLED"));
    assert_eq!(found[0].failure_text.as_deref(), Some("The source is disabled"));
});
