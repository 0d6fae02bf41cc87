//! Chooses the next job and claims it.

use chrono::{DateTime, Duration, Utc};
use kit::Result;
use kit::clock::new_id;
use sea_orm::sea_query::{
    Alias, Expr, ExprTrait, Func, FunctionCall, LockBehavior, LockType, Query, SelectStatement,
};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use uuid::Uuid;

use super::State;
use super::failure::MAX_PAUSE;
use super::hold::LEASE;
use super::table::job::{Column, Entity, Model};
use crate::{Db, db};

/// Claims the next job of these kinds for the duration of the lease; returns the job and the lease's owner.
/// Skips the jobs in `busy`, which this process is working on. Counts the attempt right away, because an
/// attempt that ends with the process leaves no other trace.
pub async fn claim(
    db_: &Db,
    kinds: &[&str],
    busy: &[Uuid],
    now: DateTime<Utc>,
) -> Result<Option<(Model, Uuid)>> {
    // Check by a read first: idle workers must not take SQLite's only write connection at every poll.
    let any = one(due(kinds, busy, now)).into_tuple::<Uuid>().one(db_.read()).await.map_err(db)?;
    if any.is_none() {
        return Ok(None);
    }
    let owner = new_id();
    let tx = db_.begin().await?;
    let next = in_turn(one(due(kinds, busy, now)), kinds)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked);
    let Some(id) = next.into_tuple::<Uuid>().one(&*tx).await.map_err(db)? else { return Ok(None) };
    let taken = Entity::update_many()
        .col_expr(Column::State, Expr::value(State::Running))
        .col_expr(Column::LeaseOwner, Expr::value(owner))
        .col_expr(Column::LeaseUntil, Expr::value(now + LEASE))
        .col_expr(Column::ClaimedAt, Expr::value(now))
        .col_expr(Column::NotBefore, Expr::value(None::<DateTime<Utc>>))
        .col_expr(Column::Attempts, Expr::col(Column::Attempts).add(1))
        .filter(Column::Id.eq(id))
        .exec_with_returning(&*tx)
        .await
        .map_err(db)?;
    kit::fail_point("store.job.claimed");
    tx.commit().await?;
    Ok(taken.into_iter().next().map(|job| (job, owner)))
}

fn one(due: Condition) -> Select<Entity> {
    Entity::find().select_only().column(Column::Id).filter(due).limit(1)
}

/// Returns the condition for jobs that wait and are due, and for those whose worker is dead. A time further in the
/// future than we ever write counts as past, because the clock must have been set back since.
pub fn due(kinds: &[&str], busy: &[Uuid], now: DateTime<Utc>) -> Condition {
    let over = |column: Column, longest: Duration| {
        Condition::any().add(column.is_null()).add(column.lte(now)).add(column.gt(now + longest + longest))
    };
    let waiting = Condition::all()
        .add(Column::State.eq(State::Waiting))
        .add(over(Column::NotBefore, MAX_PAUSE).add(Column::CancelRequested.eq(true)));
    let abandoned =
        Condition::all().add(Column::State.eq(State::Running)).add(over(Column::LeaseUntil, LEASE));
    Condition::all()
        .add(Column::Kind.is_in(kinds.iter().copied()))
        .add(Column::FinishedAt.is_null())
        .add(Column::Id.is_not_in(busy.iter().copied()))
        .add(Condition::any().add(waiting).add(abandoned))
}

/// Orders jobs fairly by person: by the number of the person's running jobs, then by the time at which a job
/// of the person was last claimed, then by the job's age. So a thousand jobs of one person delay another
/// person by one job at a time.
fn in_turn(one: Select<Entity>, kinds: &[&str]) -> Select<Entity> {
    let mut running = of_person(kinds, Func::count(other(Column::Id)));
    running.and_where(other(Column::State).eq(State::Running));
    let never = Expr::value(DateTime::<Utc>::UNIX_EPOCH);
    let served = of_person(kinds, Func::coalesce([Func::max(other(Column::ClaimedAt)).into(), never]));
    one.order_by_asc(Expr::from(running))
        .order_by_asc(Expr::from(served))
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id)
}

const OTHER: &str = "other";

fn other(column: Column) -> Expr {
    Expr::col((Alias::new(OTHER), column))
}

/// Selects an aggregate over all jobs of these kinds and the same person.
fn of_person(kinds: &[&str], what: FunctionCall) -> SelectStatement {
    Query::select()
        .expr(what)
        .from_as(Entity, Alias::new(OTHER))
        .and_where(other(Column::Kind).is_in(kinds.iter().copied()))
        .and_where(other(Column::CreatedBy).equals((Entity, Column::CreatedBy)))
        .to_owned()
}
