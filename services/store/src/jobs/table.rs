//! The table of jobs. Each service that has jobs creates it in its own migration.

use sea_orm_migration::prelude::*;

crate::text_enum!(
    /// The state of a job.
    State {
        Waiting => "waiting",
        Running => "running",
        Done => "done",
        Failed => "failed",
        Cancelled => "cancelled",
    }
);

pub mod job {
    use sea_orm::entity::prelude::*;

    use super::State;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "job")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: Uuid,
        pub kind: String,
        /// The job's input, in a format of its kind.
        pub payload: Json,
        pub created_by: String,
        pub created_at: DateTimeUtc,
        pub state: State,
        pub progress_done: i64,
        /// In the unit of `progress_done`; NULL until known.
        pub progress_total: Option<i64>,
        /// The position from which the work resumes, in a format of the job's kind.
        pub checkpoint: Option<Json>,
        /// Attempts since the last progress.
        pub attempts: i32,
        /// The job must not be claimed before this time, which is set after a failure.
        pub not_before: Option<DateTimeUtc>,
        /// The worker that holds the lease. No other worker can write for this job.
        pub lease_owner: Option<Uuid>,
        pub lease_until: Option<DateTimeUtc>,
        /// When a worker last claimed the job.
        pub claimed_at: Option<DateTimeUtc>,
        /// Failure of the last attempt.
        pub failure_code: Option<String>,
        pub failure_text: Option<String>,
        pub cancel_requested: bool,
        pub finished_at: Option<DateTimeUtc>,
    }

    impl ActiveModelBehavior for ActiveModel {}
}
use job::{Column as C, Entity};

const OPEN: &str = "job_open";
const FINISHED: &str = "job_finished";
const RUNNING: &str = "job_of_person_state";
const SERVED: &str = "job_of_person_claimed";

/// Creates the table. Every column that a new job does not set has a default, so that a migration can add a
/// job with only its id, kind, person and time.
pub async fn create_table(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let text = |column: C| ColumnDef::new(column).text().to_owned();
    let time = |column: C| ColumnDef::new(column).timestamp_with_time_zone().to_owned();
    let table = Table::create()
        .table(Entity)
        .col(ColumnDef::new(C::Id).uuid().not_null().primary_key())
        .col(text(C::Kind).not_null())
        .col(ColumnDef::new(C::Payload).json().not_null().default("{}"))
        .col(text(C::CreatedBy).not_null())
        .col(time(C::CreatedAt).not_null())
        .col(text(C::State).not_null().default(State::Waiting.as_str()))
        .col(ColumnDef::new(C::ProgressDone).big_integer().not_null().default(0))
        .col(ColumnDef::new(C::ProgressTotal).big_integer())
        .col(ColumnDef::new(C::Checkpoint).json())
        .col(ColumnDef::new(C::Attempts).integer().not_null().default(0))
        .col(time(C::NotBefore))
        .col(ColumnDef::new(C::LeaseOwner).uuid())
        .col(time(C::LeaseUntil))
        .col(time(C::ClaimedAt))
        .col(text(C::FailureCode))
        .col(text(C::FailureText))
        .col(ColumnDef::new(C::CancelRequested).boolean().not_null().default(false))
        .col(time(C::FinishedAt))
        .to_owned();
    manager.create_table(table).await?;
    for index in indexes() {
        manager.create_index(index).await?;
    }
    Ok(())
}

fn indexes() -> [IndexCreateStatement; 4] {
    let index = |name: &str| Index::create().name(name).table(Entity).to_owned();
    [
        index(OPEN).col(C::Kind).col(C::CreatedAt).and_where(Expr::col(C::FinishedAt).is_null()).to_owned(),
        index(FINISHED).col(C::FinishedAt).and_where(Expr::col(C::FinishedAt).is_not_null()).to_owned(),
        index(RUNNING).col(C::Kind).col(C::CreatedBy).col(C::State).to_owned(),
        index(SERVED).col(C::Kind).col(C::CreatedBy).col(C::ClaimedAt).to_owned(),
    ]
}

pub async fn drop_table(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.drop_table(Table::drop().table(Entity).to_owned()).await
}
