//! Stand-ins for the services: they answer from memory, record requests and fail on request.

mod analytics;
mod auth;
mod days;
mod dead_letters;
mod deliveries;
mod drivers;
mod logo;
mod parties;
mod proof;
mod report_schedules;
mod report_settings;
mod saved_mappings;
mod saved_views;
mod settings;
mod upload;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kit::clock::Clock;
use kit::principal::{caller, sign_access};
use kit::{Error, Kind, Principal, Role};
use proto::auth::v1::LoginRequest;
use proto::common::v1::Page;
use proto::deliveries::v1::ExportDeliveriesResponse;
use proto::drivers::v1::{Location, Position};
use tokio::sync::Semaphore;
use tonic::{Request, Response, Status};

pub use analytics::Analytics;
pub use auth::{Auth, PIN, RESET_TOKEN};
pub use deliveries::{Deliveries, delivery};
pub use drivers::{Drivers, position};
pub use settings::{Office, Settings, said};
pub use upload::Uploads;

type Answer<T> = Result<Response<T>, Status>;
/// The chunks of one export.
pub type Chunks = Box<dyn Iterator<Item = Result<ExportDeliveriesResponse, Status>> + Send>;

#[derive(Default)]
struct Memory {
    /// The live sessions: id and role by secret.
    sessions: HashMap<String, (String, Role)>,
    calls: Vec<String>,
    /// The addresses of callers with a token, in order.
    addresses: Vec<String>,
    logins: Vec<LoginRequest>,
    pages: Vec<Page>,
    /// The last request of each recorded kind.
    asked: HashMap<TypeId, Box<dyn Any + Send>>,
    failure: Option<Box<dyn Fn() -> Status + Send>>,
    delay: Duration,
    /// Calls of this name wait until the semaphore is closed.
    held: Option<(String, Arc<Semaphore>)>,
    keys_panic: bool,
    strange: bool,
    earlier: bool,
    lines: Option<u32>,
    /// The numbers of the deliveries of a long day; empty for as many as requested.
    day: Vec<u32>,
    /// Number of lines of the first delivery, each with the longest description; 0 means two short lines.
    long_lines: u32,
    export: Option<Box<dyn Fn() -> Chunks + Send>>,
    /// The last locations of drivers, in the order in which they moved, which is the order of their versions.
    locations: Vec<Location>,
    /// The positions of one driver.
    positions: Vec<Position>,
    /// Number of rows per answer of the tracker; 0 means as many as requested.
    tracker_page: usize,
    tracker_failure: Option<Kind>,
    log_failure: Option<Kind>,
    /// Number of seconds for which a view need not be reported again; `None` means an hour.
    views_hold_for: Option<u32>,
    office: Office,
    mail_is_on: bool,
}

/// Holds calls until dropped.
pub struct Held(Arc<Semaphore>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.close();
    }
}

pub struct Stage {
    pkcs8: Vec<u8>,
    clock: Clock,
    memory: Mutex<Memory>,
}

impl Stage {
    pub fn new(pkcs8: Vec<u8>, clock: Clock) -> Self {
        Self { pkcs8, clock, memory: Mutex::default() }
    }

    pub fn begin(&self, role: Role) -> String {
        let mut memory = self.memory.lock().unwrap();
        let secret = format!("secret-{}", kit::clock::new_id().simple());
        memory.sessions.insert(secret.clone(), (kit::clock::new_id().to_string(), role));
        secret
    }

    pub fn token_of(&self, secret: &str) -> Option<String> {
        let (session, role) = self.memory.lock().unwrap().sessions.get(secret).cloned()?;
        let now = self.clock.now().timestamp();
        let driver = (role == Role::Driver).then_some("DRV/1");
        let roles = vec![role];
        Some(sign_access("k1", &self.pkcs8, "u1", "maria", roles, driver, &session, now, now + 300).unwrap())
    }

    /// Ends every session without the gateway's knowledge.
    pub fn end_all(&self) {
        self.end(|_| true);
    }

    /// Changes the role of every session's account without the gateway's knowledge.
    pub fn change_role(&self, to: Role) {
        self.memory.lock().unwrap().sessions.values_mut().for_each(|(_, role)| *role = to);
    }

