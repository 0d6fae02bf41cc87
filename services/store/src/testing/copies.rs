//! The contract of every copy: after a rebuild it equals a copy that has received all events.

#![allow(clippy::unwrap_used)] // a test fails by panicking

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use kit::Result;
use kit::bus::Handler;
use kit::clock::{Clock, new_id};
use kit::principal::{KeySource, ServiceIdentity, Verifier};
use kit::rpc::Transport;
use proto::events::{Envelope, Event};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use sea_orm_migration::MigratorTrait;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

use super::{Backend, TestDb};
use crate::Db;
use crate::copies::{self, Copy};
use crate::filter::fold;
use crate::jobs::{Jobs, State, job};
use crate::published::Published;
use crate::snapshot::{PAGE, Snapshot};
use sea_orm::EntityTrait;

const SECRET: &str = "a-secret-of-this-test-and-no-other";

/// A copy under test.
pub struct Case<E> {
    pub copy: Copy,
    /// Builds the event of an aggregate's `n`th change.
    pub make: fn(id: &str, n: u64) -> E,
    pub handler: fn(&Db, &Clock) -> Arc<dyn Handler>,
    /// Reads the whole copy in a stable order.
    pub rows: fn(Db) -> BoxFuture<'static, Vec<String>>,
    /// Whether a rebuild removes aggregates that the owner lost. If not, the service's own tests check what
    /// happens to them.
    pub removes: bool,
}

/// The owner's state: the newest change of each aggregate, by folded id.
type Newest = Arc<Mutex<BTreeMap<String, Envelope>>>;

/// An owner that serves its latest state. Runs `meanwhile` with a page's start key after making the page and
/// before returning it.
#[derive(Clone)]
struct Owner {
    newest: Newest,
    asked: Arc<Mutex<Vec<String>>>,
    meanwhile: Arc<dyn Fn(String) -> BoxFuture<'static, ()> + Send + Sync>,
}

#[async_trait]
impl Snapshot for Owner {
    async fn after(&self, _: &Db, key: &str) -> Result<Vec<Envelope>> {
        let answer: Vec<Envelope> = {
            let newest = self.newest.lock().unwrap();
            newest.iter().filter(|(id, _)| id.as_str() > key).map(|(_, it)| it.clone()).take(PAGE).collect()
        };
        self.asked.lock().unwrap().push(key.to_owned());
        (self.meanwhile)(key.to_owned()).await;
        let told = |it: Envelope| Envelope { id: String::new(), subject: String::new(), ..it };
        Ok(answer.into_iter().map(told).collect())
    }
}

struct NoKeys;

#[async_trait]
impl KeySource for NoKeys {
    async fn keys(&self) -> Result<HashMap<String, Vec<u8>>> {
        Ok(HashMap::new())
    }
}

/// One database with the copy, and the owner of its data.
struct World<'a, E> {
    case: &'a Case<E>,
    db: Db,
    clock: Clock,
    owner: Owner,
}

impl<'a, E: Event> World<'a, E> {
    fn new(case: &'a Case<E>, db: &Db) -> Self {
        let owner = Owner {
            newest: Newest::default(),
            asked: Arc::default(),
            meanwhile: Arc::new(|_| Box::pin(async {})),
        };
        let clock = Clock::fixed("2026-11-21T08:00:00Z".parse().unwrap());
        Self { case, db: db.clone(), clock, owner }
    }

    /// Makes the next change of an aggregate; returns its event.
    fn change(&self, id: &str) -> Envelope {
        change(&self.owner.newest, self.case.make, id)
    }

    async fn handle(&self, event: &Envelope) {
        (self.case.handler)(&self.db, &self.clock).handle(event).await.unwrap();
    }

    fn jobs(&self) -> Jobs {
        let source = E::ENTRY.owners[0];
        let keeper = self.case.copy.name.split('-').next().unwrap();
        let verifier = Verifier::new(Arc::new(NoKeys), SECRET.to_owned().into(), Clock::system());
        let published = Published::new(&self.db, source).with_snapshot::<E>(self.owner.clone());
        let mounted = kit::rpc::mount(Routes::new(published.serve()), verifier, Duration::from_secs(60));
        let keeper: &'static str =
            proto::events::readers(source).into_iter().find(|it| *it == keeper).unwrap();
        let identity = ServiceIdentity::new(keeper, SECRET.to_owned().into(), Clock::system());
        let copy = (self.case.copy.clone(), Transport::InProcess(mounted));
        copies::jobs(&self.db, &self.clock, &identity, vec![copy])
    }

    async fn request(&self) {
        assert!(copies::request(&self.db, &self.case.copy, "test", self.clock.now()).await.unwrap());
        assert!(!copies::request(&self.db, &self.case.copy, "test", self.clock.now()).await.unwrap());
    }

    async fn rebuild(&self) {
        self.request().await;
        assert_eq!(self.jobs().run_all().await.unwrap(), 1);
        self.all_done().await;
    }

    async fn all_done(&self) {
        for job in job::Entity::find().all(self.db.read()).await.unwrap() {
            assert_eq!(job.state, State::Done, "{:?}", job.failure_text);
        }
    }

    async fn rows(&self) -> Vec<String> {
        (self.case.rows)(self.db.clone()).await
    }
}

fn change<E: Event>(newest: &Newest, make: fn(&str, u64) -> E, id: &str) -> Envelope {
    let mut newest = newest.lock().unwrap();
    let n = newest.get(&fold(id)).map_or(0, |it| it.sequence) + 1;
    let event = Envelope {
        id: new_id().to_string(),
        subject: E::ENTRY.subject(E::ENTRY.owners[0]),
        occurred_at: Some(proto::timestamp("2026-11-20T08:00:00Z".parse().unwrap())),
        actor: "maria".to_owned(),
        aggregate_id: id.to_owned(),
        aggregate_version: n,
        sequence: n,
        payload: Some(make(id, n).into()),
        ..Envelope::default()
    };
    newest.insert(fold(id), event.clone());
    event
}

