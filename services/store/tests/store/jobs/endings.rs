//! How jobs end, and when they continue.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kit::Error;
use store::jobs::{Halt, State};
use store::{Db, on_both};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::world::{Migrator, Scripted, World, step, steps};

fn failing(error: fn() -> Error) -> Scripted {
    Scripted::new("count", move |_, _| async move { Err(Halt::Failed(error())) })
}

on_both!(what_passes_never_ends_a_job, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let passing: [fn() -> Error; 4] = [
        || Error::unavailable("AWAY", "away"),
        || Error::rate_limited("BUSY", "busy", std::time::Duration::from_secs(5)),
        || Error::storage_full("STORAGE_FULL", "full"),
        || Error::unauthenticated("TOKEN_EXPIRED"),
    ];
    let id = world.add("count", "ana", 1).await;
    for error in passing {
        let jobs = world.jobs(failing(error));
        for _ in 0..7 {
            assert_eq!(jobs.run_all().await.unwrap(), 1, "{error:?}");
            assert_eq!(jobs.run_all().await.unwrap(), 0, "it waits");
            let job = world.job(id).await;
            assert_eq!((job.state, job.attempts), (State::Waiting, 0));
            assert_eq!(job.failure_code, Some(error().reason));
            world.later(11);
        }
    }
    world.jobs(Scripted::new("count", steps)).run_all().await.unwrap();
    assert_eq!(world.noted("ending", id).await, ["done"]);
});

on_both!(what_would_happen_again_ends_a_job_at_once, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let id = world.add("count", "ana", 1).await;
    let jobs = world.jobs(failing(|| Error::precondition("SOURCE_DISABLED", "The source is disabled")));
    assert_eq!(jobs.run_all().await.unwrap(), 1);
    let job = world.job(id).await;
    assert_eq!((job.state, job.finished_at), (State::Failed, Some(world.now())));
    assert_eq!(world.noted("ending", id).await, ["SOURCE_DISABLED"]);
    world.later(86_400);
    assert_eq!(jobs.run_all().await.unwrap(), 0);
});

on_both!(a_job_that_fails_by_itself_is_given_up, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let (good, bad) = (world.add("count", "ana", 1).await, world.add("bad", "ana", 1).await);
    let panicking = Scripted::new("bad", |_, _| async { panic!("a defect in the work") });
    let jobs = world.jobs(panicking).with(Scripted::new("count", steps));
    let mut pauses = Vec::new();
    while world.state(bad).await != State::Failed {
        jobs.run_all().await.unwrap();
        let until = world.job(bad).await.not_before;
        pauses.extend(until.map(|until| (until - world.now()).num_seconds()));
        world.later(2_161);
    }
    assert_eq!(pauses, [10, 60, 360, 2_160], "longer each time, and the fifth time is the last");
    assert_eq!(world.noted("ending", bad).await, ["JOB_STOPPED_REPEATEDLY"]);
    assert_eq!(world.state(good).await, State::Done, "a panic stops no other job");
});

on_both!(a_job_that_ends_its_process_each_time_is_given_up, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let id = world.add("count", "ana", 1).await;
    let jobs = world.jobs(Scripted::new("count", steps));
    for attempt in 1..=5 {
        let (job, _) = jobs.claim("count", &CancellationToken::new()).await.unwrap().unwrap();
        assert_eq!(job.attempts, attempt, "and then the process is gone");
        world.later(31);
    }
    jobs.run_all().await.unwrap();
    assert!(world.noted("effect", id).await.is_empty());
    assert_eq!(world.noted("ending", id).await, ["JOB_STOPPED_REPEATEDLY"]);
});

