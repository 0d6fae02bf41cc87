//! Deliveries: every method of the contract. Lists and the single view are here; what a change
//! takes and gives is in the files beside this one.

use kit::principal::{Role, principal};
use kit::{Error, Result};
use proto::common::v1::{BatchGetRequest, Count, CountRequest};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use super::{bounded, changes, imports, lists, outcomes, reasons, shown};
use crate::Context;
use crate::domain::actor::Actor;
use crate::store::{deliveries, requirements, shipments, truckers, variances};

const MAX_TRUCKERS: u64 = 100;

pub struct Service {
    pub context: Context,
}

#[tonic::async_trait]
impl DeliveriesService for Service {
    async fn list_deliveries(
        &self,
        request: Request<ListDeliveriesRequest>,
    ) -> Result<Response<ListDeliveriesResponse>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::STAFF)?);
        let page = request.into_inner().page.unwrap_or_default();
        let (rows, more) = deliveries::list(&self.context.db, &page).await?;
        let deliveries = rows.into_iter().map(|row| shown(row, &caller)).collect();
        Ok(Response::new(ListDeliveriesResponse { deliveries, more }))
    }

    async fn count_deliveries(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let filters = request.into_inner().r#where;
        Ok(Response::new(deliveries::count(&self.context.db, &filters).await?))
    }

    async fn get_delivery(&self, request: Request<GetDeliveryRequest>) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::STAFF)?);
        let row = deliveries::get(&self.context.db, &request.into_inner().id).await?;
        Ok(Response::new(shown(row, &caller)))
    }

    async fn batch_get_items(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetItemsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let rows = deliveries::items(&self.context.db, &ids).await?;
        Ok(Response::new(BatchGetItemsResponse { items: rows.into_iter().map(Into::into).collect() }))
    }

    async fn batch_get_history(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetHistoryResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let rows = deliveries::histories(&self.context.db, &ids).await?;
        Ok(Response::new(BatchGetHistoryResponse { history: rows.into_iter().map(Into::into).collect() }))
    }

    async fn batch_get_shipments(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetShipmentsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let numbers = bounded(request.into_inner().ids)?;
        let rows = shipments::by_numbers(&self.context.db, &numbers).await?;
        Ok(Response::new(BatchGetShipmentsResponse { shipments: rows.into_iter().map(Into::into).collect() }))
    }

    async fn list_truckers(
        &self,
        request: Request<ListTruckersRequest>,
    ) -> Result<Response<ListTruckersResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let request = request.into_inner();
        let limit = match u64::from(request.limit) {
            0 => MAX_TRUCKERS,
            limit if limit <= MAX_TRUCKERS => limit,
            _ => return Err(Error::invalid_field("limit", format!("at most {MAX_TRUCKERS}")).into()),
        };
        let truckers = truckers::by_prefix(&self.context.db, &request.starts_with, limit).await?;
        Ok(Response::new(ListTruckersResponse { truckers }))
    }

    async fn batch_get_variances(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetVariancesResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let rows = variances::by_deliveries(&self.context.db, &ids).await?;
        Ok(Response::new(BatchGetVariancesResponse { variances: rows.into_iter().map(Into::into).collect() }))
    }

    async fn batch_get_pod_requirements(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetPodRequirementsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let rows = deliveries::by_ids(&self.context.db, &ids).await?;
        let default = requirements::default(&self.context.config);
        let required = requirements::of(self.context.db.read(), &rows, &default).await?;
        let all = rows.into_iter().zip(required).map(|(row, required)| PodRequirement {
            delivery_id: row.id,
            proofs: required.names().map(str::to_owned).collect(),
        });
        Ok(Response::new(BatchGetPodRequirementsResponse { requirements: all.collect() }))
    }

    async fn create_delivery(
        &self,
        request: Request<CreateDeliveryRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(changes::create(&self.context, &caller, request.into_inner()).await?))
    }

    async fn update_delivery(
        &self,
        request: Request<UpdateDeliveryRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(changes::update(&self.context, &caller, request.into_inner()).await?))
    }

    async fn create_delivery_item(
        &self,
        request: Request<CreateDeliveryItemRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(changes::create_item(&self.context, &caller, request.into_inner()).await?))
    }

    async fn update_delivery_item(
        &self,
        request: Request<UpdateDeliveryItemRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(changes::update_item(&self.context, &caller, request.into_inner()).await?))
    }

    async fn delete_delivery_item(
        &self,
        request: Request<DeleteDeliveryItemRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(changes::delete_item(&self.context, &caller, request.into_inner()).await?))
    }

    async fn record_outcome(
        &self,
        request: Request<RecordOutcomeRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(outcomes::record(&self.context, &caller, request.into_inner()).await?))
    }

    async fn reschedule_delivery(
        &self,
        request: Request<RescheduleDeliveryRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(outcomes::reschedule(&self.context, &caller, request.into_inner()).await?))
    }

    async fn reschedule_deliveries(
        &self,
        request: Request<RescheduleDeliveriesRequest>,
    ) -> Result<Response<BulkResults>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(outcomes::reschedule_all(&self.context, &caller, request.into_inner()).await?))
    }

    async fn assign_driver(
        &self,
        request: Request<AssignDriverRequest>,
    ) -> Result<Response<BulkResults>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(changes::assign(&self.context, &caller, request.into_inner()).await?))
    }

    async fn correct_delivery(
        &self,
        request: Request<CorrectDeliveryRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(outcomes::correct(&self.context, &caller, request.into_inner()).await?))
    }

    async fn resolve_conflict(
        &self,
        request: Request<ResolveConflictRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(changes::resolve_conflict(&self.context, &caller, request.into_inner()).await?))
    }

    async fn list_reasons(
        &self,
        request: Request<ListReasonsRequest>,
    ) -> Result<Response<ListReasonsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        Ok(Response::new(reasons::list(&self.context, request.into_inner()).await?))
    }

    async fn update_reason(&self, request: Request<UpdateReasonRequest>) -> Result<Response<Reason>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::ADMINS)?);
        Ok(Response::new(reasons::update(&self.context, &caller, request.into_inner()).await?))
    }

    async fn import_deliveries(
        &self,
        request: Request<ImportDeliveriesRequest>,
    ) -> Result<Response<ImportDeliveriesResponse>, Status> {
        principal(&request)?.require_service("upload")?;
        let batch = imports::batch(request.into_inner())?;
        Ok(Response::new(crate::store::imports::run(&self.context, batch).await?))
    }

    async fn list_status_histories(
        &self,
        request: Request<ListStatusHistoriesRequest>,
    ) -> Result<Response<ListStatusHistoriesResponse>, Status> {
        lists::list_status_histories(&self.context, request).await
    }

    async fn count_status_histories(
        &self,
        request: Request<CountRequest>,
    ) -> Result<Response<Count>, Status> {
        lists::count_status_histories(&self.context, request).await
    }

    type ExportDeliveriesStream = lists::Export;

    async fn export_deliveries(
        &self,
        request: Request<ExportDeliveriesRequest>,
    ) -> Result<Response<Self::ExportDeliveriesStream>, Status> {
        lists::export_deliveries(&self.context, request).await
    }
}
