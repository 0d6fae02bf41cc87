//! Exporting a list as a file: its content, and that a file never looks complete when it is not.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use calamine::{Data, Reader, Xlsx};
use futures::StreamExt;
use kit::testing::{Log, metric_value};
use kit::{Error, Role};
use proto::common::v1::SortDirection;
use proto::deliveries::v1::{
    DeliveryItem, ExportDeliveriesRequest, ExportDeliveriesResponse, ExportedDelivery,
};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Status;

use crate::stand_ins::{Chunks, delivery};
use crate::world::{Answer, World};

async fn get(world: &World, role: Role, query: &str) -> Answer {
    let bearer = format!("Bearer {}", world.token(role));
    world.get(&format!("/export/deliveries?{query}"), &[("authorization", &bearer)]).await
}

fn exported(n: u32) -> ExportedDelivery {
    let item = |number: &str| DeliveryItem {
        item_number: number.into(),
        quantity_thousandths: 2_500,
        ..DeliveryItem::default()
    };
    let customername = format!("=cmd|'/C calc'!A{n}");
    ExportedDelivery {
        delivery: Some(proto::deliveries::v1::Delivery { customername, ..delivery(n) }),
        items: vec![item("1"), item("2")],
        source_name: "Files".into(),
        ..ExportedDelivery::default()
    }
}

fn chunk(from: u32, count: u32) -> ExportDeliveriesResponse {
    ExportDeliveriesResponse { deliveries: (from..from + count).map(exported).collect() }
}

/// Returns an endless export in chunks of 100 deliveries. Counts the chunks taken.
pub fn endless(taken: &Arc<AtomicUsize>) -> impl Fn() -> Chunks + Send + 'static {
    let taken = taken.clone();
    move || {
        let taken = taken.clone();
        Box::new((0..).map(move |n| {
            taken.fetch_add(1, Ordering::SeqCst);
            Ok(chunk(n * 100, 100))
        }))
    }
}

/// Waits until no task of this test can continue by itself, and returns the count. Assumes that this is the
/// case once the count has not changed for 300 turns of the test's only thread, each long enough for the
/// kernel to transfer data.
pub async fn at_rest(count: impl Fn() -> usize) -> usize {
    let (mut before, mut turns) = (count(), 0);
    while turns < 300 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        let now = count();
        turns = if now == before { turns + 1 } else { 0 };
        before = now;
    }
    before
}

