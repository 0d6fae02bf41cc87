//! The stand-in for deliveries.

use std::sync::Arc;

use kit::input::limits;
use kit::{Error, Role};
use proto::common::v1::{BatchGetRequest, Count, CountRequest};
use proto::deliveries::v1::deliveries_service_server::DeliveriesService;
use proto::deliveries::v1::*;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};

use super::{Answer, Stage, note, prost_at};

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
        time_window_start: Some(prost_at(1_800_003_600)),
        time_window_end: Some(prost_at(1_800_007_200)),
        scanmode: ScanMode::Yes.into(),
        // The first delivery has no driver. Each of the others has one of three drivers.
        driver_id: (n > 1).then(|| format!("drv/{}", n % 3)),
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
        address_point: Some(GeoPoint { lat: 14.5, lng: 121.0, accuracy: Some(12.0) }),
        received_by: Some("Ana".into()),
        received_by_relation: Some(Relation::SafePlace.into()),
        outcome_distance_m: Some(31.5),
        form_version: 2,
        // The last action is not in the contract, as if a newer service had sent it.
        allowed_actions: vec!["correct_lines".into(), "print".into(), "teleport".into()],
        ..Delivery::default()
    }
}

/// Returns a delivery with these fields, and with none of the others.
fn only(fields: &[String], delivery: Delivery) -> Delivery {
    macro_rules! only {
        ($($field:ident)+) => {
            Delivery {
                $($field: match fields.iter().any(|name| name == stringify!($field)) {
                    true => delivery.$field,
                    false => Default::default(),
                },)+
                ..Delivery::default()
            }
        };
    }
    only!(
        id deliverystatus shipmentnumber customername trucker driver_id scheduledatetime deliverydatetime scanmode
        referencedoc source_id upload_log_id linecount customeraddress time_window_start time_window_end
        contact_name contact_phone contact_email instructions internal_note priority attempt max_attempts
        created_at created_by updated_at updated_by version address_point received_by received_by_relation
        outcome_reason outcome_note outcome_point outcome_distance_m outcome_occurred_at outcome_received_at late
        conflict form_version allowed_actions incomplete_upload_log_id
    )
}

/// Returns the items of a delivery: two, or as many as are `long` for the first delivery.
fn items(id: &str, long: u32) -> impl Iterator<Item = DeliveryItem> + use<> {
    // The service's own spelling of the id, which may differ from the caller's.
    let delivery_id = id.to_lowercase();
    let (lines, description) = match delivery_id.as_str() {
        "d-1" if long > 0 => (long, Some("x".repeat(limits::NOTE))),
        _ => (2, None),
    };
    (1..=lines).map(move |number| DeliveryItem {
        delivery_id: delivery_id.clone(),
        item_number: number.to_string(),
        description: description.clone(),
        quantity_thousandths: 2_500,
        weight_grams: Some(1_250),
        delivered_thousandths: 2_000,
        condition: Condition::WrongItem.into(),
        ..DeliveryItem::default()
    })
}

fn step(id: &str) -> DeliveryStatusHistory {
    DeliveryStatusHistory {
        id: format!("h-{id}"),
        delivery_id: id.to_owned(),
        to_status: DeliveryStatus::Pending.into(),
        occurred_at: Some(prost_at(1)),
        received_at: Some(prost_at(2)),
        ..DeliveryStatusHistory::default()
    }
}

#[tonic::async_trait]
impl DeliveriesService for Deliveries {
    async fn list_deliveries(
        &self,
        request: Request<ListDeliveriesRequest>,
    ) -> Answer<ListDeliveriesResponse> {
        self.0.page_for(&Role::ALL, &request, &request.get_ref().page).await?;
        self.0.keep(&request);
        let (mut deliveries, more) = self.0.page_of_day(request.get_ref().page.as_ref().unwrap());
        if self.0.strange() {
            deliveries[0].deliverystatus = 99;
        }
        if let Some(lines) = self.0.memory.lock().unwrap().lines {
            deliveries.iter_mut().for_each(|delivery| delivery.linecount = lines);
        }
        let fields = &request.get_ref().fields;
        if !fields.is_empty() {
            deliveries = deliveries.into_iter().map(|delivery| only(fields, delivery)).collect();
        }
        Ok(Response::new(ListDeliveriesResponse { deliveries, more }))
    }

