//! Counting lines, and what counts imply.

use kit::input::limits::QUANTITY_THOUSANDTHS as MAX_QUANTITY;

use super::delivery::Status;
use super::line::{
    Condition, Count, Line, Rules, Variance, VarianceKind, all_delivered, all_rejected, counted, implied,
    implied_alone, opened, uncounted, variances,
};
use super::reason::{AppliesTo, Catalogue};
use super::testing::{because, count, lines, policy};

fn over(over_delivery: bool) -> Rules<'static> {
    Rules { over_delivery, ..policy().rules() }
}

fn put(counts: &[Count]) -> Vec<Line> {
    counted(&lines(), counts, over(true)).unwrap()
}

/// Returns field and text of each refusal.
fn refused(counts: &[Count], over_delivery: bool) -> Vec<(String, String)> {
    let fields = counted(&lines(), counts, over(over_delivery)).unwrap_err();
    fields.into_iter().map(|(field, texts)| (field, texts.join(" "))).collect()
}

fn only(counts: &[Count], over_delivery: bool) -> (String, String) {
    let mut refused = refused(counts, over_delivery);
    assert_eq!(refused.len(), 1, "{refused:?}");
    refused.remove(0)
}

#[test]
fn what_is_too_much_is_derived() {
    let line = |delivered, rejected| Line { delivered, rejected, ..Line::open("1", 5_000) };
    for (delivered, rejected, extra) in
        [(5_000, 0, 0), (3_000, 0, 0), (3_000, 2_000, 0), (5_000, 1, 1), (6_500, 0, 1_500), (0, 0, 0)]
    {
        let line = line(delivered, rejected);
        assert_eq!(line.extra(), extra, "{line:?}");
    }
}

#[test]
fn a_variance_is_another_quantity_or_condition() {
    let good = Line { delivered: 5_000, ..Line::open("1", 5_000) };
    assert!(!good.differs());
    assert!(Line { delivered: 4_999, ..good.clone() }.differs());
    assert!(Line { delivered: 5_001, ..good.clone() }.differs());
    for condition in [Condition::Damaged, Condition::WrongItem, Condition::Expired] {
        assert!(Line { condition, ..good.clone() }.differs(), "{condition:?}");
    }
}

#[test]
fn the_lines_imply_one_status() {
    let lines = |counts: &[(i64, i64, i64)]| -> Vec<Line> {
        let line =
            |&(expected, delivered, rejected)| Line { delivered, rejected, ..Line::open("1", expected) };
        counts.iter().map(line).collect()
    };
    use Status::{CompleteNoVariance, CompleteWithVariance, Rejected, Undelivered};
    for (counts, status) in [
        (&[][..], None),
        (&[(0, 0, 0)], None),
        (&[(5, 5, 0)], Some(CompleteNoVariance)),
        (&[(5, 5, 0), (0, 0, 0)], Some(CompleteNoVariance)),
        (&[(5, 5, 0), (2, 2, 0)], Some(CompleteNoVariance)),
        (&[(5, 5, 0), (2, 0, 0)], Some(CompleteWithVariance)),
        (&[(5, 5, 0), (2, 0, 2)], Some(CompleteWithVariance)),
        (&[(5, 1, 0)], Some(CompleteWithVariance)),
        (&[(5, 6, 0)], Some(CompleteWithVariance)),
        (&[(0, 1, 0)], Some(CompleteWithVariance)),
        (&[(5, 0, 0)], Some(Undelivered)),
        (&[(5, 0, 0), (2, 0, 0)], Some(Undelivered)),
        // Something was refused and something never came, so the delivery can be tried again.
        (&[(5, 0, 4)], Some(Undelivered)),
        (&[(5, 0, 5), (2, 0, 0)], Some(Undelivered)),
        (&[(5, 0, 5)], Some(Rejected)),
        (&[(5, 0, 5), (2, 0, 2)], Some(Rejected)),
        (&[(5, 0, 5), (0, 0, 0)], Some(Rejected)),
        (&[(5, 0, 6)], Some(Rejected)),
    ] {
        assert_eq!(implied(&lines(counts)), status, "{counts:?}");
    }
    let damaged = Line { delivered: 5, condition: Condition::Damaged, ..Line::open("1", 5) };
    assert_eq!(implied(&[damaged]), Some(CompleteWithVariance));
    let lost = Line { condition: Condition::Damaged, ..Line::open("1", 0) };
    assert_eq!(implied(&[lost]), Some(Undelivered));
}

