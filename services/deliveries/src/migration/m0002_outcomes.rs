use ::store::migrate::bytewise_text;
use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, binary, boolean, double_null, integer, text, text_null, timestamp_with_time_zone,
    timestamp_with_time_zone_null, uuid_null,
};

use crate::domain::reason::{Catalogue, Reason};
use crate::entity::{client_event, delivery, edit, history, item, reason, variance};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0002_outcomes"
    }
}

/// Returns a flag column that is false in existing rows.
fn new_flag(column: impl IntoIden) -> ColumnDef {
    boolean(column).default(false).to_owned()
}

/// Returns the columns added to existing tables.
fn delivery_columns() -> Vec<ColumnDef> {
    use delivery::Column as C;
    vec![
        double_null(C::AddressLat),
        double_null(C::AddressLng),
        double_null(C::AddressAccuracy),
        text_null(C::ReceivedBy),
        text_null(C::ReceivedByRelation),
        text_null(C::OutcomeReason),
        text_null(C::OutcomeNote),
        double_null(C::OutcomeLat),
        double_null(C::OutcomeLng),
        double_null(C::OutcomeAccuracy),
        timestamp_with_time_zone_null(C::OutcomeOccurredAt),
        timestamp_with_time_zone_null(C::OutcomeReceivedAt),
        new_flag(C::Late),
        new_flag(C::Conflict),
        integer(C::FormVersion).default(0).to_owned(),
        timestamp_with_time_zone_null(C::OfficeDecidedAt),
    ]
}

fn item_columns() -> Vec<ColumnDef> {
    use item::Column as C;
    vec![
        big_integer(C::Delivered).default(0).to_owned(),
        big_integer(C::Rejected).default(0).to_owned(),
        text(C::Condition).default("ok").to_owned(),
        text_null(C::VarianceReason),
        text_null(C::VarianceNote),
    ]
}

fn history_columns() -> Vec<ColumnDef> {
    use history::Column as C;
    vec![
        text_null(C::ReasonCode),
        double_null(C::Lat),
        double_null(C::Lng),
        double_null(C::Accuracy),
        new_flag(C::Late),
        new_flag(C::Superseded),
        uuid_null(C::CorrectionOf),
        text_null(C::Changes),
        uuid_null(C::ClientEventId),
    ]
}

/// SQLite supports one change per ALTER TABLE.
async fn add(
    manager: &SchemaManager<'_>,
    table: impl IntoTableRef + Clone,
    columns: Vec<ColumnDef>,
) -> Result<(), DbErr> {
    for column in columns {
        manager.alter_table(Table::alter().table(table.clone()).add_column(column).to_owned()).await?;
    }
    Ok(())
}

async fn drop(
    manager: &SchemaManager<'_>,
    table: impl IntoTableRef + Clone,
    columns: Vec<ColumnDef>,
) -> Result<(), DbErr> {
    for column in columns {
        let name = Alias::new(column.get_column_name());
        manager.alter_table(Table::alter().table(table.clone()).drop_column(name).to_owned()).await?;
    }
    Ok(())
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    #[allow(clippy::too_many_lines)] // released, so never edited again
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let key = |column: DynIden| bytewise_text(column, backend).not_null().to_owned();
        let optional_key = |column: DynIden| bytewise_text(column, backend);

        add(manager, delivery::Entity, delivery_columns()).await?;
        add(manager, item::Entity, item_columns()).await?;
        add(manager, history::Entity, history_columns()).await?;
        {
            use variance::Column as C;
            let table = Table::create()
                .table(variance::Entity)
                .col(uuid_null(C::Id).not_null().primary_key())
                .col(key(C::DeliveryKey.into_iden()))
                .col(integer(C::Attempt))
                .col(optional_key(C::ItemKey.into_iden()))
                .col(text_null(C::ItemNumber))
                .col(text_null(C::Reason))
                .col(optional_key(C::ReasonKey.into_iden()))
                .col(text_null(C::ReasonCode))
                .col(text(C::Kind))
                .col(big_integer(C::Expected))
                .col(big_integer(C::Actual))
                .col(big_integer(C::Difference))
                .col(text_null(C::Note))
                .col(text(C::ReportedBy))
                .col(timestamp_with_time_zone(C::OccurredAt))
                .to_owned();
            manager.create_table(table).await?;
            for (name, columns) in [
                ("variance_by_delivery", vec![C::DeliveryKey]),
                ("variance_by_reason", vec![C::ReasonKey, C::DeliveryKey]),
            ] {
                let mut index = Index::create().name(name).table(variance::Entity).to_owned();
                for column in columns {
                    index.col(column);
                }
                manager.create_index(index).await?;
            }
        }
        {
            use reason::Column as C;
            let table = Table::create()
                .table(reason::Entity)
                .col(text(C::AppliesTo))
                .col(text(C::Code))
                .col(text(C::Label))
                .col(boolean(C::RequiresPhoto))
                .col(boolean(C::RequiresNote))
                .col(text(C::Responsible))
                .col(boolean(C::IsActive))
                .col(integer(C::Place))
                .col(big_integer(C::Version))
                .col(timestamp_with_time_zone_null(C::UpdatedAt))
                .col(text_null(C::UpdatedBy))
                .primary_key(Index::create().col(C::AppliesTo).col(C::Code))
                .to_owned();
            manager.create_table(table).await?;
            manager.execute(seed()).await?;
        }
        {
            use client_event::Column as C;
            let table = Table::create()
                .table(client_event::Entity)
                .col(key(C::DeliveryKey.into_iden()))
                .col(uuid_null(C::ClientEventId).not_null())
                .col(binary(C::Fingerprint))
                .col(text(C::Effect))
                .col(big_integer(C::Version))
                .col(timestamp_with_time_zone(C::At))
                .primary_key(Index::create().col(C::DeliveryKey).col(C::ClientEventId))
                .to_owned();
            manager.create_table(table).await?;
            let index =
                Index::create().name("client_event_by_age").table(client_event::Entity).col(C::At).to_owned();
            manager.create_index(index).await?;
        }
        {
            use edit::Column as C;
            let table = Table::create()
                .table(edit::Entity)
                .col(key(C::DeliveryKey.into_iden()))
                .col(big_integer(C::Version))
                .col(timestamp_with_time_zone(C::At))
                .col(text(C::Actor))
                .col(text(C::Changes))
                .primary_key(Index::create().col(C::DeliveryKey).col(C::Version))
                .to_owned();
            manager.create_table(table).await?;
        }
        let connection = manager.get_connection();
        for statement in append_only(backend) {
            connection.execute_unprepared(statement).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let connection = manager.get_connection();
        for statement in changeable(manager.get_database_backend()) {
            connection.execute_unprepared(statement).await?;
        }
        for table in [
            edit::Entity.into_iden(),
            client_event::Entity.into_iden(),
            reason::Entity.into_iden(),
            variance::Entity.into_iden(),
        ] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        drop(manager, history::Entity, history_columns()).await?;
        drop(manager, item::Entity, item_columns()).await?;
        drop(manager, delivery::Entity, delivery_columns()).await
    }
}

