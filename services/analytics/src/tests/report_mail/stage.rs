//! The settings service and auth, as far as reports by mail need them, and a report that is due.

use std::sync::{Arc, Mutex};

use kit::Error;
use proto::auth::v1::report_mail_service_server::ReportMailService;
use proto::auth::v1::*;
use proto::settings::v1::report_schedules_service_server::ReportSchedulesService;
use proto::settings::v1::*;
use tonic::{Request, Response, Status};

type Answer<T> = Result<Response<T>, Status>;

#[derive(Default)]
pub struct Memory {
    pub due: Vec<DueReportKey>,
    pub report: Option<DueReport>,
    pub skipped: Vec<String>,
    /// Refusals of the next mails, in order; later ones are sent.
    pub refusals: Vec<Error>,
    /// Refusals of the next results.
    pub results_fail: usize,
    /// Whether somebody pauses the schedule as soon as an outdated result arrives.
    pub pauses_if_outdated: bool,
    pub owner_gone: bool,
    pub state: Option<ReportMailState>,
    /// Recipients whose mails the mail server always refuses for now.
    pub delayed: Vec<String>,
    pub mails: Vec<SendReportMailRequest>,
    pub results: Vec<RecordReportResultRequest>,
}

/// The settings service and auth, as far as reports by mail need them.
#[derive(Clone, Default)]
pub struct Stage(Arc<Mutex<Memory>>);

impl Stage {
    pub fn with<T>(&self, act: impl FnOnce(&mut Memory) -> T) -> T {
        act(&mut self.0.lock().unwrap())
    }

    pub fn mails(&self) -> Vec<SendReportMailRequest> {
        self.with(|it| it.mails.clone())
    }

    pub fn results(&self) -> Vec<(ReportResult, u32, String)> {
        self.with(|it| it.results.iter().map(|it| (it.result(), it.sent_count, it.text.clone())).collect())
    }

    /// Returns the recipients of all mails.
    pub fn recipients(&self) -> Vec<String> {
        self.mails().into_iter().map(|it| it.recipient).collect()
    }
}

#[tonic::async_trait]
impl ReportSchedulesService for Stage {
    async fn get_report_schedule(&self, _: Request<GetReportScheduleRequest>) -> Answer<ReportSchedule> {
        Err(Status::unimplemented(""))
    }
    async fn save_report_schedule(&self, _: Request<SaveReportScheduleRequest>) -> Answer<ReportSchedule> {
        Err(Status::unimplemented(""))
    }
    async fn pause_report_schedule(&self, _: Request<PauseReportScheduleRequest>) -> Answer<ReportSchedule> {
        Err(Status::unimplemented(""))
    }
    async fn delete_report_schedule(
        &self,
        _: Request<DeleteReportScheduleRequest>,
    ) -> Answer<DeleteReportScheduleResponse> {
        Err(Status::unimplemented(""))
    }
    async fn send_report(&self, _: Request<SendReportRequest>) -> Answer<ReportSchedule> {
        Err(Status::unimplemented(""))
    }

    async fn list_due_reports(&self, _: Request<ListDueReportsRequest>) -> Answer<ListDueReportsResponse> {
        Ok(Response::new(ListDueReportsResponse { due: self.with(|it| it.due.clone()) }))
    }

    async fn get_due_report(&self, request: Request<GetDueReportRequest>) -> Answer<DueReport> {
        let key = request.into_inner().key.unwrap();
        let found = self.with(|it| it.report.clone().filter(|_| it.due.contains(&key)));
        Ok(Response::new(found.ok_or_else(|| Error::not_found("REPORT_NOT_DUE", "no longer due"))?))
    }

    async fn record_report_result(
        &self,
        request: Request<RecordReportResultRequest>,
    ) -> Answer<RecordReportResultResponse> {
        let request = request.into_inner();
        self.with(|it| {
            if it.results_fail > 0 {
                it.results_fail -= 1;
                return Err(Status::from(Error::unavailable("AWAY", "away")));
            }
            let is_outdated = it.report.as_ref().is_some_and(|report| report.version != request.version);
            let outdated = request.result() == ReportResult::Paused && is_outdated;
            if !outdated {
                it.due.retain(|key| Some(key) != request.key.as_ref());
                it.results.push(request);
            } else if it.pauses_if_outdated {
                it.due.clear();
            }
            Ok(Response::new(RecordReportResultResponse { outdated }))
        })
    }
}

#[tonic::async_trait]
impl ReportMailService for Stage {
    async fn check_report_mail(
        &self,
        request: Request<CheckReportMailRequest>,
    ) -> Answer<CheckReportMailResponse> {
        let names = request.into_inner().recipients;
        self.with(|it| {
            if it.owner_gone {
                return Err(Error::precondition("REPORT_OWNER_GONE", "The owner is gone.").into());
            }
            let (skipped, recipients) = names.into_iter().partition(|name| it.skipped.contains(name));
            Ok(Response::new(CheckReportMailResponse { recipients, skipped }))
        })
    }

    async fn send_report_mail(
        &self,
        request: Request<SendReportMailRequest>,
    ) -> Answer<SendReportMailResponse> {
        self.with(|it| {
            if !it.refusals.is_empty() {
                return Err(it.refusals.remove(0).into());
            }
            let mail = request.into_inner();
            if mail.knows_delayed && it.delayed.contains(&mail.recipient) {
                return Ok(Response::new(SendReportMailResponse { state: ReportMailState::Delayed.into() }));
            }
            it.mails.push(mail);
            let state = it.state.unwrap_or(ReportMailState::Sent);
            Ok(Response::new(SendReportMailResponse { state: state.into() }))
        })
    }
}

pub fn key(occurrence: &str) -> DueReportKey {
    DueReportKey { schedule_id: "s-1".into(), occurrence: occurrence.into() }
}

/// A report for Ana and Ben with one occurrence that is due.
pub fn stage() -> Stage {
    let column = |member: &str| ReportColumn { member: member.into(), visible: true, ..Default::default() };
    let content = ReportSettingInput {
        name: "Nach Fahrer".into(),
        report_key: "drivers".into(),
        columns: vec![column("Driver.driverName"), column("Delivery.count")],
        range_days: 30,
        ..Default::default()
    };
    let report = DueReport {
        setting: Some(ReportSetting { id: "r-1".into(), content: Some(content), ..Default::default() }),
        at: Some(proto::timestamp("2026-11-21T23:30:00Z".parse().unwrap())),
        zone: "Asia/Manila".into(),
        format: ReportFormat::Csv.into(),
        owner: "maria".into(),
        recipients: vec!["ana".into(), "ben".into()],
        missed: 0,
        version: 1,
    };
    let stage = Stage::default();
    stage.with(|it| (it.due, it.report) = (vec![key("2026-11-21T23:30:00Z")], Some(report)));
    stage
}

/// Replaces the filters of the report: key, operator, values.
pub fn filter_by(stage: &Stage, filters: &[(&str, &str, &[&str])]) {
    let filter = |(key, operator, values): &(&str, &str, &[&str])| proto::common::v1::Filter {
        key: (*key).to_owned(),
        operator: (*operator).to_owned(),
        values: values.iter().map(|it| (*it).to_owned()).collect(),
    };
    stage.with(|it| {
        let setting = it.report.as_mut().unwrap().setting.as_mut().unwrap();
        setting.content.as_mut().unwrap().default_filters = filters.iter().map(filter).collect();
    });
}
