//! Columns for customers and sources, the table of addresses, and the indexes of lists.

use ::store::migrate::{build_index, bytewise_text, drop_index, drop_unfinished, trigrams};
use sea_orm::{ConnectionTrait, DbBackend};
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{double_null, text_null};

use crate::entity::{address, customer, delivery, history, shipment, source};

/// Adds columns and tables, which is fast however much data exists.
pub struct Parties;

impl MigrationName for Parties {
    fn name(&self) -> &str {
        "m0003_parties"
    }
}

fn customer_columns() -> Vec<ColumnDef> {
    use customer::Column as C;
    vec![
        text_null(C::Code),
        text_null(C::Phone),
        double_null(C::AddressLat),
        double_null(C::AddressLng),
        double_null(C::AddressAccuracy),
        text_null(C::PodRequirement),
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
impl MigrationTrait for Parties {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use address::Column as A;
        use customer::Column as C;
        let backend = manager.get_database_backend();
        add(manager, customer::Entity, customer_columns()).await?;
        add(manager, source::Entity, vec![text_null(source::Column::PodRequirement)]).await?;
        let actor = bytewise_text(history::Column::ActorNameKey, backend);
        add(manager, history::Entity, vec![actor]).await?;
        let table = Table::create()
            .table(address::Entity)
            .col(bytewise_text(A::AddressKey, backend).not_null().primary_key())
            .col(text_null(A::Address).not_null())
            .col(double_null(A::Lat))
            .col(double_null(A::Lng))
            .col(double_null(A::Accuracy))
            .to_owned();
        manager.create_table(table).await?;
        // This is fast, because there are thousands of customers at most. The next import adds the addresses
        // of deliveries.
        let known = Query::select()
            .column(C::CustomerAddressKey)
            .expr(Expr::col(C::CustomerAddress).min())
            .from(customer::Entity)
            .and_where(Expr::col(C::CustomerAddressKey).ne(""))
            .group_by_col(C::CustomerAddressKey)
            .to_owned();
        let mut fill = Query::insert().into_table(address::Entity).to_owned();
        fill.columns([A::AddressKey, A::Address]);
        fill.select_from(known).map_err(|error| DbErr::Custom(error.to_string()))?;
        manager.execute(fill).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(address::Entity).to_owned()).await?;
        drop(manager, history::Entity, vec![text_null(history::Column::ActorNameKey)]).await?;
        drop(manager, source::Entity, vec![text_null(source::Column::PodRequirement)]).await?;
        drop(manager, customer::Entity, customer_columns()).await
    }
}

/// Indexes of tables that may be large. Runs outside of a transaction, so that Postgres builds them while
/// imports continue. It may therefore stop between two indexes, so each step can be repeated.
pub struct ListIndexes;

impl MigrationName for ListIndexes {
    fn name(&self) -> &str {
        "m0003_list_indexes"
    }
}

/// Returns indexes that each serve a filter or a sort of a list. They end with the key, because every sort
/// order does; before the key comes the list's default sort column. Each index slows down imports.
fn indexes() -> Vec<IndexCreateStatement> {
    use delivery::Column as D;
    use history::Column as H;
    let of_deliveries = |name: &str, column: D| {
        let mut index = Index::create().name(name).table(delivery::Entity).to_owned();
        index.col(column).col(D::Scheduledatetime).col(D::IdKey).take()
    };
    let of_histories = |name: &str, columns: &[H]| {
        let mut index = Index::create().name(name).table(history::Entity).to_owned();
        for column in columns.iter().chain(&[H::OccurredAt, H::DeliveryKey, H::Step]) {
            index.col(*column);
        }
        index
    };
    vec![
        of_deliveries("delivery_by_trucker", D::TruckerKey),
        of_deliveries("delivery_by_driver", D::DriverIdKey),
        of_deliveries("delivery_by_source", D::SourceId),
        of_deliveries("delivery_by_reference", D::ReferencedocKey),
        of_deliveries("delivery_by_shipment_and_schedule", D::ShipmentnumberKey),
        of_deliveries("delivery_by_upload_and_schedule", D::UploadLogId),
        // Leave out NULLs, because most imported deliveries are not processed yet.
        of_deliveries("delivery_by_processing", D::Deliverydatetime)
            .and_where(Expr::col(D::Deliverydatetime).is_not_null())
            .take(),
        of_histories("history_by_time", &[]),
        of_histories("history_by_actor", &[H::ActorNameKey]),
        of_histories("history_by_reason", &[H::ReasonCode])
            .and_where(Expr::col(H::ReasonCode).is_not_null())
            .take(),
        Index::create()
            .name("shipment_by_status")
            .table(shipment::Entity)
            .col(shipment::Column::Shipmentstatus)
            .col(shipment::Column::ShipmentnumberKey)
            .take(),
    ]
}

/// Trigram indexes, which only Postgres has: name, table, column.
const GRAMS: [(&str, &str, &str); 4] = [
    ("delivery_id_grams", "delivery", "id_key"),
    ("delivery_reference_grams", "delivery", "referencedoc_key"),
    ("shipment_grams", "shipment", "shipmentnumber_key"),
    ("address_grams", "address", "address_key"),
];

/// Returns indexes that wider ones replace.
fn replaced() -> [(&'static str, delivery::Column); 2] {
    use delivery::Column as D;
    [("delivery_by_shipment", D::ShipmentnumberKey), ("delivery_by_upload", D::UploadLogId)]
}

#[async_trait::async_trait]
impl MigrationTrait for ListIndexes {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let postgres = manager.get_database_backend() == DbBackend::Postgres;
        if postgres {
            trigrams(manager).await?;
        }
        for index in indexes() {
            build_index(manager, index).await?;
        }
        if postgres {
            for (name, table, column) in GRAMS {
                drop_unfinished(manager, name).await?;
                // The expression must equal the one in `store::filter::grams`.
                let index = format!(
                    "CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON {table} USING gin (({column} || '') gin_trgm_ops)"
                );
                manager.get_connection().execute_unprepared(&index).await?;
            }
        }
        for (name, _) in replaced() {
            drop_index(manager, name).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, column) in replaced() {
            let mut index = Index::create().name(name).table(delivery::Entity).col(column).take();
            manager.create_index(index.if_not_exists().take()).await?;
        }
        if manager.get_database_backend() == DbBackend::Postgres {
            for (name, _, _) in GRAMS {
                drop_index(manager, name).await?;
            }
        }
        for index in indexes() {
            if let Some(name) = index.get_index_spec().get_name() {
                drop_index(manager, name).await?;
            }
        }
        Ok(())
    }
}