#[tokio::test]
async fn a_csv_is_what_the_list_shows() {
    let world = World::new();
    world.stage.exports(|| Box::new([Ok(chunk(1, 2)), Ok(chunk(3, 1))].into_iter()));
    let filters = STANDARD
        .encode(r#"[{"key":"customername","operator":"contains","values":[{"label":"x","value":"ñ"}]}]"#);
    let filters = filters.replace('+', "%2B").replace('=', "%3D");
    let answer =
        get(&world, Role::Viewer, &format!("format=csv&filters={filters}&sort=-scheduledatetime,id")).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-store");
    let name = answer.header("content-disposition");
    assert!(name.starts_with("attachment; filename=\"deliveries-20") && name.ends_with(".csv\""), "{name}");

    let text = answer.text();
    let text = text.strip_prefix('\u{feff}').unwrap();
    assert!(text.lines().all(|line| !line.is_empty()) && text.matches("\r\n").count() == 7);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    assert_eq!(
        [&header[0], &header[2], &header[3], &header[7]],
        ["Delivery Doc", "Shipment no.", "Customer Name", "Dispatch Date and Time"]
    );
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let ids: Vec<_> = rows.iter().map(|row| (row[0].to_owned(), row[8].to_owned())).collect();
    assert_eq!(
        ids,
        [("D-1", "1"), ("D-1", "2"), ("D-2", "1"), ("D-2", "2"), ("D-3", "1"), ("D-3", "2")]
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
    assert_eq!(&rows[0][3], "'=cmd|'/C calc'!A1");
    assert_eq!(
        [&rows[0][7], &rows[0][12], &rows[0][21], &rows[0][22]],
        ["2027-01-15T16:00:00+08:00", "2.5", "2027-01-15T17:00:00+08:00", "2027-01-15T18:00:00+08:00"],
        "in the organization's zone"
    );

    let asked = world.stage.asked::<ExportDeliveriesRequest>();
    let page = asked.page.unwrap();
    assert!(asked.items);
    assert_eq!(
        (page.r#where[0].key.as_str(), page.r#where[0].values.as_slice()),
        ("customername", &["ñ".to_owned()][..])
    );
    let sorts: Vec<_> = page.sort.iter().map(|it| (it.key.as_str(), it.direction())).collect();
    assert_eq!(sorts, [("scheduledatetime", SortDirection::Desc), ("id", SortDirection::Asc)]);
}

#[tokio::test]
async fn nothing_to_export_is_a_file_with_a_header() {
    let world = World::new();
    let csv = get(&world, Role::Viewer, "format=csv").await;
    assert_eq!((csv.status.as_u16(), csv.text().lines().count()), (200, 1));
    let xlsx = get(&world, Role::Viewer, "format=xlsx").await;
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(xlsx.body)).unwrap();
    assert_eq!(book.worksheet_range("Deliveries").unwrap().height(), 1);
}

#[tokio::test]
async fn a_workbook_has_the_same_rows_and_no_formulas() {
    let world = World::new();
    world.stage.exports(|| Box::new([Ok(chunk(1, 2))].into_iter()));
    let answer = get(&world, Role::Viewer, "format=xlsx").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-length"), answer.body.len().to_string());
    assert!(answer.header("content-disposition").ends_with(".xlsx\""));
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(answer.body)).unwrap();
    assert!(book.worksheet_formula("Deliveries").unwrap().is_empty(), "a formula is in it");
    let sheet = book.worksheet_range("Deliveries").unwrap();
    assert_eq!(sheet.height(), 5);
    let cell = |row, column| sheet.get((row, column)).cloned().unwrap_or(Data::Empty);
    assert_eq!(cell(0, 0), Data::String("Delivery Doc".into()));
    assert_eq!(cell(1, 3), Data::String("=cmd|'/C calc'!A1".into()), "a text, as it is");
    assert_eq!(cell(1, 7), Data::String("2027-01-15T16:00:00+08:00".into()));
    assert_eq!(cell(4, 12), Data::Float(2.5));
}

#[tokio::test]
async fn what_is_refused_is_refused_before_the_file_begins() {
    let world = World::new();
    let cookie = format!("session={}", world.stage.begin(Role::Admin));
    for headers in [vec![], vec![("cookie", cookie.as_str())]] {
        let answer = world.get("/export/deliveries?format=csv", &headers).await;
        assert_eq!((answer.status.as_u16(), &answer.json()["ok"]), (401, &json!(false)));
    }
    assert_eq!(get(&world, Role::Driver, "format=csv").await.status, 403);
    for query in ["", "format=pdf", "format=csv&filters=nonsense", "format=csv&filters=bnVsbA%3D%3D"] {
        let answer = get(&world, Role::Viewer, query).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.json()["code"]),
            (400, &json!("BAD_USER_INPUT")),
            "{query}"
        );
    }
    for format in ["csv", "xlsx"] {
        let query = format!("format={format}");
        world.stage.exports(|| {
            Box::new([Err(Error::invalid_field("colour", "there is no field colour").into())].into_iter())
        });
        let answer = get(&world, Role::Viewer, &query).await;
        assert_eq!(answer.status, 400);
        let (text, reason) = ("there is no field colour", "INVALID_FIELDS");
        assert_eq!(
            answer.json(),
            json!({ "ok": false, "error": text, "code": "BAD_USER_INPUT", "reason": reason })
        );
    }
    let bearer = format!("Bearer {}", world.token(Role::Viewer));
    let head = world
        .call(http::Method::HEAD, "/export/deliveries?format=csv", &[("authorization", &bearer)], "")
        .await;
    assert_eq!(head.status, 404);
    assert_eq!(world.post("/export/deliveries?format=csv", &[], "").await.status, 405);
}

#[tokio::test]
async fn a_workbook_that_breaks_off_is_an_error_and_no_file() {
    let world = World::new();
    world.stage.exports(|| {
        Box::new([Ok(chunk(1, 2)), Err(Status::unavailable("the database went away"))].into_iter())
    });
    let answer = get(&world, Role::Viewer, "format=xlsx").await;
    assert_eq!((answer.status.as_u16(), &answer.json()["code"]), (503, &json!("UNAVAILABLE")));
    world.stage.exports(|| Box::new([Ok(chunk(1, 1))].into_iter()));
    assert_eq!(get(&world, Role::Viewer, "format=xlsx").await.status, 200, "and there is room again");
}

