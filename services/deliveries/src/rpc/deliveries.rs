//! The handlers of the service Deliveries. Lists and single views are here; the files beside this one convert
//! the requests of commands.

use ::store::audit;
use ::store::page::window;
use chrono::{DateTime, TimeDelta, Utc};
use kit::principal::{Role, caller, principal};
use kit::{Error, Result};
use prost_types::Timestamp;
use proto::common::v1::{BatchGetRequest, Count, CountRequest, Filter, Page};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use super::{
    MAX_IDS, admit, bounded, correct, create, edit, edit_items, export, histories, import, is_readable,
    reasons, record_outcome, reschedule, resolve_conflict, selected, shown, undo_import, without_actions,
};
use crate::Context;
use crate::commands;
use crate::domain::actor::Actor;
use crate::domain::driver::require_own;
use crate::queries::{
    self, columns, deliveries, driver_days, items, proof_requirements, shipments, truckers, variances,
};

/// Number of truckers if a request sets no limit.
const MAX_TRUCKERS: u32 = 100;
/// Maximum range of days per request.
const MAX_RANGE: TimeDelta = TimeDelta::days(31);
/// Key of the filter by driver.
const DRIVER: &str = "driverId";

pub struct Service {
    pub context: Context,
}

#[tonic::async_trait]
impl DeliveriesService for Service {
    async fn list_deliveries(
        &self,
        request: Request<ListDeliveriesRequest>,
    ) -> Result<Response<ListDeliveriesResponse>, Status> {
        let caller = admit(principal(&request)?, Role::STAFF)?;
        let ListDeliveriesRequest { page, ids_only, fields } = request.into_inner();
        let page = narrowed(page.unwrap_or_default(), &caller);
        if ids_only {
            let (ids, more) = deliveries::ids(&self.context.db, &page).await?;
            let deliveries = ids.into_iter().map(|id| Delivery { id, ..Delivery::default() }).collect();
            return Ok(Response::new(ListDeliveriesResponse { deliveries, more }));
        }
        let columns = columns::of(&fields);
        let shows_actions = columns.is_none() || fields.iter().any(|name| name == "allowed_actions");
        let (rows, more) = match columns {
            Some(columns) => deliveries::in_part(&self.context.db, &page, &columns).await?,
            None => deliveries::list(&self.context.db, &page).await?,
        };
        let shown = if shows_actions { shown } else { without_actions };
        let deliveries = rows.into_iter().map(|row| shown(row, &caller)).collect();
        Ok(Response::new(ListDeliveriesResponse { deliveries, more }))
    }

    async fn count_deliveries(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let filters = request.into_inner().r#where;
        Ok(Response::new(deliveries::count(&self.context.db, &filters).await?))
    }

