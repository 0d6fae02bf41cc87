//! The service with a folder of objects, a clock that stands still, and a scripted deliveries service.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll};

use ::store::Db;
use ::store::jobs::{self, Hold, Job};
use ::store::settings::Settings;
use chrono::{DateTime, Utc};
use kit::Error;
use kit::blob::{Blob, Key, LocalBlob, LocalConfig};
use kit::bus::Handler;
use kit::clock::{Clock, new_id};
use kit::principal::ServiceIdentity;
use kit::rpc::Transport;
use proto::deliveries::v1::*;
use proto::events::envelope::Payload;
use proto::events::{Envelope, SettingChanged};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::service::Routes;
use uuid::Uuid;

use super::parties::parties;
use super::undo_answers::{Preview, Undo};
use crate::Context;
use crate::entity::{upload_log, upload_row, upload_warning};
use crate::store::{self, NewLog};

const HEADER: &str = "Document,Shipment,Customer,Delivery Date,SKU,Quantity,Plate No.";

/// Returns a file with these lines below its header.
pub fn csv(lines: &[&str]) -> String {
    format!("{}\n", [&[HEADER][..], lines].concat().join("\n"))
}

/// Returns this many lines of one document.
pub fn document(name: &str, lines: usize) -> Vec<String> {
    (0..lines).map(|n| format!("{name},S-1,C,23/11/2026,S{n},1,")).collect()
}

pub struct World {
    pub deliveries: Deliveries,
    /// Stops the worker of the next attempt.
    pub stop: Mutex<CancellationToken>,
    pub context: Context,
    source: Uuid,
    versions: Mutex<u64>,
    _objects: tempfile::TempDir,
}

impl World {
    pub async fn open(db: &Db) -> Self {
        let clock = Clock::fixed(DateTime::from_timestamp(1_795_000_000, 0).unwrap());
        let objects = tempfile::tempdir().unwrap();
        let config = LocalConfig {
            root: objects.path().to_owned(),
            public_url: None,
            secret: "0123456789abcdef0123456789abcdef".to_owned().into(),
        };
        let deliveries = Deliveries::default();
        let context = Context {
            db: db.clone(),
            blob: Blob::Local(LocalBlob::new(config, clock.clone()).unwrap()),
            deliveries: Transport::InProcess(
                Routes::new(deliveries.clone()).add_service(parties(deliveries.clone())),
            ),
            identity: ServiceIdentity::new(crate::NAME, "x".repeat(32).into(), clock.clone()),
            clock,
            imports: kit::config::Imports {
                date_order: kit::config::DateOrder::Mdy,
                max_file_bytes: 50 << 20,
                max_rows: 1_000_000,
                max_columns: 200,
                max_unpacked_bytes: 512 << 20,
                workers: 1,
                max_open_uploads: 1_000,
            },
            zone: chrono_tz::UTC,
            settings: Settings::default(),
        };
        Self {
            deliveries,
            stop: Mutex::default(),
            context,
            source: new_id(),
            versions: Mutex::new(1),
            _objects: objects,
        }
    }

    pub fn db(&self) -> &Db {
        &self.context.db
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.context.clock.now()
    }

    pub fn later(&self, seconds: i64) {
        self.context.clock.advance(chrono::Duration::seconds(seconds));
    }