on_both!(progress_starts_the_attempts_again, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let id = world.add("count", "ana", 9).await;
    // Each attempt does one step and then fails.
    let jobs = world.jobs(Scripted::new("count", |job, hold| async move {
        let mut left = crate::jobs::world::steps_left(&job);
        match left.next() {
            Some(at) => step(&job, &hold, at).await?,
            None => return Ok(()),
        }
        Err(Error::internal("a defect with every step").into())
    }));
    for _ in 0..9 {
        assert_eq!(jobs.run_all().await.unwrap(), 1);
        assert_eq!(world.job(id).await.attempts, 0);
        world.later(11);
    }
    jobs.run_all().await.unwrap();
    assert_eq!(world.noted("ending", id).await, ["done"]);
});

on_both!(a_job_that_waits_is_cancelled_at_once, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let (fresh, failed) = (world.add("count", "ana", 1).await, world.add("count", "ana", 1).await);
    let away = world.jobs(failing(|| Error::unavailable("AWAY", "away")));
    away.run_one(&CancellationToken::new()).await.unwrap();
    away.run_one(&CancellationToken::new()).await.unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let jobs = world.jobs(Scripted::new("count", move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok(()) }
    }));
    for id in [fresh, failed] {
        assert!(world.cancel(id).await);
    }
    jobs.run_all().await.unwrap();
    for id in [fresh, failed] {
        assert_eq!(world.state(id).await, State::Cancelled);
        assert_eq!(world.noted("ending", id).await, ["cancelled"]);
        assert!(!world.cancel(id).await, "it has ended");
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
});

on_both!(a_job_that_runs_is_cancelled_before_its_next_step, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let id = world.add("count", "ana", 3).await;
    let (reached, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (at_one, on) = (reached.clone(), go.clone());
    let jobs = world.jobs(Scripted::new("count", move |job, hold| {
        let (reached, go) = (at_one.clone(), on.clone());
        async move {
            step(&job, &hold, 0).await?;
            reached.notify_one();
            go.notified().await;
            step(&job, &hold, 1).await
        }
    }));
    let cancelling = async {
        reached.notified().await;
        assert!(world.cancel(id).await);
        assert!(!world.cancel(id).await, "it is being canceled");
        assert_eq!(world.state(id).await, State::Running);
        go.notify_one();
    };
    let (ran, ()) = tokio::join!(jobs.run_all(), cancelling);
    assert_eq!(ran.unwrap(), 1);
    assert_eq!(world.noted("effect", id).await, ["0"]);
    assert_eq!(world.noted("ending", id).await, ["cancelled"]);
});

on_both!(work_that_only_waits_hears_of_the_cancellation, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let id = world.add("count", "ana", 1).await;
    let jobs = world.jobs(Scripted::new("count", steps));
    let (_, hold) = jobs.claim("count", &CancellationToken::new()).await.unwrap().unwrap();
    assert!(hold.check().is_ok());
    world.cancel(id).await;
    hold.renew().await.unwrap();
    assert!(hold.interrupted().is_cancelled());
    assert!(matches!(hold.check(), Err(Halt::Cancelled)));
});

on_both!(finished_jobs_are_kept_for_a_while, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let done = world.add("count", "ana", 1).await;
    world.jobs(Scripted::new("count", steps)).run_all().await.unwrap();
    let failed = world.add("count", "ana", 1).await;
    world.jobs(failing(|| Error::precondition("NO", "no"))).run_all().await.unwrap();
    let gone = async |id| store::jobs::get(&db, id).await.is_err();
    for (days, expected) in [(29, (false, false)), (31, (true, false)), (91, (true, true))] {
        let aged = World::new(&db);
        aged.later(days * 86_400);
        // A worker clears old jobs before its first job.
        let waiting = aged.add("count", "ana", 1).await;
        let stop = CancellationToken::new();
        let running = tokio::spawn(aged.jobs(Scripted::new("count", steps)).run(stop.clone()));
        aged.until(waiting, State::Done).await;
        stop.cancel();
        running.await.unwrap().unwrap();
        assert_eq!((gone(done).await, gone(failed).await), expected, "after {days} days");
    }
});
