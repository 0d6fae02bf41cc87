//! The requests of the browser application, without a browser.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, COOKIE, HeaderMap, SET_COOKIE};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};

use crate::running::until;
use crate::secrets;

/// Time limit for a response.
const PATIENCE: Duration = Duration::from_secs(120);
/// The password of accounts for which any password will do.
pub const PASSWORD: &str = "tricycle-over-the-bridge";

#[derive(Clone)]
pub struct Browser {
    pub base: String,
    pub http: Client,
    pub cookie: Option<String>,
    pub token: Option<String>,
}

/// The result of an import, from its upload log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    pub id: String,
    pub status: String,
    pub total: u64,
    pub created: u64,
    pub updated: u64,
    pub skipped: u64,
    pub failed: u64,
    pub deliveries: u64,
    pub items: u64,
    pub failure: Option<String>,
}

impl Ended {
    /// Returns whether each line was counted exactly once.
    pub fn adds_up(&self) -> bool {
        self.total == self.created + self.updated + self.skipped + self.failed
    }
}

impl Browser {
    pub fn new(base: &str) -> Self {
        kit::install_crypto();
        let http = Client::builder().timeout(PATIENCE).build().unwrap();
        Self { base: base.to_owned(), http, cookie: None, token: None }
    }

    /// Returns a copy of the browser that appears at another address: it sends the header of a proxy, and the
    /// world trusts one proxy.
    pub fn at(&self, address: &str) -> Self {
        let said = HeaderMap::from_iter([("x-forwarded-for".parse().unwrap(), address.parse().unwrap())]);
        let http = Client::builder().timeout(PATIENCE).default_headers(said).build().unwrap();
        Self { http, ..self.clone() }
    }

    /// Returns a signed-out browser at the same address.
    pub fn stranger(&self) -> Self {
        Self { cookie: None, token: None, ..self.clone() }
    }

