//! The simulation's requests to a running Waybill, sent to the same addresses that people and phones use.

use std::time::{Duration, Instant};

use reqwest::header::{COOKIE, SET_COOKIE};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};

use super::{Problem, Result};

/// Time limit of a request.
const PATIENCE: Duration = Duration::from_secs(20);
/// The age at which access tokens are renewed. They live for five minutes at most.
const TOKEN_AGE: Duration = Duration::from_secs(200);
/// How many times a request is sent while its response asks to try again later.
const TRIES: u32 = 30;

pub fn client() -> Result<Client> {
    kit::install_crypto();
    Ok(Client::builder().timeout(PATIENCE).pool_max_idle_per_host(256).build()?)
}

/// A signed-in office user.
pub struct Staff {
    http: Client,
    base: String,
    cookie: String,
    token: tokio::sync::Mutex<(String, Instant)>,
}

impl Staff {
    pub async fn sign_in(http: Client, base: &str, username: &str, password: &str) -> Result<Self> {
        let ask = json!({ "method": "login", "username": username, "password": password });
        let answer = http.post(format!("{base}/auth")).body(ask.to_string()).send().await?;
        let cookies = answer.headers().get_all(SET_COOKIE).iter().filter_map(|it| it.to_str().ok());
        let cookie = cookies
            .filter_map(|it| it.split(';').next())
            .find(|it| it.contains("session") && !it.ends_with('='))
            .map(str::to_owned);
        let status = answer.status();
        let Some(cookie) = cookie.filter(|_| status.is_success()) else {
            let why = said(answer).await;
            return Err(Problem::new(format!("{username} could not sign in: {why}")));
        };
        let token = token_of(&http, base, &cookie).await?;
        Ok(Self { http, base: base.to_owned(), cookie, token: (token, Instant::now()).into() })
    }

    /// Returns the data of a query or a mutation.
    pub async fn graphql(&self, query: &str, variables: Value) -> Result<Value> {
        let token = {
            let mut kept = self.token.lock().await;
            if kept.1.elapsed() > TOKEN_AGE {
                *kept = (token_of(&self.http, &self.base, &self.cookie).await?, Instant::now());
            }
            kept.0.clone()
        };
        let ask = json!({ "query": query, "variables": variables });
        let answer =
            again(|| self.http.post(format!("{}/graphql", self.base)).bearer_auth(&token).json(&ask)).await?;
        let mut body: Value = answer.json().await?;
        match body["errors"][0]["message"].as_str() {
            Some(text) => Err(Problem::new(text.to_owned())),
            None => Ok(body["data"].take()),
        }
    }

    /// Sets an account's PIN with a reset link, as a dispatcher and the driver would.
    pub async fn set_pin(&self, account: &str, pin: &str) -> Result<()> {
        let create = "mutation M($input: CreateResetLinkInput!) { createResetLink(input: $input) { path } }";
        let made = self.graphql(create, json!({ "input": { "userId": account } })).await?;
        let link = made["createResetLink"]["path"].as_str().and_then(|path| path.split_once("resetToken="));
        let (_, reset) = link.ok_or_else(|| Problem::new("there is no link to set a PIN"))?;
        let ask = json!({ "method": "resetPassword", "resetToken": reset, "password": pin }).to_string();
        let answer = again(|| self.http.post(format!("{}/auth", self.base)).body(ask.clone())).await?;
        match answer.status().is_success() {
            true => Ok(()),
            false => Err(Problem::new(said(answer).await)),
        }
    }

    pub async fn sign_out(&self) {
        let ask = json!({ "method": "logout" }).to_string();
        let _ =
            self.http.post(format!("{}/auth", self.base)).header(COOKIE, &self.cookie).body(ask).send().await;
    }
}

async fn token_of(http: &Client, base: &str, cookie: &str) -> Result<String> {
    let answer = http.get(format!("{base}/auth?method=getToken")).header(COOKIE, cookie).send().await?;
    let token = answer.error_for_status()?.text().await?;
    if token.is_empty() { Err(Problem::new("the session has ended")) } else { Ok(token) }
}

/// The result of a driver's call.
#[derive(Debug, PartialEq)]
pub enum Ended {
    Good(Value),
    /// A later attempt may succeed.
    Later(String),
    /// No later attempt will succeed.
    Refused(String),
}

