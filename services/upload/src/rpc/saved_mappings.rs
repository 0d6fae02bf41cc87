//! Mappings of columns that people save under a name.

use kit::input::text;
use kit::principal::{Principal, Role, principal};
use kit::{Error, Result};
use proto::upload::v1::saved_mappings_service_server::SavedMappingsService;
use proto::upload::v1::*;
use tonic::{Request, Response, Status};

use super::mapping;
use crate::entity::saved_mapping::Model;
use crate::file::layout::Layout;
use crate::file::saved;
use crate::store::{NewMapping, Person};
use crate::{Context, store};

const NAME_CHARS: usize = 60;
/// Maximum number of mapped columns.
const COLUMNS: usize = 200;

pub struct SavedMappings {
    pub context: Context,
}

#[tonic::async_trait]
impl SavedMappingsService for SavedMappings {
    async fn list_saved_mappings(
        &self,
        request: Request<ListSavedMappingsRequest>,
    ) -> Result<Response<ListSavedMappingsResponse>, Status> {
        let who = person(principal(&request)?.require(Role::EDITORS)?);
        let ListSavedMappingsRequest { upload_log_id, sheet, header_line } = request.into_inner();
        let db = &self.context.db;
        let log = store::get(db, &upload_log_id).await?;
        let preview = store::preview_of(&log)?;
        let sheet = preview.sheet(sheet.as_deref()).ok_or_else(store::unknown_sheet)?;
        let headings = store::headings_of(sheet, header_line)?;
        let mut rows = store::saved_mappings(db).await?;
        // The order by name stays within both groups.
        rows.sort_by_key(|row| row.source_id != log.source_id);
        let mappings: Result<_> = rows.into_iter().map(|row| shown(row, Some(headings), &who)).collect();
        Ok(Response::new(ListSavedMappingsResponse { mappings: mappings? }))
    }

    async fn create_saved_mapping(
        &self,
        request: Request<CreateSavedMappingRequest>,
    ) -> Result<Response<SavedMapping>, Status> {
        let who = person(principal(&request)?.require(Role::EDITORS)?);
        let (db, now) = (&self.context.db, self.context.clock.now());
        let request = request.into_inner();
        let (name, replace) = (checked_name(&request.name)?, request.replace);
        let log = store::get(db, &request.upload_log_id).await?;
        let preview = store::preview_of(&log)?;
        let layout = decided(request);
        let sheet = preview.sheet(layout.sheet.as_deref()).ok_or_else(store::unknown_sheet)?;
        let headings = store::headings_of(sheet, layout.header_line)?;
        store::check_unfinished(headings, &layout)?;
        let mapping = saved::SavedMapping::of(headings, &layout);
        if mapping.is_empty() || mapping.len() > COLUMNS {
            let text =
                format!("Choose the fields of 1 to {COLUMNS} columns with a heading, then save the mapping.");
            return Err(Error::invalid_field("fields", text).into());
        }
        let new = NewMapping { name, source_id: log.source_id, mapping, replace };
        let row = store::save_mapping(db, new, &who, now).await?;
        Ok(Response::new(shown(row, None, &who)?))
    }

    async fn rename_saved_mapping(
        &self,
        request: Request<RenameSavedMappingRequest>,
    ) -> Result<Response<SavedMapping>, Status> {
        let who = person(principal(&request)?.require(Role::EDITORS)?);
        let RenameSavedMappingRequest { id, name } = request.into_inner();
        let row = store::rename_mapping(&self.context.db, &id, checked_name(&name)?, &who).await?;
        Ok(Response::new(shown(row, None, &who)?))
    }

    async fn delete_saved_mapping(
        &self,
        request: Request<DeleteSavedMappingRequest>,
    ) -> Result<Response<DeleteSavedMappingResponse>, Status> {
        let who = person(principal(&request)?.require(Role::EDITORS)?);
        store::delete_mapping(&self.context.db, &request.into_inner().id, &who).await?;
        Ok(Response::new(DeleteSavedMappingResponse {}))
    }
}

fn person(who: &Principal) -> Person {
    Person { id: who.id(), username: who.actor(), is_admin: who.require(Role::ADMINS).is_ok() }
}

fn checked_name(name: &str) -> Result<String> {
    text::required_name("The name", name, NAME_CHARS).map_err(|text| Error::invalid_field("name", text))
}

/// Returns the choices that are saved.
fn decided(request: CreateSavedMappingRequest) -> Layout {
    let chosen = mapping::chosen(request.date_order(), request.decimal_sign());
    let CreateSavedMappingRequest { sheet, header_line, fields, defaults, .. } = request;
    let (columns, defaults) = (mapping::columns(fields), mapping::default_values(defaults));
    Layout { header_line, columns, sheet, chosen, defaults, items: None }
}

/// Returns a saved mapping for a person, and how it fits a file with these headings.
fn shown(row: Model, headings: Option<&[String]>, who: &Person) -> Result<SavedMapping> {
    let mapping = row.parsed()?;
    let can_change = who.can_change(&row);
    let Model { id, name, source_id, saved_by, last_used_at, used_count, .. } = row;
    Ok(SavedMapping {
        id: id.to_string(),
        name,
        source_id: source_id.to_string(),
        columns: u32::try_from(mapping.len()).unwrap_or(u32::MAX),
        missing: headings.map(|headings| mapping.apply(headings).missing).unwrap_or_default(),
        saved_by,
        can_change,
        last_used_at: last_used_at.map(proto::timestamp),
        used_count: used_count.unsigned_abs(),
    })
}
