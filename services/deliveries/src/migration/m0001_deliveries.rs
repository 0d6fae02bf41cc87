use ::store::migrate::bytewise_text;
use sea_orm_migration::prelude::*;

use crate::entity::{customer, delivery, history, import_batch, item, shipment, source, trucker};

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0001_deliveries"
    }
}

fn text(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).text().to_owned()
}

fn required(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).text().not_null().to_owned()
}

fn instant(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).timestamp_with_time_zone().to_owned()
}

fn required_instant(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).timestamp_with_time_zone().not_null().to_owned()
}

fn number(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).integer().not_null().to_owned()
}

fn big_number(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).big_integer().not_null().to_owned()
}

fn id(column: impl IntoIden) -> ColumnDef {
    ColumnDef::new(column).uuid().to_owned()
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let backend = manager.get_database_backend();
        let key = |column: DynIden| bytewise_text(column, backend).not_null().to_owned();
        let optional_key = |column: DynIden| bytewise_text(column, backend);

        {
            use delivery::Column as C;
            let table = Table::create()
                .table(delivery::Entity)
                .col(key(C::IdKey.into_iden()).primary_key())
                .col(required(C::Id))
                .col(required(C::Deliverystatus))
                .col(required(C::Shipmentnumber))
                .col(key(C::ShipmentnumberKey.into_iden()))
                .col(required(C::Customername))
                .col(key(C::CustomernameKey.into_iden()))
                .col(required(C::Trucker))
                .col(key(C::TruckerKey.into_iden()))
                .col(text(C::DriverId))
                .col(optional_key(C::DriverIdKey.into_iden()))
                .col(required_instant(C::Scheduledatetime))
                .col(instant(C::Deliverydatetime))
                .col(required(C::Scanmode))
                .col(text(C::Referencedoc))
                .col(optional_key(C::ReferencedocKey.into_iden()))
                .col(id(C::SourceId))
                .col(id(C::UploadLogId))
                .col(id(C::LastUploadLogId))
                .col(number(C::Linecount))
                .col(required(C::Customeraddress))
                .col(instant(C::TimeWindowStart))
                .col(instant(C::TimeWindowEnd))
                .col(text(C::ContactName))
                .col(text(C::ContactPhone))
                .col(text(C::ContactEmail))
                .col(text(C::Instructions))
                .col(text(C::InternalNote))
                .col(required(C::Priority))
                .col(number(C::Attempt))
                .col(number(C::MaxAttempts))
                .col(required_instant(C::CreatedAt))
                .col(required(C::CreatedBy))
                .col(required_instant(C::UpdatedAt))
                .col(required(C::UpdatedBy))
                .col(big_number(C::Version))
                .to_owned();
            manager.create_table(table).await?;
            // Each index costs every import; each of these serves a screen, ending in the key
            // because every order does.
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
                .col(required(C::ItemNumber))
                .col(text(C::Sku))
                .col(text(C::Description))
                .col(text(C::Unit))
                .col(big_number(C::Quantity))
                .col(ColumnDef::new(C::WeightGrams).big_integer())
                .col(text(C::Barcode))
                .col(id(C::UploadLogId))
                .primary_key(Index::create().col(C::DeliveryKey).col(C::ItemKey))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use history::Column as C;
            let table = Table::create()
                .table(history::Entity)
                .col(key(C::DeliveryKey.into_iden()))
                .col(number(C::Step))
                .col(id(C::Id).not_null())
                .col(required(C::DeliveryId))
                .col(required(C::Shipmentnumber))
                .col(text(C::FromStatus))
                .col(required(C::ToStatus))
                .col(number(C::Attempt))
                .col(required_instant(C::OccurredAt))
                .col(required_instant(C::ReceivedAt))
                .col(required(C::ActorType))
                .col(required(C::ActorName))
                .col(text(C::Note))
                .col(id(C::UploadLogId))
                .primary_key(Index::create().col(C::DeliveryKey).col(C::Step))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use shipment::Column as C;
            let table = Table::create()
                .table(shipment::Entity)
                .col(key(C::ShipmentnumberKey.into_iden()).primary_key())
                .col(required(C::Shipmentnumber))
                .col(required(C::Shipmentstatus))
                .col(number(C::DeliveryCount))
                .col(number(C::OpenCount))
                .col(number(C::CompletedCount))
                .col(instant(C::FirstDispatchAt))
                .col(instant(C::LastProcessedAt))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use customer::Column as C;
            let table = Table::create()
                .table(customer::Entity)
                .col(key(C::CustomerNameKey.into_iden()).primary_key())
                .col(required(C::CustomerName))
                .col(text(C::CustomerEmail))
                .col(optional_key(C::CustomerEmailKey.into_iden()))
                .col(required(C::CustomerAddress))
                .col(key(C::CustomerAddressKey.into_iden()))
                .col(required_instant(C::CreatedAt))
                .col(required(C::CreatedBy))
                .col(required_instant(C::UpdatedAt))
                .col(required(C::UpdatedBy))
                .col(big_number(C::Version))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use source::Column as C;
            let table = Table::create()
                .table(source::Entity)
                .col(id(C::Id).not_null().primary_key())
                .col(required(C::Name))
                .col(key(C::NameKey.into_iden()).unique_key())
                .col(ColumnDef::new(C::IsActive).boolean().not_null())
                .col(required_instant(C::CreatedAt))
                .col(required(C::CreatedBy))
                .col(required_instant(C::UpdatedAt))
                .col(required(C::UpdatedBy))
                .col(big_number(C::Version))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use trucker::Column as C;
            let table = Table::create()
                .table(trucker::Entity)
                .col(key(C::NameKey.into_iden()).primary_key())
                .col(required(C::Name))
                .to_owned();
            manager.create_table(table).await?;
        }
        {
            use import_batch::Column as C;
            let table = Table::create()
                .table(import_batch::Entity)
                .col(id(C::UploadLogId).not_null())
                .col(number(C::Batch))
                .col(ColumnDef::new(C::Answer).binary().not_null())
                .col(required_instant(C::CreatedAt))
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
