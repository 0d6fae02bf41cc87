//! The stand-in for the upload service.

use std::sync::Arc;

use kit::Error;
use kit::principal::Role;
use proto::common::v1::{Count, CountRequest};
use proto::upload::v1::upload_service_server::UploadService;
use proto::upload::v1::*;
use tonic::{Request, Response};

use super::{Answer, Stage, prost_at};

pub struct Uploads(pub Arc<Stage>);

fn default_values(defaults: &[UploadDefault]) -> String {
    defaults.iter().map(|it| format!(" {}={}", it.field, it.value)).collect()
}

fn warning() -> UploadWarning {
    UploadWarning {
        number: 0,
        line: Some(3),
        column: Some("Plate".into()),
        code: "HEADING_NOT_USED".into(),
        text: "is not used".into(),
        sheet: None,
    }
}

fn log(id: &str, filename: &str) -> UploadLog {
    UploadLog {
        id: id.to_owned(),
        filename: filename.to_owned(),
        status: UploadStatus::ImportedWithErrors.into(),
        source_id: "src".into(),
        mode: UploadMode::Upsert.into(),
        size_bytes: 5_000_000_000,
        created_at: Some(prost_at(1)),
        warnings: 1,
        headings: vec!["Delivery Doc".into(), "Qty".into()],
        columns: vec![UploadColumn {
            heading: "Qty".into(),
            reading: UploadColumnReading::DecimalComma.into(),
        }],
        ..UploadLog::default()
    }
}

#[tonic::async_trait]
impl UploadService for Uploads {
    async fn request_link(&self, request: Request<RequestLinkRequest>) -> Answer<RequestLinkResponse> {
        self.0.staff(&request, format!("link {}", request.get_ref().filename)).await?;
        Ok(Response::new(RequestLinkResponse { url: "/objects/imports/x?expires=1".into() }))
    }

    async fn start_import(&self, request: Request<StartImportRequest>) -> Answer<UploadLog> {
        let StartImportRequest { url, filename, source_id, dry_run, idempotency_key, choose_columns, .. } =
            request.get_ref().clone();
        let how = match (dry_run, choose_columns) {
            (true, _) => " check",
            (false, true) => " columns",
            (false, false) => "",
        };
        let call = format!("import {url} {filename} {source_id}{how} {idempotency_key}");
        self.0.staff(&request, call.trim_end()).await?;
        if idempotency_key == "used" {
            return Err(Error::invalid("IDEMPOTENCY_KEY_REUSED", "It was used for another request").into());
        }
        Ok(Response::new(log("log-1", &filename)))
    }

    async fn commit_import(&self, request: Request<CommitImportRequest>) -> Answer<UploadLog> {
        self.0.editor(&request, format!("commit {}", request.get_ref().id)).await?;
        Ok(Response::new(log("log-1", "a.csv")))
    }

    async fn choose_columns(&self, request: Request<ChooseColumnsRequest>) -> Answer<UploadLog> {
        self.0.editor(&request, format!("columns {}", request.get_ref().id)).await?;
        Ok(Response::new(log("log-1", "a.csv")))
    }

    async fn get_mapping(&self, request: Request<GetMappingRequest>) -> Answer<UploadMapping> {
        let (order, sign) = (request.get_ref().date_order(), request.get_ref().decimal_sign());
        let GetMappingRequest { id, header_line, sheet, fields, defaults, saved_mapping, .. } =
            request.get_ref().clone();
        let how = format!("{} {} {order:?} {sign:?}", sheet.unwrap_or_default(), fields.join(","));
        let how = format!("{how}{}", default_values(&defaults));
        self.0.editor(&request, format!("mapping {id} {header_line} {how}")).await?;
        let column = UploadMappingColumn {
            heading: "Doc".into(),
            examples: vec!["DR-1".into()],
            confidence: UploadConfidence::None.into(),
            ..UploadMappingColumn::default()
        };
        let field = UploadField {
            name: "customername".into(),
            label: "Customer Name".into(),
            required: true,
            can_default: true,
            can_join: true,
        };
        let row = UploadPreviewRow { line: 1, cells: vec!["Doc".into()] };
        let example = UploadReadingExample {
            value: "03/04/2026".into(),
            chosen: "April 3, 2026".into(),
            other: String::new(),
        };
        let reading = UploadColumnExamples {
            heading: "Date".into(),
            reading: UploadColumnReading::DayFirst.into(),
            depends: true,
            examples: vec![example],
            ..UploadColumnExamples::default()
        };
        Ok(Response::new(UploadMapping {
            header_line: 1,
            rows: vec![row],
            columns: vec![column],
            fields: vec![field],
            date_order: UploadDateOrder::Dmy.into(),
            readings: vec![reading],
            defaults,
            chosen: fields,
            saved_mapping: saved_mapping.map(|id| UploadAppliedMapping {
                id,
                name: "Acme".into(),
                missing: vec!["Tour".into()],
                proposed: true,
            }),
            warnings: vec![warning()],
            ..UploadMapping::default()
        }))
    }

