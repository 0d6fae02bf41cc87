//! The scripted answers to undos. Without a script, an undo reverses all that was accepted of the import.

use std::collections::BTreeSet;

use kit::Error;
use proto::deliveries::v1::*;
use tonic::codegen::BoxFuture;
use uuid::Uuid;

use super::world::{Deliveries, Said};

impl Deliveries {
    /// Sets the response to a preview of an undo.
    pub fn expect_undo(&self, reversed: u32, kept: u32, failed: u32) {
        self.0.lock().unwrap().expected = Some(UndoCounts { reversed, kept, failed });
    }

    /// Sets the response to the next part of an undo: reversed, kept, failed, and the next key.
    pub fn answer_undo(&self, (reversed, kept, failed): (u32, u32, u32), next: &str) {
        let counts = Some(UndoCounts { reversed, kept, failed });
        let answer = UndoImportResponse { counts, next: next.to_owned() };
        self.0.lock().unwrap().parts.push_back(Ok(answer));
    }

    pub fn fail_undo(&self, error: Error) {
        self.0.lock().unwrap().parts.push_back(Err(error));
    }

    /// Returns where each requested part of an undo began.
    pub fn undos(&self) -> Vec<String> {
        self.0.lock().unwrap().undos.iter().map(|it| it.after.clone()).collect()
    }

    /// Returns the number of deliveries of an import that are accepted and not reversed.
    pub fn stored(&self, upload: Uuid) -> u32 {
        self.0.lock().unwrap().stored(&upload.to_string())
    }
}

impl Said {
    fn stored(&self, upload: &str) -> u32 {
        let rows = self.stored.iter().filter(|((of, _), _)| of == upload);
        let deliveries: BTreeSet<&String> = rows.map(|(_, delivery)| delivery).collect();
        u32::try_from(deliveries.len()).unwrap()
    }

    fn reverse(&mut self, upload: &str) -> UndoImportResponse {
        let reversed = self.stored(upload);
        self.stored.retain(|(of, _), _| of != upload);
        let counts = Some(UndoCounts { reversed, ..UndoCounts::default() });
        UndoImportResponse { counts, next: String::new() }
    }
}

pub struct Preview(pub Deliveries);

impl tonic::server::UnaryService<PreviewUndoRequest> for Preview {
    type Response = UndoCounts;
    type Future = BoxFuture<tonic::Response<UndoCounts>, tonic::Status>;

    fn call(&mut self, request: tonic::Request<PreviewUndoRequest>) -> Self::Future {
        let PreviewUndoRequest { upload_log_id } = request.into_inner();
        let said = self.0.0.lock().unwrap();
        let reversed = said.stored(&upload_log_id);
        let counts = said.expected.unwrap_or(UndoCounts { reversed, ..UndoCounts::default() });
        Box::pin(async move { Ok(tonic::Response::new(counts)) })
    }
}

pub struct Undo(pub Deliveries);

impl tonic::server::UnaryService<UndoImportRequest> for Undo {
    type Response = UndoImportResponse;
    type Future = BoxFuture<tonic::Response<UndoImportResponse>, tonic::Status>;

    fn call(&mut self, request: tonic::Request<UndoImportRequest>) -> Self::Future {
        let request = request.into_inner();
        let mut said = self.0.0.lock().unwrap();
        let part = said.parts.pop_front();
        let part = part.unwrap_or_else(|| Ok(said.reverse(&request.upload_log_id)));
        said.undos.push(request);
        Box::pin(async move { part.map(tonic::Response::new).map_err(Into::into) })
    }
}
