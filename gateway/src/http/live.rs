//! The GraphQL WebSocket: subscriptions over `graphql-transport-ws`.
//!
//! The token is in the payload of `connection_init`; cookies are ignored. A connection lasts as long as its
//! token and session: before each message, and once a second, both are checked as for any other request. The
//! library implements the protocol, this module its limits. Deliberately absent: queries and mutations, which
//! use POST.
//!
//! Close codes besides those of the protocol: 4401 no session, 4403 expired token (reconnect with a new one),
//! 1012 shutdown, 1013 try again later, 1008 too many messages.

use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use async_graphql::http::{WebSocket as Protocol, WebSocketProtocols, WsMessage};
use async_graphql::parser::types::OperationType;
use async_graphql::{Data, Executor, Request as Execution, Response as Outcome, ServerError};
use axum::Extension;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use futures::stream::{self, BoxStream, SplitSink};
use futures::{SinkExt, Stream, StreamExt};
use http::StatusCode;
use kit::Kind;
use kit::shares::Permit;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_stream::wrappers::ReceiverStream;

use super::{Shape, wrong_verb};
use crate::graphql::{Graph, Viewer, error};
use crate::observe::RequestId;
use crate::session::{self, Identity, Session};
use crate::state::App;

const PROTOCOL: &str = "graphql-transport-ws";
const SHAPE: Shape = Shape::Graphql;
/// Time limit for sending the token.
const INIT: Duration = Duration::from_secs(5);
const TICK: Duration = Duration::from_secs(1);
/// Seconds between pings. A client that leaves two pings unanswered is disconnected.
const PING_EVERY: u32 = 20;
/// Time limit for sending one message; a client that does not read is disconnected.
const SLOWEST: Duration = Duration::from_secs(5);
const MAX_SUBSCRIPTIONS: usize = 20;
/// Maximum number of messages that a client may send between two ticks, and that may wait in the queue.
const MAX_MESSAGES: u32 = 60;

/// `GET /graphql` with a WebSocket upgrade.
pub async fn upgrade(
    State(app): State<Arc<App>>,
    Extension(graph): Extension<Arc<Graph>>,
    Extension(RequestId(id)): Extension<RequestId>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    request: Request,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return wrong_verb(request).await;
    };
    let headers = request.headers();
    if !super::from_our_pages(&app, headers) {
        return SHAPE.refuse(StatusCode::FORBIDDEN, "FORBIDDEN", "This request came from another site.");
    }
    let upgrade = upgrade
        .protocols([PROTOCOL])
        .max_message_size(app.config.graphql.max_body_bytes)
        .max_frame_size(app.config.graphql.max_body_bytes);
    if upgrade.selected_protocol().is_none() {
        let text = format!("This address speaks {PROTOCOL}.");
        return SHAPE.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", &text);
    }
    // Admit only a few connections that have not sent a token yet, and only for a short time.
    let network = session::network(&app, headers, request.extensions());
    let (waiting, place) = (app.budgets.guests.enter(network.clone()), app.budgets.sockets.enter(network));
    let (Some(waiting), Some(place)) = (waiting, place) else {
        let text = "The service is busy. Try again in a moment.";
        return SHAPE.refuse(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", text);
    };
    let address = session::address(&app, headers, request.extensions());
    upgrade
        .on_upgrade(move |socket| async move {
            let _place = place;
            let guest = Guest::new(app, address, waiting);
            serve(graph, guest, socket, id).await;
        })
        .into_response()
}

/// Code and reason of a closed connection.
type Close = (u16, String);

fn close(code: u16, text: &str) -> Close {
    (code, text.to_owned())
}

async fn serve(graph: Arc<Graph>, guest: Arc<Guest>, socket: WebSocket, id: Arc<str>) {
    let (mut sink, mut source) = socket.split();
    let (inbox, incoming) = mpsc::channel(MAX_MESSAGES as usize);
    let executor =
        Live { graph, guest: guest.clone(), id, free: Arc::new(Semaphore::new(MAX_SUBSCRIPTIONS)) };
    let host = guest.clone();
    let mut graph = Protocol::new(executor, ReceiverStream::new(incoming), WebSocketProtocols::GraphQLWS)
        .on_connection_init(move |payload| async move { host.seat(&payload).await });
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (mut age, mut silent, mut received) = (Duration::ZERO, 0, 0);
    let why = loop {
        tokio::select! {
            message = source.next() => {
                silent = 0;
                let text = match message {
                    Some(Ok(Message::Text(text))) => text.into(),
                    Some(Ok(Message::Binary(bytes))) => bytes,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break None,
                };
                received += 1;
                if received > MAX_MESSAGES || inbox.try_send(text).is_err() {
                    break Some(close(1008, "too many messages"));
                }
            }
            message = graph.next() => match message {
                Some(WsMessage::Text(text)) => {
                    if let Some(close) = guest.gone().await {
                        break Some(close);
                    }
                    if !sent(&mut sink, Message::Text(text.into())).await {
                        break None;
                    }
                }
                Some(WsMessage::Close(code, text)) => {
                    break Some(guest.refused.get().cloned().unwrap_or((code, text)));
                }
                None => break None,
            },
            _ = ticks.tick() => {
                (age, silent, received) = (age + TICK, silent + 1, 0);
                if age > INIT && guest.seated.get().is_none() {
                    break Some(close(4408, "Connection initialisation timeout"));
                }
                if let Some(close) = guest.gone().await {
                    break Some(close);
                }
                if silent > 2 * PING_EVERY {
                    break None;
                }
                if silent % PING_EVERY == 0 && !sent(&mut sink, Message::Ping(Default::default())).await {
                    break None;
                }
            }
            () = guest.app.stop.cancelled() => break Some(close(1012, "the service restarts")),
        }
    };
    let Some((code, mut reason)) = why else { return };
    // A close frame has room for 123 bytes.
    reason.truncate(reason.floor_char_boundary(120));
    let frame = CloseFrame { code, reason: reason.into() };
    if sent(&mut sink, Message::Close(Some(frame))).await {
        // Read the client's pending messages. If some stay unread, the client might not receive the close
        // frame.
        let rest = async { while let Some(Ok(_)) = source.next().await {} };
        let _ = tokio::time::timeout(TICK, rest).await;
    }
}