/// Inserts the reasons of a new installation.
fn seed() -> InsertStatement {
    use reason::Column as C;
    let mut insert = Query::insert().into_table(reason::Entity).to_owned();
    insert.columns([
        C::AppliesTo,
        C::Code,
        C::Label,
        C::RequiresPhoto,
        C::RequiresNote,
        C::Responsible,
        C::IsActive,
        C::Place,
        C::Version,
    ]);
    for it in Catalogue::seed().reasons() {
        let Reason { applies_to, code, label, requires_photo, requires_note, responsible, is_active, order } =
            it;
        insert.values_panic([
            applies_to.as_str().into(),
            code.into(),
            label.into(),
            (*requires_photo).into(),
            (*requires_note).into(),
            responsible.as_str().into(),
            (*is_active).into(),
            (*order).into(),
            1_i64.into(),
        ]);
    }
    insert
}

/// Makes the database refuse to change or delete recorded rows.
fn append_only(backend: DbBackend) -> &'static [&'static str] {
    match backend {
        DbBackend::Postgres => &[
            "CREATE FUNCTION record_is_kept() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'what was recorded is never changed or deleted'; END $$",
            "CREATE TRIGGER history_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON delivery_status_history \
             FOR EACH STATEMENT EXECUTE FUNCTION record_is_kept()",
            "CREATE TRIGGER edit_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON edit \
             FOR EACH STATEMENT EXECUTE FUNCTION record_is_kept()",
        ],
        _ => &[
            "CREATE TRIGGER history_not_updated BEFORE UPDATE ON delivery_status_history \
             BEGIN SELECT RAISE(ABORT, 'what was recorded is never changed or deleted'); END",
            "CREATE TRIGGER history_not_deleted BEFORE DELETE ON delivery_status_history \
             BEGIN SELECT RAISE(ABORT, 'what was recorded is never changed or deleted'); END",
            "CREATE TRIGGER edit_not_updated BEFORE UPDATE ON edit \
             BEGIN SELECT RAISE(ABORT, 'what was recorded is never changed or deleted'); END",
            "CREATE TRIGGER edit_not_deleted BEFORE DELETE ON edit \
             BEGIN SELECT RAISE(ABORT, 'what was recorded is never changed or deleted'); END",
        ],
    }
}

fn changeable(backend: DbBackend) -> &'static [&'static str] {
    match backend {
        DbBackend::Postgres => &[
            "DROP TRIGGER history_kept ON delivery_status_history",
            "DROP TRIGGER edit_kept ON edit",
            "DROP FUNCTION record_is_kept()",
        ],
        _ => &[
            "DROP TRIGGER history_not_updated",
            "DROP TRIGGER history_not_deleted",
            "DROP TRIGGER edit_not_updated",
            "DROP TRIGGER edit_not_deleted",
        ],
    }
}