// The room is also that of a workbook's temporary files on a disk whose size Kubernetes limits.
#[tokio::test]
async fn a_file_larger_than_its_room_is_refused_in_words() {
    let world = World::with(|config| config.http.max_export_bytes = 200_000);
    let address = world.serve().await;
    let refused = json!("BAD_USER_INPUT");
    for (chunks, status) in [(1, 200), (200, 400)] {
        world.stage.exports(move || Box::new((0..chunks).map(|n| Ok(chunk(n * 10, 10)))));
        let answer = get(&world, Role::Viewer, "format=xlsx").await;
        assert_eq!(answer.status.as_u16(), status, "{}", answer.text());
        if status == 400 {
            assert_eq!(answer.json()["code"], refused);
            assert!(answer.text().contains("choose CSV"), "{}", answer.text());
        }
        // Nothing of a CSV is written to disk, except for a client of HTTP/1.0.
        assert_eq!(get(&world, Role::Viewer, "format=csv").await.status, 200);
        let path = "/export/deliveries?format=csv";
        let written = in_http_1_0(&address, path, &world.token(Role::Viewer)).await;
        assert!(written.starts_with(&format!("HTTP/1.0 {status}")), "{written:.300}");
    }
}

/// Starts a download over a real connection.
async fn download(world: &World, address: &str, token: &str) -> reqwest::Response {
    kit::install_crypto();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("http://{address}/export/deliveries?format=csv");
    assert!(!world.stop.is_cancelled());
    client.get(url).bearer_auth(token).send().await.unwrap()
}

#[tokio::test]
async fn a_csv_that_breaks_off_breaks_the_connection() {
    let world = World::new();
    let address = world.serve().await;
    for failure in [0, 1] {
        world.stage.exports(move || match failure {
            0 => Box::new((0..20).map(|n| Ok(chunk(n * 100, 100))).chain([Err(Status::internal("gone"))])),
            // The last delivery has no data, so writing the file fails.
            _ => Box::new(
                (0..20)
                    .map(|n| Ok(chunk(n * 100, 100)))
                    .chain([Ok(ExportDeliveriesResponse { deliveries: vec![ExportedDelivery::default()] })]),
            ),
        });
        let answer = download(&world, &address, &world.token(Role::Viewer)).await;
        assert_eq!(answer.status(), 200, "it had begun well");
        let mut body = answer.bytes_stream();
        let mut read = 0;
        let ended = loop {
            match body.next().await {
                Some(Ok(bytes)) => read += bytes.len(),
                Some(Err(_)) => break "broken",
                None => break "whole",
            }
        };
        assert_eq!(ended, "broken", "after {read} bytes");
        assert!(read > 0);
    }
    world.stage.exports(|| Box::new([Ok(chunk(1, 1))].into_iter()));
    let whole = download(&world, &address, &world.token(Role::Viewer)).await.bytes().await.unwrap();
    assert!(whole.ends_with(b"\r\n"), "and there is room again");
}

#[tokio::test]
async fn a_csv_that_breaks_off_is_counted_and_logged_under_the_id_of_its_response() {
    let log = Log::default();
    let _guard = log.watch_with_spans();
    let world = World::new();
    let address = world.serve().await;
    world
        .stage
        .exports(|| Box::new([Ok(chunk(1, 1)), Ok(chunk(2, 1)), Err(Status::internal("gone"))].into_iter()));
    let broken = || metric_value("waybill_streams_broken_total", &[("stream", "export")]);
    let before = broken();
    let answer = download(&world, &address, &world.token(Role::Viewer)).await;
    let id = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
    assert!(breaks_off(answer).await);
    assert!(broken() > before);
    let text = log.text();
    let line = text.lines().find(|line| line.contains("request failed")).unwrap();
    assert!(line.contains(&id), "{id} is not in {line}");

    world.stage.exports(|| Box::new([Ok(chunk(1, 1))].into_iter()));
    assert_eq!(get(&world, Role::Viewer, "format=xlsx").await.status, 200);
    let text = log.text();
    let line = text.lines().find(|line| line.contains("exported deliveries")).unwrap();
    assert!(line.contains("format=\"xlsx\""), "{line}");
}

