//! Takes in dead letters of other systems, reported by a call or published as messages.
//!
//! Both ways use `letters`, so a letter that comes both ways is stored once. Nothing is lost: an invalid
//! report is stored as received.

mod letters;

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use kit::bus::intake::{Intake, Reported, Take};
use kit::{Error, Result};
use uuid::Uuid;

use letters::{Kept, Malformed, keep, keep_malformed};

use crate::Context;
use crate::domain::intake::{Letter, read};
use crate::entity::producer;
use crate::queries::producers;

/// Creates the durable reader of published reports.
pub fn intake(context: &Context) -> Intake {
    Intake { name: "deliveries-intake", taker: Arc::new(LetterIntake { context: context.clone() }) }
}

/// Stores the report of one call. A report that is refused is stored as received, too.
pub async fn take_one(
    context: &Context,
    producer: &producer::Model,
    (key, message): (&str, Vec<u8>),
    letter: Result<Letter>,
) -> Result<Kept> {
    let now = context.clock.now();
    let tx = context.db.begin().await?;
    let kept = match letter {
        Ok(letter) => {
            let mut kept = keep(&tx, &[(producer, letter)], now).await?;
            kept.pop().ok_or_else(|| Error::internal("no answer for a letter"))?
        }
        Err(error) => Err(error),
    };
    if let Err(error) = &kept {
        keep_malformed(&tx, vec![malformed(producer, key, message, error)], now).await?;
    }
    tx.commit().await?;
    kept
}

struct LetterIntake {
    context: Context,
}

#[async_trait]
impl Take for LetterIntake {
    async fn take(&self, messages: Vec<Reported>) -> Result<()> {
        let now = self.context.clock.now();
        let tx = self.context.db.begin().await?;
        let all = producers::list(&*tx).await?;
        let by_name: HashMap<&str, &producer::Model> =
            all.iter().filter(|it| it.is_active).map(|it| (it.name.as_str(), it)).collect();
        let (mut letters, mut whole, mut bad) = (Vec::new(), Vec::new(), Vec::new());
        for message in messages {
            match by_name.get(message.producer.as_str()) {
                Some(producer) => match read(&message.id, &message.payload) {
                    Ok(letter) => {
                        letters.push((*producer, letter));
                        whole.push(message);
                    }
                    Err(error) => bad.push(malformed(producer, &message.id, message.payload, &error)),
                },
                None => bad.push(unregistered(message)),
            }
        }
        let kept = keep(&tx, &letters, now).await?;
        for ((message, (producer, _)), kept) in whole.into_iter().zip(&letters).zip(kept) {
            if let Err(error) = kept {
                bad.push(malformed(producer, &message.id, message.payload, &error));
            }
        }
        if !bad.is_empty() {
            tracing::warn!(
                messages = bad.len(),
                "malformed messages of producers were kept for an administrator"
            );
            keep_malformed(&tx, bad, now).await?;
        }
        tx.commit().await
    }
}

fn malformed(producer: &producer::Model, key: &str, message: Vec<u8>, error: &Error) -> Malformed {
    let fields: Vec<String> = error.fields.values().flatten().cloned().collect();
    let error = if fields.is_empty() { error.message.clone() } else { fields.join(". ") };
    let (id, producer): (Option<Uuid>, _) = (Some(producer.id), producer.name.clone());
    Malformed { producer, producer_id: id, key: key.to_owned(), message, error }
}

fn unregistered(message: Reported) -> Malformed {
    let Reported { producer, id: key, payload: message } = message;
    let error = match producer.as_str() {
        "" => "The subject names no reporting system".to_owned(),
        name => format!("No active reporting system is named {name}"),
    };
    Malformed { producer, producer_id: None, key, message, error }
}