    /// Changes a setting, as the settings service does.
    pub async fn set(&self, id: &str, value: &str) {
        let version = {
            let mut versions = self.versions.lock().unwrap();
            *versions += 1;
            *versions
        };
        let payload = SettingChanged { id: id.into(), r#type: "text".into(), value: value.into() };
        let envelope = Envelope {
            id: new_id().to_string(),
            aggregate_id: id.into(),
            aggregate_version: version,
            payload: Some(Payload::SettingChanged(payload)),
            ..Envelope::default()
        };
        crate::events::follow_settings(&self.context).handle(&envelope).await.unwrap();
    }

    pub async fn upload(&self, filename: &str, text: &str) -> Uuid {
        self.upload_bytes(filename, text.as_bytes().to_vec()).await
    }

    pub async fn upload_bytes(&self, filename: &str, bytes: Vec<u8>) -> Uuid {
        self.upload_as(filename, bytes, false, false).await
    }

    /// Uploads a file and starts its import or dry run, which may wait for somebody to choose the columns.
    pub async fn upload_as(
        &self,
        filename: &str,
        bytes: Vec<u8>,
        dry_run: bool,
        choose_columns: bool,
    ) -> Uuid {
        let size_bytes = bytes.len() as u64;
        let key = Key::parse(&format!("imports/{}.csv", new_id().simple())).unwrap();
        store::add_link(self.db(), key.as_str(), "maria", 1_000).await.unwrap();
        self.context.blob.put(&key, bytes.into()).await.unwrap();
        let new = NewLog {
            object_key: key.as_str().to_owned(),
            filename: filename.to_owned(),
            source_id: self.source,
            size_bytes,
            uploaded_by: "maria".to_owned(),
            uploaded_by_id: "id-of-maria".to_owned(),
            mode: crate::entity::upload_log::Mode::Upsert,
            dry_run,
            choose_columns,
            key: None,
        };
        self.later(1);
        store::create(self.db(), new, ::store::audit::By { actor: "maria", address: "", now: self.now() })
            .await
            .unwrap()
            .id
    }

    /// Runs one attempt at the next job that is due. Returns false if no job is due.
    pub async fn attempt(&self) -> bool {
        let stop = self.stop.lock().unwrap().clone();
        super::super::jobs(&self.context).run_one(&stop).await.unwrap()
    }

    /// Claims the next import, like a worker of another process.
    pub async fn claim(&self) -> Option<(Uuid, Hold)> {
        let stop = CancellationToken::new();
        let claimed = super::super::jobs(&self.context).claim(store::KIND, &stop).await.unwrap();
        claimed.map(|(job, hold)| (job.id, hold))
    }

    /// Runs imports until stopped, like a process.
    pub fn process(&self, stop: &CancellationToken) -> tokio::task::JoinHandle<kit::Result<()>> {
        tokio::spawn(super::super::run(self.context.clone(), stop.clone()))
    }

    pub async fn job(&self, id: Uuid) -> Job {
        jobs::get(self.db(), id).await.unwrap()
    }

    /// Runs SQL with which a test changes a log as an importer of the previous release would.
    pub async fn execute(&self, sql: &str) {
        let tx = self.db().begin().await.unwrap();
        tx.execute_unprepared(sql).await.unwrap();
        tx.commit().await.unwrap();
    }

    pub async fn log(&self, id: Uuid) -> upload_log::Model {
        upload_log::Entity::find_by_id(id).one(self.db().read()).await.unwrap().unwrap()
    }

    pub async fn rows(&self, id: Uuid) -> Vec<upload_row::Model> {
        use upload_row::{Column, Entity};
        let rows = Entity::find().filter(Column::UploadLogId.eq(id)).order_by_asc(Column::RowNumber);
        rows.all(self.db().read()).await.unwrap()
    }

    /// Returns the codes of warnings, in order.
    pub async fn warnings(&self, id: Uuid) -> Vec<String> {
        use upload_warning::{Column, Entity};
        let rows = Entity::find().filter(Column::UploadLogId.eq(id)).order_by_asc(Column::Number);
        rows.all(self.db().read()).await.unwrap().into_iter().map(|row| row.code).collect()
    }
}

/// Accepts every row, except that it refuses the SKU `REFUSE` and warns about the SKU `GHOST`. Like the real
/// service, it keeps its answers, and skips rows of an import that it has already.
#[derive(Clone, Default)]
pub struct Deliveries(pub(super) Arc<Mutex<Said>>);

#[derive(Default)]
pub struct Said {
    taken: Vec<ImportDeliveriesRequest>,
    failures: HashMap<u32, Error>,
    pauses: HashMap<u32, Arc<Pause>>,
    stops: HashMap<u32, CancellationToken>,
    /// Batches whose answer does not arrive.
    lost: HashSet<u32>,
    /// Answers by upload log and batch.
    answers: HashMap<(String, u32), ImportDeliveriesResponse>,
    /// Deliveries of accepted rows, by upload log and line.
    pub(super) stored: BTreeMap<(String, u32), String>,
    pub(super) expected: Option<UndoCounts>,
    pub(super) undos: Vec<UndoImportRequest>,
    pub(super) parts: VecDeque<Result<UndoImportResponse, Error>>,
    /// The parties that are known, and the requests about them.
    pub(super) known: Vec<(PartyKind, &'static str)>,
    pub(super) matched: Vec<MatchPartiesRequest>,
}

/// Holds back the response to a batch that was accepted.
#[derive(Default)]
pub struct Pause {
    taken: Notify,
    answer: Notify,
}

impl Pause {
    /// Waits until the batch was accepted.
    pub async fn reached(&self) {
        self.taken.notified().await;
    }

    /// Releases the response.
    pub fn end(&self) {
        self.answer.notify_one();
    }
}

impl Deliveries {
    /// Returns the accepted batches, in order.
    pub fn requests(&self) -> Vec<ImportDeliveriesRequest> {
        self.0.lock().unwrap().taken.clone()
    }

    /// Makes the service fail with `error` at this batch, once.
    pub fn fail_at(&self, batch: u32, error: Error) {
        self.0.lock().unwrap().failures.insert(batch, error);
    }

