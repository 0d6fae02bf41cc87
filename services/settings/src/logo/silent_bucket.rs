//! Saving the setting while the bucket does not respond.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use ::store::testing::{Backend, TestDb};
use kit::blob::{Blob, S3Blob, S3Config};

use super::tests::{Desk, value};
use crate::Migrator;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_never_responds_holds_the_only_writer_for_seconds_at_most() {
    let test = TestDb::migrated::<Migrator>(Backend::Sqlite).await;
    let mut desk = Desk::open(&test.db).await;
    let (address, url) = desk.logo("maria", 1).await;
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = S3Config {
        endpoint: Some(format!("http://{}", silent.local_addr().unwrap())),
        public_endpoint: None,
        region: "us-east-1".to_owned(),
        bucket: "waybill".to_owned(),
        access_key: "a-key".to_owned(),
        secret_key: "a-secret".to_owned().into(),
    };
    desk.world.context.blob = Blob::S3(S3Blob::new(&config).unwrap());
    let begun = Instant::now();
    let error = desk.save("maria", &value(&address, &url, 40)).await.unwrap_err();
    assert_eq!(error.reason, "OBJECTS_UNAVAILABLE", "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    drop(desk);
    test.close().await;
}
