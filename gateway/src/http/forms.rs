//! `GET /delivery-forms/{deliveryId}.pdf?formVersion=&paper=&without=`: the delivery form as PDF.
//!
//! Takes the bearer token as GraphQL does, because a form shows names, addresses and signatures.

use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use kit::download::{Opens, disposition};
use kit::{Error, Result};
use proto::deliveries::v1::proof_service_client::ProofServiceClient;
use proto::deliveries::v1::{FormPart, Paper, RenderFormRequest, RenderFormResponse};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Shape, not_found};
use crate::accesses::Export;
use crate::session::{self, Identity};
use crate::state::App;

const SHAPE: Shape = Shape::Action;
/// Maximum size of a form with all its pictures.
const MAX_PDF: usize = 32 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    form_version: Option<u32>,
    #[serde(default)]
    paper: Sheet,
    /// Names of the parts to leave out, separated by commas.
    without: Option<String>,
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
    // A HEAD request would cost all the work, count as an export, and return nothing.
    if request.method() != Method::GET {
        return not_found(SHAPE);
    }
    let delivery_id = file.ok().and_then(|Path(file)| file.strip_suffix(".pdf").map(str::to_owned));
    let Some(delivery_id) = delivery_id.filter(|id| !id.is_empty()) else {
        return not_found(SHAPE);
    };
    let parts = |ask: &Ask| ask.without.as_deref().map_or(Some(Vec::new()), parts);
    let ask = ask.ok().and_then(|Query(ask)| parts(&ask).map(|without| (ask, without)));
    let Some((ask, without)) = ask else {
        let text = "formVersion is a number, paper is a4 or letter, without has photos, distance or notes";
        return SHAPE.refuse(StatusCode::BAD_REQUEST, "BAD_USER_INPUT", text);
    };
    let identity = session::identify(&app, request.headers(), request.extensions()).await;
    match render(&app, identity, delivery_id, (ask, without)).await {
        Ok(RenderFormResponse { pdf, filename }) => {
            let headers = [
                (CONTENT_TYPE, HeaderValue::from_static("application/pdf")),
                (CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
                (CONTENT_DISPOSITION, disposition(Opens::InTheBrowser, stem(&filename), "pdf")),
            ];
            (headers, pdf).into_response()
        }
        Err(error) => SHAPE.fail(&error),
    }
}

async fn render(
    app: &App,
    identity: Identity,
    delivery_id: String,
    (ask, without): (Ask, Vec<FormPart>),
) -> Result<RenderFormResponse> {
    let session = identity.session()?;
    // Do not pass on 0: in the contract it means the newest version, but no form has that number.
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
    if let Some(parts) = &ask.without {
        asked["without"] = parts.as_str().into();
    }
    let ask = RenderFormRequest {
        delivery_id: delivery_id.clone(),
        form_version: ask.form_version.unwrap_or(0),
        paper: paper.into(),
        without: without.into_iter().map(Into::into).collect(),
    };
    let proof = ProofServiceClient::new(session.client(&app.deliveries));
    let form = proof.max_decoding_message_size(MAX_PDF).render_form(ask).await?.into_inner();
    app.accesses.exported(session, Export::Form, (&delivery_id, &delivery_id), asked).await?;
    Ok(form)
}

/// Parses names of parts; `None` if one is unknown.
fn parts(names: &str) -> Option<Vec<FormPart>> {
    let part = |name| match name {
        "photos" => Some(FormPart::Photos),
        "distance" => Some(FormPart::Distance),
        "notes" => Some(FormPart::Notes),
        _ => None,
    };
    names.split(',').map(part).collect()
}

fn stem(filename: &str) -> &str {
    filename.strip_suffix(".pdf").unwrap_or(filename)
}