#[test]
fn counts_alone_imply_a_status() {
    use Status::{CompleteNoVariance, CompleteWithVariance, Rejected, Undelivered};
    let damaged = Count { condition: Condition::Damaged, ..count("1", 5, 0) };
    for (counts, status) in [
        (vec![], None),
        (vec![count("1", 5, 0), count("2", 0, 0)], Some(CompleteNoVariance)),
        (vec![because(" ", count("1", 5, 0))], Some(CompleteNoVariance)),
        (vec![count("1", 5, 0), because("short_shipped", count("2", 0, 0))], Some(CompleteWithVariance)),
        (vec![count("1", 4, 1)], Some(CompleteWithVariance)),
        (vec![damaged], Some(CompleteWithVariance)),
        (vec![count("1", 0, 5), count("2", 0, 1)], Some(Rejected)),
        (vec![count("1", 0, 5), count("2", 0, 0)], Some(Undelivered)),
        (vec![count("1", 0, 0)], Some(Undelivered)),
    ] {
        assert_eq!(implied_alone(&counts), status, "{counts:?}");
    }
}

#[test]
fn what_is_usual_implies_itself() {
    assert_eq!(implied(&all_delivered(&lines())), Some(Status::CompleteNoVariance));
    assert_eq!(implied(&all_rejected(&lines())), Some(Status::Rejected));
    assert_eq!(opened(&all_rejected(&lines())), lines());
}

#[test]
fn counts_are_put_on_the_lines_they_name() {
    let after = put(&[because(
        "short_shipped",
        Count { note: Some(" Torn bag ".into()), ..count(" 2 ", 2_000, 100) },
    )]);
    assert_eq!(after[0], lines()[0], "what is not named stays");
    assert_eq!((after[1].delivered, after[1].rejected), (2_000, 100));
    assert_eq!(after[1].item_number, "2", "as the delivery spells it");
    assert_eq!(after[1].reason.as_deref(), Some("short_shipped"));
    assert_eq!(after[1].note.as_deref(), Some("Torn bag"));
    assert_eq!(uncounted(&lines(), &[count("2", 0, 0)]), ["1"]);
    assert!(uncounted(&lines(), &[count("2", 0, 0), count("1", 0, 0)]).is_empty());
    assert!(counted(&[Line::open("Ab", 1)], &[count("aB", 1, 0)], over(false)).is_ok());
}

#[test]
fn item_numbers_are_of_the_delivery_and_there_once() {
    let (field, text) = only(&[count("3", 0, 0)], true);
    assert_eq!(
        (field.as_str(), text.as_str()),
        ("lines.0.itemNumber", "The delivery has no item with this number")
    );
    let (field, text) = only(&[count("1", 0, 0), count(" 1", 0, 0)], true);
    assert_eq!((field.as_str(), text.as_str()), ("lines.1.itemNumber", "Item number appears twice"));
    let (field, _) = only(&[count("1", 0, 0), count("2", 0, 0), count("3", 0, 0)], true);
    assert_eq!(field, "lines", "no more work is done than there are lines");
}

#[test]
fn quantities_are_bounded_and_told_all_at_once() {
    let refused = refused(&[count("1", -1, MAX_QUANTITY + 1), count("2", MAX_QUANTITY + 1, -1)], true);
    let fields: Vec<&str> = refused.iter().map(|(field, _)| field.as_str()).collect();
    let all = ["0.quantityDelivered", "0.quantityRejected", "1.quantityDelivered", "1.quantityRejected"];
    assert_eq!(fields, all.map(|name| format!("lines.{name}")));
    assert_eq!(refused[0].1, "Delivered quantity must be between 0 and 1000000000");
    assert!(
        counted(&lines(), &[because("over_delivered", count("1", MAX_QUANTITY, MAX_QUANTITY))], over(true))
            .is_ok()
    );
}

