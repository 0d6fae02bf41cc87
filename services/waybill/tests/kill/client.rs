//! A persistent client. It repeats a request until the product responds, and restarts killed processes. It
//! repeats a change only after a read has shown that the change is missing.

use std::time::{Duration, Instant};

use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};

use crate::product::Product;

/// Time limit for one request or one change, including restarts.
const PATIENCE: Duration = Duration::from_secs(90);
/// Time limit for the consequences of a change. An import that is killed at each of its steps waits each time
/// until its lease expires.
const LONG_PATIENCE: Duration = Duration::from_secs(900);
const PAUSE: Duration = Duration::from_millis(30);
/// When to renew a token. It lives for 300 seconds, and a request may take `PATIENCE`.
const RENEW: Duration = Duration::from_secs(150);

pub struct Staff<'a> {
    pub product: &'a mut Product,
    http: Client,
    token: Option<String>,
    cookie: Option<String>,
    /// When the token was fetched, if there is a session that can fetch another token.
    fetched: Option<Instant>,
}

/// The status code and the reason of a refusal, in one string.
pub type Refusal = String;

impl<'a> Staff<'a> {
    pub fn new(product: &'a mut Product) -> Self {
        kit::install_crypto();
        let http = Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
        Self { product, http, token: None, cookie: None, fetched: None }
    }

