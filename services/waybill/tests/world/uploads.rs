//! A signed-in person tries to fill the disk.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::driver_api::{create, hired, told};
use crate::harness::{Settings, Shape, World, until};
use crate::in_both_shapes;

const LARGEST: usize = 64 << 10;
const MOST: usize = 10;

fn small_files(settings: &mut Settings) {
    settings.config.deliveries.max_attachment_bytes = LARGEST as u64;
    settings.config.deliveries.max_open_uploads = MOST;
}

/// Returns whether the upload was accepted. A refused client may not be able to read the reason, because the
/// connection is closed while the rest of the file is still being sent.
async fn is_taken(browser: &Browser, link: &str, bytes: usize) -> bool {
    let put = browser.http.put(browser.absolute(link)).body(vec![b'x'; bytes]);
    put.send().await.is_ok_and(|answer| answer.status() == StatusCode::OK)
}

/// Returns the total size of all files below a folder, in bytes.
fn weight(folder: &std::path::Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .map(|entry| entry.unwrap())
        .map(|entry| match entry.file_type().unwrap().is_dir() {
            true => weight(&entry.path()),
            false => entry.metadata().unwrap().len() as usize,
        })
        .sum()
}

// A driver with unlimited links could fill the disk, and so stop the office. The number of photo-sized files
// is limited, and everybody else continues.
in_both_shapes!(a_driver_cannot_fill_the_disk, small_files, |world: World| async move {
    let admin = world.admin().await;
    let phone = hired(&world, &admin, "D-1", "driver").await;
    until("deliveries know the driver", || async {
        let assign = "mutation M($input: AssignDriverInput!) { assignDriver(input: $input) { ok } }";
        let variables = json!({ "input": { "deliveryIds": ["none"], "driverId": "D-9" } });
        admin.refused(assign, variables).await.1 == "DRIVER_UNKNOWN"
    })
    .await;
    create(&admin, "DR-1", "D-1", world.clock.now()).await;

    let mut links = Vec::new();
    let mut refused = 0;
    for _ in 0..3 * MOST {
        let ask = json!({ "filename": "large.jpg" });
        let (status, answer) = told(&phone, "deliveries/DR-1/attachment-link", ask).await;
        if status == StatusCode::OK {
            links.push(answer["url"].as_str().unwrap().to_owned());
        } else {
            assert_eq!(status, StatusCode::TOO_MANY_REQUESTS, "{answer}");
            assert_eq!(answer["error"]["reason"], "TOO_MANY_UPLOADS");
            refused += 1;
        }
    }
    assert_eq!((links.len(), refused), (MOST, 2 * MOST));
    for link in &links {
        if world.shape == Shape::All {
            assert!(!is_taken(&phone, link, LARGEST + 1).await, "too large");
        }
        assert!(is_taken(&phone, link, LARGEST).await);
        if world.shape == Shape::All {
            assert!(!is_taken(&phone, link, LARGEST).await, "one upload for each link");
        }
    }
    if world.shape == Shape::All {
        assert_eq!(weight(&world.config.data.join("objects")), MOST * LARGEST);
    }

    // The office can still upload files, also for a driver's delivery.
    create(&admin, "DR-2", "D-1", world.clock.now()).await;
    let lines =
        "Delivery Doc,Shipment no.,Customer Name,Dispatch Date and Time\nDR-3,S-1,Acme,2026-11-22 08:30\n";
    assert_eq!(admin.import("a.csv", lines).await.created, 1);
    let ask =
        "mutation M($input: RequestAttachmentLinkInput!) { requestAttachmentLink(input: $input) { url } }";
    let input = json!({ "deliveryId": "DR-1", "filename": "a.png" });
    let link: Value =
        admin.data(ask, json!({ "input": input })).await["requestAttachmentLink"]["url"].clone();
    let url = admin.put_to(link.as_str().unwrap(), crate::logo::PNG).await;
    let add = "mutation M($input: AddAttachmentInput!) { addAttachment(input: $input) { id } }";
    let input = json!({ "deliveryId": "DR-1", "url": url, "kind": "photo" });
    assert!(admin.data(add, json!({ "input": input })).await["addAttachment"]["id"].is_string());

    // None of the files that the driver uploaded can be attached as proof.
    for link in &links {
        let url = link.split('?').next().unwrap();
        let (status, answer) =
            told(&phone, "deliveries/DR-1/attachments", json!({ "url": url, "kind": "photo" })).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{answer}");
    }
    world
});
