//! Batched lookups of the entities that rows refer to: one loader per batch RPC.
//!
//! Loaders are created for each request, so that nothing loaded for one caller is ever shown to another and
//! every call carries the caller's own token.

use std::collections::HashMap;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_graphql::dataloader::{DataLoader, HashMapCache, Loader};
use kit::Error;
use kit::text::fold;
use proto::common::v1::BatchGetRequest;
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use proto::deliveries::v1::parties_service_client::PartiesServiceClient;
use proto::deliveries::v1::proof_service_client::ProofServiceClient;
use proto::deliveries::v1::{
    Attachment, Customer, Delivery, DeliveryForm, DeliveryHistory, DeliveryItem, DeliveryItems,
    DeliveryStatusHistory, PodRequirement, Shipment, Source, Variance,
};
use proto::drivers::v1::Driver;
use proto::drivers::v1::drivers_service_client::DriversServiceClient;
use tokio::time::timeout;
use tonic::Status;
use tracing::Instrument;

use super::error::Failure;
use crate::session::Session;
use crate::state::App;

/// Maximum size of a response, in bytes. Lists with long texts exceed tonic's default of 4 MiB.
pub const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// Maximum number of ids per call that the contract allows.
const BATCH: usize = 1000;

/// Maximum number of items per response, unless all belong to one delivery. Query complexity cannot bound
/// this, because the number of items per delivery is not known in advance.
const MAX_LINES: usize = 10_000;

/// Maximum wait for the drivers of a list's rows. After that, the rows are returned with an error instead of the
/// driver, because a list must not wait for a service that is silent.
const PATIENCE: Duration = Duration::from_secs(2);

/// An id in the caller's spelling. Comparisons ignore case; responses have the spelling of the service.
#[derive(Clone, Debug)]
pub struct Id {
    folded: String,
    spelled: String,
}

impl Id {
    pub fn new(text: &str) -> Self {
        Self { folded: fold(text), spelled: text.to_owned() }
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.folded == other.folded
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.folded.hash(state);
    }
}

type Rows<T> = Pin<Box<dyn Future<Output = Result<Vec<T>, Status>> + Send>>;

/// One batch RPC: how to call it, and how to read the id that a row belongs to.
pub struct Batch<T> {
    call: Box<dyn Fn(BatchGetRequest) -> Rows<T> + Send + Sync>,
    id: fn(&T) -> &str,
}

impl<T: Clone + Send + Sync + 'static> Loader<Id> for Batch<T> {
    type Value = Arc<Vec<T>>;
    type Error = Failure;

    async fn load(&self, keys: &[Id]) -> Result<HashMap<Id, Self::Value>, Failure> {
        let ids = keys.iter().map(|key| key.spelled.clone()).collect();
        let rows = (self.call)(BatchGetRequest { ids }).await?;
        let mut found: HashMap<Id, Vec<T>> = HashMap::new();
        for row in rows {
            found.entry(Id::new((self.id)(&row))).or_default().push(row);
        }
        Ok(found.into_iter().map(|(id, rows)| (id, Arc::new(rows))).collect())
    }
}

pub struct Lookup<T: Clone + Send + Sync + 'static>(DataLoader<Batch<T>, HashMapCache>);

impl<T: Clone + Send + Sync + 'static> Lookup<T> {
    fn new(call: impl Fn(BatchGetRequest) -> Rows<T> + Send + Sync + 'static, id: fn(&T) -> &str) -> Self {
        let batch = Batch { call: Box::new(call), id };
        // Without this, spawned tasks leave the request's trace.
        let spawn = |work| tokio::spawn(Instrument::in_current_span(work));
        Self(DataLoader::with_cache(batch, spawn, HashMapCache::default()).max_batch_size(BATCH))
    }

    /// Keeps all rows that belong to an id, so that they are not loaded.
    async fn keep(&self, id: &str, rows: Vec<T>) {
        self.0.feed_one(Id::new(id), Arc::new(rows)).await;
    }

    /// Returns all rows that belong to an id, in the service's order.
    pub async fn all(&self, id: &str) -> Result<Vec<T>, Failure> {
        let rows = self.0.load_one(Id::new(id)).await?;
        Ok(rows.map(|rows| rows.to_vec()).unwrap_or_default())
    }

    /// Returns the entity with that id, if there is one.
    pub async fn one(&self, id: &str) -> Result<Option<T>, Failure> {
        let rows = self.0.load_one(Id::new(id)).await?;
        Ok(rows.and_then(|rows| rows.first().cloned()))
    }
}

