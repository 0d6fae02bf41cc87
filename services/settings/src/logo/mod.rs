//! The customer's logo: from an upload to a picture at a permanent address.
//!
//! An upload is stored under an unguessable key, read once, and removed. The displayed logo is another
//! object, made by [`picture`] and named by the digest of its own bytes, so it never changes; the setting
//! contains its address. [`value`] is the setting's format, [`sweep`] removes unreferenced objects.
//!
//! Objects and rows do not commit together, so the order of steps decides what a crash leaves: a row is
//! written before its object is created, and deleted only if its object was removed. The transaction that
//! saves a setting checks that both row and object exist.

mod drawing;
pub mod picture;
mod pixels;
mod store;
mod svg;
pub mod sweep;
mod value;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod silent_bucket;
#[cfg(test)]
mod tests;

use ::store::{Tx, links};
use kit::blob::{Key, LINK_TTL, MAX_LOGO_BYTES};
use kit::clock::new_id;
use kit::gate::Gate;
use kit::input::limits::FILENAME;
use kit::{Error, Kind, Result};
use ring::digest::{SHA256, digest};
use tokio::task::spawn_blocking;

use crate::Context;
use picture::Picture;
pub use value::ID;
use value::Logo;

/// Key prefix of published logos, which are named by their content.
const PUBLISHED: &str = "logos/";
const INCOMING: &str = "logos/incoming/";
/// The path at which the gateway serves logos.
const ROUTE: &str = "/logo/";
/// Maximum number of unused uploads of one person, such as refused ones. They are swept after three hours.
/// The limit is generous, because only administrators may upload logos, and trying many files is not an
/// attack.
const MAX_OPEN: usize = 300;
const EXTENSIONS: [&str; 4] = ["svg", "jpeg", "jpg", "png"];
/// Maximum number of pictures that are processed at the same time: one briefly takes up to 200 MB.
const AT_ONCE: usize = 2;
/// Maximum number of pictures that wait to be processed. Few do, because only administrators upload them.
const WAITING: usize = 64;

/// Creates the limit on concurrent processing of pictures.
pub fn gate() -> Gate {
    Gate::new("logo", AT_ONCE, WAITING)
}

/// Returns a link for one upload by this user.
pub async fn request_link(context: &Context, user: &str, filename: &str) -> Result<String> {
    let count = filename.chars().count();
    if filename.trim().is_empty() || count > FILENAME {
        let text = format!("Filename must have 1 to {FILENAME} characters");
        return Err(Error::invalid_field("filename", text));
    }
    let extension = filename.rsplit_once('.').map(|(_, it)| it.to_ascii_lowercase());
    let extension = extension.filter(|it| EXTENSIONS.contains(&it.as_str())).ok_or_else(|| {
        Error::invalid("FILE_TYPE_INVALID", "Invalid file")
            .field("filename", "Choose an SVG, JPEG or PNG file.")
    })?;
    // The key does not depend on the user's file name, except for the extension.
    let key = Key::parse(&format!("{INCOMING}{}{}.{extension}", new_id().simple(), kit::random::suffix()?))?;
    store::add_upload(&context.db, key.as_str(), user, MAX_OPEN).await?;
    context.blob.presign_put(&key, LINK_TTL, MAX_LOGO_BYTES).await
}

/// Makes a logo from this user's upload at the URL; returns the logo's public address.
pub async fn publish(context: &Context, gate: &Gate, user: &str, url: &str) -> Result<String> {
    // Give the same answer whether an upload never existed, is gone, or belongs to somebody else.
    let unknown = || Error::not_found("OBJECT_NOT_FOUND", "The file does not exist.");
    let key = context.blob.key_of(url).map_err(|_| unknown())?;
    if !key.as_str().starts_with(INCOMING) {
        return Err(unknown());
    }
    let upload = store::upload(&context.db, key.as_str()).await?;
    let upload = upload.filter(|upload| upload.requested_by == user).ok_or_else(unknown)?;
    if let Some(file) = upload.logo_file {
        return Ok(address(context, &file));
    }
    let Picture { format, bytes } = match look_at(context, gate, &key).await {
        Ok(picture) => picture,
        Err(error) => {
            if error.kind == Kind::InvalidInput {
                remove(context, &key).await;
            }
            return Err(error);
        }
    };
    let file = format!("{}.{}", hex::encode(digest(&SHA256, &bytes)), format.extension());
    // Write first the row, then the object, then the upload's reference to the logo: see the head of this
    // module.
    store::touch_or_add(&context.db, &file, user).await?;
    context.blob.put(&key_of(&file)?, bytes).await?;
    store::set_published(&context.db, key.as_str(), &file).await?;
    remove(context, &key).await;
    Ok(address(context, &file))
}

async fn look_at(context: &Context, gate: &Gate, key: &Key) -> Result<Picture> {
    let busy = || {
        Error::unavailable(
            "LOGO_BUSY",
            "Too many logos are being processed right now. Try again in a moment.",
        )
    };
    let turn = gate.enter().await.ok_or_else(busy)?;
    let bytes = context.blob.get(key, MAX_LOGO_BYTES).await.map_err(|error| {
        if error.reason != "OBJECT_TOO_LARGE" {
            return error;
        }
        let text = format!("The file is larger than {} MB. Choose a smaller one.", MAX_LOGO_BYTES >> 20);
        Error::invalid("FILE_TOO_LARGE", text.clone()).field("url", text)
    })?;
    let made = spawn_blocking(move || {
        // Hold the turn until the work is done, even if the caller has gone.
        let _turn = turn;
        picture::of(&bytes)
    });
    made.await.map_err(Error::internal)?
}

/// Removes an upload that is no longer needed. If this fails, the sweep removes it later.
async fn remove(context: &Context, key: &Key) {
    if let Err(error) = context.blob.delete(key).await {
        tracing::warn!("an uploaded logo waits for the sweeper: {error:#}");
    }
}

/// Refuses a value of the setting if its logo cannot be shown. Runs in the transaction that saves the value.
/// `before` is the setting's current value, `user` the person who saves.
pub async fn check_value(
    context: &Context,
    tx: &Tx,
    user: &str,
    before: Option<&str>,
    text: &str,
) -> Result<()> {
    let logo = value::parse(text, before, &context.public_url)?;
    let is_same = before.and_then(value::referred).is_some_and(|before| before == logo);
    if !is_same && !is_of_upload(context, tx, user, &logo).await? {
        return Err(value::invalid("urlObject", "The logo was not uploaded. Upload it again."));
    }
    // Lock the row first: while it is locked, the object cannot be removed.
    let is_there = store::touch(tx, &logo.file).await?
        && links::in_time(tx, context.blob.head(&key_of(&logo.file)?)).await?.is_some();
    if !is_there {
        return Err(value::invalid("url", "The logo does not exist any more. Upload it again."));
    }
    Ok(())
}

/// Returns whether this user uploaded the picture that the logo was made of.
async fn is_of_upload(context: &Context, tx: &Tx, user: &str, logo: &Logo) -> Result<bool> {
    let Ok(key) = context.blob.key_of(&logo.url_object) else { return Ok(false) };
    let upload = store::hold_upload(tx, key.as_str()).await?;
    Ok(upload.is_some_and(|it| it.requested_by == user && it.logo_file.as_deref() == Some(&logo.file)))
}

fn address(context: &Context, file: &str) -> String {
    format!("{}{ROUTE}{file}", context.public_url)
}

fn key_of(file: &str) -> Result<Key> {
    Key::parse(&format!("{PUBLISHED}{file}"))
}
