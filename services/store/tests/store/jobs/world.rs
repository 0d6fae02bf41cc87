//! A service with scripted jobs, whose actions are recorded in two tables.

use std::sync::Arc;

use chrono::{DateTime, Duration, Utc};
use futures::future::BoxFuture;
use kit::clock::{Clock, new_id};
use sea_orm::prelude::Json;
use sea_orm::{ConnectionTrait, Statement};
use sea_orm_migration::prelude::*;
use serde_json::json;
use store::jobs::{self, End, Halt, Hold, Job, Jobs, NewJob, Progress, State, Work};
use store::{Db, Tx};
use uuid::Uuid;

pub struct Migrator;

impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        let mut all = store::migrate::migrations();
        all.push(Box::new(Tables));
        all
    }
}

struct Tables;

impl MigrationName for Tables {
    fn name(&self) -> &str {
        "m0001_jobs"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Tables {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        jobs::create_table(manager).await?;
        for table in ["effect", "ending"] {
            let text = |name: &str| ColumnDef::new(Alias::new(name)).text().not_null().to_owned();
            let table =
                Table::create().table(Alias::new(table)).col(text("job")).col(text("what")).to_owned();
            manager.create_table(table).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        jobs::drop_table(manager).await
    }
}

pub async fn insert(tx: &Tx, table: &str, job: Uuid, what: &str) -> kit::Result<()> {
    let backend = tx.get_database_backend();
    let sql = format!("INSERT INTO {table} (job, what) VALUES ($1, $2)");
    let row = Statement::from_sql_and_values(backend, sql, [job.to_string().into(), what.into()]);
    tx.execute_raw(row).await.map(|_| ()).map_err(store::db)
}

type Script = Arc<dyn Fn(Job, Hold) -> BoxFuture<'static, Result<(), Halt>> + Send + Sync>;

/// Work that runs a script, and records in the table `ending` how each job ended.
#[derive(Clone)]
pub struct Scripted {
    kind: &'static str,
    pool: &'static str,
    workers: usize,
    script: Script,
}

impl Scripted {
    pub fn new<F, Fut>(kind: &'static str, script: F) -> Self
    where
        F: Fn(Job, Hold) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), Halt>> + Send + 'static,
    {
        Self { kind, pool: kind, workers: 1, script: Arc::new(move |job, hold| Box::pin(script(job, hold))) }
    }

    pub fn pool(self, pool: &'static str) -> Self {
        Self { pool, ..self }
    }

    pub fn workers(self, workers: usize) -> Self {
        Self { workers, ..self }
    }
}

#[async_trait::async_trait]
impl Work for Scripted {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn pool(&self) -> &'static str {
        self.pool
    }

    fn workers(&self) -> usize {
        self.workers
    }

    async fn run(&self, job: &Job, hold: &Hold) -> Result<(), Halt> {
        (self.script)(job.clone(), hold.clone()).await
    }

    async fn ended(&self, tx: &Tx, job: &Job, end: &End) -> kit::Result<()> {
        let what = match end {
            End::Done => "done".to_owned(),
            End::Cancelled => "cancelled".to_owned(),
            End::Failed(error) => error.reason.clone(),
        };
        insert(tx, "ending", job.id, &what).await
    }
}

/// Returns the numbers of the steps that the job has not done yet.
pub fn steps_left(job: &Job) -> std::ops::Range<u64> {
    let checkpoint = job.checkpoint.as_ref().and_then(Json::as_u64).unwrap_or(0);
    checkpoint..job.payload["steps"].as_u64().unwrap()
}

/// Does one step: writes effect, progress and checkpoint in one transaction.
pub async fn step(job: &Job, hold: &Hold, step: u64) -> Result<(), Halt> {
    let held = hold.begin().await?;
    insert(&held, "effect", job.id, &step.to_string()).await?;
    let total = job.payload["steps"].as_u64();
    held.advance(Progress { done: step + 1, total, checkpoint: Some(json!(step + 1)) }).await?;
    Ok(held.commit().await?)
}

/// Does all remaining steps.
pub async fn steps(job: Job, hold: Hold) -> Result<(), Halt> {
    for at in steps_left(&job) {
        step(&job, &hold, at).await?;
        hold.check()?;
    }
    Ok(())
}

/// A database, and a clock that stands still until it is moved.
pub struct World {
    pub db: Db,
    pub clock: Clock,
}

impl World {
    pub fn new(db: &Db) -> Self {
        let clock = Clock::fixed(DateTime::from_timestamp(1_795_000_000, 0).unwrap());
        Self { db: db.clone(), clock }
    }

    pub fn jobs(&self, work: Scripted) -> Jobs {
        Jobs::new("test", self.db.clone(), self.clock.clone()).with(work)
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    pub fn later(&self, seconds: i64) {
        self.clock.advance(Duration::seconds(seconds));
    }

    /// Adds a job that has to do `steps` steps.
    pub async fn add(&self, kind: &'static str, by: &str, steps: u64) -> Uuid {
        add(&self.db, kind, by, steps, self.now()).await
    }

    pub async fn cancel(&self, id: Uuid) -> bool {
        let tx = self.db.begin().await.unwrap();
        let asked = jobs::cancel(&tx, id).await.unwrap();
        tx.commit().await.unwrap();
        asked
    }

    pub async fn job(&self, id: Uuid) -> Job {
        jobs::get(&self.db, id).await.unwrap()
    }

    pub async fn state(&self, id: Uuid) -> State {
        self.job(id).await.state
    }

    /// Returns the rows that a job wrote, in order.
    pub async fn noted(&self, table: &str, id: Uuid) -> Vec<String> {
        let sql = format!("SELECT what FROM {table} WHERE job = $1 ORDER BY what");
        let ask = Statement::from_sql_and_values(self.db.backend(), sql, [id.to_string().into()]);
        let rows = self.db.read().query_all_raw(ask).await.unwrap();
        rows.iter().map(|row| row.try_get("", "what").unwrap()).collect()
    }

    /// Waits until the job has this state.
    pub async fn until(&self, id: Uuid, state: State) {
        let waiting = async {
            while self.state(id).await != state {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        let limit = std::time::Duration::from_secs(60);
        if tokio::time::timeout(limit, waiting).await.is_err() {
            panic!("waited too long until it is {state:?}: {:?}", self.job(id).await);
        }
    }
}

pub async fn add(db: &Db, kind: &'static str, by: &str, steps: u64, created_at: DateTime<Utc>) -> Uuid {
    let id = new_id();
    let tx = db.begin().await.unwrap();
    let new = NewJob { id, kind, payload: json!({ "steps": steps }), created_by: by, created_at };
    assert!(jobs::enqueue(&tx, new).await.unwrap());
    tx.commit().await.unwrap();
    id
}
