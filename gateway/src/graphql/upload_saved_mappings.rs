//! Mappings of columns that people save under a name.

use async_graphql::{Context, InputObject, Object};
use proto::upload::v1 as contract;

use super::clients;
use super::error::Failure;
use super::page;
use super::parties::Source;
use super::upload_mapping::{DateOrder, DecimalSign, ImportDefaultInput};
use super::value::{DateTime, time};
use super::viewer::loaders;

/// Maximum number of saved mappings.
const MAPPINGS: usize = 200;

#[derive(Default)]
pub struct SavedMappingsQuery;

#[Object]
impl SavedMappingsQuery {
    /// All saved mappings by name, those of the import's source first, and how each fits a waiting file.
    #[graphql(complexity = "page::times(MAPPINGS, child_complexity)")]
    async fn import_mappings(
        &self,
        ctx: &Context<'_>,
        upload_log: String,
        sheet: Option<String>,
        header_line: u32,
    ) -> Result<Vec<SavedImportMapping>, Failure> {
        let ask = contract::ListSavedMappingsRequest { upload_log_id: upload_log, sheet, header_line };
        let found = clients::saved_mappings(ctx)?.list_saved_mappings(ask).await?.into_inner().mappings;
        Ok(found.into_iter().map(SavedImportMapping).collect())
    }
}

#[derive(Default)]
pub struct SavedMappingsMutation;

#[Object]
impl SavedMappingsMutation {
    /// Saves choices about the columns of a waiting file under a name, with the import's source.
    async fn create_import_mapping(
        &self,
        ctx: &Context<'_>,
        input: CreateImportMappingInput,
    ) -> Result<SavedImportMapping, Failure> {
        let CreateImportMappingInput {
            upload_log,
            sheet,
            header_line,
            name,
            fields,
            date_order,
            decimal_sign,
            defaults,
            replace,
        } = input;
        let ask = contract::CreateSavedMappingRequest {
            upload_log_id: upload_log,
            sheet,
            header_line,
            name,
            fields: fields.into_iter().map(Option::unwrap_or_default).collect(),
            date_order: DateOrder::wire(date_order),
            decimal_sign: DecimalSign::wire(decimal_sign),
            defaults: defaults.into_iter().map(Into::into).collect(),
            replace,
        };
        let saved = clients::saved_mappings(ctx)?.create_saved_mapping(ask).await?;
        Ok(SavedImportMapping(saved.into_inner()))
    }

    async fn rename_import_mapping(
        &self,
        ctx: &Context<'_>,
        input: RenameImportMappingInput,
    ) -> Result<SavedImportMapping, Failure> {
        let RenameImportMappingInput { id, name } = input;
        let ask = contract::RenameSavedMappingRequest { id, name };
        let renamed = clients::saved_mappings(ctx)?.rename_saved_mapping(ask).await?;
        Ok(SavedImportMapping(renamed.into_inner()))
    }

    /// Returns the id of the deleted mapping.
    async fn delete_import_mapping(
        &self,
        ctx: &Context<'_>,
        input: DeleteImportMappingInput,
    ) -> Result<String, Failure> {
        let ask = contract::DeleteSavedMappingRequest { id: input.id.clone() };
        clients::saved_mappings(ctx)?.delete_saved_mapping(ask).await?;
        Ok(input.id)
    }
}

#[derive(InputObject)]
pub struct CreateImportMappingInput {
    upload_log: String,
    /// The sheet's name; null for the first visible sheet with content.
    sheet: Option<String>,
    header_line: u32,
    /// At most 60 characters; unique regardless of case.
    name: String,
    /// The field name for each column; null leaves the column out.
    fields: Vec<Option<String>>,
    /// Null: as the values of a file show.
    date_order: Option<DateOrder>,
    /// Null: as the values of a file show.
    decimal_sign: Option<DecimalSign>,
    /// A default dispatch date isn't saved.
    #[graphql(default)]
    defaults: Vec<ImportDefaultInput>,
    /// Whether to replace the mapping that has the name.
    #[graphql(default)]
    replace: bool,
}

#[derive(InputObject)]
pub struct RenameImportMappingInput {
    id: String,
    name: String,
}

#[derive(InputObject)]
pub struct DeleteImportMappingInput {
    id: String,
}

/// A mapping of columns that somebody saved under a name. It is applied to a file by its headings.
pub struct SavedImportMapping(contract::SavedMapping);

#[Object]
impl SavedImportMapping {
    async fn id(&self) -> &str {
        &self.0.id
    }
    async fn name(&self) -> &str {
        &self.0.name
    }
    /// Source of the import for which it was saved.
    async fn source(&self, ctx: &Context<'_>) -> Result<Option<Source>, Failure> {
        Ok(loaders(ctx)?.sources.one(&self.0.source_id).await?.map(Source))
    }
    /// Number of mapped columns.
    async fn columns(&self) -> u32 {
        self.0.columns
    }
    /// Headings of mapped columns that the file doesn't have. Empty in the answer to a change.
    async fn missing(&self) -> &[String] {
        &self.0.missing
    }
    /// Username of the person who saved it.
    async fn saved_by(&self) -> &str {
        &self.0.saved_by
    }
    /// Whether the caller can rename, replace and delete it.
    async fn can_change(&self) -> bool {
        self.0.can_change
    }
    async fn last_used_at(&self) -> Result<Option<DateTime>, Failure> {
        time(self.0.last_used_at)
    }
    /// Number of imports that were read with it.
    async fn used_count(&self) -> u32 {
        self.0.used_count
    }
}
