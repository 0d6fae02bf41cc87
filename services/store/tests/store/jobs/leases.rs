//! Which worker may write for a job.

use chrono::Duration;
use kit::clock::Clock;
use store::jobs::{Halt, Hold, Jobs, State};
use store::testing::{Backend, TestDb};
use store::{Db, on_both};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::world::{Migrator, Scripted, World, add, insert, steps};

async fn claim(jobs: &Jobs) -> Option<Hold> {
    let claimed = jobs.claim("count", &CancellationToken::new()).await.unwrap();
    claimed.map(|(_, hold)| hold)
}

on_both!(a_worker_that_lost_its_lease_writes_nothing, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let id = world.add("count", "ana", 1).await;
    let jobs = world.jobs(Scripted::new("count", steps));
    let slow = claim(&jobs).await.unwrap();
    assert!(claim(&jobs).await.is_none());
    world.later(20);
    slow.renew().await.unwrap();
    world.later(20);
    assert!(claim(&jobs).await.is_none(), "a lease that is renewed is not taken");
    world.later(20);
    drop(slow.begin().await.unwrap());
    world.later(20);
    // A transaction that is rolled back does not renew the lease.
    let other = loop {
        match claim(&jobs).await {
            Some(other) => break other,
            None => tokio::task::yield_now().await,
        }
    };

    assert!(matches!(slow.begin().await, Err(Halt::Lost)));
    assert!(matches!(slow.renew().await, Err(Halt::Lost)));
    assert!(matches!(slow.confirm().await, Err(Halt::Lost)));
    assert!(claim(&jobs).await.is_none(), "the other one's lease still holds");
    let held = other.begin().await.unwrap();
    insert(&held, "effect", id, "by the other").await.unwrap();
    held.commit().await.unwrap();
    assert_eq!(world.noted("effect", id).await, ["by the other"]);
});

/// While a worker writes, nobody else can claim its job, whatever the clocks say.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_is_not_lost_in_the_middle_of_a_transaction() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let world = World::new(&test.db);
    let id = world.add("count", "ana", 1).await;
    let jobs = world.jobs(Scripted::new("count", steps));
    let slow = claim(&jobs).await.unwrap();
    let held = slow.begin().await.unwrap();
    insert(&held, "effect", id, "late").await.unwrap();
    world.later(3_600);
    assert!(claim(&jobs).await.is_none());
    held.commit().await.unwrap();
    assert_eq!(world.noted("effect", id).await, ["late"]);
    test.close().await;
}

on_both!(a_process_that_died_frees_its_jobs, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let id = world.add("count", "ana", 2).await;
    let jobs = world.jobs(Scripted::new("count", steps));
    assert!(claim(&jobs).await.is_some(), "and then the process is gone");
    if db.is_postgres() {
        // Another process may still hold the job, so nobody can claim it before its lease expires.
        assert_eq!(jobs.run_all().await.unwrap(), 0);
        world.later(31);
    }
    let stop = CancellationToken::new();
    let running = tokio::spawn(jobs.run(stop.clone()));
    world.until(id, State::Done).await;
    stop.cancel();
    running.await.unwrap().unwrap();
    assert_eq!(world.noted("effect", id).await, ["0", "1"]);
});

// A process that was killed leaves jobs that count as running. In one process, several services have jobs of one kind.
on_both!(jobs_of_a_process_that_died_wait_while_no_worker_is_free, Migrator, |db: Db| async move {
    let world = World::new(&db);
    world.add("count", "ana", 1).await;
    let gone = world.jobs(Scripted::new("count", steps));
    assert!(claim(&gone).await.is_some(), "and then the process is gone");
    world.later(31);
    // Tests of both databases may run in one process, whose metrics they share.
    let services = if db.is_postgres() { ["north", "south"] } else { ["east", "west"] };
    let stop = CancellationToken::new();
    let running = services.map(|service| {
        let jobs = Jobs::new(service, db.clone(), world.clock.clone());
        tokio::spawn(jobs.with(Scripted::new("count", steps).workers(0)).run(stop.clone()))
    });
    for service in services {
        assert_eq!(waiting(service).await, 1.0, "{service}");
    }
    stop.cancel();
    for it in running {
        it.await.unwrap().unwrap();
    }
});

/// Returns the number of jobs of a service that wait for a worker according to the metrics, once it is known.
async fn waiting(service: &str) -> f64 {
    let shown = async {
        loop {
            let jobs = kit::testing::metric_value("waybill_jobs_waiting", &[("service", service)]);
            if let Some(jobs) = jobs {
                return jobs;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), shown).await.expect("the number is shown")
}

on_both!(a_clock_that_jumps_ahead_starts_no_job_a_second_time, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let id = world.add("count", "ana", 1).await;
    let (reached, go) = (std::sync::Arc::new(Notify::new()), std::sync::Arc::new(Notify::new()));
    let (at_start, on) = (reached.clone(), go.clone());
    let jobs = world.jobs(Scripted::new("count", move |job, hold| {
        let (reached, go) = (at_start.clone(), on.clone());
        async move {
            reached.notify_one();
            go.notified().await;
            steps(job, hold).await
        }
    }));
    let jumping = async {
        reached.notified().await;
        world.later(86_400);
        assert!(claim(&jobs).await.is_none(), "this process works on it");
        go.notify_one();
    };
    let (ran, ()) = tokio::join!(jobs.run_all(), jumping);
    assert_eq!(ran.unwrap(), 1);
    assert_eq!(world.noted("effect", id).await, ["0"]);
    assert_eq!(world.state(id).await, State::Done);
});

on_both!(a_clock_that_was_set_back_holds_no_job_up, Migrator, |db: Db| async move {
    let world = World::new(&db);
    let away = Scripted::new("count", |_, _| async { Err(kit::Error::unavailable("AWAY", "away").into()) });
    let waiting = world.add("count", "ana", 1).await;
    world.jobs(away).run_all().await.unwrap();
    let abandoned = world.add("count", "ana", 1).await;
    let jobs = world.jobs(Scripted::new("count", steps));
    assert!(claim(&jobs).await.is_some(), "and then the process is gone");
    world.later(-86_400);
    jobs.run_all().await.unwrap();
    for id in [waiting, abandoned] {
        assert_eq!(world.state(id).await, State::Done);
    }
});

/// Between processes the database's clock decides whether a lease has expired.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_machine_whose_clock_is_wrong_takes_no_job_from_others() {
    let test = TestDb::migrated::<Migrator>(Backend::Postgres).await;
    let at = |days| {
        let clock = Clock::shifted(Duration::days(days));
        Jobs::new("test", test.db.clone(), clock).with(Scripted::new("count", steps))
    };
    let (right, ahead, behind) = (at(0), at(1), at(-1));
    let now = Clock::system().now();
    for wrong in [&ahead, &behind] {
        add(&test.db, "count", "ana", 1, now).await;
        let held = claim(&right).await.unwrap();
        assert!(claim(wrong).await.is_none());
        held.renew().await.unwrap();
        add(&test.db, "count", "ana", 1, now).await;
        let theirs = claim(wrong).await.unwrap();
        assert!(claim(&right).await.is_none(), "and loses none to them");
        theirs.renew().await.unwrap();
    }
    test.close().await;
}
