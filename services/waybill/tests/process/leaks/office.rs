//! Rounds of work. Each operation takes something in the program, such as a session, a permit or a file, and
//! gives it back or is broken off.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::SecondsFormat;
use futures::{StreamExt, stream};
use kit::clock::Clock;
use kit::testing::Proxy;
use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::rough::{self, Done, PATIENCE};
use crate::browser::PASSWORD;

pub const CLERK: &str = "clerk";
pub const DRIVER: &str = "nestor";
pub const PIN: &str = "482913";
pub const DEVICE: &str = "phone-1";
/// Begins the ids of all deliveries that the rounds create.
pub const CREATED: &str = "ROUND-";

/// Numbers of requests per round.
const ABANDONED: usize = 10;
const POSITIONS: usize = 10;
const SMALL: u64 = 150;
const SMALL_AT_ONCE: usize = 6;
const DROPPED: u64 = 8;
/// Number of rounds for which vanished connections are kept, by then longer than the program keeps them.
const KEPT: usize = 30;
/// When to request a new download link. It is valid for 300 seconds.
const RENEW: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(20);

const LISTS: [&str; 7] = [
    "{ deliveries(page: { limit: 20 }) { id customername linecount } deliveriesCount { total } }",
    "{ uploadLogs { id status } }",
    "{ redwood { currentUser } }",
    "{ auditEntries { action entityName } }",
    "{ sources { name } }",
    "{ outboundEndpoints { id pausedAt } }",
    "{ unpairedDevices { uniqueId positions } }",
];
const CREATE: &str = "mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }";
const UPDATE: &str = "mutation M($input: UpdateSourceInput!) { updateSource(input: $input) { id } }";
const ASSIGN: &str = "mutation M($input: AssignDriverInput!) { assignDriver(input: $input) { ok } }";
const STATUS: &str = "query Q($id: String!) { uploadLog(id: $id) { status } }";
const CANCEL: &str = "mutation M($input: CancelUploadInput!) { cancelUpload(input: $input) { status } }";
const TEST: &str = "mutation M($id: String!) { testOutboundEndpoint(id: $id) { status error } }";
const PRESIGN: &str = "mutation M($url: String!) { mutatePresignedUrl(url: $url) { presignedUrl } }";
const FILE: &str = "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time,Item Number,SKU,Quantity\n\
    CHECKED-1,S-1,Acme,2026-11-22 08:30,1,SKU-1,1\nCHECKED-2,S-1,Acme,2026-11-22 08:30,1,SKU-1,2\n\
    CHECKED-3,S-1,Acme,2026-11-22 08:30,1,SKU-1,3\nCHECKED-4,S-1,Acme,2026-11-22 08:30,1,SKU-1,4\n";

/// The program as the people and devices of the rounds reach it.
pub struct Office {
    /// The public port and the port for devices, each through a link that may be broken.
    pub web: SocketAddr,
    pub ingest: SocketAddr,
    /// The public port itself.
    pub program: SocketAddr,
    /// URL of a large attachment.
    pub document: String,
    /// Id of the endpoint whose receiver hangs up.
    pub endpoint: String,
    pub http: Client,
    pub progress: Progress,
    link: Mutex<Option<(Instant, String)>>,
    vanished: Mutex<VecDeque<Proxy>>,
}

#[derive(Default)]
pub struct Progress {
    /// Number of requests that were sent.
    sent: AtomicU64,
    /// Numbers of deliveries whose creation was requested, and confirmed.
    requested: AtomicU64,
    confirmed: AtomicU64,
    /// Number of positions that were sent.
    positions: AtomicI64,
}

impl Progress {
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Returns how many deliveries there must be at least, and at most.
    pub fn created(&self) -> (u64, u64) {
        (self.confirmed.load(Ordering::Relaxed), self.requested.load(Ordering::Relaxed))
    }

    fn send(&self, requests: u64) {
        self.sent.fetch_add(requests, Ordering::Relaxed);
    }
}

impl Office {
    pub fn new(
        [web, ingest, program]: [SocketAddr; 3],
        document: String,
        endpoint: String,
        http: Client,
    ) -> Self {
        let (link, vanished) = (Mutex::default(), Mutex::default());
        Self { web, ingest, program, document, endpoint, http, progress: Progress::default(), link, vanished }
    }

