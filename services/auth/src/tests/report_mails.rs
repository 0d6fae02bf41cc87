//! Mails with reports: one for each key, and only to and on behalf of people who may see reports.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kit::principal::ServiceIdentity;
use proto::auth::v1::report_mail_service_client::ReportMailServiceClient;
use proto::auth::v1::{
    CheckReportMailRequest, CheckReportMailResponse, ReportMailState, SendReportMailRequest,
};

use super::*;
use crate::Migrator;
use crate::mail::tests::Server;

/// The office before it has a mail server: links for new passwords are shown and not mailed.
async fn office(db: &Db, viewers: &[&str]) -> World {
    let office = World::with_admin(db.clone()).await;
    for name in viewers {
        office.make(name, &["viewer"]).await;
    }
    office
}

/// The office with a mail server.
async fn world(db: Db, server: &Server) -> World {
    World::start(Context { mailing: Mailing::to_server(&server.url), ..context(db) }).await
}

fn client_of(world: &World, service: &'static str) -> ReportMailServiceClient<Client> {
    let secret = world.context.config.service_secret.clone();
    let token = ServiceIdentity::new(service, secret, world.context.clock.clone()).token().unwrap();
    ReportMailServiceClient::new(world.transport.with_token(token.into()))
}

fn mail(key: &str, recipient: &str) -> SendReportMailRequest {
    SendReportMailRequest {
        key: key.into(),
        owner: NAME.into(),
        recipient: recipient.into(),
        report: "Fahrer nach Größe".into(),
        text: "November 15 to November 21, 2026.".into(),
        file_name: "Fahrer nach Größe 2026-11-21.csv".into(),
        file: "\u{feff}Driver\r\nÅsa\r\n".into(),
        path: "/report?setting=1".into(),
        is_xlsx: false,
        knows_delayed: true,
    }
}

async fn send(world: &World, mail: SendReportMailRequest) -> Result<ReportMailState, Error> {
    Ok(client_of(world, "analytics").send_report_mail(mail).await?.into_inner().state())
}

async fn check(world: &World, owner: &str, recipients: &[&str]) -> Result<CheckReportMailResponse, Error> {
    let recipients = recipients.iter().map(|it| (*it).to_owned()).collect();
    let request = CheckReportMailRequest { owner: owner.into(), recipients };
    Ok(client_of(world, "analytics").check_report_mail(request).await?.into_inner())
}

/// Returns a header with its continuation lines, unfolded.
fn header(mail: &str, name: &str) -> String {
    let begin = mail.find(&format!("\n{name}: ")).unwrap() + 1;
    let mut lines = mail[begin..].lines();
    let first = lines.next().unwrap().to_owned();
    lines.take_while(|line| line.starts_with(' ')).fold(first, |all, line| all + line)
}

