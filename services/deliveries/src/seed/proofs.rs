//! Photos and signatures for outcomes of the last days.

use std::time::Duration;

use ::store::filter::fold;
use chrono::{DateTime, TimeDelta, Utc};
use kit::blob::{Blob, Key};
use kit::{Error, Result};

use super::chance::Chance;
use super::life::Turn;
use super::pictures::{Picture, Pictures};
use crate::attachments::storage;
use crate::domain::attachment::{Kind, Origin};
use crate::domain::delivery::Status;
use crate::entity::attachment;

/// How far back outcomes have proof.
const SINCE: TimeDelta = TimeDelta::hours(40);
/// With n times this number of deliveries, only every nth delivery has proof.
const ALL_OF: u64 = 4_000;
const LINK_HOLDS: Duration = Duration::from_secs(60);
const LARGEST: u64 = 10 << 20;

/// Which outcomes have proof, and the available files.
pub struct Proofs {
    blob: Blob,
    pictures: Pictures,
    /// The part of an upload's address before its key.
    prefix: String,
    since: DateTime<Utc>,
    every: u64,
}

/// A file to store as an attachment.
pub struct File {
    pub row: attachment::Model,
    pub kind: Kind,
    picture: usize,
}

impl Proofs {
    pub async fn new(blob: &Blob, now: DateTime<Utc>, deliveries: u64) -> Result<Self> {
        let key = Key::parse(&format!("{}demo", storage::UPLOADED))?;
        let link = blob.presign_put(&key, LINK_HOLDS, LARGEST).await?;
        let address = link.split('?').next().unwrap_or_default();
        let prefix = address.strip_suffix(key.as_str());
        let prefix = prefix.ok_or_else(|| Error::internal("an address that does not end in its key"))?;
        let every = (deliveries / ALL_OF).max(1);
        Ok(Self {
            blob: blob.clone(),
            pictures: Pictures::draw()?,
            prefix: prefix.to_owned(),
            since: now - SINCE,
            every,
        })
    }

    /// Returns the files of an outcome: a signature if somebody took the goods; a photo if something was
    /// wrong, and for some other outcomes.
    pub fn of(&self, id: &str, number: u64, turn: &Turn) -> Result<Vec<File>> {
        let step = &turn.step;
        let is_outcome = step.client_event_id.is_some() && !step.superseded;
        if !is_outcome || step.received_at < self.since || !number.is_multiple_of(self.every) {
            return Ok(Vec::new());
        }
        let mut chance = Chance::of(10, number * 10 + u64::from(step.attempt.unsigned_abs()));
        let taken = matches!(step.to, Status::CompleteNoVariance | Status::CompleteWithVariance);
        let photographed = chance.percent(40) || step.to != Status::CompleteNoVariance;
        let kinds = [taken.then_some(Kind::Signature), photographed.then_some(Kind::Photo)];
        kinds.into_iter().flatten().map(|kind| self.file(&mut chance, id, turn, kind)).collect()
    }

    fn file(&self, chance: &mut Chance, id: &str, turn: &Turn, kind: Kind) -> Result<File> {
        let (step, all) = (&turn.step, self.of_kind(kind));
        let index = chance.next() as usize % all.len().max(1);
        let picture = &all[index];
        let name = if kind == Kind::Signature { "signature.png" } else { "photo.jpg" };
        let uploaded =
            Key::parse(&format!("{}{:016x}{:016x}/{name}", storage::UPLOADED, chance.next(), chance.next()))?;
        let row = attachment::Model {
            id: chance.id(step.received_at),
            delivery_key: fold(id),
            delivery_id: id.to_owned(),
            attempt: step.attempt,
            item_key: None,
            item_number: None,
            kind,
            object_key: uploaded.as_str().to_owned(),
            url: format!("{}{}", self.prefix, uploaded.as_str()),
            filename: name.to_owned(),
            content_type: picture.content_type.to_owned(),
            size_bytes: i64::try_from(picture.bytes.len()).unwrap_or(i64::MAX),
            sha256: picture.sha256.clone(),
            width: Some(picture.width),
            height: Some(picture.height),
            captured_at: step.occurred_at - TimeDelta::seconds(chance.between(5, 50)),
            received_at: step.received_at,
            lat: step.place.map(|it| it.lat),
            lng: step.place.map(|it| it.lng),
            accuracy: step.place.and_then(|it| it.accuracy),
            captured_by: step.actor_name.clone(),
            source: Origin::of(step.actor),
            added_after_completion: false,
            note: None,
        };
        Ok(File { row, kind, picture: index })
    }

    fn of_kind(&self, kind: Kind) -> &[Picture] {
        if kind == Kind::Signature { &self.pictures.signatures } else { &self.pictures.photos }
    }

    /// Stores the files under the keys that their rows have.
    pub async fn keep(&self, all: &[File]) -> Result<()> {
        for file in all {
            let key = storage::kept(&Key::parse(&file.row.object_key)?)?;
            self.blob.put(&key, self.of_kind(file.kind)[file.picture].bytes.clone()).await?;
        }
        Ok(())
    }
}