/// A signed-in driver.
pub struct Driver {
    http: Client,
    base: String,
    session: String,
    access: String,
    since: Instant,
}

impl Driver {
    pub async fn sign_in(http: Client, base: &str, username: &str, pin: &str) -> Result<Self> {
        let ask = json!({ "username": username, "pin": pin });
        let answer = again(|| http.post(format!("{base}/driver/v1/login")).json(&ask)).await?;
        if !answer.status().is_success() {
            let why = said(answer).await;
            return Err(Problem::new(format!("{username} could not sign in: {why}")));
        }
        let body: Value = answer.json().await?;
        let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
        let (session, access) = (text("sessionToken"), text("accessToken"));
        Ok(Self { http, base: base.to_owned(), session, access, since: Instant::now() })
    }

    pub async fn get(&mut self, path: &str) -> Ended {
        self.call(|http, base| http.get(format!("{base}{path}"))).await
    }

    pub async fn post(&mut self, path: &str, body: &Value) -> Ended {
        self.call(|http, base| http.post(format!("{base}{path}")).json(body)).await
    }

    async fn call(&mut self, ask: impl Fn(&Client, &str) -> RequestBuilder) -> Ended {
        if self.since.elapsed() > TOKEN_AGE && !self.renew().await {
            return Ended::Later("no token".to_owned());
        }
        let answer = match ask(&self.http, &self.base).bearer_auth(&self.access).send().await {
            Ok(answer) => answer,
            Err(error) => return Ended::Later(kind_of(&error).to_owned()),
        };
        match answer.status() {
            status if status.is_success() => match answer.json().await {
                Ok(body) => Ended::Good(body),
                Err(_) => Ended::Later("an answer that broke off".to_owned()),
            },
            StatusCode::UNAUTHORIZED => {
                // The session ended early. The next call fetches a new token.
                self.since = self.since.checked_sub(TOKEN_AGE).unwrap_or(self.since);
                if self.renew().await {
                    Ended::Later("a token that had ended".to_owned())
                } else {
                    Ended::Refused("the session has ended".to_owned())
                }
            }
            status if is_later(status) => Ended::Later(status.to_string()),
            _ => Ended::Refused(said(answer).await),
        }
    }

    async fn renew(&mut self) -> bool {
        let ask = json!({ "sessionToken": self.session });
        let sent = self.http.post(format!("{}/driver/v1/token", self.base)).json(&ask).send().await;
        let Ok(answer) = sent else { return false };
        let Ok(body) = answer.json::<Value>().await else { return false };
        let Some(access) = body["accessToken"].as_str() else { return false };
        (self.access, self.since) = (access.to_owned(), Instant::now());
        true
    }

    pub async fn sign_out(self) {
        let ask = json!({ "sessionToken": self.session });
        let _ = self.http.post(format!("{}/driver/v1/logout", self.base)).json(&ask).send().await;
    }
}

fn is_later(status: StatusCode) -> bool {
    status.is_server_error()
        || status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
}

/// Returns the error's kind without the address, which may contain personal data.
fn kind_of(error: &reqwest::Error) -> &'static str {
    match error {
        error if error.is_timeout() => "no answer in time",
        error if error.is_connect() => "no connection",
        _ => "a connection that broke",
    }
}

/// Sends a request up to [`TRIES`] times, until its response does not ask to try again later.
async fn again(ask: impl Fn() -> RequestBuilder) -> Result<Response> {
    let mut last = None;
    for turn in 0..TRIES {
        let answer = ask().send().await?;
        if !is_later(answer.status()) {
            return Ok(answer);
        }
        last = Some(answer);
        tokio::time::sleep(Duration::from_millis(200 * u64::from(turn.min(10)) + 100)).await;
    }
    match last {
        Some(answer) => Err(Problem::new(said(answer).await)),
        None => Err(Problem::new("nothing was asked")),
    }
}

/// Returns the error message of a response, in either of the API's error formats; without one, the status.
async fn said(answer: Response) -> String {
    let status = answer.status();
    let body: Value = answer.json().await.unwrap_or_default();
    let text = body["error"]["message"].as_str().or_else(|| body["error"].as_str());
    text.map_or_else(|| status.to_string(), str::to_owned)
}