    /// Returns the status and body of the response. Retries while the response means "not now".
    pub async fn ask(&mut self, request: impl Fn(&Client, &Product) -> RequestBuilder) -> (u16, Value) {
        let until = Instant::now() + PATIENCE;
        loop {
            let mut unanswered = String::new();
            match request(&self.http, self.product).send().await {
                Ok(answer) => {
                    let status = answer.status().as_u16();
                    if let Some(cookie) = answer.headers().get("set-cookie") {
                        self.cookie = Some(cookie.to_str().unwrap().split(';').next().unwrap().to_owned());
                    }
                    if let Ok(text) = answer.text().await {
                        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
                        if ![429, 502, 503, 504].contains(&status) && !is_unavailable(&body) {
                            return (status, body);
                        }
                        unanswered = body.to_string();
                    }
                }
                Err(error) => unanswered.push_str(&error.to_string()),
            }
            assert!(Instant::now() < until, "no answer: {unanswered}\n{}", self.product.errors());
            if !self.product.revive().await {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    pub async fn graphql(&mut self, query: &str, variables: &Value) -> Result<Value, Refusal> {
        self.renew().await;
        let body = json!({ "query": query, "variables": variables });
        let token = self.token.clone().unwrap_or_default();
        let (_, answer) = self
            .ask(|http, product| {
                let request = http.post(format!("{}/graphql", product.base)).json(&body);
                match token.is_empty() {
                    true => request,
                    false => request.bearer_auth(&token).header("auth-provider", "dbAuth"),
                }
            })
            .await;
        match answer.get("errors") {
            None => Ok(answer["data"].clone()),
            Some(errors) => Err(errors.to_string()),
        }
    }

    pub async fn read(&mut self, query: &str, variables: &Value) -> Value {
        self.graphql(query, variables).await.unwrap_or_else(|refusal| panic!("{query}: {refusal}"))
    }

    /// Runs a mutation with one input. `fields` are the fields that are selected from its result.
    pub async fn act(&mut self, name: &str, fields: &str, input: Value) -> Result<Value, Refusal> {
        let kind = format!("{}{}Input", name[..1].to_uppercase(), &name[1..]);
        let mutation = format!("mutation M($input: {kind}!) {{ {name}(input: $input) {fields} }}");
        Ok(self.graphql(&mutation, &json!({ "input": input })).await?[name].clone())
    }

    /// Brings about a state: reads, and acts only while `done` returns false. So a change that was committed
    /// without a response is not repeated.
    pub async fn bring_about<'b>(
        &mut self,
        read: (&str, Value),
        done: impl Fn(&Value) -> bool,
        act: impl Fn(&Value) -> (&'b str, &'b str, Value),
    ) -> Value {
        let until = Instant::now() + PATIENCE;
        let mut last = Ok(Value::Null);
        loop {
            let state = self.read(read.0, &read.1).await;
            if done(&state) {
                return state;
            }
            assert!(Instant::now() < until, "{} {last:?} {state}\n{}", read.0, self.product.errors());
            if last.is_err() {
                tokio::time::sleep(PAUSE).await;
            }
            let (name, fields, input) = act(&state);
            last = self.act(name, fields, input).await;
        }
    }

    /// Repeats a query until `done` returns true for its result, because consequences of a change come later.
    pub async fn wait_for(&mut self, query: &str, variables: Value, done: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + LONG_PATIENCE;
        loop {
            let state = self.read(query, &variables).await;
            if done(&state) {
                return state;
            }
            assert!(Instant::now() < until, "waited for {query}: {state}\n{}", self.product.errors());
            self.product.revive().await;
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns the signed-in person's token.
    pub fn token(&self) -> &str {
        self.token.as_deref().unwrap_or_default()
    }

    pub async fn auth(&mut self, body: Value) -> (u16, Value) {
        let cookie = self.cookie.clone().unwrap_or_default();
        let text = body.to_string();
        self.ask(|http, product| {
            http.post(format!("{}/auth", product.base)).header("cookie", &cookie).body(text.clone())
        })
        .await
    }

    /// Signs in; returns whether the password was right.
    pub async fn sign_in(&mut self, username: &str, password: &str) -> bool {
        self.token = None;
        self.cookie = None;
        self.fetched = None;
        let login = json!({ "method": "login", "username": username, "password": password });
        if self.auth(login).await.0 != 200 {
            return false;
        }
        self.fetch_token().await;
        self.token.is_some()
    }

    /// Renews the token before it expires, as the browser does.
    async fn renew(&mut self) {
        if self.fetched.is_some_and(|at| at.elapsed() > RENEW) {
            self.fetch_token().await;
        }
    }

    async fn fetch_token(&mut self) {
        let cookie = self.cookie.clone().unwrap_or_default();
        let (_, token) = self
            .ask(|http, product| {
                http.get(format!("{}/auth?method=getToken", product.base)).header("cookie", &cookie)
            })
            .await;
        self.token = token.as_str().map(str::to_owned).filter(|token| !token.is_empty());
        self.fetched = self.token.is_some().then(Instant::now);
    }

    /// Signs in as a driver's app does.
    pub async fn driver_sign_in(&mut self, username: &str, pin: &str) -> bool {
        self.token = None;
        self.fetched = None;
        let (status, answer) =
            self.post("/driver/v1/login", json!({ "username": username, "pin": pin })).await;
        self.token = answer["accessToken"].as_str().map(str::to_owned);
        status == 200
    }

    pub async fn post(&mut self, path: &str, body: Value) -> (u16, Value) {
        self.renew().await;
        let token = self.token.clone().unwrap_or_default();
        self.ask(|http, product| {
            let request = http.post(format!("{}{path}", product.base)).json(&body);
            match token.is_empty() {
                true => request,
                false => request.bearer_auth(&token).header("auth-provider", "dbAuth"),
            }
        })
        .await
    }

    /// Uploads bytes to a link. Returns the address without its signature. A repeated upload may be refused
    /// if the first one succeeded without a response.
    pub async fn put(&mut self, link: &str, bytes: &[u8]) -> String {
        self.ask(|http, product| {
            let address =
                if link.starts_with('/') { format!("{}{link}", product.base) } else { link.to_owned() };
            http.put(address).body(bytes.to_vec())
        })
        .await;
        link.split('?').next().unwrap().to_owned()
    }
}

/// Returns whether GraphQL reports that a service was unreachable, or that nobody knows whether a change was
/// made.
fn is_unavailable(body: &Value) -> bool {
    let Some(errors) = body["errors"].as_array() else { return false };
    errors.iter().any(|error| {
        let extensions = &error["extensions"];
        ["UNAVAILABLE", "DEADLINE_EXCEEDED", "RATE_LIMITED"].iter().any(|code| extensions["code"] == *code)
            || extensions["reason"] == "COMMIT_UNKNOWN"
    })
}
