//! Reports by mail: one job for each occurrence, whatever restarts, and one result.

mod stage;

use ::store::Db;
use ::store::jobs::{self, State, Wanted};
use chrono::TimeDelta;
use kit::Error;
use kit::rpc::Transport;
use proto::auth::v1::ReportMailState;
use proto::auth::v1::report_mail_service_server::ReportMailServiceServer;
use proto::settings::v1::report_schedules_service_server::ReportSchedulesServiceServer;
use proto::settings::v1::{MailedReport, ReportResult};
use sea_orm::{ActiveModelTrait, IntoActiveModel};
use tonic::service::Routes;

use super::World;
use crate::entity::source_fact;
use crate::report_mail::{KIND, SendReport, look};
use crate::{Context, Migrator};
use stage::{Stage, filter_by, key, stage};

/// A process of the service.
fn open(db: &Db, stage: &Stage) -> (World, Context) {
    let world = World::open(db, 7);
    let settings = Transport::InProcess(Routes::new(ReportSchedulesServiceServer::new(stage.clone())));
    let auth = Transport::InProcess(Routes::new(ReportMailServiceServer::new(stage.clone())));
    let context = Context { settings, auth, ..world.context.clone() };
    (world, context)
}

async fn work(context: &Context) -> usize {
    let jobs = jobs::Jobs::new(crate::NAME, context.db.clone(), context.clock.clone());
    jobs.with(SendReport::of(context)).run_all().await.unwrap()
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
    let jobs = jobs::Jobs::new(crate::NAME, db.clone(), context.clock.clone()).with(SendReport::of(&context));
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
    filter_by(&stage, &[("Nope.x", "equals", &["a"])]);
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

store::on_both!(who_got_the_report_is_reported_whatever_ends_the_rest, Migrator, |db: Db| async move {
    let stage = stage();
    let (_, context) = open(&db, &stage);
    stage.with(|it| it.delayed = vec!["ana".into()]);
    // The schedule is paused, changed or deleted meanwhile.
    look(&context).await.unwrap();
    work(&context).await;
    stage.with(|it| it.due.clear());
    context.clock.advance(TimeDelta::minutes(1));
    work(&context).await;
    let reason =
        "ana: sending ended early because the schedule or report was changed, or the next report was due";
    assert_eq!(stage.results(), [(ReportResult::Sent, 1, reason.to_owned())]);
    let mailed = stage.with(|it| it.results[0].mailed.clone());
    let expected =
        MailedReport { report_setting_id: "r-1".into(), name: "Nach Fahrer".into(), owner: "maria".into() };
    assert_eq!(mailed, Some(expected));
    // The owner's account is disabled.
    stage.with(|it| it.due = vec![key("now:1")]);
    look(&context).await.unwrap();
    work(&context).await;
    stage.with(|it| it.owner_gone = true);
    context.clock.advance(TimeDelta::minutes(1));
    work(&context).await;
    assert_eq!(stage.results()[1..], [(ReportResult::Paused, 1, "The owner is gone.".to_owned())]);
    // The report setting gets a filter that no query can have.
    stage.with(|it| (it.owner_gone, it.due) = (false, vec![key("now:2")]));
    look(&context).await.unwrap();
    work(&context).await;
    filter_by(&stage, &[("Nope.x", "equals", &["a"])]);
    context.clock.advance(TimeDelta::minutes(1));
    work(&context).await;
    look(&context).await.unwrap();
    let (result, sent, _) = stage.results().pop().unwrap();
    assert_eq!((stage.results().len(), result, sent), (3, ReportResult::Failed, 1));
});

store::on_both!(a_further_job_knows_who_got_the_report, Migrator, |db: Db| async move {
    let stage = stage();
    let (_, context) = open(&db, &stage);
    stage.with(|it| it.delayed = vec!["ana".into()]);
    look(&context).await.unwrap();
    work(&context).await;
    // Somebody takes the schedule over before the result about its former owner arrives, and then pauses it.
    stage.with(|it| (it.owner_gone, it.results_fail) = (true, 1));
    context.clock.advance(TimeDelta::minutes(1));
    work(&context).await;
    stage.with(|it| {
        it.report.as_mut().unwrap().version = 2;
        it.pauses_if_outdated = true;
    });
    context.clock.advance(TimeDelta::minutes(1));
    work(&context).await;
    let results = stage.results();
    assert_eq!((results.len(), results[0].0, results[0].1), (1, ReportResult::Sent, 1));
    assert_eq!(states(&db).await, [State::Done; 2]);
});

store::on_both!(a_mail_says_which_names_in_filters_are_outdated, Migrator, |db: Db| async move {
    let stage = stage();
    let (_, context) = open(&db, &stage);
    let depot = source_fact::Model {
        source_id: uuid::Uuid::nil(),
        source: "Depot".into(),
        source_key: "depot".into(),
        sequence: 1,
        run: 0,
    };
    let tx = db.begin().await.unwrap();
    depot.into_active_model().reset_all().insert(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    let sources = ("Delivery.source", "equals", ["Portal", "DEPOT"].as_slice());
    filter_by(&stage, &[sources]);
    look(&context).await.unwrap();
    work(&context).await;
    let covers = "It covers October 24, 2026 to November 22, 2026. No deliveries match it in this time.\n\n";
    let text = "No source is named “Portal” now. It may have been renamed; change the filter of the report.";
    assert_eq!(stage.mails()[0].text, format!("{covers}{text}"));
    filter_by(
        &stage,
        &[sources, ("Driver.driverName", "!equals", &["Ana"]), ("Delivery.source", "contains", &["x"])],
    );
    stage.with(|it| it.due = vec![key("now:1")]);
    look(&context).await.unwrap();
    work(&context).await;
    let text = "No source is named “Portal” now. No driver is named “Ana” now. They may have been renamed; change the \
                filters of the report.";
    assert_eq!(stage.mails().pop().unwrap().text, format!("{covers}{text}"));
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