    /// Ends matching sessions, and returns their ids.
    fn end(&self, meant: impl Fn(&str) -> bool) -> Vec<String> {
        let mut memory = self.memory.lock().unwrap();
        let gone: Vec<_> = memory.sessions.extract_if(|_, (id, _)| meant(id)).collect();
        gone.into_iter().map(|(_, (id, _))| id).collect()
    }

    pub fn id_of(&self, secret: &str) -> String {
        self.memory.lock().unwrap().sessions[secret].0.clone()
    }

    pub fn lives(&self, secret: &str) -> bool {
        self.memory.lock().unwrap().sessions.contains_key(secret)
    }

    /// Makes every call fail with this status from now on.
    pub fn fail(&self, with: impl Fn() -> Status + Send + 'static) {
        self.memory.lock().unwrap().failure = Some(Box::new(with));
    }

    pub fn fail_as(&self, kind: Kind) {
        self.fail(move || {
            Error::new(kind, "SOME_REASON", "some text").field("name", "is taken").with_source("inner").into()
        });
    }

    /// Makes the audit log fail from now on; everything else continues.
    pub fn lose_log(&self, kind: Kind) {
        self.memory.lock().unwrap().log_failure = Some(kind);
    }

    /// Sets for how many seconds a view need not be reported again.
    pub fn hold_views_for(&self, seconds: u32) {
        self.memory.lock().unwrap().views_hold_for = Some(seconds);
    }

    fn views_hold_for(&self) -> u32 {
        self.memory.lock().unwrap().views_hold_for.unwrap_or(3_600)
    }

    fn log_is_away(&self) -> Option<Kind> {
        self.memory.lock().unwrap().log_failure
    }

    /// Turns mail on, which is off to begin with.
    pub fn turn_mail_on(&self) {
        self.memory.lock().unwrap().mail_is_on = true;
    }

    fn mail_is_on(&self) -> bool {
        self.memory.lock().unwrap().mail_is_on
    }

    pub fn heal(&self) {
        self.memory.lock().unwrap().failure = None;
    }

    pub fn delay(&self, by: Duration) {
        self.memory.lock().unwrap().delay = by;
    }

    pub fn panic_on_keys(&self) {
        self.memory.lock().unwrap().keys_panic = true;
    }

    pub fn keys_panic(&self) -> bool {
        self.memory.lock().unwrap().keys_panic
    }

    /// Lets deliveries carry values unknown to the contract from now on.
    pub fn turn_strange(&self) {
        self.memory.lock().unwrap().strange = true;
    }

    /// Lets deliveries answer as an earlier release from now on, which sends a delivery alone.
    pub fn answer_as_earlier(&self) {
        self.memory.lock().unwrap().earlier = true;
    }

    fn strange(&self) -> bool {
        self.memory.lock().unwrap().strange
    }

    /// Sets the number of lines of each listed delivery from now on.
    pub fn lines_each(&self, count: u32) {
        self.memory.lock().unwrap().lines = Some(count);
    }

    /// Gives the first delivery this many lines with the longest description from now on.
    pub fn long_lines(&self, count: u32) {
        self.memory.lock().unwrap().long_lines = count;
    }

    /// Returns the calls whose records begin with `name`. The record of a batch call includes the requested
    /// ids.
    pub fn calls(&self, name: &str) -> Vec<String> {
        let memory = self.memory.lock().unwrap();
        memory.calls.iter().filter(|call| call.starts_with(name)).cloned().collect()
    }

    pub fn logins(&self) -> Vec<LoginRequest> {
        self.memory.lock().unwrap().logins.clone()
    }

    /// Returns the addresses of callers with a token, in order.
    pub fn addresses(&self) -> Vec<String> {
        self.memory.lock().unwrap().addresses.clone()
    }

    pub fn last_page(&self) -> Page {
        self.memory.lock().unwrap().pages.last().cloned().unwrap()
    }

    /// Returns the last request of this kind.
    pub fn asked<T: Any + Clone>(&self) -> T {
        let memory = self.memory.lock().unwrap();
        let asked = memory.asked.get(&TypeId::of::<T>()).expect("nobody asked that");
        asked.downcast_ref::<T>().unwrap().clone()
    }

    /// Sets the chunks of exports from now on.
    pub fn exports(&self, chunks: impl Fn() -> Chunks + Send + 'static) {
        self.memory.lock().unwrap().export = Some(Box::new(chunks));
    }