    /// Does everything once. Fails with the first thing that went wrong.
    pub async fn round(&self, number: u64) -> Done {
        let people = self.people(number);
        let (people, driver, device, strangers) =
            tokio::join!(people, self.driver(), self.device(), self.strangers(number));
        people.and(driver).and(device).and(strangers)
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.web)
    }

    /// Returns status and body of the answer.
    async fn send(&self, request: RequestBuilder) -> Done<(u16, Value)> {
        self.progress.send(1);
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status().as_u16();
        let text = answer.text().await.map_err(failed)?;
        Ok((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }

    /// Returns the body of the answer, which must have this status.
    async fn expect(&self, status: u16, request: RequestBuilder) -> Done<Value> {
        let (found, body) = self.send(request).await?;
        if found == status { Ok(body) } else { Err(format!("{found} instead of {status}: {body}")) }
    }

    async fn people(&self, number: u64) -> Done {
        let clerk = Person::sign_in(self, CLERK).await?;
        clerk.reads_lists().await?;
        clerk.is_refused().await?;
        clerk.checks_a_file().await?;
        clerk.creates(number).await?;
        clerk.exports().await?;
        clerk.downloads_a_part().await?;
        clerk.listens().await?;
        clerk.abandons().await?;
        self.progress.send(5);
        let vanished = rough::vanish(self.program, &clerk.token).await?;
        let mut all = self.vanished.lock().await;
        all.push_back(vanished);
        if all.len() > KEPT {
            all.pop_front();
        }
        drop(all);
        // The program must notice by itself that the session of the vanished WebSocket has ended.
        clerk.sign_out().await
    }

    async fn driver(&self) -> Done {
        let post = |path: &str| self.http.post(self.url(&format!("/driver/v1/{path}")));
        let pin = json!({ "username": DRIVER, "pin": PIN });
        let session = self.expect(200, post("login").json(&pin)).await?;
        let token = session["accessToken"].as_str().unwrap_or_default();
        let list = self.http.get(self.url("/driver/v1/deliveries"));
        self.expect(200, list.bearer_auth(token)).await?;
        let now = Clock::system().now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let position = json!({ "occurredAt": now, "lat": 14.56, "lng": 121.08, "speedKmh": 20.0 });
        let positions = json!({ "positions": [position] });
        self.expect(200, post("positions").bearer_auth(token).json(&positions)).await?;
        let session = json!({ "sessionToken": session["sessionToken"] });
        self.expect(204, post("logout").json(&session)).await.map(drop)
    }

    async fn device(&self) -> Done {
        let path = |device: &str| {
            let second = self.progress.positions.fetch_add(1, Ordering::Relaxed);
            let at = Clock::system().now() - chrono::TimeDelta::days(40) + chrono::TimeDelta::seconds(second);
            format!("/?id={device}&lat=14.5995&lon=120.9842&timestamp={}", at.timestamp())
        };
        for _ in 0..POSITIONS {
            let position = self.http.get(format!("http://{}{}", self.ingest, path(DEVICE)));
            self.expect(200, position).await?;
            self.progress.send(1);
            rough::abandon(self.ingest, &rough::request(&format!("GET {}", path(DEVICE)), "", "")).await?;
        }
        let unpaired = self.http.get(format!("http://{}{}", self.ingest, path("phone-9")));
        self.expect(404, unpaired).await.map(drop)
    }

    async fn strangers(&self, number: u64) -> Done {
        // A name of its own each time: after some attempts, a name would have to wait.
        let name = format!("nobody-{number}");
        let wrong = json!({ "method": "login", "username": name, "password": PASSWORD }).to_string();
        self.progress.send(1);
        rough::abandon(self.web, &rough::request("POST /auth", "", &wrong)).await?;
        let report = self.http.post(self.url("/intake/v1/dead-letters")).bearer_auth("wbp_wrong");
        self.expect(401, report.header("idempotency-key", "k-1").json(&json!({}))).await?;

        let http = Client::builder().http2_prior_knowledge().timeout(PATIENCE).build().map_err(failed)?;
        let small = stream::iter(0..SMALL).map(|n| self.small(&http, n));
        let done: Vec<Done> = small.buffer_unordered(SMALL_AT_ONCE).collect().await;
        done.into_iter().collect::<Done>()?;
        for n in 0..DROPPED {
            // Dropping a request resets its stream, and leaves the connection open.
            let _ = timeout(Duration::from_millis(n / 2), self.small(&http, n)).await;
        }
        Ok(())
    }

    /// Sends one of the requests that cost least.
    async fn small(&self, http: &Client, number: u64) -> Done {
        let request = match number % 3 {
            0 => http.get(self.url("/health")),
            1 => http.get(self.url("/auth?method=getToken")),
            _ => http.post(self.url("/graphql")).json(&json!({ "query": "{ __typename }" })),
        };
        self.expect(200, request).await.map(drop)
    }
}

fn failed(error: reqwest::Error) -> String {
    // Only the debug format has the cause.
    format!("{error:?}")
}

/// Tries until an attempt succeeds. What a broken-off request has taken is free again only once the program has
/// noticed.
async fn until(what: &str, attempt: impl AsyncFn() -> Done<bool>) -> Done {
    let begun = Instant::now();
    while !attempt().await? {
        if begun.elapsed() > PATIENCE {
            return Err(format!("{what}: not within {PATIENCE:?}"));
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(())
}

/// Somebody who is signed in.
struct Person<'a> {
    office: &'a Office,
    cookie: String,
    token: String,
}

impl<'a> Person<'a> {
    async fn sign_in(office: &'a Office, username: &str) -> Done<Self> {
        let login = json!({ "method": "login", "username": username, "password": PASSWORD });
        office.progress.send(1);
        let answer = office.http.post(office.url("/auth")).body(login.to_string()).send().await;
        let answer = answer.map_err(failed)?;
        let pair = answer.headers().get(SET_COOKIE).and_then(|it| it.to_str().ok()?.split(';').next());
        let cookie = pair.ok_or_else(|| format!("no session: {}", answer.status()))?.to_owned();
        let ask = office.http.get(office.url("/auth?method=getToken")).header(COOKIE, &cookie);
        let token = office.expect(200, ask).await?;
        Ok(Self { office, cookie, token: token.as_str().unwrap_or_default().to_owned() })
    }

    async fn sign_out(&self) -> Done {
        let logout = self.office.http.post(self.office.url("/auth")).header(COOKIE, &self.cookie);
        self.office.expect(200, logout.body(json!({ "method": "logout" }).to_string())).await.map(drop)
    }

    fn post(&self, path: &str) -> RequestBuilder {
        let request = self.office.http.post(self.office.url(path));
        request.bearer_auth(&self.token).header("auth-provider", "dbAuth")
    }

    /// Returns the bytes of a request of this person.
    fn request(&self, line: &str, body: &str) -> String {
        let token = format!("authorization: Bearer {}\r\nauth-provider: dbAuth\r\n", self.token);
        rough::request(line, &format!("{token}content-type: application/json\r\n"), body)
    }

    /// Returns the whole answer, including errors.
    async fn graphql(&self, query: &str, variables: Value) -> Done<Value> {
        let body = json!({ "query": query, "variables": variables });
        self.office.expect(200, self.post("/graphql").json(&body)).await
    }

    async fn data(&self, query: &str, variables: Value) -> Done<Value> {
        let answer = self.graphql(query, variables).await?;
        match answer.get("errors") {
            None => Ok(answer["data"].clone()),
            Some(errors) => Err(format!("{query}: {errors}")),
        }
    }

    async fn reads_lists(&self) -> Done {
        for list in LISTS {
            self.data(list, json!({})).await?;
        }
        Ok(())
    }

    async fn is_refused(&self) -> Done {
        let unknown = json!({ "id": kit::clock::new_id(), "name": "x", "isActive": true, "version": 99 });
        let empty = json!({
            "id": "", "customername": "", "shipmentnumber": "", "scheduledatetime": "2026-11-22T00:30:00Z",
        });
        let nobody = json!({ "deliveryIds": ["none"], "driverId": "D-9" });
        for (mutation, input) in [(UPDATE, unknown), (CREATE, empty), (ASSIGN, nobody)] {
            let answer = self.graphql(mutation, json!({ "input": input })).await?;
            if answer.get("errors").is_none() {
                return Err(format!("{mutation} was not refused: {answer}"));
            }
        }
        Ok(())
    }

    /// Uploads a file in a second attempt, has it checked, and drops it.
    async fn checks_a_file(&self) -> Done {
        let named = json!({ "filename": "checked.csv" });
        let answer = self.office.expect(200, self.post("/request-upload-link").json(&named)).await?;
        let link = answer["url"].as_str().unwrap_or_default();
        let whole = rough::request(&format!("PUT {link}"), "", FILE);
        self.office.progress.send(1);
        rough::abandon(self.office.web, &whole[..whole.len() - FILE.len() / 2]).await?;
        until("the upload after one that broke off", async || self.uploads(link).await).await?;
        let url = link.split('?').next().unwrap_or_default();
        let check = [("url", url), ("filename", "checked.csv"), ("sourceId", ""), ("dryRun", "true")];
        let started = self.office.expect(200, self.post("/upload-deliveries").query(&check)).await?;
        let id = &started["uploadLog"];
        until("the check of a file", async || self.has_checked(id).await).await?;
        self.data(CANCEL, json!({ "input": { "id": id } })).await.map(drop)
    }

    /// Uploads the file; returns false if it is refused, or the connection is closed before all of it was sent.
    async fn uploads(&self, link: &str) -> Done<bool> {
        let put = self.office.http.put(self.office.url(link)).body(FILE);
        let sent = self.office.send(put).await;
        Ok(sent.is_ok_and(|(status, _)| status == 200))
    }

    async fn has_checked(&self, id: &Value) -> Done<bool> {
        let log = self.data(STATUS, json!({ "id": id })).await?;
        Ok(log["uploadLog"]["status"] == "validated")
    }

    /// Creates a delivery, of which the receiver is notified, and sends the receiver a test message.
    async fn creates(&self, number: u64) -> Done {
        let progress = &self.office.progress;
        let input = json!({
            "id": format!("{CREATED}{number}"),
            "customername": "Aling Nena Store",
            "shipmentnumber": format!("S-{}", number / 20),
            "scheduledatetime": "2026-11-22T00:30:00Z",
        });
        progress.requested.fetch_add(1, Ordering::Relaxed);
        self.data(CREATE, json!({ "input": input })).await?;
        progress.confirmed.fetch_add(1, Ordering::Relaxed);
        self.data(TEST, json!({ "id": self.office.endpoint })).await.map(drop)
    }

    /// Breaks off an export when it begins, and another one before that. A person can have only one at a time.
    async fn exports(&self) -> Done {
        until("an export after one that broke off", async || self.begins_an_export().await).await?;
        let workbook = self.request("GET /export/deliveries?format=xlsx", "");
        self.office.progress.send(1);
        rough::abandon(self.office.web, &workbook).await
    }

    /// Returns false while another export of this person is not over.
    async fn begins_an_export(&self) -> Done<bool> {
        self.office.progress.send(1);
        let csv = self.request("GET /export/deliveries?format=csv", "");
        match rough::read_some(self.office.web, &csv, 1).await? {
            200 => Ok(true),
            429 => Ok(false),
            status => Err(format!("an export: {status}")),
        }
    }

    async fn downloads_a_part(&self) -> Done {
        let link = self.download_link().await?;
        self.office.progress.send(1);
        let request = rough::request(&format!("GET {link}"), "", "");
        match rough::read_some(self.office.web, &request, 64 << 10).await? {
            200 => Ok(()),
            status => Err(format!("a download: {status}")),
        }
    }

    async fn download_link(&self) -> Done<String> {
        let mut kept = self.office.link.lock().await;
        if let Some((requested, link)) = &*kept
            && requested.elapsed() < RENEW
        {
            return Ok(link.clone());
        }
        let answer = self.data(PRESIGN, json!({ "url": self.office.document })).await?;
        let link = answer["mutatePresignedUrl"]["presignedUrl"].as_str().unwrap_or_default().to_owned();
        *kept = Some((Instant::now(), link.clone()));
        Ok(link)
    }

    /// Opens two WebSockets, and ends them without a close frame.
    async fn listens(&self) -> Done {
        self.office.progress.send(2);
        drop(rough::listen(self.office.web, &self.token).await?);
        let reset = rough::listen(self.office.web, &self.token).await?;
        reset.get_ref().set_zero_linger().map_err(|error| error.to_string())
    }

    /// Closes connections before the answer to their request.
    async fn abandons(&self) -> Done {
        let list = self.request("POST /graphql", &json!({ "query": LISTS[0] }).to_string());
        for _ in 0..ABANDONED {
            self.office.progress.send(1);
            rough::abandon(self.office.web, &list).await?;
        }
        Ok(())
    }
}