    async fn count_delivery_drivers(
        &self,
        request: Request<CountRequest>,
    ) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let filters = request.into_inner().r#where;
        Ok(Response::new(deliveries::count_drivers(&self.context.db, &filters).await?))
    }

    async fn get_delivery(&self, request: Request<GetDeliveryRequest>) -> Result<Response<Delivery>, Status> {
        let caller = admit(principal(&request)?, Role::STAFF)?;
        let GetDeliveryRequest { id: asked, items_up_to, history } = request.into_inner();
        let db = &self.context.db;
        let items = async {
            if items_up_to == 0 {
                return Ok(None);
            }
            items::few(db, &asked, items_up_to).await
        };
        let history = async {
            if !history || caller.is_driver() {
                return Ok(None);
            }
            queries::histories::by_deliveries(db, std::slice::from_ref(&asked)).await.map(Some)
        };
        let (row, items, history) = futures::try_join!(deliveries::get(db, &asked), items, history)?;
        require_own(&asked, row.driver_id.as_deref(), &caller)?;
        let items = items.map(|rows| DeliveryItems { items: rows.into_iter().map(Into::into).collect() });
        let history =
            history.map(|rows| DeliveryHistory { history: rows.into_iter().map(Into::into).collect() });
        Ok(Response::new(Delivery { items, history, ..shown(row, &caller) }))
    }

    async fn batch_get_items(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetItemsResponse>, Status> {
        let caller = admit(principal(&request)?, Role::STAFF)?;
        let ids = self.readable(bounded(request.into_inner().ids)?, &caller).await?;
        let rows = items::by_deliveries(&self.context.db, &ids).await?;
        Ok(Response::new(BatchGetItemsResponse { items: rows.into_iter().map(Into::into).collect() }))
    }

    async fn batch_get_history(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Result<Response<BatchGetHistoryResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let rows = queries::histories::by_deliveries(&self.context.db, &ids).await?;
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
        let ListTruckersRequest { starts_with, limit, offset } = request.into_inner();
        let limit = if limit == 0 { MAX_TRUCKERS } else { limit };
        let window = window(&Page { limit, offset, ..Page::default() })?;
        let truckers = truckers::by_prefix(&self.context.db, &starts_with, window).await?;
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
        let caller = admit(principal(&request)?, Role::STAFF)?;
        let ids = bounded(request.into_inner().ids)?;
        let mut rows = deliveries::by_ids(&self.context.db, &ids).await?;
        rows.retain(|row| is_readable(row, &caller));
        let default = proof_requirements::default(&self.context.rules());
        let required = proof_requirements::of(self.context.db.read(), &rows, &default).await?;
        let all = rows.into_iter().zip(required).map(|(row, required)| PodRequirement {
            delivery_id: row.id,
            proofs: required.names().map(str::to_owned).collect(),
        });
        Ok(Response::new(BatchGetPodRequirementsResponse { requirements: all.collect() }))
    }

    async fn batch_get_driver_days(
        &self,
        request: Request<BatchGetDriverDaysRequest>,
    ) -> Result<Response<BatchGetDriverDaysResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let BatchGetDriverDaysRequest { driver_ids, from, to } = request.into_inner();
        if driver_ids.len() > MAX_IDS {
            return Err(Error::invalid_field("driverIds", format!("at most {MAX_IDS} at once")).into());
        }
        let (from, to) = time_range(from, to)?;
        let days = driver_days::of(&self.context.db, &driver_ids, from, to).await?;
        Ok(Response::new(BatchGetDriverDaysResponse { days }))
    }

    async fn create_delivery(
        &self,
        request: Request<CreateDeliveryRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(create::run(&self.context, &caller, request.into_inner()).await?))
    }

    async fn update_delivery(
        &self,
        request: Request<UpdateDeliveryRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(edit::run(&self.context, &caller, request.into_inner()).await?))
    }

    async fn create_delivery_item(
        &self,
        request: Request<CreateDeliveryItemRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(edit_items::create(&self.context, &caller, request.into_inner()).await?))
    }

    async fn update_delivery_item(
        &self,
        request: Request<UpdateDeliveryItemRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(edit_items::update(&self.context, &caller, request.into_inner()).await?))
    }

    async fn delete_delivery_item(
        &self,
        request: Request<DeleteDeliveryItemRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(edit_items::delete(&self.context, &caller, request.into_inner()).await?))
    }

    async fn record_outcome(
        &self,
        request: Request<RecordOutcomeRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = admit(principal(&request)?, Role::EDITORS)?;
        Ok(Response::new(record_outcome::run(&self.context, &caller, request.into_inner()).await?))
    }

    async fn reschedule_delivery(
        &self,
        request: Request<RescheduleDeliveryRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(reschedule::run(&self.context, &caller, request.into_inner()).await?))
    }

    async fn reschedule_deliveries(
        &self,
        request: Request<RescheduleDeliveriesRequest>,
    ) -> Result<Response<BulkResults>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(reschedule::all(&self.context, &caller, request.into_inner()).await?))
    }

    async fn assign_driver(
        &self,
        request: Request<AssignDriverRequest>,
    ) -> Result<Response<BulkResults>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(selected::assign_driver(&self.context, &caller, request.into_inner()).await?))
    }

    async fn change_dispatch_times(
        &self,
        request: Request<ChangeDispatchTimesRequest>,
    ) -> Result<Response<BulkResults>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(selected::dispatch_times(&self.context, &caller, request.into_inner()).await?))
    }

    async fn correct_delivery(
        &self,
        request: Request<CorrectDeliveryRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(correct::run(&self.context, &caller, request.into_inner()).await?))
    }

    async fn resolve_conflict(
        &self,
        request: Request<ResolveConflictRequest>,
    ) -> Result<Response<Delivery>, Status> {
        let caller = Actor::from(principal(&request)?.require(Role::EDITORS)?);
        Ok(Response::new(resolve_conflict::run(&self.context, &caller, request.into_inner()).await?))
    }

    async fn list_reasons(
        &self,
        request: Request<ListReasonsRequest>,
    ) -> Result<Response<ListReasonsResponse>, Status> {
        let who = principal(&request)?;
        // Analytics labels the reasons in reports that it mails.
        if who.require_service("analytics").is_err() {
            admit(who, Role::STAFF)?;
        }
        Ok(Response::new(reasons::list(&self.context, request.into_inner()).await?))
    }

    async fn update_reason(&self, request: Request<UpdateReasonRequest>) -> Result<Response<Reason>, Status> {
        principal(&request)?.require(Role::ADMINS)?;
        let actor = audit::Actor::from(caller(&request)?);
        Ok(Response::new(reasons::update(&self.context, &actor, request.into_inner()).await?))
    }

    async fn import_deliveries(
        &self,
        request: Request<ImportDeliveriesRequest>,
    ) -> Result<Response<ImportDeliveriesResponse>, Status> {
        principal(&request)?.require_service("upload")?;
        let batch = import::batch(request.into_inner())?;
        Ok(Response::new(commands::import::run(&self.context, batch).await?))
    }

    async fn undo_import(
        &self,
        request: Request<UndoImportRequest>,
    ) -> Result<Response<UndoImportResponse>, Status> {
        principal(&request)?.require_service("upload")?;
        let undo = undo_import::part(request.into_inner())?;
        Ok(Response::new(commands::undo_import::run(&self.context, &undo).await?))
    }

    async fn preview_undo(
        &self,
        request: Request<PreviewUndoRequest>,
    ) -> Result<Response<UndoCounts>, Status> {
        principal(&request)?.require_service("upload")?;
        let upload = undo_import::upload(&request.into_inner().upload_log_id)?;
        Ok(Response::new(queries::undo_import::preview(&self.context.db, upload).await?))
    }

    async fn list_undo_exceptions(
        &self,
        request: Request<ListUndoExceptionsRequest>,
    ) -> Result<Response<ListUndoExceptionsResponse>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let ListUndoExceptionsRequest { upload_log_id, page } = request.into_inner();
        let (upload, page) = (undo_import::upload(&upload_log_id)?, page.unwrap_or_default());
        let (rows, more) = queries::undo_import::exceptions(&self.context.db, upload, &page).await?;
        let exceptions = rows.into_iter().map(Into::into).collect();
        Ok(Response::new(ListUndoExceptionsResponse { exceptions, more }))
    }

    async fn list_status_histories(
        &self,
        request: Request<ListStatusHistoriesRequest>,
    ) -> Result<Response<ListStatusHistoriesResponse>, Status> {
        histories::list(&self.context, request).await
    }

    async fn count_status_histories(
        &self,
        request: Request<CountRequest>,
    ) -> Result<Response<Count>, Status> {
        histories::count(&self.context, request).await
    }

    type ExportDeliveriesStream = export::Export;

    async fn export_deliveries(
        &self,
        request: Request<ExportDeliveriesRequest>,
    ) -> Result<Response<Self::ExportDeliveriesStream>, Status> {
        export::export_deliveries(&self.context, request).await
    }
}