    /// Holds the response to this batch, once, until released.
    pub fn pause_at(&self, batch: u32) -> Arc<Pause> {
        let pause = Arc::<Pause>::default();
        self.0.lock().unwrap().pauses.insert(batch, pause.clone());
        pause
    }

    /// Cancels `stop` when this batch is accepted.
    pub fn stop_at(&self, batch: u32, stop: CancellationToken) {
        self.0.lock().unwrap().stops.insert(batch, stop);
    }

    /// Makes the service accept this batch, once, without its answer arriving.
    pub fn lose_answer_to(&self, batch: u32) {
        self.0.lock().unwrap().lost.insert(batch);
    }

    /// Keeps an answer to a batch, as if it had been accepted with these lines.
    pub fn keep_answer(&self, upload: Uuid, batch: u32, lines: &[u32]) {
        let created = |line: &u32| ImportRowResult {
            line: *line,
            action: ImportAction::Created.into(),
            ..ImportRowResult::default()
        };
        let rows = lines.iter().map(created).collect();
        let answer = ImportDeliveriesResponse { rows, ..ImportDeliveriesResponse::default() };
        self.0.lock().unwrap().answers.insert((upload.to_string(), batch), answer);
    }

    fn answer(&self, request: ImportDeliveriesRequest) -> Result<ImportDeliveriesResponse, tonic::Status> {
        let mut said = self.0.lock().unwrap();
        if let Some(error) = said.failures.remove(&request.batch) {
            return Err(error.into());
        }
        if let Some(stop) = said.stops.remove(&request.batch) {
            stop.cancel();
        }
        let batch = (request.upload_log_id.clone(), request.batch);
        if let Some(kept) = said.answers.get(&batch).filter(|_| !request.dry_run) {
            return Ok(kept.clone());
        }
        let mut answer = ImportDeliveriesResponse::default();
        for row in &request.rows {
            let place = (request.upload_log_id.clone(), row.line);
            let is_known = said.stored.contains_key(&place);
            let sku = row.item.as_ref().and_then(|item| item.sku.as_deref()).unwrap_or_default();
            let mut result = ImportRowResult { line: row.line, ..ImportRowResult::default() };
            result.set_action(if is_known { ImportAction::Skipped } else { ImportAction::Created });
            if sku == "REFUSE" {
                result.set_action(ImportAction::Refused);
                result.column = "Delivery Doc".into();
                result.code = "DELIVERY_MOVED_ON".into();
            } else if !request.dry_run {
                said.stored.insert(place, row.delivery_id.clone());
            }
            answer.rows.push(result);
            if sku == "GHOST" {
                answer.warnings.push(ImportRowWarning {
                    column: "Driver ID".into(),
                    code: "DRIVER_UNKNOWN".into(),
                    text: "Nobody knows this driver.".into(),
                    line: row.line,
                });
            }
        }
        if !request.dry_run {
            said.answers.insert(batch, answer.clone());
        }
        let is_lost = said.lost.remove(&request.batch);
        said.taken.push(request);
        match is_lost {
            true => Err(Error::internal("the connection broke").into()),
            false => Ok(answer),
        }
    }
}

impl tonic::server::NamedService for Deliveries {
    const NAME: &'static str = "waybill.deliveries.v1.DeliveriesService";
}

impl Service<http::Request<Body>> for Deliveries {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            let codec = tonic_prost::ProstCodec::default();
            if request.uri().path().ends_with("PreviewUndo") {
                let codec = tonic_prost::ProstCodec::default();
                return Ok(tonic::server::Grpc::new(codec).unary(Preview(this), request).await);
            }
            if request.uri().path().ends_with("UndoImport") {
                let codec = tonic_prost::ProstCodec::default();
                return Ok(tonic::server::Grpc::new(codec).unary(Undo(this), request).await);
            }
            let mut grpc =
                tonic::server::Grpc::new(codec).apply_max_message_size_config(Some(16 << 20), None);
            Ok(grpc.unary(this, request).await)
        })
    }
}

impl tonic::server::UnaryService<ImportDeliveriesRequest> for Deliveries {
    type Response = ImportDeliveriesResponse;
    type Future = BoxFuture<tonic::Response<ImportDeliveriesResponse>, tonic::Status>;

    fn call(&mut self, request: tonic::Request<ImportDeliveriesRequest>) -> Self::Future {
        let request = request.into_inner();
        let pause = self.0.lock().unwrap().pauses.remove(&request.batch);
        let answer = self.answer(request).map(tonic::Response::new);
        Box::pin(async move {
            if let Some(pause) = pause {
                pause.taken.notify_one();
                pause.answer.notified().await;
            }
            answer
        })
    }
}
