//! Deliveries: lists, the single view, and the import of batches.

use kit::principal::{Role, principal};
use kit::{Error, Result};
use proto::common::v1::{BatchGetRequest, Count, CountRequest};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;
use tonic::{Request, Response, Status};

use super::bounded;
use crate::Context;
use crate::domain::import::{Item, Row};
use crate::store::{deliveries, imports, shipments, truckers};

const MAX_ROWS: usize = 1_000;
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
        principal(&request)?.require(Role::STAFF)?;
        let page = request.into_inner().page.unwrap_or_default();
        let (rows, more) = deliveries::list(&self.context.db, &page).await?;
        let deliveries = rows.into_iter().map(Into::into).collect();
        Ok(Response::new(ListDeliveriesResponse { deliveries, more }))
    }

    async fn count_deliveries(&self, request: Request<CountRequest>) -> Result<Response<Count>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let filters = request.into_inner().r#where;
        Ok(Response::new(deliveries::count(&self.context.db, &filters).await?))
    }

    async fn get_delivery(&self, request: Request<GetDeliveryRequest>) -> Result<Response<Delivery>, Status> {
        principal(&request)?.require(Role::STAFF)?;
        let row = deliveries::get(&self.context.db, &request.into_inner().id).await?;
        Ok(Response::new(row.into()))
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

    async fn import_deliveries(
        &self,
        request: Request<ImportDeliveriesRequest>,
    ) -> Result<Response<ImportDeliveriesResponse>, Status> {
        principal(&request)?.require_service("upload")?;
        let batch = batch(request.into_inner())?;
        Ok(Response::new(imports::run(&self.context.db, &self.context.clock, batch).await?))
    }
}

/// The upload service checked the lines for people; this checks that it is the upload service's
/// shape, and says so in terms of the contract.
fn batch(request: ImportDeliveriesRequest) -> Result<imports::Batch> {
    let broken =
        |what: &str| Error::invalid("IMPORT_BATCH_INVALID", format!("not a batch of an import: {what}"));
    if request.rows.is_empty() || request.rows.len() > MAX_ROWS {
        return Err(broken("it has 1 to 1,000 rows"));
    }
    Ok(imports::Batch {
        upload: request.upload_log_id.parse().map_err(|_| broken("upload_log_id"))?,
        number: i32::try_from(request.batch).map_err(|_| broken("batch"))?,
        source_id: request.source_id,
        actor: request.uploaded_by,
        rows: request
            .rows
            .into_iter()
            .map(|row| row_of(row).ok_or_else(|| broken("a row")))
            .collect::<Result<_>>()?,
    })
}

/// Nothing when a required part is missing.
fn row_of(row: ImportRow) -> Option<Row> {
    let ImportRow {
        line,
        delivery_id,
        shipmentnumber,
        customername,
        scheduledatetime,
        trucker,
        driver_id,
        referencedoc,
        customeraddress,
        customer_email,
        contact_name,
        contact_phone,
        contact_email,
        instructions,
        internal_note,
        priority,
        time_window_start,
        time_window_end,
        item,
    } = row;
    let required = [&delivery_id, &shipmentnumber, &customername];
    if required.into_iter().any(|text| text.trim().is_empty()) {
        return None;
    }
    let priority = match priority {
        None => None,
        Some(number) => Some(Priority::try_from(number).ok()?.try_into().ok()?),
    };
    Some(Row {
        line,
        id: delivery_id,
        shipmentnumber,
        customername,
        customer_email,
        scheduledatetime: proto::instant(scheduledatetime?)?,
        trucker,
        driver_id,
        referencedoc,
        customeraddress,
        contact_name,
        contact_phone,
        contact_email,
        instructions,
        internal_note,
        priority,
        time_window_start: time_window_start.and_then(proto::instant),
        time_window_end: time_window_end.and_then(proto::instant),
        item: item.map(|item| Item {
            item_number: item.item_number,
            sku: item.sku,
            description: item.description,
            unit: item.unit,
            quantity: item.quantity_thousandths,
            weight_grams: item.weight_grams,
            barcode: item.barcode,
        }),
    })
}