async fn sent(sink: &mut SplitSink<WebSocket, Message>, message: Message) -> bool {
    matches!(tokio::time::timeout(SLOWEST, sink.send(message)).await, Ok(Ok(())))
}

/// The client of a connection.
struct Guest {
    app: Arc<App>,
    address: String,
    /// The client's permit until it has sent a valid token.
    waiting: Mutex<Option<Permit<String>>>,
    seated: OnceLock<(Session, Permit<String>)>,
    refused: OnceLock<Close>,
}

impl Guest {
    fn new(app: Arc<App>, address: String, waiting: Permit<String>) -> Arc<Self> {
        let waiting = Mutex::new(Some(waiting));
        Arc::new(Self { app, address, waiting, seated: OnceLock::new(), refused: OnceLock::new() })
    }

    async fn seat(&self, payload: &Value) -> async_graphql::Result<Data> {
        let identity = session::identify_token(&self.app, token(payload), &self.address).await;
        let why = match identity {
            Identity::SignedIn(session) => match self.app.budgets.seats.enter(session.user.id.clone()) {
                Some(seat) => {
                    let _ = self.seated.set((session, seat));
                    self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
                    return Ok(Data::default());
                }
                None => close(1013, "too many connections"),
            },
            Identity::Anonymous(reason) => unknown(&reason),
            Identity::Unknown(_) => close(1013, "try again later"),
        };
        let _ = self.refused.set(why);
        // The library closes with its own code; the code in `refused` is sent instead.
        Err("refused".into())
    }

    /// Returns why the connection must end; `None` if it may continue.
    async fn gone(&self) -> Option<Close> {
        let (session, _) = self.seated.get()?;
        match session::still(&self.app, session).await {
            Ok(()) => None,
            Err(error) if error.kind == Kind::Unauthenticated => Some(unknown(&error.reason)),
            Err(error) => {
                error.log();
                Some(close(1013, "try again later"))
            }
        }
    }
}

fn unknown(reason: &str) -> Close {
    match reason {
        "TOKEN_EXPIRED" => close(4403, "Forbidden"),
        _ => close(4401, "Unauthorized"),
    }
}

/// Returns the token of `connection_init`, with or without a scheme.
fn token(payload: &Value) -> Option<&str> {
    let text = ["authorization", "Authorization", "token"].into_iter().find_map(|key| payload.get(key))?;
    let text = text.as_str()?.trim();
    let token = match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => text,
    };
    Some(token).filter(|token| !token.is_empty())
}

/// Runs the operations of one connection, within the usual limits of GraphQL documents.
#[derive(Clone)]
struct Live {
    graph: Arc<Graph>,
    guest: Arc<Guest>,
    id: Arc<str>,
    free: Arc<Semaphore>,
}

impl Live {
    fn begin(&self, request: Execution) -> Result<BoxStream<'static, Outcome>, ServerError> {
        let app = &self.guest.app;
        let Some((session, _)) = self.guest.seated.get() else {
            return Err(error::refused("UNAUTHENTICATED", "Sign in with connection_init first."));
        };
        let Ok(place) = self.free.clone().try_acquire_owned() else {
            let text = format!("A connection can have at most {MAX_SUBSCRIPTIONS} subscriptions.");
            return Err(error::refused("RATE_LIMITED", text));
        };
        let document = self.graph.documents.read(&request.query)?;
        if document.operations.iter().any(|(_, it)| it.node.ty != OperationType::Subscription) {
            let text = "Send queries and mutations by POST.";
            return Err(error::refused("GRAPHQL_VALIDATION_FAILED", text));
        }
        let viewer = Viewer::new(app.clone(), Identity::SignedIn(session.clone()));
        let mut execution = Execution::new("").variables(request.variables).data(viewer);
        execution.operation_name = request.operation_name.filter(|name| !name.is_empty());
        execution.set_parsed_query(document);
        let outcomes = self.graph.schema.execute_stream(execution);
        Ok(Placed { outcomes, _place: place }.boxed())
    }
}

/// A subscription and its place on the connection.
struct Placed {
    outcomes: BoxStream<'static, Outcome>,
    _place: OwnedSemaphorePermit,
}

impl Stream for Placed {
    type Item = Outcome;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Outcome>> {
        self.outcomes.poll_next_unpin(context)
    }
}

impl Executor for Live {
    async fn execute(&self, _: Execution) -> Outcome {
        Outcome::from_errors(vec![error::refused("BAD_USER_INPUT", "Only subscriptions go here.")])
    }

    fn execute_stream(&self, request: Execution, _: Option<Arc<Data>>) -> BoxStream<'static, Outcome> {
        let id = self.id.clone();
        let refused = |error| stream::iter([Outcome::from_errors(vec![error])]).boxed();
        let outcomes = self.begin(request).unwrap_or_else(refused);
        let complete = move |mut outcome| {
            error::complete(&mut outcome, &id);
            outcome
        };
        outcomes.map(complete).boxed()
    }
}