/// Reads the name of a file as RFC 2231 has it: pieces in order, the first with the name of its encoding.
fn file_name(parameters: &str) -> String {
    if let Some(quoted) = parameters.trim().strip_prefix("filename=\"") {
        return quoted.trim_end_matches('"').replace('\\', "");
    }
    let pieces = parameters.split(';').map(str::trim).enumerate();
    let pieces = pieces.map(|(at, piece)| piece.strip_prefix(&format!("filename*{at}*=")).unwrap());
    let text = pieces.collect::<String>();
    let mut rest = text.strip_prefix("utf-8''").unwrap().bytes();
    let mut bytes = Vec::new();
    while let Some(byte) = rest.next() {
        let hex = [rest.clone().next(), rest.clone().nth(1)].map(|it| it.unwrap_or_default() as char);
        match byte {
            b'%' => {
                bytes.push(u8::from_str_radix(&String::from_iter(hex), 16).unwrap());
                rest.nth(1);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap()
}

store::on_both!(the_same_key_is_one_mail, Migrator, |db: Db| async move {
    let server = Server::start(&[]).await;
    office(&db, &["ana"]).await;
    let world = world(db, &server).await;
    for _ in 0..3 {
        assert_eq!(send(&world, mail("job:ana", "ana")).await.unwrap(), ReportMailState::Sent);
    }
    assert_eq!(server.mails().len(), 1);
    let both = tokio::join!(send(&world, mail("two", "ana")), send(&world, mail("two", "ana")));
    let sent = [both.0, both.1].into_iter().filter(|it| matches!(it, Ok(ReportMailState::Sent))).count();
    assert!(sent >= 1);
    assert_eq!(server.mails().len(), 2, "two at once are one mail too");
    let text = server.mails().remove(0);
    for part in ["To: ana@example.com\n", "Auto-Submitted: auto-generated\n", "multipart/mixed"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let body = text.replace("=\n", "").replace("=3D", "=");
    assert!(body.contains("https://waybill.example/report?setting=1\n"), "{body}");
    assert!(body.contains("November 15 to November 21, 2026.\n"), "{body}");
});

store::on_both!(the_name_of_the_file_keeps_its_letters, Migrator, |db: Db| async move {
    let server = Server::start(&[]).await;
    office(&db, &["ana"]).await;
    let world = world(db, &server).await;
    let long = format!("{} 2026-11-21.csv", "Größe ".repeat(20).trim());
    for name in ["Fahrer nach Größe 2026-11-21.csv", "Drivers \"by\" day.csv", &long] {
        let mail = SendReportMailRequest { file_name: name.into(), ..mail(name, "ana") };
        assert_eq!(send(&world, mail).await.unwrap(), ReportMailState::Sent);
    }
    let mails = server.mails();
    for (mail, name) in
        mails.iter().zip(["Fahrer nach Größe 2026-11-21.csv", "Drivers \"by\" day.csv", &long])
    {
        let disposition = header(mail, "Content-Disposition");
        let parameters = disposition.strip_prefix("Content-Disposition: attachment;").unwrap();
        assert_eq!(file_name(parameters), name);
        assert_eq!(parameters.contains("filename*0*=utf-8''"), !name.is_ascii(), "{disposition}");
    }
    assert!(header(&mails[2], "Content-Disposition").contains(" filename*2*="), "in several pieces");
    for text in &mails {
        assert!(text.lines().all(|line| line.len() <= 78), "folded: {text}");
        let file = text.split("\n\n").find(|part| part.starts_with("77u/")).unwrap();
        let file = file.split("\n--").next().unwrap().replace('\n', "");
        assert_eq!(STANDARD.decode(file).unwrap(), mail("", "").file, "the file arrives to the byte");
    }
});

store::on_both!(only_people_who_may_see_reports_get_them, Migrator, |db: Db| async move {
    let server = Server::start(&[]).await;
    let office = office(&db, &[]).await;
    office.make("ana", &["dispatcher"]).await;
    office.make("nobody", &[]).await;
    let admin = office.sign_in(NAME).await;
    admin.create("invited", &["viewer"]).await.unwrap();
    office.driver("D-1", "dan", "active", 1).await;
    let gone = office.make("gone", &["admin"]).await;
    admin.set_status(&gone, UserStatus::Disabled).await.unwrap();
    let world = world(db, &server).await;
    let all = ["Ana", "nobody", "invited", "dan", "gone", "never"];
    let found = check(&world, NAME, &all).await.unwrap();
    assert_eq!(
        (found.recipients, found.skipped),
        (vec!["Ana".to_owned()], all[1..].iter().map(|it| (*it).to_owned()).collect())
    );
    for name in &all[1..] {
        assert_eq!(send(&world, mail(name, name)).await.unwrap(), ReportMailState::Skipped, "{name}");
    }
    for owner in &all[1..] {
        assert_eq!(check(&world, owner, &["ana"]).await.unwrap_err().reason, "REPORT_OWNER_GONE", "{owner}");
        let error = send(&world, SendReportMailRequest { owner: (*owner).into(), ..mail("by", "ana") }).await;
        assert_eq!(reason(error), "REPORT_OWNER_GONE");
    }
    assert_eq!(server.mails().len(), 0);
    assert_eq!(send(&world, mail("by", "ana")).await.unwrap(), ReportMailState::Sent, "nothing was claimed");
});

store::on_both!(what_the_server_does_not_take_now_is_sent_later, Migrator, |db: Db| async move {
    let server = Server::start(&["452 full", "451 later", "550 nobody of that name"]).await;
    office(&db, &["ana"]).await;
    let world = world(db, &server).await;
    assert_eq!(send(&world, mail("one", "ana")).await.unwrap(), ReportMailState::Delayed);
    // As an earlier release asks, which does not know that state.
    let earlier = SendReportMailRequest { knows_delayed: false, ..mail("one", "ana") };
    let error = send(&world, earlier).await.unwrap_err();
    assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::Unavailable, "REPORT_MAIL_DELAYED"));
    for _ in 0..2 {
        assert_eq!(send(&world, mail("two", "ana")).await.unwrap(), ReportMailState::Refused);
    }
    assert_eq!(server.attempts(), 3, "what was refused for good is not tried again");
    assert_eq!(send(&world, mail("one", "ana")).await.unwrap(), ReportMailState::Sent);
    let url = server.url.clone();
    drop(server);
    crate::tests::until(|| std::net::TcpStream::connect(url.trim_start_matches("smtp://")).is_err()).await;
    let error = send(&world, mail("three", "ana")).await.unwrap_err();
    assert_eq!(error.reason, "REPORT_MAIL_DELAYED", "the server is away");
    let state =
        crate::store::report_mails::state(&world.context.db, b"three", world.context.clock.now()).await;
    assert_eq!(state.unwrap(), None);
});

store::on_both!(what_a_crash_left_is_never_sent_again, Migrator, |db: Db| async move {
    let server = Server::start(&[]).await;
    office(&db, &["ana"]).await;
    let world = world(db, &server).await;
    let key = ring::digest::digest(&ring::digest::SHA256, b"left");
    let claimed =
        crate::store::report_mails::claim(&world.context.db, key.as_ref(), world.context.clock.now());
    assert!(claimed.await.unwrap());
    let error = send(&world, mail("left", "ana")).await.unwrap_err();
    assert_eq!(error.reason, "REPORT_MAIL_DELAYED", "another process may be at it");
    world.advance(Duration::minutes(5));
    assert_eq!(send(&world, mail("left", "ana")).await.unwrap(), ReportMailState::Uncertain);
    assert_eq!(server.mails().len(), 0);
});

store::on_both!(only_analytics_sends_and_only_where_mail_is_set_up, Migrator, |db: Db| async move {
    let mails = Mails::new();
    let world = World::start(Context { mailing: Mailing::to_folder(mails.path()), ..context(db) }).await;
    world.create_admin(NAME, PASSWORD, "").await.unwrap();
    assert_eq!(check(&world, NAME, &[NAME]).await.unwrap_err().reason, "MAIL_OFF");
    assert_eq!(reason(send(&world, mail("one", NAME)).await), "MAIL_OFF");
    let answer = client_of(&world, "settings").send_report_mail(mail("one", NAME)).await;
    assert_eq!(Error::from(answer.unwrap_err()).kind, kit::Kind::Forbidden);
    let wrong = [
        SendReportMailRequest { file: vec![0; (7 << 20) + 1], ..mail("one", NAME) },
        SendReportMailRequest { path: "//evil.example".into(), ..mail("one", NAME) },
        SendReportMailRequest { report: "a\r\nBcc: x".into(), ..mail("one", NAME) },
        SendReportMailRequest { file_name: "a\nb".into(), ..mail("one", NAME) },
    ];
    for (wrong, field) in wrong.into_iter().zip(["file", "path", "report", "fileName"]) {
        let error = send(&world, wrong).await.unwrap_err();
        assert_eq!(error.fields.keys().collect::<Vec<_>>(), [field]);
    }
    assert!(mails.all().is_empty());
});