impl Service {
    /// Returns those deliveries that the caller may read.
    async fn readable(&self, ids: Vec<String>, caller: &Actor) -> Result<Vec<String>> {
        if !caller.is_driver() {
            return Ok(ids);
        }
        let rows = deliveries::by_ids(&self.context.db, &ids).await?;
        Ok(rows.into_iter().filter(|row| is_readable(row, caller)).map(|row| row.id).collect())
    }
}

/// Restricts a driver's page to their own deliveries, whatever driver they ask for.
fn narrowed(mut page: Page, caller: &Actor) -> Page {
    if let Actor::Driver { driver_id, .. } = caller {
        page.r#where.retain(|filter| filter.key != DRIVER);
        page.r#where.push(Filter {
            key: DRIVER.to_owned(),
            operator: "equals".to_owned(),
            values: vec![driver_id.clone()],
        });
    }
    page
}

fn time_range(from: Option<Timestamp>, to: Option<Timestamp>) -> Result<(DateTime<Utc>, DateTime<Utc>)> {
    let instant = |at: Option<Timestamp>, field: &str| {
        at.and_then(proto::instant).ok_or_else(|| Error::invalid_field(field, "Time is required"))
    };
    let (from, to) = (instant(from, "from")?, instant(to, "to")?);
    if from >= to || to - from > MAX_RANGE {
        let text = format!("Between from and to must be up to {} days", MAX_RANGE.num_days());
        return Err(Error::invalid_field("to", text));
    }
    Ok((from, to))
}