/// Returns more aggregate ids than fit in one page.
fn ids() -> Vec<String> {
    (0..PAGE + 40).map(|at| format!("id-{at:04}")).collect()
}

/// Tests everything that rebuilds promise.
pub async fn hold<M: MigratorTrait, E: Event>(db: Db, case: Case<E>) {
    let backend = if db.is_postgres() { Backend::Postgres } else { Backend::Sqlite };
    let other = TestDb::migrated::<M>(backend).await;
    let (world, all) = (World::new(&case, &db), World::new(&case, &other.db));
    after_random_events(&world, &all).await;
    while_events_flow(&case, &world, &all).await;
    after_a_kill(&case, &world).await;
    assert_eq!(world.rows().await, all.rows().await, "the work of a process that died is finished");
    other.close().await;
}

/// Rebuilds a copy of two pages, changes the first and the last aggregate, and rebuilds the copy again.
pub async fn rebuild_pages<E: Event>(db: &Db, case: &Case<E>) {
    let (world, ids) = (World::new(case, db), ids());
    for id in &ids {
        world.change(id);
    }
    world.rebuild().await;
    for id in [&ids[0], &ids[ids.len() - 1]] {
        world.change(id);
    }
    world.rebuild().await;
}

/// Tests a rebuild after lost events. `world` gets only some events, repeated and out of order; `all` gets
/// every event.
async fn after_random_events<E: Event>(world: &World<'_, E>, all: &World<'_, E>) {
    let mut random = StdRng::seed_from_u64(15);
    let mut events = Vec::new();
    for id in &ids() {
        for _ in 0..if random.random_bool(0.1) { 3 } else { 1 } {
            events.push(world.change(id));
        }
    }
    for event in &events {
        all.handle(event).await;
    }
    let mut some: Vec<Envelope> = events.iter().filter(|_| random.random_bool(0.7)).cloned().collect();
    some.extend(events.iter().filter(|_| random.random_bool(0.05)).cloned());
    some.shuffle(&mut random);
    for event in &some {
        world.handle(event).await;
    }
    if world.case.removes {
        // As if the owner had been restored from a backup: it lacks three aggregates and has an older state
        // of a fourth.
        for id in ["a-lost-one", "id-0100-lost", "zz-lost"] {
            world.handle(&world.change(id)).await;
            world.owner.newest.lock().unwrap().remove(id);
        }
        let before = world.owner.newest.lock().unwrap().get("id-0007").cloned().unwrap();
        world.handle(&world.change("id-0007")).await;
        world.owner.newest.lock().unwrap().insert("id-0007".to_owned(), before);
    }
    assert_ne!(world.rows().await, all.rows().await, "there is something to mend");
    world.rebuild().await;
    assert_eq!(world.rows().await, all.rows().await, "row for row what all events made");
    world.rebuild().await;
    assert_eq!(world.rows().await, all.rows().await, "nothing to mend is nothing changed");
}

/// Tests a rebuild while events flow: they arrive after the owner made its page and before the page is
/// written, so they are newer.
async fn while_events_flow<E: Event>(case: &Case<E>, world: &World<'_, E>, all: &World<'_, E>) {
    let mut flowing =
        World { case, db: world.db.clone(), clock: world.clock.clone(), owner: world.owner.clone() };
    let (newest, make) = (world.owner.newest.clone(), case.make);
    let handlers = [(case.handler)(&world.db, &world.clock), (case.handler)(&all.db, &all.clock)];
    flowing.owner.meanwhile = Arc::new(move |key| {
        let (newest, handlers) = (newest.clone(), handlers.clone());
        Box::pin(async move {
            let new = format!("id-0003-new-{}", key.len());
            for id in ["id-0001", "id-0200", "id-0530", &new, "zz-new"] {
                let event = change(&newest, make, id);
                for handler in &handlers {
                    handler.handle(&event).await.unwrap();
                }
            }
        })
    });
    flowing.rebuild().await;
    assert_eq!(world.rows().await, all.rows().await, "what arrived meanwhile is not undone");
}

/// Tests that a rebuild continues after a kill: the process dies while it waits for the second page.
async fn after_a_kill<E: Event>(case: &Case<E>, world: &World<'_, E>) {
    let mut dying =
        World { case, db: world.db.clone(), clock: world.clock.clone(), owner: world.owner.clone() };
    let (pages, mut seen) = mpsc::unbounded_channel();
    let never = Arc::new(Notify::new());
    dying.owner.meanwhile = Arc::new(move |key| {
        let (pages, never) = (pages.clone(), never.clone());
        Box::pin(async move {
            if !key.is_empty() {
                pages.send(key).unwrap();
                never.notified().await;
            }
        })
    });
    dying.request().await;
    let jobs = dying.jobs();
    let attempt = tokio::spawn(async move { jobs.run_one(&CancellationToken::new()).await });
    let reached = seen.recv().await.unwrap();
    attempt.abort();
    assert!(attempt.await.unwrap_err().is_cancelled());
    world.owner.asked.lock().unwrap().clear();
    world.clock.advance(chrono::Duration::minutes(5));
    assert_eq!(world.jobs().run_all().await.unwrap(), 1);
    world.all_done().await;
    assert_eq!(world.owner.asked.lock().unwrap().first(), Some(&reached), "it goes on where it was");
}
