//! Attachments of deliveries. Rows are only added.

use ::store::{Tx, db};
use kit::Result;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::domain::attachment::Kind;
use crate::entity::attachment;

/// Maximum number of rows read for one attempt; the number that can be added is lower.
const MAX_OF_ATTEMPT: u64 = 1_000;

/// The kinds of proof that an attempt has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProofSent {
    pub signature: bool,
    pub photo: bool,
}

pub async fn proof_sent(tx: &Tx, delivery_key: &str, attempt: i32) -> Result<ProofSent> {
    use attachment::Column as C;
    let kinds: Vec<Kind> = attachment::Entity::find()
        .select_only()
        .column(C::Kind)
        .distinct()
        .filter(C::DeliveryKey.eq(delivery_key))
        .filter(C::Attempt.eq(attempt))
        .into_tuple()
        .all(&**tx)
        .await
        .map_err(db)?;
    Ok(ProofSent { signature: kinds.contains(&Kind::Signature), photo: kinds.contains(&Kind::Photo) })
}

/// Returns the attachment of an object.
pub async fn by_object(
    connection: &impl ConnectionTrait,
    object_key: &str,
) -> Result<Option<attachment::Model>> {
    let found = attachment::Entity::find().filter(attachment::Column::ObjectKey.eq(object_key));
    found.one(connection).await.map_err(db)
}

/// Returns the attachments of an attempt, oldest first.
pub async fn of_attempt(
    connection: &impl ConnectionTrait,
    delivery_key: &str,
    attempt: i32,
) -> Result<Vec<attachment::Model>> {
    use attachment::Column as C;
    attachment::Entity::find()
        .filter(C::DeliveryKey.eq(delivery_key))
        .filter(C::Attempt.eq(attempt))
        .order_by_asc(C::ReceivedAt)
        .order_by_asc(C::Id)
        .limit(MAX_OF_ATTEMPT)
        .all(connection)
        .await
        .map_err(db)
}
