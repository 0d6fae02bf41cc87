//! Stand-ins for the services: they answer from memory, note what they were asked and fail when
//! told to.

mod auth;
mod upload;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kit::clock::Clock;
use kit::principal::{caller, sign_access};
use kit::{Error, Kind, Principal, Role};
use proto::auth::v1::LoginRequest;
use proto::common::v1::{BatchGetRequest, Count, CountRequest, Page};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::parties_service_server::PartiesService;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

pub use auth::{Auth, RESET_TOKEN};
pub use upload::Uploads;

type Answer<T> = Result<Response<T>, Status>;

#[derive(Default)]
struct Memory {
    /// Secret to session id and role, while it lives.
    sessions: HashMap<String, (String, Role)>,
    calls: Vec<String>,
    /// Where those are who called with a token.
    addresses: Vec<String>,
    logins: Vec<LoginRequest>,
    pages: Vec<Page>,
    failure: Option<Box<dyn Fn() -> Status + Send>>,
    delay: Duration,
    keys_panic: bool,
    strange: bool,
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
        let roles = vec![role];
        Some(sign_access("k1", &self.pkcs8, "u1", "maria", roles, &session, now, now + 300).unwrap())
    }

    /// Ends every session without the gateway knowing.
    pub fn end_all(&self) {
        self.end(|_| true);
    }

    /// Ends the sessions that are meant, and says which.
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

    /// From now on every call fails like this.
    pub fn fail(&self, with: impl Fn() -> Status + Send + 'static) {
        self.memory.lock().unwrap().failure = Some(Box::new(with));
    }

    pub fn fail_as(&self, kind: Kind) {
        self.fail(move || {
            Error::new(kind, "SOME_REASON", "some text").field("name", "is taken").with_source("inner").into()
        });
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

    /// From now on deliveries carry values the contract does not know.
    pub fn turn_strange(&self) {
        self.memory.lock().unwrap().strange = true;
    }

    fn strange(&self) -> bool {
        self.memory.lock().unwrap().strange
    }

    /// How often a call was made; batches are noted with their ids.
    pub fn calls(&self, name: &str) -> Vec<String> {
        let memory = self.memory.lock().unwrap();
        memory.calls.iter().filter(|call| call.starts_with(name)).cloned().collect()
    }

    pub fn logins(&self) -> Vec<LoginRequest> {
        self.memory.lock().unwrap().logins.clone()
    }

    /// Where those were who called with a token, in order.
    pub fn addresses(&self) -> Vec<String> {
        self.memory.lock().unwrap().addresses.clone()
    }

    pub fn last_page(&self) -> Page {
        self.memory.lock().unwrap().pages.last().cloned().unwrap()
    }

    async fn enter(&self, call: impl Into<String>) -> Result<(), Status> {
        let delay = {
            let mut memory = self.memory.lock().unwrap();
            memory.calls.push(call.into());
            if let Some(failure) = &memory.failure {
                return Err(failure());
            }
            memory.delay
        };
        tokio::time::sleep(delay).await;
        Ok(())
    }

    /// Passes a person; notes where they are. Answers the id of their session.
    async fn person<T>(&self, request: &Request<T>, call: impl Into<String>) -> Result<String, Status> {
        let caller = caller(request)?;
        let Principal::User { session, .. } = &caller.principal else {
            return Err(Error::forbidden("PEOPLE_ONLY").into());
        };
        self.memory.lock().unwrap().addresses.push(caller.address.clone());
        self.enter(call).await?;
        Ok(session.clone())
    }

    /// Passes a person with one of the roles.
    async fn holder<T>(
        &self,
        roles: &[Role],
        request: &Request<T>,
        call: impl Into<String>,
    ) -> Result<String, Status> {
        caller(request)?.principal.require(roles)?;
        self.person(request, call).await
    }

    async fn staff<T>(&self, request: &Request<T>, call: impl Into<String>) -> Result<(), Status> {
        self.holder(Role::STAFF, request, call).await.map(|_| ())
    }

    async fn page<T>(&self, request: &Request<T>, page: &Option<Page>) -> Result<u32, Status> {
        self.page_for(Role::STAFF, request, page).await
    }

    async fn page_for<T>(
        &self,
        roles: &[Role],
        request: &Request<T>,
        page: &Option<Page>,
    ) -> Result<u32, Status> {
        self.holder(roles, request, "list").await?;
        let page = page.clone().unwrap();
        self.memory.lock().unwrap().pages.push(page.clone());
        Ok(page.limit)
    }
}

pub struct Deliveries(pub Arc<Stage>);

