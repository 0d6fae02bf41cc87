//! The fields that each list can be filtered and sorted by.

use ::store::filter::{Field, FieldKind};

use crate::domain::access::Access;
use crate::domain::announcement::Severity;
use crate::domain::report_member::ReportKey;
use crate::domain::report_setting::Format;
use crate::domain::value::Type;
use crate::entity::announcement::Column as Announcement;
use crate::entity::report_setting::Column as ReportSetting;
use crate::entity::setting::Column as Setting;

pub const SETTINGS: &[Field<Setting>] = &[
    Field::new("id", Setting::Id, FieldKind::Text { folded: Setting::Id }),
    Field::new("name", Setting::Name, FieldKind::Text { folded: Setting::NameKey }),
    Field::new("group", Setting::Grouping, FieldKind::Text { folded: Setting::GroupingKey }),
    Field::new("type", Setting::Type, FieldKind::Choice(Type::SPELLINGS)),
    Field::new("updatedAt", Setting::UpdatedAt, FieldKind::Instant),
    Field::new("updatedBy", Setting::UpdatedBy, FieldKind::Text { folded: Setting::UpdatedByKey }),
    // The planner settings are those for "planner", which GraphQL calls `plannerVisible`.
    Field::new("readers", Setting::Readers, FieldKind::Choice(Access::SPELLINGS)),
];

/// The state of an announcement is missing, because it depends on the time and has no column.
/// `store::announcements` handles its filter.
pub const ANNOUNCEMENTS: &[Field<Announcement>] = &[
    Field::new("title", Announcement::Title, FieldKind::Text { folded: Announcement::TitleKey }),
    Field::new("message", Announcement::Message, FieldKind::Text { folded: Announcement::MessageKey }),
    Field::new("severity", Announcement::Severity, FieldKind::Choice(Severity::SPELLINGS)),
    Field::new(
        "audienceRoles",
        Announcement::AudienceRoles,
        FieldKind::Choices(&["admin", "transport_planner", "dispatcher", "viewer"]),
    ),
    Field::new("startsAt", Announcement::StartsAt, FieldKind::Instant),
    Field::new("endsAt", Announcement::EndsAt, FieldKind::Instant),
    Field::new("isActive", Announcement::IsActive, FieldKind::Flag { yes: "On", no: "Off" }),
    Field::new("seenCount", Announcement::SeenCount, FieldKind::Number),
    Field::new("createdAt", Announcement::CreatedAt, FieldKind::Instant),
    Field::new("createdBy", Announcement::CreatedBy, FieldKind::Text { folded: Announcement::CreatedByKey }),
    Field::new("updatedAt", Announcement::UpdatedAt, FieldKind::Instant),
    Field::new("updatedBy", Announcement::UpdatedBy, FieldKind::Text { folded: Announcement::UpdatedByKey }),
];

pub const REPORT_SETTINGS: &[Field<ReportSetting>] = &[
    Field::new("name", ReportSetting::Name, FieldKind::Text { folded: ReportSetting::NameKey }),
    Field::new("reportKey", ReportSetting::ReportKey, FieldKind::Choice(ReportKey::SPELLINGS)),
    Field::new("rangeDays", ReportSetting::RangeDays, FieldKind::Number),
    Field::new("format", ReportSetting::Format, FieldKind::Choice(Format::SPELLINGS)),
    Field::new("isActive", ReportSetting::IsActive, FieldKind::Flag { yes: "Active", no: "Disabled" }),
    Field::new("createdAt", ReportSetting::CreatedAt, FieldKind::Instant),
    Field::new("updatedAt", ReportSetting::UpdatedAt, FieldKind::Instant),
    Field::new(
        "updatedBy",
        ReportSetting::UpdatedBy,
        FieldKind::Text { folded: ReportSetting::UpdatedByKey },
    ),
];
