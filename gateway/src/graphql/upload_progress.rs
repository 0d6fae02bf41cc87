//! The progress of an import, a check or an undo, for its page.

use async_graphql::{Context, Subscription};
use futures::{Stream, StreamExt};
use kit::Role;
use proto::upload::v1::{self as contract, UploadStatus};

use super::clients;
use super::error::Failure;
use super::progress::follow;
use super::uploads::UploadLog;
use super::viewer::viewer;

#[derive(Default)]
pub struct UploadsSubscription;

#[Subscription]
impl UploadsSubscription {
    /// Sends an upload log immediately, and again whenever it has changed, until nothing runs for it anymore.
    async fn upload_log_changed(
        &self,
        ctx: &Context<'_>,
        id: String,
    ) -> Result<impl Stream<Item = Result<UploadLog, Failure>>, Failure> {
        viewer(ctx)?.session()?.require(Role::STAFF)?;
        let client = clients::uploads(ctx)?;
        let ask = move || {
            let (mut client, id) = (client.clone(), id.clone());
            async move { client.get_upload_log(contract::GetUploadLogRequest { id }).await }
        };
        Ok(follow(ask, is_idle).map(|log| log.map(UploadLog)))
    }
}

fn is_idle(log: &contract::UploadLog) -> bool {
    !matches!(
        log.status(),
        UploadStatus::Uploaded
            | UploadStatus::Parsing
            | UploadStatus::Importing
            | UploadStatus::Checking
            | UploadStatus::Undoing
            | UploadStatus::Correcting
    )
}
