//! Report definitions: administrators write them, office users read the active ones.

use kit::principal::{Principal, Role, caller, principal};
use kit::{Error, Result};
use proto::common::v1::{Count, CountRequest};
use proto::settings::v1::report_settings_service_server::ReportSettingsService;
use proto::settings::v1::*;
use tonic::{Request, Response, Status};

use super::Shared;
use crate::domain::report_member::ReportKey;
use crate::domain::report_setting;
use crate::store::Creation;
use crate::store::report_settings::{self, Sight};
use ::store::audit::Actor;

pub struct Service {
    pub shared: Shared,
}

/// Returns which definitions an office user may see.
fn sight(principal: &Principal) -> Sight {
    match principal.require(Role::ADMINS) {
        Ok(_) => Sight::All,
        Err(_) => Sight::Active,
    }
}

#[tonic::async_trait]
impl ReportSettingsService for Service {
    async fn list_report_settings(
        &self,
        request: Request<ListReportSettingsRequest>,
    ) -> Result<Response<ListReportSettingsResponse>, Status> {
        let sight = sight(principal(&request)?.require(Role::STAFF)?);
        let page = request.into_inner().page.unwrap_or_default();
        let (rows, more) = report_settings::page(&self.shared.context.db, &page, sight).await?;
        let report_settings = rows.into_iter().map(Into::into).collect();
        Ok(Response::new(ListReportSettingsResponse { report_settings, more }))
    }

    async fn count_report_settings(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        let sight = sight(principal(&request)?.require(Role::STAFF)?);
        let filters = request.into_inner().r#where;
        Ok(Response::new(report_settings::count(&self.shared.context.db, &filters, sight).await?))
    }

    async fn get_report_setting(
        &self,
        request: Request<GetReportSettingRequest>,
    ) -> Result<Response<ReportSetting>, Status> {
        let sight = sight(principal(&request)?.require(Role::STAFF)?);
        let row = report_settings::get(&self.shared.context.db, &request.into_inner().id, sight).await?;
        Ok(Response::new(row.into()))
    }

    async fn create_report_setting(
        &self,
        request: Request<CreateReportSettingRequest>,
    ) -> Result<Response<ReportSetting>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let CreateReportSettingRequest { creation_id, content } = request.into_inner();
        let content = content.unwrap_or_default();
        let creation = Creation::new(&creation_id, &content)?;
        let form = report_setting::read(content)?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        Ok(Response::new(report_settings::create(&context.db, creation, form, by).await?.into()))
    }

    async fn update_report_setting(
        &self,
        request: Request<UpdateReportSettingRequest>,
    ) -> Result<Response<ReportSetting>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let UpdateReportSettingRequest { id, version, content } = request.into_inner();
        let form = report_setting::read(content.unwrap_or_default())?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        Ok(Response::new(report_settings::update(&context.db, &id, version, form, by).await?.into()))
    }

    async fn delete_report_setting(
        &self,
        request: Request<DeleteReportSettingRequest>,
    ) -> Result<Response<DeleteReportSettingResponse>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let DeleteReportSettingRequest { id, version } = request.into_inner();
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        report_settings::delete(&context.db, &id, version, by).await?;
        Ok(Response::new(DeleteReportSettingResponse {}))
    }

    async fn list_report_members(
        &self,
        request: Request<ListReportMembersRequest>,
    ) -> Result<Response<ListReportMembersResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let key = ReportKey::parse(&request.into_inner().report_key).ok_or_else(|| {
            let known = ReportKey::SPELLINGS.join(", ");
            Error::invalid_field("reportKey", format!("Report must be one of {known}"))
        })?;
        let members = key.members().map(|member| ReportMember {
            member: member.name.to_owned(),
            title: member.short_title.to_owned(),
            kind: ReportMemberKind::from(member.kind).into(),
        });
        Ok(Response::new(ListReportMembersResponse { members: members.collect() }))
    }
}
