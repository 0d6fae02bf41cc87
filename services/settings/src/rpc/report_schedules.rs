//! Schedules of reports: administrators manage them, the analytics service sends what is due.

use kit::principal::{Role, caller, principal};
use kit::{Error, Result};
use proto::settings::v1::report_schedules_service_server::ReportSchedulesService;
use proto::settings::v1::*;
use tonic::{Request, Response, Status};

use super::Shared;
use crate::domain::report_schedule;
use crate::store::report_schedules;
use crate::store::report_schedules::due::{self, Outcome};
use ::store::audit::Actor;

/// The service that sends reports.
const SENDER: &str = "analytics";

pub struct Service {
    pub shared: Shared,
}

#[tonic::async_trait]
impl ReportSchedulesService for Service {
    async fn get_report_schedule(
        &self,
        request: Request<GetReportScheduleRequest>,
    ) -> Result<Response<ReportSchedule>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let id = request.into_inner().report_setting_id;
        Ok(Response::new(report_schedules::get(&self.shared.context.db, &id).await?.into()))
    }

    async fn save_report_schedule(
        &self,
        request: Request<SaveReportScheduleRequest>,
    ) -> Result<Response<ReportSchedule>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let SaveReportScheduleRequest { report_setting_id: id, version, content } = request.into_inner();
        let form = report_schedule::read(content.unwrap_or_default())?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        Ok(Response::new(report_schedules::save(&context.db, &id, version, form, by).await?.into()))
    }

    async fn pause_report_schedule(
        &self,
        request: Request<PauseReportScheduleRequest>,
    ) -> Result<Response<ReportSchedule>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let PauseReportScheduleRequest { report_setting_id: id, version, paused } = request.into_inner();
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        Ok(Response::new(report_schedules::pause(&context.db, &id, version, paused, by).await?.into()))
    }

    async fn delete_report_schedule(
        &self,
        request: Request<DeleteReportScheduleRequest>,
    ) -> Result<Response<DeleteReportScheduleResponse>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let DeleteReportScheduleRequest { report_setting_id: id, version } = request.into_inner();
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        report_schedules::delete(&context.db, &id, version, by).await?;
        Ok(Response::new(DeleteReportScheduleResponse {}))
    }

    async fn send_report(
        &self,
        request: Request<SendReportRequest>,
    ) -> Result<Response<ReportSchedule>, Status> {
        let actor = Actor::from(caller(&request)?.require(Role::ADMINS)?);
        let SendReportRequest { report_setting_id: id, request_id } = request.into_inner();
        let request_id = request_id.trim().parse();
        let request_id =
            request_id.map_err(|_| Error::invalid_field("requestId", "Request id must be a UUID"))?;
        let context = &self.shared.context;
        let by = actor.at(context.clock.now());
        Ok(Response::new(report_schedules::send_now(&context.db, &id, request_id, by).await?.into()))
    }

    async fn list_due_reports(
        &self,
        request: Request<ListDueReportsRequest>,
    ) -> Result<Response<ListDueReportsResponse>, Status> {
        principal(&request)?.require_service(SENDER)?;
        let context = &self.shared.context;
        let now = context.clock.now();
        due::plan_again(&context.db, now).await?;
        let due = due::list(&context.db, now).await?;
        Ok(Response::new(ListDueReportsResponse { due }))
    }

    async fn get_due_report(
        &self,
        request: Request<GetDueReportRequest>,
    ) -> Result<Response<DueReport>, Status> {
        principal(&request)?.require_service(SENDER)?;
        let key = request.into_inner().key.unwrap_or_default();
        let context = &self.shared.context;
        Ok(Response::new(due::get(&context.db, &key, context.clock.now()).await?))
    }

    async fn record_report_result(
        &self,
        request: Request<RecordReportResultRequest>,
    ) -> Result<Response<RecordReportResultResponse>, Status> {
        let caller = caller(&request)?;
        caller.principal.require_service(SENDER)?;
        let actor = Actor::from(caller);
        let mut request = request.into_inner();
        let key = request.key.take().unwrap_or_default();
        let outcome = Outcome::read(request)?;
        let context = &self.shared.context;
        let outdated = due::note(&context.db, &key, outcome, actor.at(context.clock.now())).await?;
        Ok(Response::new(RecordReportResultResponse { outdated }))
    }
}