#[test]
fn more_than_expected_needs_the_setting_and_a_reason() {
    let counts = [because("over_delivered", count("1", 6_000, 0))];
    let (field, text) = only(&counts, false);
    assert_eq!(field, "lines.0.quantityDelivered");
    assert_eq!(text, "Delivered and rejected must not be more than expected");
    assert_eq!(put(&counts)[0].extra(), 1_000);
    let (field, text) = only(&[count("1", 6_000, 0)], true);
    assert_eq!(field, "lines.0.varianceReason");
    assert_eq!(text, "Reason is required where more than expected was counted");
    // The reason is needed even if the surplus was refused and nothing differs.
    assert_eq!(only(&[count("1", 5_000, 1_000)], true).0, "lines.0.varianceReason");
    assert!(!put(&[because("over_delivered", count("1", 5_000, 1_000))])[0].differs());
    assert_eq!(only(&[count("1", 4_000, 2_000)], false).0, "lines.0.quantityDelivered");
}

#[test]
fn the_reason_of_a_line_is_one_for_lines() {
    for code in ["site_closed", "refused_late", "made_up", "Short_shipped"] {
        let (field, text) = only(&[because(code, count("1", 4_000, 0))], true);
        assert_eq!(
            (field, text),
            ("lines.0.varianceReason".into(), format!("Reason {code:?} isn't a reason for a line"))
        );
    }
    let (field, text) = only(&[because("short_shipped", count("1", 5_000, 0))], true);
    assert_eq!(field, "lines.0.varianceReason");
    assert_eq!(text, "Reason must be left empty where nothing differs");
    assert_eq!(only(&[because(&"x".repeat(65), count("1", 4_000, 0))], true).0, "lines.0.varianceReason");
    assert!(put(&[because("  ", count("1", 5_000, 0))])[0].reason.is_none());
}

#[test]
fn a_reason_may_require_a_note() {
    let other = because("other", count("1", 4_000, 0));
    let (field, text) = only(std::slice::from_ref(&other), true);
    assert_eq!(field, "lines.0.varianceNote");
    assert_eq!(text, "Note is required with the reason \"Other\"");
    put(&[Count { note: Some("Fell off".into()), ..other.clone() }]);
    let long = Count { note: Some("x".repeat(2_001)), ..other };
    assert_eq!(only(&[long], true).0, "lines.0.varianceNote");
}

#[test]
fn a_reason_out_of_use_stays_where_it_is() {
    let mut reasons = Catalogue::seed().reasons().to_vec();
    reasons[0].is_active = false;
    let catalogue = Catalogue::new(reasons);
    let rules = Rules { reasons: &catalogue, over_delivery: false };
    let before = put(&[because("short_shipped", count("1", 4_000, 0))]);
    let again = [because("short_shipped", count("1", 3_000, 0))];
    assert!(counted(&before, &again, rules).is_ok());
    let fields = counted(&lines(), &again, rules).unwrap_err();
    assert!(fields["lines.0.varianceReason"][0].contains("no longer in use"), "{fields:?}");
}

#[test]
fn a_line_stays_as_it_was_recorded_when_the_rules_have_become_stricter() {
    let recorded = put(&[because("over_delivered", count("1", 6_000, 0))]);
    let mut reasons = Catalogue::seed().reasons().to_vec();
    for reason in &mut reasons {
        reason.requires_note = true;
    }
    let catalogue = Catalogue::new(reasons);
    let stricter = Rules { reasons: &catalogue, over_delivery: false };
    let correct = |line: Count| {
        let other = because("short_shipped", count("2", 2_000, 0));
        let other = Count { note: Some("Torn bag".into()), ..other };
        counted(&recorded, &[line, other], stricter)
    };
    let surplus = |quantity| because("over_delivered", count("1", quantity, 0));
    let after = correct(surplus(6_000)).unwrap();
    assert_eq!((&after[0], after[1].delivered), (&recorded[0], 2_000));

    // A line that is changed follows the rules, except that its surplus may become smaller.
    let with_note = |line: Count| Count { note: Some("Bonus".into()), ..line };
    assert_eq!(correct(with_note(surplus(5_500))).unwrap()[0].extra(), 500);
    for (line, field) in [
        (with_note(surplus(6_001)), "lines.0.quantityDelivered"),
        (surplus(5_500), "lines.0.varianceNote"),
        (count("1", 5_500, 0), "lines.0.varianceReason"),
    ] {
        let fields = correct(line).unwrap_err();
        assert_eq!(fields.into_keys().collect::<Vec<_>>(), [field]);
    }
}

