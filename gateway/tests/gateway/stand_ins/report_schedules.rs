//! The stand-in for schedules of reports.

use kit::{Error, Role};
use proto::settings::v1::report_schedules_service_server::ReportSchedulesService;
use proto::settings::v1::*;
use tonic::{Request, Response, Status};

use super::{Answer, Settings, prost_at};

fn schedule(report_setting_id: &str, content: ReportScheduleInput) -> ReportSchedule {
    ReportSchedule {
        id: "s-1".into(),
        report_setting_id: report_setting_id.to_owned(),
        content: Some(content),
        owner: "maria".into(),
        next_at: Some(prost_at(3)),
        sent_at: Some(prost_at(4)),
        sent_count: 2,
        skipped: "ben: no account".into(),
        created_at: Some(prost_at(1)),
        created_by: "maria".into(),
        updated_at: Some(prost_at(2)),
        updated_by: "ana".into(),
        version: 7,
        ..ReportSchedule::default()
    }
}

fn content() -> ReportScheduleInput {
    ReportScheduleInput {
        cadence: ReportCadence::Weekly.into(),
        weekday: 5,
        month_day: 0,
        time: "07:30".into(),
        zone: "Asia/Manila".into(),
        recipients: vec!["ana".into(), "ben".into()],
        format: ReportFormat::Xlsx.into(),
    }
}

#[tonic::async_trait]
impl ReportSchedulesService for Settings {
    async fn get_report_schedule(
        &self,
        request: Request<GetReportScheduleRequest>,
    ) -> Answer<ReportSchedule> {
        self.0.holder(Role::ADMINS, &request, "schedule").await?;
        match request.get_ref().report_setting_id.as_str() {
            "r-1" => Ok(Response::new(schedule("r-1", content()))),
            _ => Err(Error::not_found("REPORT_SCHEDULE_NOT_FOUND", "There is no such schedule.").into()),
        }
    }

    async fn save_report_schedule(
        &self,
        request: Request<SaveReportScheduleRequest>,
    ) -> Answer<ReportSchedule> {
        self.0.holder(Role::ADMINS, &request, "schedule").await?;
        self.0.keep(&request);
        let SaveReportScheduleRequest { report_setting_id, content, .. } = request.into_inner();
        Ok(Response::new(schedule(&report_setting_id, content.unwrap())))
    }

    async fn pause_report_schedule(
        &self,
        request: Request<PauseReportScheduleRequest>,
    ) -> Answer<ReportSchedule> {
        self.0.holder(Role::ADMINS, &request, "schedule").await?;
        self.0.keep(&request);
        let PauseReportScheduleRequest { report_setting_id, paused, .. } = request.into_inner();
        let next_at = if paused { None } else { Some(prost_at(3)) };
        Ok(Response::new(ReportSchedule { paused, next_at, ..schedule(&report_setting_id, content()) }))
    }

    async fn delete_report_schedule(
        &self,
        request: Request<DeleteReportScheduleRequest>,
    ) -> Answer<DeleteReportScheduleResponse> {
        self.0.holder(Role::ADMINS, &request, "schedule").await?;
        self.0.keep(&request);
        Ok(Response::new(DeleteReportScheduleResponse {}))
    }

    async fn send_report(&self, request: Request<SendReportRequest>) -> Answer<ReportSchedule> {
        self.0.holder(Role::ADMINS, &request, "schedule").await?;
        self.0.keep(&request);
        let id = request.into_inner().report_setting_id;
        Ok(Response::new(ReportSchedule { sending: true, ..schedule(&id, content()) }))
    }

    // The gateway calls none of these.
    async fn list_due_reports(&self, _: Request<ListDueReportsRequest>) -> Answer<ListDueReportsResponse> {
        Err(Status::permission_denied(""))
    }
    async fn get_due_report(&self, _: Request<GetDueReportRequest>) -> Answer<DueReport> {
        Err(Status::permission_denied(""))
    }
    async fn record_report_result(
        &self,
        _: Request<RecordReportResultRequest>,
    ) -> Answer<RecordReportResultResponse> {
        Err(Status::permission_denied(""))
    }
}