    async fn save_mapping(&self, request: Request<SaveMappingRequest>) -> Answer<UploadLog> {
        let (order, sign) = (request.get_ref().date_order(), request.get_ref().decimal_sign());
        let SaveMappingRequest { id, header_line, fields, sheet, defaults, draft, saved_mapping, .. } =
            request.get_ref().clone();
        let how = format!("{} {order:?} {sign:?} {draft} {saved_mapping}", sheet.unwrap_or_default());
        let how = format!("{how}{}", default_values(&defaults));
        self.0.editor(&request, format!("save {id} {header_line} {} {how}", fields.join(","))).await?;
        Ok(Response::new(log("log-1", "a.csv")))
    }

    async fn list_upload_values(
        &self,
        request: Request<ListUploadValuesRequest>,
    ) -> Answer<ListUploadValuesResponse> {
        self.0.editor(&request, format!("values {}", request.get_ref().upload_log_id)).await?;
        let target = UploadValueTarget { name: "Acme".into(), label: "Acme".into() };
        let value = UploadValue {
            field: UploadValueField::Customer.into(),
            value: "Acmee".into(),
            rows: 7,
            suggestions: vec![target.clone()],
            choice: UploadValueChoice::Use.into(),
            target: Some(target),
            remembered: true,
        };
        let open = UploadValue {
            field: UploadValueField::Driver.into(),
            value: "D-9".into(),
            ..UploadValue::default()
        };
        Ok(Response::new(ListUploadValuesResponse {
            values: vec![value, open],
            refuse_unknown_drivers: true,
        }))
    }

    async fn match_values(&self, request: Request<MatchValuesRequest>) -> Answer<UploadLog> {
        let MatchValuesRequest { upload_log_id, values } = request.get_ref().clone();
        let chosen =
            |it: &MatchedValue| format!(" {:?} {} {:?} {}", it.field(), it.value, it.choice(), it.target);
        let chosen: String = values.iter().map(chosen).collect();
        self.0.editor(&request, format!("match {upload_log_id}{chosen}")).await?;
        Ok(Response::new(log("log-1", "a.csv")))
    }

    async fn check_again(&self, request: Request<CheckAgainRequest>) -> Answer<UploadLog> {
        self.0.editor(&request, format!("check again {}", request.get_ref().id)).await?;
        Ok(Response::new(log("log-1", "a.csv")))
    }

    async fn preview_undo(&self, request: Request<PreviewUndoRequest>) -> Answer<UploadUndo> {
        self.0.editor(&request, format!("preview {}", request.get_ref().id)).await?;
        Ok(Response::new(UploadUndo { reversed: 5, kept: 2, failed: 1, total: 8 }))
    }

    async fn start_undo(&self, request: Request<StartUndoRequest>) -> Answer<UploadLog> {
        let StartUndoRequest { id, idempotency_key } = request.get_ref().clone();
        self.0.editor(&request, format!("undo {id} {idempotency_key}")).await?;
        Ok(Response::new(log("log-1", "a.csv")))
    }

    async fn cancel_upload(&self, request: Request<CancelUploadRequest>) -> Answer<UploadLog> {
        self.0.editor(&request, format!("cancel {}", request.get_ref().id)).await?;
        Ok(Response::new(log("log-1", "a.csv")))
    }

    async fn list_review_rows(
        &self,
        request: Request<ListReviewRowsRequest>,
    ) -> Answer<ListReviewRowsResponse> {
        let ListReviewRowsRequest { upload_log_id, offset, limit, .. } = request.get_ref().clone();
        let call = format!("review {upload_log_id} {:?} {offset} {limit}", request.get_ref().result());
        self.0.holder(Role::STAFF, &request, call).await?;
        let message = UploadRowMessage {
            column: Some("Quantity".into()),
            code: "NUMBER".into(),
            text: "many is not a number.".into(),
            column_index: Some(1),
        };
        let row = UploadReviewRow {
            row_number: 7,
            result: UploadRowResult::Refused.into(),
            messages: vec![message],
            cells: vec!["DR-1".into(), "many".into()],
            corrections: vec![UploadCorrection { column: 1, value: "9".into() }],
            sheet_row: 7,
            sheet: None,
        };
        Ok(Response::new(ListReviewRowsResponse { rows: vec![row], total: 201, kept: true }))
    }