/// Returns everything that arrives in HTTP/1.0, where a body without a length ends with the connection.
pub async fn in_http_1_0(address: &str, path: &str, token: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let ask = format!("GET {path} HTTP/1.0\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n");
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    // A connection that is reset has ended as well.
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test]
async fn a_csv_that_breaks_off_is_no_success_in_http_1_0() {
    let world = World::new();
    let address = world.serve().await;
    let path = "/export/deliveries?format=csv";
    world.stage.exports(|| {
        Box::new((0..20).map(|n| Ok(chunk(n * 100, 100))).chain([Err(Status::unavailable("gone"))]))
    });
    let token = world.token(Role::Viewer);
    let broken = in_http_1_0(&address, path, &token).await;
    assert!(broken.starts_with("HTTP/1.0 503"), "{broken:.300}");

    world.stage.exports(|| Box::new((0..20).map(|n| Ok(chunk(n * 100, 100)))));
    let whole = in_http_1_0(&address, path, &token).await;
    assert!(whole.starts_with("HTTP/1.0 200"), "{whole:.300}");
    let (head, body) = whole.split_once("\r\n\r\n").unwrap();
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned));
    assert_eq!(length.as_deref(), Some(body.len().to_string().as_str()), "{head}");
    assert_eq!(body.matches("\r\n").count(), 1 + 20 * 100 * 2);

    world.stage.exports(slow);
    let exports = world.stage.calls("export").len();
    let other = world.token(Role::Admin);
    let reading = in_http_1_0(&address, path, &other);
    let ending = async {
        world.stage.called("export", exports + 1).await;
        world.stage.end_all();
    };
    let (ended, ()) = tokio::join!(reading, ending);
    assert!(!ended.contains(" 200 OK"), "{ended:.300}");
}

#[tokio::test]
async fn a_slow_reader_holds_the_work_up_and_one_who_left_ends_it() {
    let world = World::new();
    let address = world.serve().await;
    let taken = Arc::new(AtomicUsize::new(0));
    world.stage.exports(endless(&taken));
    let token = world.token(Role::Viewer);
    let mut answer = download(&world, &address, &token).await;
    answer.chunk().await.unwrap().unwrap();
    // First the buffers of the sockets fill up.
    let before = at_rest(|| taken.load(Ordering::SeqCst)).await;
    assert!(before < 2_000, "{before} chunks were read ahead of somebody who does not read");
    assert_eq!(download(&world, &address, &token).await.status(), 429, "one at a time");

    drop(answer);
    for _ in 0..100 {
        if !world.stage.calls("export dropped").is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(world.stage.calls("export dropped").len(), 1, "the service still streams to nobody");
    world.stage.exports(|| Box::new([Ok(chunk(1, 1))].into_iter()));
    for _ in 0..100 {
        if download(&world, &address, &token).await.status() == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("whoever gave up may never export again");
}

/// The service has found one delivery and goes on looking, so no piece of the file is ever full.
#[tokio::test]
async fn one_who_left_may_export_again_before_the_next_piece_is_full() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.exports(|| {
        Box::new([Ok(chunk(1, 1))].into_iter().chain((0..).map(|_| {
            std::thread::sleep(Duration::from_millis(1));
            Ok(chunk(1, 0))
        })))
    });
    let token = world.token(Role::Viewer);
    let answer = download(&world, &address, &token).await;
    assert_eq!(download(&world, &address, &token).await.status(), 429, "one at a time");
    drop(answer);
    world.stage.called("export dropped", 1).await;
    world.stage.exports(|| Box::new([Ok(chunk(1, 1))].into_iter()));
    assert_eq!(download(&world, &address, &token).await.status(), 200);
}

/// Returns an endless export that takes its time.
fn slow() -> Chunks {
    Box::new((0..).map(|n| {
        std::thread::sleep(Duration::from_millis(20));
        Ok(chunk(n, 1))
    }))
}

/// Returns whether the file breaks off, instead of ending as if it were complete.
async fn breaks_off(answer: reqwest::Response) -> bool {
    let reading = async {
        let mut body = answer.bytes_stream();
        while let Some(piece) = body.next().await {
            if piece.is_err() {
                return true;
            }
        }
        false
    };
    tokio::time::timeout(Duration::from_secs(20), reading).await.expect("it went on")
}

#[tokio::test]
async fn an_export_ends_with_its_session() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.exports(slow);
    let answer = download(&world, &address, &world.token(Role::Viewer)).await;
    world.stage.end_all();
    assert!(breaks_off(answer).await);
}

#[tokio::test]
async fn an_export_outlasts_its_token_and_still_ends_with_its_session() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.exports(slow);
    let answer = download(&world, &address, &world.token(Role::Viewer)).await;
    let checks = world.stage.calls("check").len();
    world.clock.advance(chrono::Duration::seconds(301));
    // It goes on after each of these, or there would be no next one.
    world.stage.called("check", checks + 3).await;
    assert!(world.stage.calls("export dropped").is_empty());
    world.stage.end_all();
    assert!(breaks_off(answer).await);
}

#[tokio::test]
async fn an_export_that_outlasts_its_token_ends_when_roles_change() {
    let world = World::new();
    let address = world.serve().await;
    world.stage.exports(slow);
    let answer = download(&world, &address, &world.token(Role::Dispatcher)).await;
    world.clock.advance(chrono::Duration::seconds(301));
    world.stage.change_role(Role::Viewer);
    assert!(breaks_off(answer).await);
}
