//! Test doubles, for this crate and those above it (feature `testing`).

mod certificates;
mod log;
mod metrics;
mod ports;
mod proxy;

use std::path::Path;

use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tokio::task::JoinHandle;

pub use certificates::{Authority, pem};
pub use log::Log;
pub use metrics::{metric_value, metric_value_in};
pub use ports::free_port;
pub use proxy::{Fault, Proxy, Towards};

use crate::blob::S3Config;
use crate::{Error, Result};

/// Returns whether long tests run at full length (`just long`) instead of shortened.
pub fn long() -> bool {
    std::env::var_os("WAYBILL_LONG").is_some()
}

/// An S3 server in this process, over a directory. It checks signatures and expiry like a real one, and
/// stops when dropped.
pub struct S3Server {
    pub endpoint: String,
    pub region: String,
    pub bucket: String,
    pub access_key: String,
    pub secret_key: String,
    task: JoinHandle<()>,
}

impl S3Server {
    pub fn config(&self) -> S3Config {
        S3Config {
            endpoint: Some(self.endpoint.clone()),
            public_endpoint: None,
            region: self.region.clone(),
            bucket: self.bucket.clone(),
            access_key: self.access_key.clone(),
            secret_key: self.secret_key.clone().into(),
        }
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves `dir` on a free port, with one empty bucket.
pub async fn s3_server(dir: &Path) -> Result<S3Server> {
    let (bucket, access_key) = ("waybill".to_owned(), "test-access".to_owned());
    let secret_key = crate::clock::new_id().simple().to_string();
    std::fs::create_dir_all(dir.join(&bucket)).map_err(Error::internal)?;
    let files = s3s_fs::FileSystem::new(dir)
        .map_err(|error| Error::internal(format!("s3 test server: {error:?}")))?;
    let mut builder = S3ServiceBuilder::new(files);
    builder.set_auth(SimpleAuth::from_single(access_key.clone(), secret_key.clone()));
    let service = builder.build();

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.map_err(Error::internal)?;
    let address = listener.local_addr().map_err(Error::internal)?;
    let task = tokio::spawn(async move {
        // Connections end with this task, so that a dropped server is really gone.
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((socket, _)) = listener.accept().await {
            let service = service.clone();
            connections.spawn(async move {
                let io = hyper_util::rt::TokioIo::new(socket);
                let executor = hyper_util::rt::TokioExecutor::new();
                let _ = hyper_util::server::conn::auto::Builder::new(executor)
                    .serve_connection(io, service)
                    .await;
            });
        }
    });
    Ok(S3Server {
        endpoint: format!("http://{address}"),
        region: "us-east-1".to_owned(),
        bucket,
        access_key,
        secret_key,
        task,
    })
}
