//! Reports by mail: one job for each occurrence, whatever restarts, and one result.

use std::sync::{Arc, Mutex};

use ::store::Db;
use ::store::jobs::{self, State, Wanted};
use chrono::TimeDelta;
use kit::Error;
use kit::rpc::Transport;
use proto::auth::v1::report_mail_service_server::{ReportMailService, ReportMailServiceServer};
use proto::auth::v1::*;
use proto::settings::v1::report_schedules_service_server::{
    ReportSchedulesService, ReportSchedulesServiceServer,
};
use proto::settings::v1::*;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use super::World;
use crate::report_mail::{KIND, SendReport, look};
use crate::{Context, Migrator};

type Answer<T> = Result<Response<T>, Status>;

#[derive(Default)]
struct Memory {
    due: Vec<DueReportKey>,
    report: Option<DueReport>,
    skipped: Vec<String>,
    /// Refusals of the next mails, in order; later ones are sent.
    refusals: Vec<Error>,
    /// Refusals of the next results.
    results_fail: usize,
    owner_gone: bool,
    state: Option<ReportMailState>,
    /// Recipients whose mails the mail server always refuses for now.
    delayed: Vec<String>,
    mails: Vec<SendReportMailRequest>,
    results: Vec<RecordReportResultRequest>,
}

/// The settings service and auth, as far as reports by mail need them.
#[derive(Clone, Default)]
struct Stage(Arc<Mutex<Memory>>);

impl Stage {
    fn with<T>(&self, act: impl FnOnce(&mut Memory) -> T) -> T {
        act(&mut self.0.lock().unwrap())
    }

    fn mails(&self) -> Vec<SendReportMailRequest> {
        self.with(|it| it.mails.clone())
    }

    fn results(&self) -> Vec<(ReportResult, u32, String)> {
        self.with(|it| it.results.iter().map(|it| (it.result(), it.sent_count, it.text.clone())).collect())
    }