    async fn count_deliveries(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 10_000, exact: false }))
    }

    async fn count_delivery_drivers(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count drivers").await?;
        Ok(Response::new(Count { total: 12, exact: true }))
    }

    async fn get_delivery(&self, request: Request<GetDeliveryRequest>) -> Answer<Delivery> {
        self.0.anybody(&request, "get").await?;
        self.0.keep(&request);
        let GetDeliveryRequest { id, items_up_to, history } = request.into_inner();
        if id.to_lowercase() != "d-1" {
            return Err(Error::not_found("DELIVERY_NOT_FOUND", "There is no such delivery.").into());
        }
        let mut found = delivery(1);
        let memory = self.0.memory.lock().unwrap();
        if !memory.earlier {
            let items: Vec<_> = items(&id, memory.long_lines).collect();
            found.items = (items.len() <= items_up_to as usize).then_some(DeliveryItems { items });
            found.history = history.then(|| DeliveryHistory { history: vec![step(&id)] });
        }
        Ok(Response::new(found))
    }

    async fn batch_get_items(&self, request: Request<BatchGetRequest>) -> Answer<BatchGetItemsResponse> {
        self.0.anybody(&request, note("items", &request.get_ref().ids)).await?;
        let long = self.0.memory.lock().unwrap().long_lines;
        let ids = self.0.readable(&request.get_ref().ids);
        let items = ids.iter().flat_map(|id| items(id, long));
        Ok(Response::new(BatchGetItemsResponse { items: items.collect() }))
    }

    async fn batch_get_history(&self, request: Request<BatchGetRequest>) -> Answer<BatchGetHistoryResponse> {
        self.0.staff(&request, note("history", &request.get_ref().ids)).await?;
        let history = request.get_ref().ids.iter().map(|id| step(id)).collect();
        Ok(Response::new(BatchGetHistoryResponse { history }))
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

    async fn batch_get_driver_days(
        &self,
        request: Request<BatchGetDriverDaysRequest>,
    ) -> Answer<BatchGetDriverDaysResponse> {
        self.0.staff(&request, note("days", &request.get_ref().driver_ids)).await?;
        self.0.keep(&request);
        let days = request.get_ref().driver_ids.iter().map(|id| DriverDay {
            driver_id: id.clone(),
            total: 9,
            done: 4,
            undelivered: 1,
            current_delivery_id: Some("D-1".into()),
            next_delivery_id: None,
        });
        Ok(Response::new(BatchGetDriverDaysResponse { days: days.collect() }))
    }

    async fn list_truckers(&self, request: Request<ListTruckersRequest>) -> Answer<ListTruckersResponse> {
        self.0.staff(&request, "truckers").await?;
        let ListTruckersRequest { starts_with, limit, offset } = request.into_inner();
        let truckers = vec![format!("{starts_with}: {limit} from {offset}")];
        Ok(Response::new(ListTruckersResponse { truckers }))
    }

    async fn import_deliveries(
        &self,
        _: Request<ImportDeliveriesRequest>,
    ) -> Answer<ImportDeliveriesResponse> {
        Err(Status::unimplemented("not here"))
    }

    async fn undo_import(&self, _: Request<UndoImportRequest>) -> Answer<UndoImportResponse> {
        Err(Status::unimplemented("not here"))
    }

    async fn preview_undo(&self, _: Request<PreviewUndoRequest>) -> Answer<UndoCounts> {
        Err(Status::unimplemented("not here"))
    }

    async fn list_undo_exceptions(
        &self,
        request: Request<ListUndoExceptionsRequest>,
    ) -> Answer<ListUndoExceptionsResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        let exception = UndoException {
            delivery_id: "DR-1".into(),
            failed: false,
            code: "DELIVERY_TOUCHED".into(),
            touched_by: Some("ben".into()),
            touched_at: Some(prost_at(2)),
        };
        Ok(Response::new(ListUndoExceptionsResponse { exceptions: vec![exception], more: false }))
    }

    async fn batch_get_variances(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Answer<BatchGetVariancesResponse> {
        self.0.staff(&request, note("variances", &request.get_ref().ids)).await?;
        let variances = request.get_ref().ids.iter().map(|id| variance(id)).collect();
        Ok(Response::new(BatchGetVariancesResponse { variances }))
    }

    async fn batch_get_pod_requirements(
        &self,
        request: Request<BatchGetRequest>,
    ) -> Answer<BatchGetPodRequirementsResponse> {
        self.0.anybody(&request, note("requirements", &request.get_ref().ids)).await?;
        let requirements = self.0.readable(&request.get_ref().ids).into_iter().map(|delivery_id| {
            PodRequirement { delivery_id, proofs: vec!["signature".into(), "photo".into()] }
        });
        Ok(Response::new(BatchGetPodRequirementsResponse { requirements: requirements.collect() }))
    }

    async fn list_status_histories(
        &self,
        request: Request<ListStatusHistoriesRequest>,
    ) -> Answer<ListStatusHistoriesResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        let change = FieldChange {
            item_number: Some("1".into()),
            field: "quantityDelivered".into(),
            before: Some("0".into()),
            after: None,
        };
        let step = DeliveryStatusHistory {
            id: "h-1".into(),
            delivery_id: "D-1".into(),
            shipmentnumber: "SHP-1".into(),
            from_status: Some(DeliveryStatus::Pending.into()),
            to_status: DeliveryStatus::Rejected.into(),
            occurred_at: Some(prost_at(1)),
            received_at: Some(prost_at(2)),
            point: Some(GeoPoint { lat: 14.5, lng: 121.0, accuracy: None }),
            late: true,
            superseded: true,
            changes: vec![change],
            ..DeliveryStatusHistory::default()
        };
        Ok(Response::new(ListStatusHistoriesResponse { histories: vec![step], more: false }))
    }

    async fn count_status_histories(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 1, exact: true }))
    }

    async fn create_delivery(&self, request: Request<CreateDeliveryRequest>) -> Answer<Delivery> {
        self.0.editor(&request, "create").await?;
        self.0.keep(&request);
        Ok(Response::new(Delivery { id: request.get_ref().id.clone(), ..delivery(1) }))
    }

    async fn update_delivery(&self, request: Request<UpdateDeliveryRequest>) -> Answer<Delivery> {
        self.0.editor(&request, "update").await?;
        self.0.keep(&request);
        if request.get_ref().version != 7 {
            return Err(Error::precondition("DELIVERY_CHANGED", "Somebody else changed it.").into());
        }
        Ok(Response::new(delivery(1)))
    }

    async fn create_delivery_item(&self, request: Request<CreateDeliveryItemRequest>) -> Answer<Delivery> {
        self.0.editor(&request, "create item").await?;
        self.0.keep(&request);
        Ok(Response::new(delivery(1)))
    }

    async fn update_delivery_item(&self, request: Request<UpdateDeliveryItemRequest>) -> Answer<Delivery> {
        self.0.editor(&request, "update item").await?;
        self.0.keep(&request);
        Ok(Response::new(delivery(1)))
    }

    async fn delete_delivery_item(&self, request: Request<DeleteDeliveryItemRequest>) -> Answer<Delivery> {
        self.0.editor(&request, "delete item").await?;
        self.0.keep(&request);
        Ok(Response::new(delivery(1)))
    }

    async fn record_outcome(&self, request: Request<RecordOutcomeRequest>) -> Answer<Delivery> {
        self.0.teller(&request, "outcome").await?;
        self.0.keep(&request);
        if request.get_ref().received_by.as_deref() == Some("") {
            let error = Error::invalid_field("receivedBy", "Name of the recipient is required")
                .field("lines.0.varianceReason", "Reason is required");
            return Err(error.into());
        }
        Ok(Response::new(delivery(1)))
    }

    async fn reschedule_delivery(&self, request: Request<RescheduleDeliveryRequest>) -> Answer<Delivery> {
        self.0.editor(&request, "reschedule").await?;
        self.0.keep(&request);
        Ok(Response::new(delivery(1)))
    }

    async fn reschedule_deliveries(
        &self,
        request: Request<RescheduleDeliveriesRequest>,
    ) -> Answer<BulkResults> {
        self.0.editor(&request, "reschedule").await?;
        self.0.keep(&request);
        Ok(Response::new(results(&request.get_ref().delivery_ids)))
    }

    async fn assign_driver(&self, request: Request<AssignDriverRequest>) -> Answer<BulkResults> {
        self.0.editor(&request, "assign").await?;
        self.0.keep(&request);
        Ok(Response::new(results(&request.get_ref().delivery_ids)))
    }

    async fn change_dispatch_times(
        &self,
        request: Request<ChangeDispatchTimesRequest>,
    ) -> Answer<BulkResults> {
        self.0.editor(&request, "move").await?;
        self.0.keep(&request);
        let ids: Vec<String> = request.get_ref().changes.iter().map(|it| it.delivery_id.clone()).collect();
        Ok(Response::new(results(&ids)))
    }

    async fn correct_delivery(&self, request: Request<CorrectDeliveryRequest>) -> Answer<Delivery> {
        self.0.editor(&request, "correct").await?;
        self.0.keep(&request);
        Ok(Response::new(delivery(1)))
    }

    async fn resolve_conflict(&self, request: Request<ResolveConflictRequest>) -> Answer<Delivery> {
        self.0.editor(&request, "resolve").await?;
        self.0.keep(&request);
        Ok(Response::new(delivery(1)))
    }

    async fn list_reasons(&self, request: Request<ListReasonsRequest>) -> Answer<ListReasonsResponse> {
        self.0.anybody(&request, format!("reasons {}", request.get_ref().applies_to)).await?;
        Ok(Response::new(ListReasonsResponse { reasons: vec![reason("Damaged on the way")] }))
    }

    async fn update_reason(&self, request: Request<UpdateReasonRequest>) -> Answer<Reason> {
        self.0.holder(Role::ADMINS, &request, "reason").await?;
        self.0.keep(&request);
        Ok(Response::new(reason(&request.get_ref().label)))
    }

    type ExportDeliveriesStream = ReceiverStream<Result<ExportDeliveriesResponse, Status>>;

    async fn export_deliveries(
        &self,
        request: Request<ExportDeliveriesRequest>,
    ) -> Answer<Self::ExportDeliveriesStream> {
        self.0.staff(&request, "export").await?;
        self.0.keep(&request);
        let (sender, receiver) = tokio::sync::mpsc::channel(2);
        let stage = self.0.clone();
        tokio::spawn(async move {
            for chunk in stage.export() {
                if sender.send(chunk).await.is_err() {
                    stage.note("export dropped");
                    return;
                }
            }
        });
        Ok(Response::new(ReceiverStream::new(receiver)))
    }
}

fn variance(id: &str) -> Variance {
    Variance {
        id: format!("v-{id}"),
        delivery_id: id.to_owned(),
        attempt: 1,
        item_number: Some("1".into()),
        kind: "wrong_item".into(),
        expected_thousandths: 2_500,
        actual_thousandths: 2_000,
        difference_thousandths: -500,
        reported_by: "office".into(),
        occurred_at: Some(prost_at(1)),
        ..Variance::default()
    }
}

fn reason(label: &str) -> Reason {
    Reason {
        applies_to: "variance".into(),
        code: "damaged_in_transit".into(),
        label: label.to_owned(),
        responsible: "carrier".into(),
        is_active: true,
        order: 4,
        version: 2,
        ..Reason::default()
    }
}

/// Accepts the first delivery and refuses the others.
fn results(ids: &[String]) -> BulkResults {
    let results = ids.iter().enumerate().map(|(at, id)| match at {
        0 => BulkResult { delivery_id: id.clone(), ok: true, ..BulkResult::default() },
        _ => BulkResult {
            delivery_id: id.clone(),
            ok: false,
            code: "DELIVERY_NOT_FOUND".into(),
            text: "There is no such delivery.".into(),
        },
    });
    BulkResults { results: results.collect() }
}
