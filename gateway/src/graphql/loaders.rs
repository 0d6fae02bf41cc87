//! What many rows refer to, fetched with one call: a loader for each batch RPC.
//!
//! Made anew for each request, so that nothing loaded for one caller is ever shown to another and
//! every call carries the caller's own token.

use std::collections::HashMap;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::pin::Pin;
use std::sync::Arc;

use async_graphql::dataloader::{DataLoader, HashMapCache, Loader};
use proto::common::v1::BatchGetRequest;
use proto::deliveries::v1::deliveries_service_client::DeliveriesServiceClient;
use proto::deliveries::v1::parties_service_client::PartiesServiceClient;
use proto::deliveries::v1::proof_service_client::ProofServiceClient;
use proto::deliveries::v1::{
    Attachment, Customer, DeliveryForm, DeliveryItem, DeliveryStatusHistory, PodRequirement, Shipment,
    Source, Variance,
};
use proto::drivers::v1::Driver;
use proto::drivers::v1::drivers_service_client::DriversServiceClient;
use tracing::Instrument;

use super::MAX_ANSWER;
use super::error::Failure;
use crate::session::Session;
use crate::state::App;

/// Ids in one call, as the contract allows.
const BATCH: usize = 1000;

/// An id as somebody spelled it. Case does not tell ids apart, and an answer has its own spelling.
#[derive(Clone, Debug)]
pub struct Id {
    folded: String,
    spelled: String,
}

impl Id {
    pub fn new(text: &str) -> Self {
        Self { folded: text.to_lowercase(), spelled: text.to_owned() }
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

type Rows<T> = Pin<Box<dyn Future<Output = Result<Vec<T>, tonic::Status>> + Send>>;

/// One batch RPC: how to call it, and which id a row belongs to.
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
        // Spawned tasks leave the request's trace unless they are told to stay.
        let spawn = |work| tokio::spawn(Instrument::in_current_span(work));
        Self(DataLoader::with_cache(batch, spawn, HashMapCache::default()).max_batch_size(BATCH))
    }

    /// Everything that belongs to an id, in the order the service sent it.
    pub async fn all(&self, id: &str) -> Result<Vec<T>, Failure> {
        let rows = self.0.load_one(Id::new(id)).await?;
        Ok(rows.map(|rows| rows.to_vec()).unwrap_or_default())
    }

    /// The one thing with that id, if there is one.
    pub async fn one(&self, id: &str) -> Result<Option<T>, Failure> {
        let rows = self.0.load_one(Id::new(id)).await?;
        Ok(rows.and_then(|rows| rows.first().cloned()))
    }
}

pub struct Loaders {
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
    pub fn new(app: &App, session: &Session) -> Self {
        let service = session.client(&app.deliveries);
        let deliveries = DeliveriesServiceClient::new(service.clone()).max_decoding_message_size(MAX_ANSWER);
        let parties = PartiesServiceClient::new(service.clone()).max_decoding_message_size(MAX_ANSWER);
        let proof = ProofServiceClient::new(service).max_decoding_message_size(MAX_ANSWER);
        let drivers = DriversServiceClient::new(session.client(&app.drivers));
        let drivers = drivers.max_decoding_message_size(MAX_ANSWER);
        let (items, history, shipments) = (deliveries.clone(), deliveries.clone(), deliveries.clone());
        let (variances, pod_requirements) = (deliveries.clone(), deliveries);
        let (customers, sources) = (parties.clone(), parties);
        let (attachments, forms) = (proof.clone(), proof);
        Self {
            items: Lookup::new(
                move |ask| {
                    let mut client = items.clone();
                    Box::pin(async move { Ok(client.batch_get_items(ask).await?.into_inner().items) })
                },
                |row| &row.delivery_id,
            ),
            history: Lookup::new(
                move |ask| {
                    let mut client = history.clone();
                    Box::pin(async move { Ok(client.batch_get_history(ask).await?.into_inner().history) })
                },
                |row| &row.delivery_id,
            ),
            shipments: Lookup::new(
                move |ask| {
                    let mut client = shipments.clone();
                    Box::pin(async move { Ok(client.batch_get_shipments(ask).await?.into_inner().shipments) })
                },
                |row| &row.shipmentnumber,
            ),
            customers: Lookup::new(
                move |ask| {
                    let mut client = customers.clone();
                    Box::pin(async move { Ok(client.batch_get_customers(ask).await?.into_inner().customers) })
                },
                |row| &row.customer_name,
            ),
            sources: Lookup::new(
                move |ask| {
                    let mut client = sources.clone();
                    Box::pin(async move { Ok(client.batch_get_sources(ask).await?.into_inner().sources) })
                },
                |row| &row.id,
            ),
            variances: Lookup::new(
                move |ask| {
                    let mut client = variances.clone();
                    Box::pin(async move { Ok(client.batch_get_variances(ask).await?.into_inner().variances) })
                },
                |row| &row.delivery_id,
            ),
            pod_requirements: Lookup::new(
                move |ask| {
                    let mut client = pod_requirements.clone();
                    Box::pin(async move {
                        Ok(client.batch_get_pod_requirements(ask).await?.into_inner().requirements)
                    })
                },
                |row| &row.delivery_id,
            ),
            attachments: Lookup::new(
                move |ask| {
                    let mut client = attachments.clone();
                    Box::pin(
                        async move { Ok(client.batch_get_attachments(ask).await?.into_inner().attachments) },
                    )
                },
                |row| &row.delivery_id,
            ),
            forms: Lookup::new(
                move |ask| {
                    let mut client = forms.clone();
                    Box::pin(async move { Ok(client.batch_get_forms(ask).await?.into_inner().forms) })
                },
                |row| &row.delivery_id,
            ),
            drivers: Lookup::new(
                move |ask| {
                    let mut client = drivers.clone();
                    Box::pin(async move { Ok(client.batch_get_drivers(ask).await?.into_inner().drivers) })
                },
                |row| &row.driver_id,
            ),
        }
    }
}
