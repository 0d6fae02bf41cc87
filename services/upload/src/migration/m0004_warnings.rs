use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer_null, integer, text, text_null, uuid};

use crate::entity::{upload_log, upload_row, upload_warning};

/// Warnings of an import, the cells of its refused rows, the owner of its lease, and failed attempts.
pub struct Migration;

const BY_FILE: &str = "upload_log_file";
/// Columns that only older releases read, in which imports were not jobs yet.
const LEASE: [&str; 2] = ["claimed_by", "attempts"];

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0004_warnings"
    }
}

fn added() -> [ColumnDef; 4] {
    use upload_log::Column as C;
    [
        ColumnDef::new(Alias::new(LEASE[0])).uuid().to_owned(),
        ColumnDef::new(Alias::new(LEASE[1])).integer().not_null().default(0).to_owned(),
        ColumnDef::new(C::Headings).json().to_owned(),
        ColumnDef::new(C::Warnings).integer().not_null().default(0).to_owned(),
    ]
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for mut column in added() {
            let table = Table::alter().table(upload_log::Entity).add_column(&mut column).to_owned();
            manager.alter_table(table).await?;
        }
        let by_file = Index::create()
            .name(BY_FILE)
            .table(upload_log::Entity)
            .col(upload_log::Column::Sha256)
            .to_owned();
        manager.create_index(by_file).await?;
        let mut cells = ColumnDef::new(upload_row::Column::Cells).json().to_owned();
        let rows = Table::alter().table(upload_row::Entity).add_column(&mut cells).to_owned();
        manager.alter_table(rows).await?;
        use upload_warning::Column as C;
        let warnings = Table::create()
            .table(upload_warning::Entity)
            .col(uuid(C::UploadLogId))
            .col(integer(C::Number))
            .col(big_integer_null(C::Line))
            .col(text_null(C::Heading))
            .col(text(C::Code))
            .col(text(C::Text))
            .primary_key(Index::create().col(C::UploadLogId).col(C::Number))
            .to_owned();
        manager.create_table(warnings).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(upload_warning::Entity).to_owned()).await?;
        let cells = upload_row::Column::Cells;
        let rows = Table::alter().table(upload_row::Entity).drop_column(cells).to_owned();
        manager.alter_table(rows).await?;
        let by_file = Index::drop().name(BY_FILE).table(upload_log::Entity).to_owned();
        manager.drop_index(by_file).await?;
        use upload_log::Column as C;
        let added = [C::Headings.into_iden(), C::Warnings.into_iden()];
        for column in LEASE.map(|name| Alias::new(name).into_iden()).into_iter().chain(added) {
            let table = Table::alter().table(upload_log::Entity).drop_column(column).to_owned();
            manager.alter_table(table).await?;
        }
        Ok(())
    }
}