    async fn correct_rows(&self, request: Request<CorrectRowsRequest>) -> Answer<CorrectRowsResponse> {
        let CorrectRowsRequest { upload_log_id, corrections } = request.get_ref().clone();
        let cells = corrections.iter().map(|it| format!(" {}/{}={}", it.row_number, it.column, it.value));
        self.0.editor(&request, format!("correct {upload_log_id}{}", cells.collect::<String>())).await?;
        Ok(Response::new(CorrectRowsResponse { changed: 1 }))
    }

    async fn replace_in_column(
        &self,
        request: Request<ReplaceInColumnRequest>,
    ) -> Answer<CorrectRowsResponse> {
        let ReplaceInColumnRequest { upload_log_id, column, find, value, whole_cell, dry_run } =
            request.get_ref().clone();
        let call = format!("replace {upload_log_id} {column} {find}={value} {whole_cell} {dry_run}");
        self.0.editor(&request, call).await?;
        Ok(Response::new(CorrectRowsResponse { changed: 2 }))
    }

    async fn import_corrected_rows(&self, request: Request<ImportCorrectedRowsRequest>) -> Answer<UploadLog> {
        self.0.editor(&request, format!("corrected {}", request.get_ref().id)).await?;
        Ok(Response::new(log("log-1", "a.csv")))
    }

    async fn list_upload_changes(
        &self,
        request: Request<ListUploadChangesRequest>,
    ) -> Answer<ListUploadChangesResponse> {
        self.0.staff(&request, "changes").await?;
        let change = UploadChange {
            delivery_id: "DR-1".into(),
            item_number: None,
            field: "trucker".into(),
            before: Some("Isla".into()),
            after: Some("Luzon".into()),
        };
        Ok(Response::new(ListUploadChangesResponse { changes: vec![change] }))
    }

    async fn get_upload_log(&self, request: Request<GetUploadLogRequest>) -> Answer<UploadLog> {
        self.0.staff(&request, "log").await?;
        match request.get_ref().id.as_str() {
            "log-1" => Ok(Response::new(log("log-1", "a.csv"))),
            _ => Err(Error::not_found("UPLOAD_LOG_NOT_FOUND", "There is no such upload.").into()),
        }
    }

    async fn list_upload_logs(
        &self,
        request: Request<ListUploadLogsRequest>,
    ) -> Answer<ListUploadLogsResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        Ok(Response::new(ListUploadLogsResponse { upload_logs: vec![log("log-1", "a.csv")], more: false }))
    }

    async fn count_upload_logs(&self, request: Request<CountRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 1, exact: true }))
    }

    async fn list_upload_rows(
        &self,
        request: Request<ListUploadRowsRequest>,
    ) -> Answer<ListUploadRowsResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        let messages = vec![UploadRowMessage {
            column: Some("Qty".into()),
            column_index: Some(1),
            code: "NUMBER".into(),
            text: "is no number".into(),
        }];
        let row = UploadRow {
            upload_log_id: request.get_ref().upload_log_id.clone(),
            row_number: 3,
            delivery_id: None,
            messages,
            cells: vec!["D-1".into(), "ten".into()],
            corrections: vec![UploadCorrection { column: 1, value: "10".into() }],
            sheet_row: 0,
            sheet: None,
        };
        Ok(Response::new(ListUploadRowsResponse { rows: vec![row], more: false }))
    }

    async fn list_upload_warnings(
        &self,
        request: Request<ListUploadWarningsRequest>,
    ) -> Answer<ListUploadWarningsResponse> {
        self.0.page(&request, &request.get_ref().page).await?;
        Ok(Response::new(ListUploadWarningsResponse { warnings: vec![warning()], more: false }))
    }

    async fn count_upload_rows(&self, request: Request<CountUploadRowsRequest>) -> Answer<Count> {
        self.0.staff(&request, "count").await?;
        Ok(Response::new(Count { total: 1, exact: true }))
    }
}