    fn export(&self) -> Chunks {
        self.memory
            .lock()
            .unwrap()
            .export
            .as_ref()
            .map_or_else(|| Box::new(std::iter::empty()) as _, |it| it())
    }

    /// Holds calls of that name until the result is dropped.
    pub fn hold(&self, name: &str) -> Held {
        let gate = Arc::new(Semaphore::new(0));
        self.memory.lock().unwrap().held = Some((name.to_owned(), gate.clone()));
        Held(gate)
    }

    /// Waits until calls of `name` have been made at least `times` times.
    pub async fn called(&self, name: &str, times: usize) {
        let waiting = async {
            while self.calls(name).len() < times {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(20), waiting).await;
        waited.unwrap_or_else(|_| panic!("{name} was not called {times} times"));
    }

    fn note(&self, call: &str) {
        self.memory.lock().unwrap().calls.push(call.to_owned());
    }

    fn keep<T: Any + Clone + Send>(&self, request: &Request<T>) {
        self.memory.lock().unwrap().asked.insert(TypeId::of::<T>(), Box::new(request.get_ref().clone()));
    }

    async fn enter(&self, call: impl Into<String>) -> Result<(), Status> {
        let (delay, held) = {
            let mut memory = self.memory.lock().unwrap();
            let call = call.into();
            let held = memory.held.as_ref().filter(|(name, _)| call.starts_with(name.as_str()));
            let held = held.map(|(_, gate)| gate.clone());
            memory.calls.push(call);
            if let Some(failure) = &memory.failure {
                return Err(failure());
            }
            (memory.delay, held)
        };
        if let Some(gate) = held {
            // The semaphore never has permits; closing it lets everybody pass.
            let _ = gate.acquire().await;
        }
        tokio::time::sleep(delay).await;
        Ok(())
    }

    /// Admits a person and records their address. Returns their session's id.
    async fn person<T>(&self, request: &Request<T>, call: impl Into<String>) -> Result<String, Status> {
        let caller = caller(request)?;
        let Principal::User { session, .. } = &caller.principal else {
            return Err(Error::forbidden("PEOPLE_ONLY").into());
        };
        self.memory.lock().unwrap().addresses.push(caller.address.clone());
        self.enter(call).await?;
        Ok(session.clone())
    }

    /// Admits a person with one of the roles.
    async fn holder<T>(
        &self,
        roles: &[Role],
        request: &Request<T>,
        call: impl Into<String>,
    ) -> Result<String, Status> {
        caller(request)?.principal.require(roles)?;
        self.person(request, call).await
    }

    /// Admits drivers, and office roles that may change deliveries.
    async fn teller<T>(&self, request: &Request<T>, call: impl Into<String>) -> Result<(), Status> {
        let tellers = [Role::EDITORS, &[Role::Driver]].concat();
        self.holder(&tellers, request, call).await.map(|_| ())
    }

    /// Admits staff and drivers.
    async fn anybody<T>(&self, request: &Request<T>, call: impl Into<String>) -> Result<(), Status> {
        self.holder(&Role::ALL, request, call).await.map(|_| ())
    }

    async fn staff<T>(&self, request: &Request<T>, call: impl Into<String>) -> Result<(), Status> {
        self.holder(Role::STAFF, request, call).await.map(|_| ())
    }

    async fn editor<T>(&self, request: &Request<T>, call: impl Into<String>) -> Result<(), Status> {
        self.holder(Role::EDITORS, request, call).await.map(|_| ())
    }

    async fn page<T>(&self, request: &Request<T>, page: &Option<Page>) -> Result<(), Status> {
        self.page_for(Role::STAFF, request, page).await
    }

    async fn page_for<T>(
        &self,
        roles: &[Role],
        request: &Request<T>,
        page: &Option<Page>,
    ) -> Result<(), Status> {
        self.holder(roles, request, "list").await?;
        self.memory.lock().unwrap().pages.push(page.clone().unwrap());
        Ok(())
    }
}

fn prost_at(seconds: i64) -> prost_types::Timestamp {
    prost_types::Timestamp { seconds, nanos: 0 }
}

fn note(name: &str, ids: &[String]) -> String {
    let mut ids = ids.to_vec();
    ids.sort();
    format!("{name} {}", ids.join(","))
}
