//! Decides whether an import's effect on a delivery can be undone.
//!
//! An undo reverses everything that an import did to a delivery, or nothing: a delivery that somebody else
//! has changed since is kept.

use chrono::{DateTime, Utc};

/// The import's record about a delivery.
#[derive(Debug, Clone, Copy)]
pub struct Noted {
    pub created: bool,
    /// The delivery's version after the import.
    pub version: i64,
    /// Whether the previous values are stored.
    pub has_image: bool,
}

/// The current state of a delivery.
#[derive(Debug, Clone)]
pub struct Present {
    pub version: i64,
    pub updated_by: String,
    pub updated_at: DateTime<Utc>,
    /// Whether a driver's update was superseded. Earlier releases marked it without a new version.
    pub conflict: bool,
    /// Who added the last attachment, and when. An attachment does not change the version.
    pub attachment: Option<(String, DateTime<Utc>)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Remove the delivery if the import created it, otherwise restore the previous values.
    Reverse,
    /// Keep the delivery, because somebody has changed it since.
    Kept {
        by: String,
        at: DateTime<Utc>,
    },
    Failed(&'static str),
}

pub const TOUCHED: &str = "DELIVERY_TOUCHED";
pub const IMAGE_GONE: &str = "PREVIOUS_VALUES_NOT_KEPT";
pub const GONE: &str = "DELIVERY_NOT_FOUND";

pub fn verdict(noted: Noted, present: Option<&Present>) -> Verdict {
    let Some(present) = present else { return Verdict::Failed(GONE) };
    let changed = || Verdict::Kept { by: present.updated_by.clone(), at: present.updated_at };
    if present.version != noted.version {
        return changed();
    }
    if noted.created {
        // Removing the delivery would remove its attachments, too; restoring values would not.
        if let Some((by, at)) = present.attachment.clone() {
            return Verdict::Kept { by, at };
        }
        if present.conflict {
            return changed();
        }
        return Verdict::Reverse;
    }
    if noted.has_image { Verdict::Reverse } else { Verdict::Failed(IMAGE_GONE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000 + seconds, 0).unwrap()
    }

    fn present(version: i64) -> Present {
        Present { version, updated_by: "ben".into(), updated_at: at(0), conflict: false, attachment: None }
    }

    #[test]
    fn what_nobody_touched_is_reversed_and_all_else_is_kept() {
        let created = Noted { created: true, version: 1, has_image: false };
        let updated = Noted { created: false, version: 4, has_image: true };
        assert_eq!(verdict(created, Some(&present(1))), Verdict::Reverse);
        assert_eq!(verdict(updated, Some(&present(4))), Verdict::Reverse);
        let kept = Verdict::Kept { by: "ben".into(), at: at(0) };
        assert_eq!(verdict(created, Some(&present(2))), kept);
        assert_eq!(verdict(updated, Some(&present(5))), kept);
        // Without previous values nothing can be restored, but the answer still says who changed the
        // delivery.
        let bare = Noted { has_image: false, ..updated };
        assert_eq!(verdict(bare, Some(&present(4))), Verdict::Failed(IMAGE_GONE));
        assert_eq!(verdict(bare, Some(&present(5))), kept);
        assert_eq!(verdict(created, None), Verdict::Failed(GONE));
    }

    #[test]
    fn what_leaves_the_version_as_it_is_keeps_a_delivery_from_being_removed() {
        let created = Noted { created: true, version: 1, has_image: false };
        let updated = Noted { created: false, version: 1, has_image: true };
        let proven = Present { attachment: Some(("D-1".into(), at(60))), ..present(1) };
        assert_eq!(verdict(created, Some(&proven)), Verdict::Kept { by: "D-1".into(), at: at(60) });
        assert_eq!(verdict(updated, Some(&proven)), Verdict::Reverse);
        let conflict = Present { conflict: true, ..present(1) };
        assert_eq!(verdict(created, Some(&conflict)), Verdict::Kept { by: "ben".into(), at: at(0) });
        assert_eq!(verdict(updated, Some(&conflict)), Verdict::Reverse);
    }
}
