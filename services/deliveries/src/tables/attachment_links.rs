//! Upload links: each belongs to one delivery and one person.

use ::store::{Db, Tx, db, links};
use kit::{Error, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter};

use crate::entity::attachment_link::{ActiveModel, Column, Entity, Model};

/// A link with its delivery and owner.
#[derive(Debug, Clone, Copy)]
pub struct Link<'a> {
    pub object_key: &'a str,
    pub delivery_key: &'a str,
    pub by: &'a str,
}

impl Link<'_> {
    fn condition(self) -> Condition {
        Condition::all()
            .add(Column::ObjectKey.eq(self.object_key))
            .add(Column::DeliveryKey.eq(self.delivery_key))
            .add(Column::RequestedBy.eq(self.by))
    }
}

/// Records a link with the file's own name, unless the person has `most` unused ones.
pub async fn add(db_: &Db, link: Link<'_>, filename: &str, most: usize) -> Result<()> {
    let Link { object_key, delivery_key, by } = link;
    links::add::<Entity>(db_, by, most, |now| ActiveModel {
        object_key: Set(object_key.to_owned()),
        delivery_key: Set(delivery_key.to_owned()),
        requested_by: Set(by.to_owned()),
        created_at: Set(now),
        used_at: Set(None),
        filename: Set(Some(filename.to_owned())),
    })
    .await
}

/// Returns the link, if this person got it for this delivery within the last `links::KEPT`.
pub async fn recent(connection: &impl ConnectionTrait, link: Link<'_>) -> Result<Option<Model>> {
    let since = links::now(connection).await? - links::KEPT;
    let recent = Entity::find().filter(link.condition()).filter(Column::CreatedAt.gt(since));
    recent.one(connection).await.map_err(db)
}

/// Marks a link as used, and locks it against the sweep.
pub async fn use_up(tx: &Tx, link: Link<'_>) -> Result<()> {
    let now = links::now(&**tx).await?;
    let update = Entity::update_many()
        .col_expr(Column::UsedAt, Expr::value(now))
        .filter(link.condition())
        .filter(Column::UsedAt.is_null());
    match update.exec(&**tx).await.map_err(db)?.rows_affected {
        0 => Err(Error::invalid_field("url", "The file was not uploaded. Upload it again.")),
        _ => Ok(()),
    }
}