pub fn delivery(n: u32) -> Delivery {
    let at = Some(prost_at(1_800_000_000));
    Delivery {
        id: format!("D-{n}"),
        deliverystatus: DeliveryStatus::CompleteNoVariance.into(),
        shipmentnumber: "SHP-1".into(),
        customername: format!("Customer {}", n % 2),
        trucker: "Haul".into(),
        scheduledatetime: at,
        scanmode: ScanMode::Yes.into(),
        source_id: Some("src".into()),
        linecount: 2,
        priority: Priority::High.into(),
        attempt: 1,
        max_attempts: 3,
        created_at: at,
        created_by: "maria".into(),
        updated_at: at,
        updated_by: "maria".into(),
        version: 7,
        ..Delivery::default()
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

#[tonic::async_trait]
impl DeliveriesService for Deliveries {
    async fn list_deliveries(
        &self,
        request: Request<ListDeliveriesRequest>,
    ) -> Answer<ListDeliveriesResponse> {
        let limit = self.0.page(&request, &request.get_ref().page).await?;
        let mut deliveries: Vec<_> = (1..=limit.min(100)).map(delivery).collect();
        if self.0.strange() {
            deliveries[0].deliverystatus = 99;
        }
        Ok(Response::new(ListDeliveriesResponse { deliveries, more: false }))
    }

    async fn count_deliveries(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 10_000, exact: false }))
    }

    async fn get_delivery(&self, request: Request<GetDeliveryRequest>) -> Answer<Delivery> {
        self.0.staff(&request, "get").await?;
        match request.get_ref().id.to_lowercase().as_str() {
            "d-1" => Ok(Response::new(delivery(1))),
            _ => Err(Error::not_found("DELIVERY_NOT_FOUND", "There is no such delivery.").into()),
        }
    }

    async fn batch_get_items(&self, request: Request<BatchGetRequest>) -> Answer<BatchGetItemsResponse> {
        self.0.staff(&request, note("items", &request.get_ref().ids)).await?;
        let items = request.get_ref().ids.iter().flat_map(|id| {
            // The service's own spelling, which may differ from the asker's.
            ["1", "2"].map(|number| DeliveryItem {
                delivery_id: id.to_lowercase(),
                item_number: number.into(),
                quantity_thousandths: 2_500,
                weight_grams: Some(1_250),
                ..DeliveryItem::default()
            })
        });
        Ok(Response::new(BatchGetItemsResponse { items: items.collect() }))
    }

    async fn batch_get_history(&self, request: Request<BatchGetRequest>) -> Answer<BatchGetHistoryResponse> {
        self.0.staff(&request, note("history", &request.get_ref().ids)).await?;
        let history = request.get_ref().ids.iter().map(|id| DeliveryStatusHistory {
            id: format!("h-{id}"),
            delivery_id: id.clone(),
            to_status: DeliveryStatus::Pending.into(),
            occurred_at: Some(prost_at(1)),
            received_at: Some(prost_at(2)),
            ..DeliveryStatusHistory::default()
        });
        Ok(Response::new(BatchGetHistoryResponse { history: history.collect() }))
    }

    async fn batch_get_shipments(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Answer<BatchGetShipmentsResponse> {
        self.0.staff(&request, note("shipments", &request.get_ref().ids)).await?;
        let shipment = Shipment {
            shipmentnumber: "shp-1".into(),
            shipmentstatus: ShipmentStatus::Partial.into(),
            ..Shipment::default()
        };
        Ok(Response::new(BatchGetShipmentsResponse { shipments: vec![shipment] }))
    }

    async fn list_truckers(&self, request: Request<ListTruckersRequest>) -> Answer<ListTruckersResponse> {
        self.0.staff(&request, "truckers").await?;
        let ListTruckersRequest { starts_with, limit } = request.into_inner();
        Ok(Response::new(ListTruckersResponse { truckers: vec![format!("{starts_with}{limit}")] }))
    }

    async fn import_deliveries(
        &self,
        _: Request<ImportDeliveriesRequest>,
    ) -> Answer<ImportDeliveriesResponse> {
        Err(Status::unimplemented("not here"))
    }
}

#[tonic::async_trait]
impl PartiesService for Deliveries {
    async fn list_customers(&self, request: Request<ListCustomersRequest>) -> Answer<ListCustomersResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        Ok(Response::new(ListCustomersResponse { customers: vec![customer("Customer 0")], more: false }))
    }

    async fn count_customers(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 1, exact: true }))
    }

    async fn batch_get_customers(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Answer<BatchGetCustomersResponse> {
        self.0.staff(&request, note("customers", &request.get_ref().ids)).await?;
        let customers = request.get_ref().ids.iter().map(|name| customer(name)).collect();
        Ok(Response::new(BatchGetCustomersResponse { customers }))
    }

    async fn list_sources(&self, request: Request<ListSourcesRequest>) -> Answer<ListSourcesResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        Ok(Response::new(ListSourcesResponse { sources: vec![], more: false }))
    }

    async fn count_sources(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 0, exact: true }))
    }

    async fn batch_get_sources(&self, request: Request<BatchGetRequest>) -> Answer<BatchGetSourcesResponse> {
        self.0.staff(&request, note("sources", &request.get_ref().ids)).await?;
        Ok(Response::new(BatchGetSourcesResponse { sources: vec![] }))
    }
}

fn customer(name: &str) -> Customer {
    Customer {
        customer_name: name.to_owned(),
        created_at: Some(prost_at(1)),
        updated_at: Some(prost_at(1)),
        ..Customer::default()
    }
}
