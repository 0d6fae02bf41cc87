//! The WebSocket of the Cube clients: load and subscribe over one connection.
//!
//! The first message carries the token. Each subscription's query runs again every few seconds, which costs
//! next to nothing while the data is unchanged, and only a changed answer is sent. Before each call, before
//! each answer and once a second, the session is checked as for any other request. Clients reconnect
//! immediately and forever, so a refused client gets its answer first and is disconnected later. Until then,
//! everything that it sends gets the same refusal.
//!
//! Close codes: 4401 no session, 4403 expired token, 1012 shutdown, 1013 try again later, 1008 too many
//! messages.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, SplitSink};
use futures::{FutureExt, SinkExt, StreamExt};
use http::StatusCode;
use kit::shares::Permit;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::polling::{fingerprint, waited};
use super::request::{Asked, InBody};
use super::{Method, Refused, bare, signed_in};
use crate::http::{Shape, from_our_pages, wrong_verb};
use crate::session::{self, Identity, Session};
use crate::state::App;

/// Ticks between two checks of subscriptions.
const LOOK_EVERY: u32 = 3;
/// A subscription that its client has not repeated for this long is dropped; clients repeat it every
/// minute.
const FORGOTTEN: Duration = Duration::from_secs(240);
const TICK: Duration = Duration::from_secs(1);
const PING_EVERY: u32 = 20;
/// Time limit for the token, and delay before a refused client is disconnected.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time limit for sending one message.
const SLOWEST: Duration = Duration::from_secs(5);
const MAX_MESSAGE: usize = 320 * 1024;
/// Maximum number of messages between two ticks. The next two constants limit running calls and
/// subscriptions.
const MAX_MESSAGES: u32 = 120;
const MAX_CALLS: usize = 60;
const MAX_SUBSCRIPTIONS: usize = 60;
/// Maximum bytes of the queries of all subscriptions, which are kept as long as these.
const MAX_SUBSCRIBED: usize = 1 << 20;
/// Maximum number of calls of one connection that the service has at the same time. It runs two of an account
/// and lets the others wait.
const MAX_AT_ONCE: usize = 10;

pub async fn upgrade(
    State(app): State<Arc<App>>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    request: Request,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return wrong_verb(request).await;
    };
    let headers = request.headers();
    if !from_our_pages(&app, headers) {
        return Shape::Plain.refuse(
            StatusCode::FORBIDDEN,
            "FORBIDDEN",
            "This request came from another site.",
        );
    }
    let network = session::network(&app, headers, request.extensions());
    let (waiting, place) = (app.budgets.guests.enter(network.clone()), app.budgets.sockets.enter(network));
    let (Some(waiting), Some(place)) = (waiting, place) else {
        let text = "The service is busy. Try again in a moment.";
        return Shape::Plain.refuse(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", text);
    };
    let address = session::address(&app, headers, request.extensions());
    upgrade
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .on_upgrade(move |socket| async move {
            let _place = place;
            let (sink, mut source) = socket.split();
            let mut talk = Talk::new(app, address, sink, waiting);
            talk.run(&mut source).await;
        })
        .into_response()
}

/// A message of a client.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent<'a> {
    authorization: Option<Value>,
    unsubscribe: Option<Value>,
    message_id: Option<Value>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// A completed call.
struct Answered {
    id: Value,
    status: u16,
    /// The answer as JSON.
    body: String,
    /// Whether this answers a check of ours instead of a request of the client. Such an answer is sent only
    /// if it differs from the last one.
    is_look: bool,
}

struct Subscription {
    id: Value,
    method: Method,
    asked: Asked,
    /// The digest of the last answer.
    last: Option<Vec<u8>>,
    named: Instant,
    is_looking: bool,
}

/// A refused client that is disconnected soon.
struct Leaving {
    at: Instant,
    code: u16,
    /// The answer to everything that it still sends.
    refused: Refused,
}

/// One connection.
struct Talk {
    app: Arc<App>,
    address: String,
    sink: SplitSink<WebSocket, Message>,
    /// The connection's permit until it has sent a valid token.
    waiting: Option<Permit<String>>,
    session: Option<(Session, Permit<String>)>,
    subscriptions: HashMap<String, Subscription>,
    calls: FuturesUnordered<BoxFuture<'static, Answered>>,
    at_once: Arc<Semaphore>,
    /// Set once the client was refused; then there is no session.
    leaving: Option<Leaving>,
    begun: Instant,
}

impl Talk {
    fn new(
        app: Arc<App>,
        address: String,
        sink: SplitSink<WebSocket, Message>,
        waiting: Permit<String>,
    ) -> Self {
        Self {
            app,
            address,
            sink,
            waiting: Some(waiting),
            session: None,
            subscriptions: HashMap::new(),
            calls: FuturesUnordered::new(),
            at_once: Arc::new(Semaphore::new(MAX_AT_ONCE)),
            leaving: None,
            begun: Instant::now(),
        }
    }