/// Defines a lookup by a batch RPC. Takes the RPC, the response field with the rows, the row field that is the
/// key, and the maximum wait, if it is shorter than that of a call.
macro_rules! lookup {
    ($client:ident.$rpc:ident, $rows:ident, $id:ident) => {
        lookup!($client.$rpc, $rows, $id, Duration::MAX)
    };
    ($client:ident.$rpc:ident, $rows:ident, $id:ident, $patience:expr) => {{
        let client = $client.clone();
        Lookup::new(
            move |ask| {
                let mut client = client.clone();
                Box::pin(async move {
                    let answer = timeout($patience, client.$rpc(ask)).await;
                    let slow = |_| Status::deadline_exceeded("the lookup took too long");
                    Ok(answer.map_err(slow)??.into_inner().$rows)
                })
            },
            |row| &row.$id,
        )
    }};
}

pub struct Loaders {
    lines: Mutex<HashMap<String, usize>>,
    pub items: Lookup<DeliveryItem>,
    pub history: Lookup<DeliveryStatusHistory>,
    pub shipments: Lookup<Shipment>,
    pub customers: Lookup<Customer>,
    pub sources: Lookup<Source>,
    pub variances: Lookup<Variance>,
    pub pod_requirements: Lookup<PodRequirement>,
    pub attachments: Lookup<Attachment>,
    pub forms: Lookup<DeliveryForm>,
    pub drivers: Lookup<Driver>,
}

impl Loaders {
    /// Counts the lines of a delivery before they are loaded, each delivery once. Fails if the request would
    /// load more than `MAX_LINES`.
    pub fn take_lines(&self, delivery_id: &str, count: u32) -> Result<(), Failure> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.insert(delivery_id.to_owned(), count as usize);
        if lines.len() == 1 || lines.values().sum::<usize>() <= MAX_LINES {
            return Ok(());
        }
        let text =
            format!("These deliveries have more than {MAX_LINES} lines together. Ask for fewer deliveries.");
        Err(Error::invalid("TOO_MANY_LINES", text).into())
    }

    /// Keeps the items and the history that a delivery came with. A service of an earlier release sends neither.
    pub async fn keep_what_came_with(&self, delivery: &mut Delivery) {
        if let Some(DeliveryItems { items }) = delivery.items.take() {
            self.items.keep(&delivery.id, items).await;
        }
        if let Some(DeliveryHistory { history }) = delivery.history.take() {
            self.history.keep(&delivery.id, history).await;
        }
    }

    pub fn new(app: &App, session: &Session) -> Self {
        let service = session.client(&app.deliveries);
        let deliveries = DeliveriesServiceClient::new(service.clone()).max_decoding_message_size(MAX_ANSWER);
        let parties = PartiesServiceClient::new(service.clone()).max_decoding_message_size(MAX_ANSWER);
        let proof = ProofServiceClient::new(service).max_decoding_message_size(MAX_ANSWER);
        let drivers = DriversServiceClient::new(session.client(&app.drivers));
        let drivers = drivers.max_decoding_message_size(MAX_ANSWER);
        Self {
            lines: Mutex::default(),
            items: lookup!(deliveries.batch_get_items, items, delivery_id),
            history: lookup!(deliveries.batch_get_history, history, delivery_id),
            shipments: lookup!(deliveries.batch_get_shipments, shipments, shipmentnumber),
            customers: lookup!(parties.batch_get_customers, customers, customer_name),
            sources: lookup!(parties.batch_get_sources, sources, id),
            variances: lookup!(deliveries.batch_get_variances, variances, delivery_id),
            pod_requirements: lookup!(deliveries.batch_get_pod_requirements, requirements, delivery_id),
            attachments: lookup!(proof.batch_get_attachments, attachments, delivery_id),
            forms: lookup!(proof.batch_get_forms, forms, delivery_id),
            drivers: lookup!(drivers.batch_get_drivers, drivers, driver_id, PATIENCE),
        }
    }
}
