//! Converts between the rows of a delivery and the state that the rules use.

use ::store::filter::fold;
use sea_orm::ActiveValue::Set;

use crate::domain::delivery::{ScanMode, Status};
use crate::domain::line::Line;
use crate::domain::state::{Outcome, State};
use crate::entity::{delivery, item};

pub fn state_of(row: &delivery::Model, items: &[item::Model]) -> State {
    State {
        id: row.id.clone(),
        status: row.deliverystatus,
        attempt: row.attempt,
        max_attempts: row.max_attempts,
        version: row.version,
        form_version: row.form_version,
        created_at: row.created_at,
        scheduledatetime: row.scheduledatetime,
        time_window_start: row.time_window_start,
        time_window_end: row.time_window_end,
        deliverydatetime: row.deliverydatetime,
        driver_id: row.driver_id.clone(),
        lines: items.iter().map(line_of).collect(),
        outcome: (row.deliverystatus != Status::Pending).then(|| outcome_of(row)),
        office_decided_at: row.office_decided_at,
        conflict: row.conflict,
    }
}

fn line_of(row: &item::Model) -> Line {
    Line {
        item_number: row.item_number.clone(),
        expected: row.quantity,
        delivered: row.delivered,
        rejected: row.rejected,
        condition: row.condition,
        reason: row.variance_reason.clone(),
        note: row.variance_note.clone(),
    }
}

fn outcome_of(row: &delivery::Model) -> Outcome {
    // Rows that are older than the columns of the outcome have only its time.
    let processed_at = row.deliverydatetime.unwrap_or(row.updated_at);
    Outcome {
        reason: row.outcome_reason.clone(),
        note: row.outcome_note.clone(),
        received_by: row.received_by.clone(),
        relation: row.received_by_relation,
        scanmode: row.scanmode,
        place: row.outcome_place(),
        occurred_at: row.outcome_occurred_at.unwrap_or(processed_at),
        received_at: row.outcome_received_at.unwrap_or(processed_at),
        late: row.late,
    }
}

/// Returns the columns of a state.
pub fn columns_of(state: &State) -> delivery::ActiveModel {
    let State {
        id: _,
        status,
        attempt,
        max_attempts: _,
        version,
        form_version,
        created_at: _,
        scheduledatetime,
        time_window_start,
        time_window_end,
        deliverydatetime,
        driver_id,
        lines: _,
        outcome,
        office_decided_at,
        conflict,
    } = state;
    let outcome = outcome.as_ref();
    let place = outcome.and_then(|it| it.place);
    delivery::ActiveModel {
        deliverystatus: Set(*status),
        attempt: Set(*attempt),
        version: Set(*version),
        form_version: Set(*form_version),
        scheduledatetime: Set(*scheduledatetime),
        time_window_start: Set(*time_window_start),
        time_window_end: Set(*time_window_end),
        deliverydatetime: Set(*deliverydatetime),
        driver_id: Set(driver_id.clone()),
        driver_id_key: Set(driver_id.as_deref().map(fold)),
        scanmode: Set(outcome.map_or(ScanMode::No, |it| it.scanmode)),
        received_by: Set(outcome.and_then(|it| it.received_by.clone())),
        received_by_relation: Set(outcome.and_then(|it| it.relation)),
        outcome_reason: Set(outcome.and_then(|it| it.reason.clone())),
        outcome_note: Set(outcome.and_then(|it| it.note.clone())),
        outcome_lat: Set(place.map(|it| it.lat)),
        outcome_lng: Set(place.map(|it| it.lng)),
        outcome_accuracy: Set(place.and_then(|it| it.accuracy)),
        outcome_occurred_at: Set(outcome.map(|it| it.occurred_at)),
        outcome_received_at: Set(outcome.map(|it| it.received_at)),
        late: Set(outcome.is_some_and(|it| it.late)),
        conflict: Set(*conflict),
        office_decided_at: Set(*office_decided_at),
        ..Default::default()
    }
}

/// Returns the rows of lines that differ from what is stored. `lines` and `items` correspond by position.
pub fn counted(items: &[item::Model], lines: &[Line]) -> Vec<item::Model> {
    let pairs = items.iter().zip(lines).filter(|(row, line)| line_of(row) != **line);
    pairs
        .map(|(row, line)| {
            let Line { item_number: _, expected: _, delivered, rejected, condition, reason, note } =
                line.clone();
            item::Model {
                delivered,
                rejected,
                condition,
                variance_reason: reason,
                variance_note: note,
                ..row.clone()
            }
        })
        .collect()
}
