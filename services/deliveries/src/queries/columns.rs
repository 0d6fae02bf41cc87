//! Which columns of a delivery the fields of the contract are computed from.

use sea_orm::IdenStatic;

use crate::entity::delivery::Column;

const ADDRESS: [Column; 3] = [Column::AddressLat, Column::AddressLng, Column::AddressAccuracy];
const OUTCOME: [Column; 3] = [Column::OutcomeLat, Column::OutcomeLng, Column::OutcomeAccuracy];
/// What `domain::allowed::Standing` is made of.
const STANDING: [Column; 5] =
    [Column::Deliverystatus, Column::Attempt, Column::MaxAttempts, Column::Linecount, Column::FormVersion];

/// Returns the columns of these fields and of the id. `None` means all columns: no field is named, or one that only
/// another release knows.
pub fn of(fields: &[String]) -> Option<Vec<Column>> {
    if fields.is_empty() {
        return None;
    }
    let mut columns = vec![Column::Id];
    for field in fields {
        match field.as_str() {
            "address_point" => columns.extend(ADDRESS),
            "outcome_point" => columns.extend(OUTCOME),
            "outcome_distance_m" => columns.extend(ADDRESS.into_iter().chain(OUTCOME)),
            "allowed_actions" => columns.extend(STANDING),
            "incomplete_upload_log_id" => columns.push(Column::IncompleteUploadId),
            // The others have the name of their column.
            name => columns.push(name.parse().ok()?),
        }
    }
    columns.sort_by_key(IdenStatic::as_str);
    columns.dedup_by_key(|column| column.as_str());
    Some(columns)
}