    pub fn url(&self, path: &str) -> String {
        if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.base) }
    }

    pub fn bearer(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(token) = &self.token {
            headers.insert(AUTHORIZATION, format!("Bearer {token}").parse().unwrap());
            headers.insert("auth-provider", "dbAuth".parse().unwrap());
        }
        headers
    }

    /// Sends a POST to the auth endpoint. Keeps the cookie of the response.
    pub async fn auth(&mut self, body: Value) -> (StatusCode, Value) {
        secrets::note_in(&body);
        let mut request = self.http.post(self.url("/auth")).body(body.to_string());
        if let Some(cookie) = &self.cookie {
            request = request.header(COOKIE, cookie);
        }
        let response = request.send().await.unwrap();
        if let Some(cookie) = response.headers().get(SET_COOKIE) {
            let pair = cookie.to_str().unwrap().split(';').next().unwrap().to_owned();
            secrets::note(pair.split_once('=').unwrap_or_default().1);
            self.cookie = (!pair.ends_with('=')).then_some(pair);
        }
        let status = response.status();
        (status, response.json().await.unwrap())
    }

    pub async fn fetch_token(&self) -> String {
        let mut request = self.http.get(self.url("/auth?method=getToken"));
        if let Some(cookie) = &self.cookie {
            request = request.header(COOKIE, cookie);
        }
        let token = request.send().await.unwrap().text().await.unwrap();
        secrets::note(&token);
        token
    }

    pub async fn sign_in(&mut self, username: &str, password: &str) {
        let (status, body) =
            self.auth(json!({ "method": "login", "username": username, "password": password })).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        let token = self.fetch_token().await;
        assert!(!token.is_empty());
        self.token = Some(token);
    }

    /// Signs in as a driver's app does. Returns the response, and uses its access token from now on.
    pub async fn driver_sign_in(&mut self, username: &str, pin: &str) -> (StatusCode, Value) {
        let response = self.post("/driver/v1/login", json!({ "username": username, "pin": pin })).await;
        let status = response.status();
        let body: Value = response.json().await.unwrap();
        secrets::note_in(&body);
        self.token = body["accessToken"].as_str().map(str::to_owned);
        (status, body)
    }

    pub async fn create_admin(&self, username: &str, password: &str) {
        let input = json!({ "username": username, "email": "admin@example.ph", "password": password });
        let answer = self
            .graphql(
                "mutation M($input: CreateAdminInput!) { createAdmin(input: $input) { id roles } }",
                json!({ "input": input }),
            )
            .await;
        assert_eq!(answer["data"]["createAdmin"]["roles"], json!(["admin"]), "{answer}");
    }

    /// Creates an account as an admin, and sets its password with the reset link, as its owner would. Returns
    /// the account's id.
    pub async fn make_user(&self, username: &str, roles: &[&str], password: &str) -> String {
        let create = "mutation M($input: CreateUserInput!) { createUser(input: $input) { id status } }";
        let email = format!("{username}@example.ph");
        let input = json!({ "username": username, "email": email, "roles": roles });
        let made = self.data(create, json!({ "input": input })).await["createUser"].clone();
        assert_eq!(made["status"], "invited");
        let id = made["id"].as_str().unwrap();
        let token = self.reset_link(id).await;
        assert_eq!(self.stranger().redeem(&token, password).await, (StatusCode::OK, json!({})));
        id.to_owned()
    }

    /// Returns a browser signed in with a new account.
    pub async fn signed_in_user(&self, username: &str, roles: &[&str]) -> Self {
        self.make_user(username, roles, PASSWORD).await;
        let mut browser = self.stranger();
        browser.sign_in(username, PASSWORD).await;
        browser
    }

    /// Returns the token of a new reset link for an account. The link is shown, since no mail is sent.
    pub async fn reset_link(&self, id: &str) -> String {
        let create =
            "mutation M($input: CreateResetLinkInput!) { createResetLink(input: $input) { path mailedTo } }";
        let link = self.data(create, json!({ "input": { "userId": id } })).await["createResetLink"].clone();
        assert_eq!(link["mailedTo"], Value::Null);
        let token = token_in(link["path"].as_str().unwrap()).to_owned();
        secrets::note(&token);
        token
    }

    /// Uses a reset link.
    pub async fn redeem(&mut self, token: &str, password: &str) -> (StatusCode, Value) {
        self.auth(json!({ "method": "resetPassword", "resetToken": token, "password": password })).await
    }

    /// Returns the whole response, including errors.
    pub async fn graphql(&self, query: &str, variables: Value) -> Value {
        let response = self
            .http
            .post(self.url("/graphql"))
            .headers(self.bearer())
            .json(&json!({ "query": query, "variables": &variables }))
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let answer: Value = response.json().await.unwrap();
        secrets::note_in(&variables);
        secrets::note_in(&answer);
        answer
    }

    /// Returns the data of a response, which must have no errors.
    pub async fn data(&self, query: &str, variables: Value) -> Value {
        let answer = self.graphql(query, variables).await;
        assert!(answer.get("errors").is_none(), "{answer}");
        answer["data"].clone()
    }

    /// Returns the code and reason of the first error.
    pub async fn refused(&self, query: &str, variables: Value) -> (String, String) {
        let answer = self.graphql(query, variables).await;
        let extensions = &answer["errors"][0]["extensions"];
        let text = |key: &str| extensions[key].as_str().unwrap_or_default().to_owned();
        (text("code"), text("reason"))
    }

    pub async fn post(&self, path: &str, body: Value) -> Response {
        self.http.post(self.url(path)).headers(self.bearer()).json(&body).send().await.unwrap()
    }

    /// Uploads a file to a new link. Returns the link without its query string.
    pub async fn put_file(&self, filename: &str, bytes: Vec<u8>) -> String {
        let answer: Value =
            self.post("/request-upload-link", json!({ "filename": filename })).await.json().await.unwrap();
        assert_eq!(answer["ok"], json!(true), "{answer}");
        let link = answer["url"].as_str().unwrap().to_owned();
        let put = self.http.put(self.url(&link)).body(bytes).send().await.unwrap();
        assert_eq!(put.status(), StatusCode::OK);
        link.split('?').next().unwrap().to_owned()
    }

    pub async fn start_import(&self, url: &str, filename: &str, source: &str) -> (StatusCode, Value) {
        let query = [("url", url), ("filename", filename), ("sourceId", source)];
        let response = self
            .http
            .post(self.url("/upload-deliveries"))
            .query(&query)
            .headers(self.bearer())
            .send()
            .await
            .unwrap();
        (response.status(), response.json().await.unwrap())
    }

    pub async fn log(&self, id: &str) -> Ended {
        let query = "query Q($id: String!) { uploadLog(id: $id) { status rowsTotal rowsCreated rowsUpdated \
                     rowsSkipped rowsFailed deliveriesCreated itemsCreated failureCode } }";
        let log = self.data(query, json!({ "id": id })).await["uploadLog"].clone();
        let count = |key: &str| log[key].as_u64().unwrap();
        Ended {
            id: id.to_owned(),
            status: log["status"].as_str().unwrap().to_owned(),
            total: count("rowsTotal"),
            created: count("rowsCreated"),
            updated: count("rowsUpdated"),
            skipped: count("rowsSkipped"),
            failed: count("rowsFailed"),
            deliveries: count("deliveriesCreated"),
            items: count("itemsCreated"),
            failure: log["failureCode"].as_str().map(str::to_owned),
        }
    }

    /// Waits until an import ends.
    pub async fn ended(&self, id: &str) -> Ended {
        let open = ["uploaded", "parsing", "importing"];
        until("the import ends", || async { !open.contains(&self.log(id).await.status.as_str()) }).await;
        self.log(id).await
    }

    /// Uploads and imports a file, and waits until the import ends.
    pub async fn import(&self, filename: &str, bytes: impl Into<Vec<u8>>) -> Ended {
        let url = self.put_file(filename, bytes.into()).await;
        let (status, answer) = self.start_import(&url, filename, "").await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        self.ended(answer["uploadLog"].as_str().unwrap()).await
    }
}

/// Returns the token of a link.
pub fn token_in(link: &str) -> &str {
    link.split_once("/reset-password?resetToken=").unwrap_or_else(|| panic!("no link: {link}")).1
}

/// Returns a fixture of the upload service.
pub fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/../upload/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}
