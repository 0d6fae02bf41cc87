//! `GET /delivery-forms/{deliveryId}.pdf?formVersion=&paper=`: the delivery form as PDF.
//!
//! Takes the bearer like the graph does: a form shows names, places and signatures.

use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use kit::{Error, Result};
use proto::deliveries::v1::proof_service_client::ProofServiceClient;
use proto::deliveries::v1::{Paper, RenderFormRequest, RenderFormResponse};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Shape, not_found, plain_name};
use crate::accesses::{self, Export};
use crate::session::{self, Identity};
use crate::state::App;

const SHAPE: Shape = Shape::Action;
/// A form with all its pictures.
const MAX_PDF: usize = 32 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    form_version: Option<u32>,
    #[serde(default)]
    paper: Sheet,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Sheet {
    #[default]
    A4,
    Letter,
}

pub async fn pdf(
    State(app): State<Arc<App>>,
    file: Result<Path<String>, PathRejection>,
    ask: Result<Query<Ask>, QueryRejection>,
    request: Request,
) -> Response {
    let delivery_id = file.ok().and_then(|Path(file)| file.strip_suffix(".pdf").map(str::to_owned));
    let Some(delivery_id) = delivery_id.filter(|id| !id.is_empty()) else {
        return not_found(SHAPE);
    };
    let Ok(Query(ask)) = ask else {
        let text = "formVersion is a number, paper is a4 or letter";
        return SHAPE.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", text);
    };
    let identity = session::identify(&app, request.headers(), request.extensions()).await;
    match render(&app, identity, delivery_id, ask).await {
        Ok(RenderFormResponse { pdf, filename }) => {
            let headers = [
                (CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
                (CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
                (CONTENT_DISPOSITION, disposition(&filename)),
            ];
            (headers, pdf).into_response()
        }
        Err(error) => SHAPE.fail(&error),
    }
}

async fn render(app: &App, identity: Identity, delivery_id: String, ask: Ask) -> Result<RenderFormResponse> {
    let session = identity.session()?;
    // The contract reads 0 as the newest; nobody ever saw a form of that number.
    if ask.form_version == Some(0) {
        return Err(Error::not_found("FORM_NOT_FOUND", "There is no such form."));
    }
    let paper = match ask.paper {
        Sheet::A4 => Paper::A4,
        Sheet::Letter => Paper::Letter,
    };
    let mut asked = json!({ "format": "pdf", "paper": ask.paper });
    if let Some(version) = ask.form_version {
        asked["formVersion"] = version.into();
    }
    let form_version = ask.form_version.unwrap_or(0);
    let ask = RenderFormRequest { delivery_id: delivery_id.clone(), form_version, paper: paper.into() };
    let proof = ProofServiceClient::new(session.client(&app.deliveries));
    let form = proof.max_decoding_message_size(MAX_PDF).render_form(ask).await?.into_inner();
    accesses::exported(app, session, Export::Form, (&delivery_id, &delivery_id), asked).await?;
    Ok(form)
}

/// Shown in the browser, saved under this name.
fn disposition(filename: &str) -> HeaderValue {
    let stem = filename.strip_suffix(".pdf").unwrap_or(filename);
    let text = format!("inline; filename=\"{}.pdf\"", plain_name(stem));
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("inline"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_mean_nothing_else() {
        for (filename, expected) in [
            ("form-D-1-v3.pdf", "form-D-1-v3"),
            ("a/b\\c %\"\r\n;é.pdf", "a_b_c_______"),
            ("../../etc/passwd", "_.._etc_passwd"),
            (".htaccess", "htaccess"),
        ] {
            assert_eq!(disposition(filename), format!("inline; filename=\"{expected}.pdf\""), "{filename}");
        }
        assert!(disposition(&"x".repeat(5_000)).len() < 150);
    }
}