    async fn run(&mut self, source: &mut futures::stream::SplitStream<WebSocket>) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut count, mut silent, mut received) = (0_u32, 0_u32, 0_u32);
        let stop = self.app.stop.clone();
        let code = loop {
            let goes_on = tokio::select! {
                message = source.next() => {
                    silent = 0;
                    match message {
                        Some(Ok(Message::Text(text))) => {
                            received += 1;
                            if received > MAX_MESSAGES {
                                break Some(1008);
                            }
                            self.handle(text.as_str()).await
                        }
                        Some(Ok(Message::Binary(_) | Message::Ping(_) | Message::Pong(_))) => true,
                        Some(Ok(Message::Close(_)) | Err(_)) | None => break None,
                    }
                }
                Some(answered) = self.calls.next(), if !self.calls.is_empty() => self.deliver(answered).await,
                _ = ticks.tick() => {
                    (count, silent, received) = (count.wrapping_add(1), silent + 1, 0);
                    if silent > 2 * PING_EVERY {
                        break None;
                    }
                    if let Some(code) = self.ends().await {
                        break Some(code);
                    }
                    if count.is_multiple_of(LOOK_EVERY) {
                        self.look();
                    }
                    !silent.is_multiple_of(PING_EVERY) || self.send(Message::Ping(Default::default())).await
                }
                () = stop.cancelled() => break Some(1012),
            };
            if !goes_on {
                break None;
            }
        };
        if let Some(code) = code {
            let frame = CloseFrame { code, reason: "".into() };
            let _ = self.send(Message::Close(Some(frame))).await;
        }
    }

    /// Returns the code to close with, once it is time to close.
    async fn ends(&mut self) -> Option<u16> {
        if self.session.is_some() && !self.check_session().await {
            self.turn_away(None).await;
        }
        match &self.leaving {
            Some(leaving) => (Instant::now() >= leaving.at).then_some(leaving.code),
            None => (self.session.is_none() && self.begun.elapsed() > PATIENCE).then_some(4401),
        }
    }

    /// Returns whether the client is signed in, and dismisses it if its session has ended. Auth is asked at
    /// most once a second.
    async fn check_session(&mut self) -> bool {
        let Some((session, _)) = &self.session else { return false };
        let identity = session::identify_again(&self.app, session).await;
        let Err(refused) = signed_in(&identity) else { return true };
        self.dismiss(close_code(&identity), refused);
        false
    }

    /// Ends everything that the session was good for. The client is disconnected later, and nothing that it
    /// sends until then puts this off.
    fn dismiss(&mut self, code: u16, refused: Refused) {
        self.session = None;
        self.subscriptions.clear();
        self.calls.clear();
        self.leaving.get_or_insert(Leaving { at: Instant::now() + PATIENCE, code, refused });
    }

    /// Tells a dismissed client why; returns false when it is gone.
    async fn turn_away(&mut self, id: Option<&Value>) -> bool {
        let Some(Leaving { refused, .. }) = &self.leaving else { return true };
        let (status, text) = (refused.status, refused.text.clone());
        self.refuse(id, status, &text).await
    }

    /// Handles one message; returns false when the client is gone.
    async fn handle(&mut self, text: &str) -> bool {
        let sent = serde_json::from_str::<Sent<'_>>(text);
        if self.leaving.is_some() {
            let id = sent.ok().and_then(|it| it.message_id).filter(is_id);
            return self.turn_away(id.as_ref()).await;
        }
        let Ok(sent) = sent else {
            return self
                .refuse(None, StatusCode::BAD_REQUEST, "The message is not JSON of this protocol")
                .await;
        };
        if let Some(token) = sent.authorization {
            return self.greet(token.as_str().and_then(bare)).await;
        }
        if let Some(id) = sent.unsubscribe {
            self.subscriptions.remove(&id.to_string());
            return self.write(&json!({ "messageProcessedId": id })).await;
        }
        let Some(id) = sent.message_id.filter(is_id) else {
            return self.refuse(None, StatusCode::BAD_REQUEST, "messageId is required").await;
        };
        if self.session.is_none() {
            return self.refuse(Some(&id), StatusCode::FORBIDDEN, "Not authorized").await;
        }
        if !self.check_session().await {
            return self.turn_away(Some(&id)).await;
        }
        let name = sent.method.unwrap_or_default();
        let Some(method) = Method::named(&name) else {
            let text = "Unsupported method. Use load, subscribe, sql, dry-run or meta";
            return self.refuse(Some(&id), StatusCode::BAD_REQUEST, text).await;
        };
        let params = sent.params.map(|it| serde_json::from_str::<InBody<'_>>(it.get()));
        let asked = match params.transpose() {
            Ok(params) => params.map(InBody::asked).unwrap_or_default(),
            Err(error) => {
                let text = format!("Unable to decode query param as JSON, error: {error}");
                return self.refuse(Some(&id), StatusCode::BAD_REQUEST, &text).await;
            }
        };
        if name == "subscribe" {
            return self.subscribe(id, method, asked).await;
        }
        if self.calls.len() >= MAX_CALLS {
            return self.refuse(Some(&id), StatusCode::TOO_MANY_REQUESTS, "Too many queries at once").await;
        }
        self.begin(id, method, asked, false);
        true
    }

    async fn greet(&mut self, token: Option<&str>) -> bool {
        let identity = session::identify_token(&self.app, token, &self.address).await;
        let refused = match signed_in(&identity) {
            Ok(session) => match self.app.budgets.seats.enter(session.user.id.clone()) {
                Some(seat) => {
                    self.session = Some((session.clone(), seat));
                    self.waiting = None;
                    return self.write(&json!({ "handshake": true })).await;
                }
                None => Refused::new(StatusCode::TOO_MANY_REQUESTS, "Too many connections"),
            },
            Err(refused) => refused,
        };
        self.dismiss(close_code(&identity), refused);
        self.turn_away(None).await
    }

    async fn subscribe(&mut self, id: Value, method: Method, asked: Asked) -> bool {
        let key = id.to_string();
        if let Some(known) = self.subscriptions.get_mut(&key)
            && known.asked == asked
        {
            // The client repeats its subscriptions once a minute.
            known.named = Instant::now();
            return self.write(&json!({ "messageProcessedId": id })).await;
        }
        let others = self.subscriptions.iter().filter(|(other, _)| **other != key);
        let subscribed: usize = others.map(|(_, it)| it.asked.request.query.len()).sum();
        let is_too_much = subscribed + asked.request.query.len() > MAX_SUBSCRIBED;
        if self.subscriptions.len() >= MAX_SUBSCRIPTIONS || is_too_much {
            return self.refuse(Some(&id), StatusCode::TOO_MANY_REQUESTS, "Too many subscriptions").await;
        }
        let subscription = Subscription {
            id: id.clone(),
            method,
            asked: asked.clone(),
            last: None,
            named: Instant::now(),
            is_looking: true,
        };
        self.subscriptions.insert(key, subscription);
        self.begin(id, method, asked, false);
        true
    }

    /// Checks all subscriptions for changes.
    fn look(&mut self) {
        self.subscriptions.retain(|_, it| it.named.elapsed() < FORGOTTEN);
        let due: Vec<(Value, Method, Asked)> = self
            .subscriptions
            .values_mut()
            .filter(|it| !it.is_looking)
            .map(|it| {
                it.is_looking = true;
                (it.id.clone(), it.method, it.asked.clone())
            })
            .collect();
        for (id, method, asked) in due {
            self.begin(id, method, asked, true);
        }
    }

    fn begin(&mut self, id: Value, method: Method, asked: Asked, is_look: bool) {
        let Some((session, _)) = &self.session else { return };
        let (app, session, at_once) = (self.app.clone(), session.clone(), self.at_once.clone());
        let work = async move {
            let _turn = at_once.acquire().await;
            let answer = waited(&app, &session, method, asked, is_look).await;
            let (status, body) = match answer {
                Ok(body) => (StatusCode::OK, body),
                Err(refused) => (refused.status, refused.body().to_string()),
            };
            Answered { id, status: status.as_u16(), body, is_look }
        };
        self.calls.push(work.boxed());
    }

    async fn deliver(&mut self, answered: Answered) -> bool {
        let Answered { id, status, body, is_look } = answered;
        match self.subscriptions.get_mut(&id.to_string()) {
            Some(subscription) => {
                subscription.is_looking = false;
                let now = Some(fingerprint(&body).as_ref().to_vec());
                if is_look && subscription.last == now {
                    return true;
                }
                subscription.last = now;
            }
            // The subscription ended while this check for changes ran.
            None if is_look => return true,
            // A query without a subscription, or the first result of a subscription that ended meanwhile.
            None => {}
        }
        // The session may have ended while the query ran.
        if !self.check_session().await {
            return self.turn_away(None).await;
        }
        let text = format!("{{\"messageId\":{id},\"message\":{body},\"status\":{status}}}");
        let sent = self.send(Message::Text(text.into())).await;
        sent && (is_look || self.write(&json!({ "messageProcessedId": id })).await)
    }

    async fn refuse(&mut self, id: Option<&Value>, status: StatusCode, text: &str) -> bool {
        let mut message = json!({ "message": { "error": text }, "status": status.as_u16() });
        if let Some(id) = id {
            message["messageId"] = id.clone();
        }
        self.write(&message).await
    }

    async fn write(&mut self, message: &Value) -> bool {
        self.send(Message::Text(message.to_string().into())).await
    }

    async fn send(&mut self, message: Message) -> bool {
        matches!(tokio::time::timeout(SLOWEST, self.sink.send(message)).await, Ok(Ok(())))
    }
}

/// Returns the code to disconnect a refused client with.
fn close_code(identity: &Identity) -> u16 {
    match identity {
        Identity::Anonymous(reason) if reason == "TOKEN_EXPIRED" => 4403,
        Identity::Anonymous(_) => 4401,
        // The account has too many connections, or nobody can check the token right now.
        Identity::SignedIn(_) | Identity::Unknown(_) => 1013,
    }
}

/// Returns whether an id is a number or a short string.
fn is_id(id: &Value) -> bool {
    id.is_number() || id.as_str().is_some_and(|text| text.len() <= 64)
}
