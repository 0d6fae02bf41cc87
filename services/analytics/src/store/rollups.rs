//! Roll-ups. Each change of a fact adds the difference to their sums.

use std::collections::BTreeMap;

use ::store::bulk;
use ::store::{Tx, db};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use kit::text::fold;
use kit::{Error, Result};
use ring::digest::{Context, SHA256};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, OnConflict};
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use uuid::Uuid;

use crate::entity::delivery_fact;
use crate::entity::delivery_rollup::{ActiveModel, Axis, Column, Entity, Grain, Model, SUMS};

type Sums = [i64; SUMS.len()];

/// What several changes of facts add to each row of the roll-ups.
#[derive(Default)]
pub struct Deltas(BTreeMap<Uuid, (About, Sums)>);

/// The columns from which a row's key is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct About {
    axis: Axis,
    grain: Grain,
    hour: DateTime<Utc>,
    delivery_status: String,
    source_id: Option<Uuid>,
    scan_mode: String,
    trucker: Option<String>,
}

impl Deltas {
    pub fn add(&mut self, fact: &delivery_fact::Model) -> Result<()> {
        self.count(fact, 1)
    }

    pub fn subtract(&mut self, fact: &delivery_fact::Model) -> Result<()> {
        self.count(fact, -1)
    }

    fn count(&mut self, fact: &delivery_fact::Model, sign: i64) -> Result<()> {
        let sums = sums(fact).map(|sum| sum * sign);
        for about in abouts(fact)? {
            let (_, total) = self.0.entry(about.id()).or_insert((about, [0; SUMS.len()]));
            for (total, sum) in total.iter_mut().zip(sums) {
                *total += sum;
            }
        }
        Ok(())
    }

    /// Adds the differences to the rows, and removes rows that have no deliveries left.
    pub async fn write(self, tx: &Tx) -> Result<()> {
        let moved: Vec<(Uuid, (About, Sums))> =
            self.0.into_iter().filter(|(_, (_, sums))| sums.iter().any(|sum| *sum != 0)).collect();
        // Only a row that loses deliveries can have none left.
        let fewer = moved.iter().filter(|(_, (_, [deliveries, ..]))| *deliveries < 0).map(|(id, _)| *id);
        let fewer: Vec<Uuid> = fewer.collect();
        let rows = moved.iter().map(|(id, (about, sums))| row(*id, about, sums)).collect();
        let sum = |column: Column| {
            let new = Expr::col((Alias::new("excluded"), column));
            (column, Expr::col((Entity, column)).add(new))
        };
        let over = OnConflict::column(Column::RollupId).values(SUMS.map(sum)).to_owned();
        bulk::upsert(&**tx, rows, &over).await?;
        for ids in bulk::chunks::<Entity, _>(&fewer) {
            Entity::delete_many()
                .filter(Column::RollupId.is_in(ids.iter().copied()))
                .filter(Column::Deliveries.eq(0))
                .exec(&**tx)
                .await
                .map_err(db)?;
        }
        Ok(())
    }
}

/// Returns what a fact adds to a row, in the order of [`SUMS`].
fn sums(fact: &delivery_fact::Model) -> Sums {
    let known = |answer: Option<bool>| i64::from(answer.is_some());
    let yes = |answer: Option<bool>| i64::from(answer == Some(true));
    [
        1,
        known(fact.on_time),
        yes(fact.on_time),
        known(fact.first_attempt),
        yes(fact.first_attempt),
        known(fact.perfect),
        yes(fact.perfect),
        i64::from(fact.stop_seconds.is_some()),
        fact.stop_seconds.unwrap_or_default(),
        fact.late_events.into(),
    ]
}

/// Returns the rows that count a fact.
fn abouts(fact: &delivery_fact::Model) -> Result<Vec<About>> {
    let times =
        [(Axis::Scheduled, Some(fact.schedule_date_time)), (Axis::Processed, fact.delivery_date_time)];
    let mut abouts = Vec::with_capacity(6);
    for (axis, time) in times {
        let Some(time) = time else { continue };
        for grain in [Grain::Outcome, Grain::Status, Grain::Trucker] {
            let is_outcome = grain == Grain::Outcome;
            abouts.push(About {
                axis,
                grain,
                hour: time.duration_trunc(TimeDelta::hours(1)).map_err(Error::internal)?,
                delivery_status: fact.delivery_status.clone(),
                source_id: fact.source_id.filter(|_| !is_outcome),
                scan_mode: if is_outcome { String::new() } else { fact.scan_mode.clone() },
                trucker: (grain == Grain::Trucker).then(|| fact.trucker.clone()),
            });
        }
    }
    Ok(abouts)
}

impl About {
    /// Returns the row's key: equal on every machine and in every release.
    fn id(&self) -> Uuid {
        let Self { axis, grain, hour, delivery_status, source_id, scan_mode, trucker } = self;
        let hour = hour.timestamp().to_be_bytes();
        let source = source_id.map(Uuid::into_bytes);
        let parts: [Option<&[u8]>; 7] = [
            Some(axis.as_str().as_bytes()),
            Some(grain.as_str().as_bytes()),
            Some(&hour),
            Some(delivery_status.as_bytes()),
            source.as_ref().map(<[u8; 16]>::as_slice),
            Some(scan_mode.as_bytes()),
            trucker.as_deref().map(str::as_bytes),
        ];
        let mut digest = Context::new(&SHA256);
        for part in parts {
            // Include lengths, so that different columns never give the same bytes.
            digest.update(&part.map_or(u64::MAX, |part| part.len() as u64).to_be_bytes());
            digest.update(part.unwrap_or_default());
        }
        let mut id = [0; 16];
        id.copy_from_slice(&digest.finish().as_ref()[..16]);
        Uuid::from_bytes(id)
    }
}

fn row(id: Uuid, about: &About, sums: &Sums) -> ActiveModel {
    let About { axis, grain, hour, delivery_status, source_id, scan_mode, trucker } = about.clone();
    let [
        deliveries,
        on_time_known,
        on_time,
        first_attempt_known,
        first_attempt,
        perfect_known,
        perfect,
        stops,
        stop_seconds,
        late_events,
    ] = *sums;
    let row = Model {
        rollup_id: id,
        axis,
        grain,
        hour,
        delivery_status_key: fold(&delivery_status),
        delivery_status,
        source_id,
        scan_mode_key: fold(&scan_mode),
        scan_mode,
        trucker_key: trucker.as_deref().map(fold),
        trucker,
        deliveries,
        on_time_known,
        on_time,
        first_attempt_known,
        first_attempt,
        perfect_known,
        perfect,
        stops,
        stop_seconds,
        late_events,
    };
    // Set all columns, including the key.
    ActiveModel { rollup_id: Set(id), ..row.into_active_model().reset_all() }
}
