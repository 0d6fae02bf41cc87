//! How kinds of jobs, persons and processes share workers.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kit::clock::Clock;
use store::jobs::{Jobs, State, Wanted, list};
use store::testing::{Backend, TestDb, config};
use store::{Db, on_both};
use tokio::sync::{Barrier, Semaphore};
use tokio_util::sync::CancellationToken;

use super::world::{Migrator, Scripted, World, add, steps};

on_both!(each_person_has_a_turn, Migrator, |db: Db| async move {
    let world = World::new(&db);
    for (by, jobs) in [("ana", 5), ("ben", 2), ("cara", 1)] {
        for _ in 0..jobs {
            world.later(1);
            world.add("count", by, 1).await;
        }
    }
    let (turns, clock) = (Arc::new(Mutex::new(Vec::new())), world.clock.clone());
    let noted = turns.clone();
    let jobs = world.jobs(Scripted::new("count", move |job, _| {
        clock.advance(chrono::Duration::seconds(1));
        noted.lock().unwrap().push(job.created_by);
        async { Ok(()) }
    }));
    jobs.run_all().await.unwrap();
    assert_eq!(*turns.lock().unwrap(), ["ana", "ben", "cara", "ana", "ben", "ana", "ana", "ana"]);
    // The next job is that of a person without running jobs, even if this person was served more recently
    // than one with a running job.
    world.add("count", "ben", 1).await;
    let claim = async || jobs.claim("count", &CancellationToken::new()).await.unwrap().unwrap().0.created_by;
    assert_eq!(claim().await, "ben");
    world.later(1);
    world.add("count", "ana", 1).await;
    jobs.run_all().await.unwrap();
    for by in ["ben", "ana"] {
        world.add("count", by, 1).await;
    }
    assert_eq!([claim().await, claim().await], ["ana", "ben"]);
});

on_both!(a_kind_has_its_own_workers_and_no_more, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let may_end = Arc::new(Semaphore::new(0));
    let gate = may_end.clone();
    let long = Scripted::new("long", move |job, hold| {
        let gate = gate.clone();
        async move {
            gate.acquire().await.unwrap().forget();
            steps(job, hold).await
        }
    });
    let jobs = world.jobs(long.workers(2)).with(Scripted::new("short", steps));
    let mut long = Vec::new();
    for _ in 0..5 {
        world.later(1);
        long.push(world.add("long", "ana", 1).await);
    }
    let short = [world.add("short", "ana", 1).await, world.add("short", "ana", 1).await];
    let stop = CancellationToken::new();
    let running = tokio::spawn(jobs.polling(Duration::from_secs(3_600)).run(stop.clone()));
    for id in short {
        world.until(id, State::Done).await;
    }
    let at_work = Wanted { kind: Some("long"), state: Some(State::Running), ..Wanted::default() };
    let page = proto::common::v1::Page { limit: 100, ..Default::default() };
    let count = async || list(&db, at_work, &page).await.unwrap().0.len();
    world.until(long[0], State::Running).await;
    world.until(long[1], State::Running).await;
    assert_eq!(count().await, 2);
    may_end.add_permits(1);
    // When a job ends, the next one starts in its slot without a wake-up.
    world.until(long[2], State::Running).await;
    assert_eq!(count().await, 2);
    may_end.add_permits(4);
    for id in long {
        world.until(id, State::Done).await;
        assert_eq!(world.noted("effect", id).await, ["0"]);
    }
    stop.cancel();
    running.await.unwrap().unwrap();
});

on_both!(kinds_of_one_pool_share_its_workers, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let may_end = Arc::new(Semaphore::new(0));
    let long = |kind| {
        let gate = may_end.clone();
        let work = Scripted::new(kind, move |job, hold| {
            let gate = gate.clone();
            async move {
                gate.acquire().await.unwrap().forget();
                steps(job, hold).await
            }
        });
        work.pool("files").workers(2)
    };
    let jobs = world.jobs(long("import")).with(long("check"));
    let mut all = Vec::new();
    for (kind, by) in [("import", "ana"), ("import", "ana"), ("check", "ben"), ("check", "ana")] {
        world.later(1);
        all.push(world.add(kind, by, 1).await);
    }
    let stop = CancellationToken::new();
    let running = tokio::spawn(jobs.polling(Duration::from_secs(3_600)).run(stop.clone()));
    // Persons take turns across the kinds.
    world.until(all[0], State::Running).await;
    world.until(all[2], State::Running).await;
    let at_work = Wanted { state: Some(State::Running), ..Wanted::default() };
    let page = proto::common::v1::Page { limit: 100, ..Default::default() };
    assert_eq!(list(&db, at_work, &page).await.unwrap().0.len(), 2);
    may_end.add_permits(4);
    for id in all {
        world.until(id, State::Done).await;
    }
    stop.cancel();
    running.await.unwrap().unwrap();
});

/// Two processes on Postgres, one worker each: both get jobs, and no job runs twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_workers_share_the_jobs_and_never_run_one_at_the_same_time() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let world = World { db: test.db.clone(), clock: Clock::system() };
    let mut all = Vec::new();
    for _ in 0..40 {
        all.push(add(&test.db, "count", "ana", 3, world.now()).await);
    }
    let at_work = Arc::new(Mutex::new(HashSet::new()));
    // The first job of each process waits until both processes have one.
    let both_have_one = Arc::new(Barrier::new(2));
    let stop = CancellationToken::new();
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let (at_work, both) = (at_work.clone(), both_have_one.clone());
            let is_first = Arc::new(std::sync::atomic::AtomicBool::new(true));
            let work = Scripted::new("count", move |job, hold| {
                let (at_work, both, is_first) = (at_work.clone(), both.clone(), is_first.clone());
                async move {
                    assert!(at_work.lock().unwrap().insert(job.id), "somebody works on it");
                    if is_first.swap(false, std::sync::atomic::Ordering::SeqCst) {
                        both.wait().await;
                    }
                    let id = job.id;
                    steps(job, hold).await?;
                    at_work.lock().unwrap().remove(&id);
                    Ok(())
                }
            });
            let (url, stop) = (test.url.clone(), stop.clone());
            tokio::spawn(async move {
                let db = Db::connect(&url, &config()).await.unwrap();
                let jobs = Jobs::new("test", db.clone(), Clock::system()).with(work);
                jobs.polling(Duration::from_millis(20)).run(stop).await.unwrap();
                db.close().await;
            })
        })
        .collect();
    for id in all {
        world.until(id, State::Done).await;
        assert_eq!(world.noted("effect", id).await, ["0", "1", "2"]);
        assert_eq!(world.noted("ending", id).await, ["done"]);
        assert_eq!(world.job(id).await.failure_code, None);
    }
    stop.cancel();
    for worker in workers {
        worker.await.unwrap();
    }
    test.close().await;
}