    /// Returns the recipients of all mails.
    fn recipients(&self) -> Vec<String> {
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

fn key(occurrence: &str) -> DueReportKey {
    DueReportKey { schedule_id: "s-1".into(), occurrence: occurrence.into() }
}

/// A report for Ana and Ben with one occurrence that is due.
fn stage() -> Stage {
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

/// A process of the service.
fn open(db: &Db, stage: &Stage) -> (World, Context) {
    let world = World::open(db, 7);
    let settings = Transport::InProcess(Routes::new(ReportSchedulesServiceServer::new(stage.clone())));
    let auth = Transport::InProcess(Routes::new(ReportMailServiceServer::new(stage.clone())));
    let context = Context { settings, auth, ..world.context.clone() };
    (world, context)
}

async fn work(context: &Context) -> usize {
    let jobs = jobs::Jobs::new(context.db.clone(), context.clock.clone()).with(SendReport::of(context));
    jobs.run_all().await.unwrap()
}

async fn states(db: &Db) -> Vec<State> {
    let wanted = Wanted { kind: Some(KIND), ..Wanted::default() };
    let (found, _) = jobs::list(db, wanted, &Default::default()).await.unwrap();
    found.into_iter().map(|job| job.state).collect()
}

store::on_both!(a_due_report_is_one_job_and_one_mail_for_each_recipient, Migrator, |db: Db| async move {
    let stage = stage();
    let (world, context) = open(&db, &stage);
    for _ in 0..30 {
        let event = world.owner.change();
        world.owner.tell(&event).await;
    }
    // Two replicas look at the same time, and again.
    let (_, other) = open(&db, &stage);
    let (one, two) = tokio::join!(look(&context), look(&other));
    one.unwrap();
    two.unwrap();
    look(&context).await.unwrap();
    assert_eq!(states(&db).await, [State::Waiting]);
    assert_eq!(work(&context).await, 1);
    assert_eq!(stage.recipients(), ["ana", "ben"]);
    let mails = stage.mails();
    assert_ne!(mails[0].key, mails[1].key);
    let mail = &mails[0];
    assert_eq!(
        (mail.owner.as_str(), mail.report.as_str(), mail.path.as_str()),
        ("maria", "Nach Fahrer", "/report?setting=r-1")
    );
    assert_eq!((mail.file_name.as_str(), mail.is_xlsx), ("Nach Fahrer 2026-11-22.csv", false));
    assert_eq!(mail.text, "It covers October 24, 2026 to November 22, 2026.");
    let file = String::from_utf8(mail.file.clone()).unwrap();
    assert!(file.starts_with("\u{feff}Driver Name,Deliveries\r\n") && file.lines().count() > 1, "{file}");
    assert_eq!(stage.results(), [(ReportResult::Sent, 2, String::new())]);
    look(&context).await.unwrap();
    assert_eq!((work(&context).await, states(&db).await.len()), (0, 1));
});

store::on_both!(an_attempt_after_a_failure_sends_only_what_is_missing, Migrator, |db: Db| async move {
    let stage = stage();
    let (_, context) = open(&db, &stage);
    look(&context).await.unwrap();
    let away = || Error::unavailable("REPORT_MAIL_DELAYED", "The mail server is away.");
    stage.with(|it| it.refusals = vec![away()]);
    work(&context).await;
    assert_eq!((stage.mails().len(), stage.results().len()), (0, 0));
    context.clock.advance(TimeDelta::minutes(1));
    // The process dies after the first mail: the next one starts at the checkpoint.
    let jobs = jobs::Jobs::new(db.clone(), context.clock.clone()).with(SendReport::of(&context));
    stage.with(|it| it.results_fail = 1);
    jobs.run_all().await.unwrap();
    assert_eq!(stage.recipients(), ["ana", "ben"]);
    assert_eq!(stage.results(), []);
    context.clock.advance(TimeDelta::minutes(1));
    let (_, restarted) = open(&db, &stage);
    restarted.clock.advance(context.clock.now() - restarted.clock.now());
    work(&restarted).await;
    assert_eq!(stage.recipients(), ["ana", "ben"], "nobody gets it twice");
    assert_eq!(stage.results(), [(ReportResult::Sent, 2, String::new())]);
});

store::on_both!(a_result_that_the_job_could_not_report_is_reported_later, Migrator, |db: Db| async move {
    let stage = stage();
    let (_, context) = open(&db, &stage);
    stage.with(|it| {
        it.report.as_mut().unwrap().setting.as_mut().unwrap().content.as_mut().unwrap().columns[0].member =
            "Driver.driverName".into();
        it.report.as_mut().unwrap().setting.as_mut().unwrap().content.as_mut().unwrap().default_filters =
            vec![proto::common::v1::Filter {
                key: "Nope.x".into(),
                operator: "equals".into(),
                values: vec!["a".into()],
            }];
    });
    look(&context).await.unwrap();
    work(&context).await;
    assert_eq!(states(&db).await, [State::Failed]);
    assert_eq!(stage.results(), []);
    look(&context).await.unwrap();
    let results = stage.results();
    assert_eq!((results.len(), results[0].0), (1, ReportResult::Failed));
    assert!(results[0].2.contains("Nope"), "{results:?}");
});

store::on_both!(
    a_report_without_a_recipient_or_an_owner_pauses_its_schedule,
    Migrator,
    |db: Db| async move {
        let stage = stage();
        let (_, context) = open(&db, &stage);
        stage.with(|it| it.skipped = vec!["ana".into(), "ben".into()]);
        look(&context).await.unwrap();
        work(&context).await;
        stage.with(|it| {
            it.owner_gone = true;
            it.due = vec![key("now:1")];
        });
        look(&context).await.unwrap();
        work(&context).await;
        let results = stage.results();
        assert_eq!(results.iter().map(|it| it.0).collect::<Vec<_>>(), [ReportResult::Paused; 2]);
        assert!(results[0].2.starts_with("Nobody is left who may get this report (ana: no active account"));
        assert_eq!(results[1].2, "The owner is gone.");
        assert_eq!(stage.mails(), []);
    }
);

store::on_both!(a_schedule_that_got_another_owner_meanwhile_sends_for_them, Migrator, |db: Db| async move {
    let stage = stage();
    let (_, context) = open(&db, &stage);
    stage.with(|it| (it.owner_gone, it.results_fail) = (true, 1));
    look(&context).await.unwrap();
    work(&context).await;
    // Somebody saves the schedule before the result arrives.
    stage.with(|it| {
        it.owner_gone = false;
        let report = it.report.as_mut().unwrap();
        (report.owner, report.version) = ("olga".into(), 2);
    });
    context.clock.advance(TimeDelta::minutes(1));
    work(&context).await;
    assert_eq!((stage.mails().len(), stage.results().len()), (0, 0));
    look(&context).await.unwrap();
    work(&context).await;
    assert_eq!(stage.results(), [(ReportResult::Sent, 2, String::new())]);
    assert!(stage.mails().iter().all(|mail| mail.owner == "olga"));
});

store::on_both!(who_cannot_get_it_is_skipped_and_named, Migrator, |db: Db| async move {
    let stage = stage();
    let (_, context) = open(&db, &stage);
    stage.with(|it| it.skipped = vec!["ben".into()]);
    look(&context).await.unwrap();
    work(&context).await;
    let reason = "ben: no active account with an email address that may see reports";
    assert_eq!(stage.results(), [(ReportResult::Sent, 1, reason.to_owned())]);
    stage.with(|it| {
        it.state = Some(ReportMailState::Uncertain);
        it.due = vec![key("now:2")];
        it.skipped.clear();
    });
    look(&context).await.unwrap();
    work(&context).await;
    let (result, sent, text) = stage.results().pop().unwrap();
    assert_eq!((result, sent), (ReportResult::Failed, 0));
    assert!(text.contains("the mail may not have arrived"), "{text}");
});

store::on_both!(a_recipient_whose_mail_is_delayed_holds_up_nobody, Migrator, |db: Db| async move {
    let stage = stage();
    let (_, context) = open(&db, &stage);
    let asked_now = || Some(proto::timestamp(context.clock.now()));
    stage.with(|it| {
        it.delayed = vec!["ana".into()];
        it.report.as_mut().unwrap().at = asked_now();
    });
    look(&context).await.unwrap();
    assert_eq!(work(&context).await, 1);
    assert_eq!((stage.recipients(), stage.results()), (vec!["ben".to_owned()], vec![]));
    assert_eq!(states(&db).await, [State::Waiting]);
    // The pauses grow.
    for (seconds, attempts) in [(59, 0), (1, 1), (60, 0), (60, 1)] {
        context.clock.advance(TimeDelta::seconds(seconds));
        assert_eq!(work(&context).await, attempts);
    }
    context.clock.advance(TimeDelta::hours(20));
    assert_eq!(work(&context).await, 1);
    let reason = "ana: the mail server kept asking to try again later; the mailbox may be full";
    let result = (ReportResult::Sent, 1, reason.to_owned());
    assert_eq!((stage.recipients(), stage.results()), (vec!["ben".to_owned()], vec![result.clone()]));
    // A report that somebody asked for is given up sooner, so that they can ask again.
    stage.with(|it| {
        it.due = vec![key("now:1")];
        it.report.as_mut().unwrap().at = asked_now();
    });
    look(&context).await.unwrap();
    work(&context).await;
    assert_eq!(stage.results().len(), 1);
    context.clock.advance(TimeDelta::hours(1));
    work(&context).await;
    assert_eq!(stage.results(), [result.clone(), result]);
});

store::on_both!(what_is_no_longer_due_is_not_sent, Migrator, |db: Db| async move {
    let stage = stage();
    let (_, context) = open(&db, &stage);
    look(&context).await.unwrap();
    // A newer occurrence takes its place before the job runs.
    stage.with(|it| it.due = vec![key("2026-11-22T23:30:00Z")]);
    work(&context).await;
    assert_eq!((stage.mails().len(), stage.results().len()), (0, 0));
    look(&context).await.unwrap();
    work(&context).await;
    assert_eq!(stage.recipients(), ["ana", "ben"]);
    assert_eq!(stage.results().len(), 1);
});

store::on_both!(
    a_report_that_was_disabled_when_it_was_to_be_sent_is_sent_once_enabled,
    Migrator,
    |db: Db| async move {
        let stage = stage();
        let (_, context) = open(&db, &stage);
        look(&context).await.unwrap();
        let wanted = Wanted { kind: Some(KIND), ..Wanted::default() };
        let (jobs, _) = jobs::list(&db, wanted, &Default::default()).await.unwrap();
        let first = jobs[0].id;
        stage.with(|it| it.refusals = vec![Error::unavailable("REPORT_MAIL_DELAYED", "The server is away.")]);
        work(&context).await;
        assert_eq!(states(&db).await, [State::Waiting]);
        // It is disabled during the next attempt.
        let due = stage.with(|it| std::mem::take(&mut it.due));
        context.clock.advance(TimeDelta::minutes(1));
        work(&context).await;
        look(&context).await.unwrap();
        assert_eq!(states(&db).await, [State::Done]);
        assert_eq!((stage.mails().len(), stage.results().len()), (0, 0));
        stage.with(|it| it.due = due);
        for _ in 0..2 {
            look(&context).await.unwrap();
        }
        assert_eq!(work(&context).await, 1);
        assert_eq!(stage.results(), [(ReportResult::Sent, 2, String::new())]);
        // The keys are those of the first job, so that auth would refuse to send a mail of it again.
        let keys: Vec<String> = stage.mails().into_iter().map(|mail| mail.key).collect();
        assert_eq!(keys, [format!("{first}:ana"), format!("{first}:ben")]);
        look(&context).await.unwrap();
        assert_eq!((work(&context).await, states(&db).await.len()), (0, 2));
    }
);

store::on_both!(a_report_that_is_disabled_at_every_attempt_has_failed, Migrator, |db: Db| async move {
    let stage = stage();
    let (_, context) = open(&db, &stage);
    for _ in 0..10 {
        look(&context).await.unwrap();
        let due = stage.with(|it| std::mem::take(&mut it.due));
        work(&context).await;
        stage.with(|it| it.due = due);
    }
    let text = "The report was disabled, or its schedule changed, whenever it was about to be sent.";
    assert_eq!(stage.results(), [(ReportResult::Failed, 0, text.to_owned())]);
    assert_eq!((stage.mails().len(), states(&db).await.len()), (0, 5));
});
