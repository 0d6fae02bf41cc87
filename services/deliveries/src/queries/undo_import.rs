//! Counts what an undo would do, and lists the deliveries that an undo did not reverse.
//!
//! The preview expresses the rule of `domain::undo` as one query, so that an import of any size is counted
//! within a request.

use kit::Result;
use proto::common::v1::Page;
use proto::deliveries::v1::UndoCounts;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, FromQueryResult, Order};
use uuid::Uuid;

use crate::entity::import_change::{Column, Entity, Model, UndoResult};
use crate::entity::{attachment, delivery};
use ::store::page::window;
use ::store::{Db, db, list};

#[derive(FromQueryResult)]
struct Row {
    everything: i64,
    reversed: Option<i64>,
    failed: Option<i64>,
}

/// Counts deliveries by what an undo would do to them, without those that an undo has already dealt with.
pub async fn preview(db_: &Db, upload: Uuid) -> Result<UndoCounts> {
    let Some(row) = db_.read().query_one(&statement(upload)).await.map_err(db)? else {
        return Ok(UndoCounts::default());
    };
    let Row { everything, reversed, failed } = Row::from_query_result(&row, "").map_err(db)?;
    let (reversed, failed) = (reversed.unwrap_or_default(), failed.unwrap_or_default());
    let number = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
    Ok(UndoCounts {
        reversed: number(reversed),
        kept: number(everything - reversed - failed),
        failed: number(failed),
    })
}

fn statement(upload: Uuid) -> SelectStatement {
    use {attachment::Column as A, delivery::Column as D};
    let created = || Column::Created.eq(true);
    let there = || D::IdKey.is_not_null();
    let proven = Query::select()
        .expr(Expr::value(1))
        .from(attachment::Entity)
        .and_where(Expr::col((attachment::Entity, A::DeliveryKey)).equals((Entity, Column::DeliveryKey)))
        .to_owned();
    let untouched = || {
        Condition::all()
            .add(Expr::col((delivery::Entity, D::Version)).equals((Entity, Column::VersionAfter)))
            .add(
                Condition::any()
                    .add(Column::Created.eq(false))
                    .add(Condition::all().add(D::Conflict.eq(false)).add(Expr::exists(proven.clone()).not())),
            )
    };
    let known = Condition::any().add(created()).add(Column::Image.is_not_null());
    let reversible = Condition::all().add(there()).add(untouched()).add(known);
    let bare = Condition::all().add(untouched()).add(Column::Created.eq(false)).add(Column::Image.is_null());
    let failing = Condition::any().add(D::IdKey.is_null()).add(bare);
    let sum =
        |which: Condition| Expr::expr(CaseStatement::new().case(which, 1).finally(0)).sum().cast_as("bigint");
    Query::select()
        .expr_as(Expr::col((Entity, Column::DeliveryKey)).count(), "everything")
        .expr_as(sum(reversible), "reversed")
        .expr_as(sum(failing), "failed")
        .from(Entity)
        .left_join(
            delivery::Entity,
            Expr::col((delivery::Entity, D::IdKey)).equals((Entity, Column::DeliveryKey)),
        )
        .and_where(Column::UploadLogId.eq(upload))
        .and_where(Column::Result.is_null())
        .to_owned()
}

/// Returns the deliveries that an undo kept or failed to undo, by id.
pub async fn exceptions(db_: &Db, upload: Uuid, page: &Page) -> Result<(Vec<Model>, bool)> {
    let wanted = Condition::all()
        .add(Column::UploadLogId.eq(upload))
        .add(Column::Result.is_in([UndoResult::Kept, UndoResult::Failed]));
    let order = [(Column::DeliveryKey, Order::Asc)];
    list::page::<Entity, _>(db_, wanted, &order, Column::DeliveryKey, window(page)?).await
}