#[test]
fn each_line_that_differs_is_a_variance() {
    let catalogue = Catalogue::seed();
    let after = put(&[because("short_shipped", count("1", 4_000, 500)), count("2", 2_500, 0)]);
    let all = variances(&after, None, &catalogue);
    let [Variance { item_number, kind, expected, actual, difference, reason, note }] = &all[..] else {
        panic!("{all:?}")
    };
    assert_eq!((item_number.as_deref(), *kind, note), (Some("1"), VarianceKind::RejectedLine, &None));
    assert_eq!((*expected, *actual, *difference), (5_000, 4_000, -1_000));
    let reason = reason.as_ref().unwrap();
    assert_eq!((reason.applies_to, reason.label.as_str()), (AppliesTo::Variance, "Short shipped"));
}

#[test]
fn a_line_without_a_reason_has_that_of_the_outcome() {
    let catalogue = Catalogue::seed();
    let mut after = lines();
    after[0].reason = Some("packaging_broken".into());
    let all = variances(&after, Some((AppliesTo::Undelivered, "site_closed")), &catalogue);
    let labels: Vec<_> = all.iter().map(|it| it.reason.as_ref().unwrap().label.as_str()).collect();
    assert_eq!(labels, ["Packaging broken", "Site closed"]);
    assert_eq!(all[1].difference, -2_500);
}

#[test]
fn a_reason_that_no_line_has_is_kept_for_the_delivery() {
    let catalogue = Catalogue::seed();
    let closed = Some((AppliesTo::Undelivered, "site_closed"));
    let labels = |lines: &[Line]| -> Vec<(Option<String>, String)> {
        let all = variances(lines, closed, &catalogue).into_iter();
        all.map(|it| (it.item_number, it.reason.unwrap().label)).collect()
    };
    let whole = (None, "Site closed".to_owned());
    assert_eq!(labels(&[]), std::slice::from_ref(&whole));
    assert_eq!(labels(&[Line::open("1", 0)]), std::slice::from_ref(&whole), "nothing was expected");
    let mut told = lines();
    for line in &mut told {
        line.reason = Some("packaging_broken".into());
    }
    assert_eq!(labels(&told).len(), 3);
    assert_eq!(labels(&told)[2], whole);
    assert!(variances(&[], None, &catalogue).is_empty(), "a completed delivery has no reason");
}

#[test]
fn the_kind_of_a_variance() {
    use VarianceKind::{Damaged, Document, Other, Over, RejectedLine, Short, WrongItem};
    let kind = |delivered, rejected, condition, reason: Option<&str>| {
        let reason = reason.map(str::to_owned);
        let line = Line { delivered, rejected, condition, reason, ..Line::open("1", 5) };
        variances(&[line], None, &Catalogue::seed())[0].kind
    };
    assert_eq!(kind(4, 0, Condition::Ok, None), Short);
    assert_eq!(kind(0, 0, Condition::Ok, None), Short);
    assert_eq!(kind(6, 0, Condition::Ok, None), Over);
    assert_eq!(kind(4, 1, Condition::Ok, None), RejectedLine);
    assert_eq!(kind(4, 1, Condition::Ok, Some("price_or_document_mismatch")), Document);
    assert_eq!(kind(5, 0, Condition::Damaged, None), Damaged);
    assert_eq!(kind(4, 1, Condition::Damaged, None), Damaged);
    assert_eq!(kind(5, 0, Condition::WrongItem, None), WrongItem);
    assert_eq!(kind(5, 0, Condition::Expired, None), Other);
}
