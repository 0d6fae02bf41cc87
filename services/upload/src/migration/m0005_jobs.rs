//! Jobs, with one for each open import.

use ::store::jobs;
use sea_orm::DbBackend;
use sea_orm_migration::prelude::*;

use crate::entity::upload_log;
use crate::entity::upload_log::Status;

pub struct Migration;

impl MigrationName for Migration {
    fn name(&self) -> &str {
        "m0005_jobs"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        use jobs::job::Column as J;
        use upload_log::Column as C;
        jobs::create_table(manager).await?;
        let open = Query::select()
            .column(C::Id)
            .expr(Expr::value("import"))
            .columns([C::UploadedBy, C::CreatedAt])
            .column(Alias::new("attempts"))
            .from(upload_log::Entity)
            .and_where(Expr::col(C::Status).is_in(Status::IMPORTING.map(Status::as_str)))
            .to_owned();
        let mut insert = Query::insert();
        insert
            .into_table(jobs::job::Entity)
            .columns([J::Id, J::Kind, J::CreatedBy, J::CreatedAt, J::Attempts])
            .select_from(open)
            .map_err(|error| DbErr::Custom(error.to_string()))?;
        manager.execute(insert).await?;
        if manager.get_database_backend() == DbBackend::Sqlite {
            // The process that held these leases is gone.
            let leases = Query::update()
                .table(upload_log::Entity)
                .value(C::ClaimedUntil, Option::<chrono::DateTime<chrono::Utc>>::None)
                .to_owned();
            manager.execute(leases).await?;
        }
        Ok(())
    }

    /// The previous release finds open imports without jobs.
    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        jobs::drop_table(manager).await
    }
}
