use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, big_integer_null, binary, boolean, integer, text, text_null, timestamp_with_time_zone,
    timestamp_with_time_zone_null, uuid_null,
};

use crate::entity::{customer, delivery, history, import_batch, item, shipment, source, trucker};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0001_deliveries"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    #[allow(clippy::too_many_lines)] // released, so never edited again
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let key = |column: DynIden| bytewise_text(column, backend).not_null().to_owned();
        let optional_key = |column: DynIden| bytewise_text(column, backend);

        {
            use delivery::Column as C;
            let table = Table::create()
                .table(delivery::Entity)
                .col(key(C::IdKey.into_iden()).primary_key())
                .col(text(C::Id))
                .col(text(C::Deliverystatus))
                .col(text(C::Shipmentnumber))
                .col(key(C::ShipmentnumberKey.into_iden()))
                .col(text(C::Customername))
                .col(key(C::CustomernameKey.into_iden()))
                .col(text(C::Trucker))
                .col(key(C::TruckerKey.into_iden()))
                .col(text_null(C::DriverId))
                .col(optional_key(C::DriverIdKey.into_iden()))
                .col(timestamp_with_time_zone(C::Scheduledatetime))
                .col(timestamp_with_time_zone_null(C::Deliverydatetime))
                .col(text(C::Scanmode))
                .col(text_null(C::Referencedoc))
                .col(optional_key(C::ReferencedocKey.into_iden()))
                .col(uuid_null(C::SourceId))
                .col(uuid_null(C::UploadLogId))
                .col(uuid_null(C::LastUploadLogId))
                .col(integer(C::Linecount))
                .col(text(C::Customeraddress))
                .col(timestamp_with_time_zone_null(C::TimeWindowStart))
                .col(timestamp_with_time_zone_null(C::TimeWindowEnd))
                .col(text_null(C::ContactName))
                .col(text_null(C::ContactPhone))
                .col(text_null(C::ContactEmail))
                .col(text_null(C::Instructions))
                .col(text_null(C::InternalNote))
                .col(text(C::Priority))
                .col(integer(C::Attempt))
                .col(integer(C::MaxAttempts))
                .col(timestamp_with_time_zone(C::CreatedAt))
                .col(text(C::CreatedBy))
                .col(timestamp_with_time_zone(C::UpdatedAt))
                .col(text(C::UpdatedBy))
                .col(big_integer(C::Version))
                .to_owned();
            manager.create_table(table).await?;
            // Each index slows down imports, so there are only those that serve a screen. An index ends with
            // the key, because every sort order does.
            for (name, columns) in [
                ("delivery_by_schedule", vec![C::Scheduledatetime, C::IdKey]),
                ("delivery_by_status", vec![C::Deliverystatus, C::Scheduledatetime, C::IdKey]),
                ("delivery_by_customer", vec![C::CustomernameKey, C::Scheduledatetime, C::IdKey]),
                ("delivery_by_shipment", vec![C::ShipmentnumberKey]),
                ("delivery_by_upload", vec![C::UploadLogId]),
            ] {
                let mut index = Index::create().name(name).table(delivery::Entity).to_owned();
                for column in columns {
                    index.col(column);
                }
                manager.create_index(index).await?;
            }
        }
        {
            use item::Column as C;
            let table = Table::create()
                .table(item::Entity)
                .col(key(C::DeliveryKey.into_iden()))
                .col(key(C::ItemKey.into_iden()))
                .col(text(C::ItemNumber))
                .col(text_null(C::Sku))
                .col(text_null(C::Description))
                .col(text_null(C::Unit))
                .col(big_integer(C::Quantity))
                .col(big_integer_null(C::WeightGrams))
                .col(text_null(C::Barcode))
                .col(uuid_null(C::UploadLogId))
                .primary_key(Index::create().col(C::DeliveryKey).col(C::ItemKey))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use history::Column as C;
            let table = Table::create()
                .table(history::Entity)
                .col(key(C::DeliveryKey.into_iden()))
                .col(integer(C::Step))
                .col(uuid_null(C::Id).not_null())
                .col(text(C::DeliveryId))
                .col(text(C::Shipmentnumber))
                .col(text_null(C::FromStatus))
                .col(text(C::ToStatus))
                .col(integer(C::Attempt))
                .col(timestamp_with_time_zone(C::OccurredAt))
                .col(timestamp_with_time_zone(C::ReceivedAt))
                .col(text(C::ActorType))
                .col(text(C::ActorName))
                .col(text_null(C::Note))
                .col(uuid_null(C::UploadLogId))
                .primary_key(Index::create().col(C::DeliveryKey).col(C::Step))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use shipment::Column as C;
            let table = Table::create()
                .table(shipment::Entity)
                .col(key(C::ShipmentnumberKey.into_iden()).primary_key())
                .col(text(C::Shipmentnumber))
                .col(text(C::Shipmentstatus))
                .col(integer(C::DeliveryCount))
                .col(integer(C::OpenCount))
                .col(integer(C::CompletedCount))
                .col(timestamp_with_time_zone_null(C::FirstDispatchAt))
                .col(timestamp_with_time_zone_null(C::LastProcessedAt))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use customer::Column as C;
            let table = Table::create()
                .table(customer::Entity)
                .col(key(C::CustomerNameKey.into_iden()).primary_key())
                .col(text(C::CustomerName))
                .col(text_null(C::CustomerEmail))
                .col(optional_key(C::CustomerEmailKey.into_iden()))
                .col(text(C::CustomerAddress))
                .col(key(C::CustomerAddressKey.into_iden()))
                .col(timestamp_with_time_zone(C::CreatedAt))
                .col(text(C::CreatedBy))
                .col(timestamp_with_time_zone(C::UpdatedAt))
                .col(text(C::UpdatedBy))
                .col(big_integer(C::Version))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use source::Column as C;
            let table = Table::create()
                .table(source::Entity)
                .col(uuid_null(C::Id).not_null().primary_key())
                .col(text(C::Name))
                .col(key(C::NameKey.into_iden()).unique_key())
                .col(boolean(C::IsActive))
                .col(timestamp_with_time_zone(C::CreatedAt))
                .col(text(C::CreatedBy))
                .col(timestamp_with_time_zone(C::UpdatedAt))
                .col(text(C::UpdatedBy))
                .col(big_integer(C::Version))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use trucker::Column as C;
            let table = Table::create()
                .table(trucker::Entity)
                .col(key(C::NameKey.into_iden()).primary_key())
                .col(text(C::Name))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use import_batch::Column as C;
            let table = Table::create()
                .table(import_batch::Entity)
                .col(uuid_null(C::UploadLogId).not_null())
                .col(integer(C::Batch))
                .col(binary(C::Answer))
                .col(timestamp_with_time_zone(C::CreatedAt))
                .primary_key(Index::create().col(C::UploadLogId).col(C::Batch))
                .to_owned();
            manager.create_table(table).await
        }
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [
            import_batch::Entity.into_iden(),
            trucker::Entity.into_iden(),
            source::Entity.into_iden(),
            customer::Entity.into_iden(),
            shipment::Entity.into_iden(),
            history::Entity.into_iden(),
            item::Entity.into_iden(),
            delivery::Entity.into_iden(),
        ] {
            manager.drop_table(Table::drop().table(table).to_owned()).await?;
        }
        Ok(())
    }
}
