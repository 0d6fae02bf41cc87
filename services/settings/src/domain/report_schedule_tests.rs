use super::*;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn plan(cadence: Cadence, time: &str, zone: &str) -> Plan {
    let time = NaiveTime::parse_from_str(time, "%H:%M").unwrap();
    Plan { cadence, weekday: 0, month_day: 0, time, zone: zone.parse().unwrap() }
}

/// Returns the occurrences after a time.
fn next(plan: &Plan, after: &str, count: usize) -> Vec<String> {
    let first = plan.next_after(at(after));
    let all = std::iter::successors(first, |at| plan.next_after(*at)).take(count);
    all.map(|at| at.format("%Y-%m-%dT%H:%MZ").to_string()).collect()
}

fn input() -> wire::ReportScheduleInput {
    wire::ReportScheduleInput {
        cadence: wire::ReportCadence::Weekly.into(),
        weekday: 5,
        month_day: 9,
        time: "07:30".into(),
        zone: "Asia/Manila".into(),
        recipients: vec![" Maria ".into(), "MARIA".into(), "ben".into()],
        format: wire::ReportFormat::Xlsx.into(),
    }
}

fn refused(change: impl FnOnce(&mut wire::ReportScheduleInput)) -> Vec<String> {
    let mut input = input();
    change(&mut input);
    read(input).unwrap_err().fields.into_values().flatten().collect()
}

#[test]
fn every_cadence_has_its_days() {
    // 2026-11-20 is a Friday.
    let daily = plan(Cadence::Daily, "07:30", "Asia/Manila");
    assert_eq!(next(&daily, "2026-11-19T23:29:00Z", 2), ["2026-11-19T23:30Z", "2026-11-20T23:30Z"]);
    assert_eq!(next(&daily, "2026-11-19T23:30:00Z", 1), ["2026-11-20T23:30Z"], "strictly after");
    let weekdays = plan(Cadence::Weekdays, "07:30", "Etc/UTC");
    assert_eq!(next(&weekdays, "2026-11-20T07:00:00Z", 2), ["2026-11-20T07:30Z", "2026-11-23T07:30Z"]);
    let weekly = Plan { weekday: 7, ..plan(Cadence::Weekly, "00:00", "Etc/UTC") };
    assert_eq!(next(&weekly, "2026-11-20T07:00:00Z", 2), ["2026-11-22T00:00Z", "2026-11-29T00:00Z"]);
}

#[test]
fn a_month_without_the_day_uses_its_last_one() {
    let monthly = Plan { month_day: 31, ..plan(Cadence::Monthly, "06:00", "Etc/UTC") };
    let expected = ["2027-01-31T06:00Z", "2027-02-28T06:00Z", "2027-03-31T06:00Z", "2027-04-30T06:00Z"];
    assert_eq!(next(&monthly, "2027-01-05T00:00:00Z", 4), expected);
    let monthly = Plan { month_day: 29, ..plan(Cadence::Monthly, "06:00", "Etc/UTC") };
    assert_eq!(next(&monthly, "2028-02-01T00:00:00Z", 2), ["2028-02-29T06:00Z", "2028-03-29T06:00Z"]);
    let monthly = Plan { month_day: 1, ..plan(Cadence::Monthly, "06:00", "Etc/UTC") };
    assert_eq!(next(&monthly, "2027-01-31T07:00:00Z", 2), ["2027-02-01T06:00Z", "2027-03-01T06:00Z"]);
}

#[test]
fn a_time_that_the_clock_skips_is_the_moment_of_the_change() {
    // New York: 02:00 becomes 03:00 on 2027-03-14.
    let daily = plan(Cadence::Daily, "02:30", "America/New_York");
    let expected = ["2027-03-13T07:30Z", "2027-03-14T07:00Z", "2027-03-15T06:30Z"];
    assert_eq!(next(&daily, "2027-03-12T12:00:00Z", 3), expected);
    // Lord Howe skips half an hour: 02:00 becomes 02:30 on 2026-10-04.
    let daily = plan(Cadence::Daily, "02:10", "Australia/Lord_Howe");
    let expected = ["2026-10-02T15:40Z", "2026-10-03T15:30Z", "2026-10-04T15:10Z"];
    assert_eq!(next(&daily, "2026-10-02T12:00:00Z", 3), expected);
    // Samoa had no 2011-12-30. Its occurrence at midnight coincides with that of the next day, and is sent once.
    let daily = plan(Cadence::Daily, "00:00", "Pacific/Apia");
    let expected = ["2011-12-29T10:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z"];
    assert_eq!(next(&daily, "2011-12-28T12:00:00Z", 3), expected);
}

#[test]
fn a_time_that_occurs_twice_counts_once() {
    // New York: 02:00 becomes 01:00 on 2026-11-01.
    let daily = plan(Cadence::Daily, "01:30", "America/New_York");
    let expected = ["2026-10-31T05:30Z", "2026-11-01T05:30Z", "2026-11-02T06:30Z"];
    assert_eq!(next(&daily, "2026-10-30T12:00:00Z", 3), expected);
}

#[test]
fn of_missed_occurrences_the_newest_counts() {
    let daily = plan(Cadence::Daily, "07:30", "Etc/UTC");
    let first = at("2026-11-16T07:30:00Z");
    assert_eq!(daily.newest(first, at("2026-11-16T07:30:00Z")), (first, 0));
    assert_eq!(daily.newest(first, at("2026-11-17T07:29:59Z")), (first, 0));
    assert_eq!(daily.newest(first, at("2026-11-20T12:00:00Z")), (at("2026-11-20T07:30:00Z"), 4));
    let (newest, missed) = daily.newest(at("2001-01-01T07:30:00Z"), at("2026-11-20T12:00:00Z"));
    assert_eq!((newest, missed), (at("2026-11-20T07:30:00Z"), 399));
    let monthly = Plan { month_day: 3, ..plan(Cadence::Monthly, "06:00", "Etc/UTC") };
    let first = at("2026-11-03T06:00:00Z");
    assert_eq!(monthly.newest(first, at("2026-11-20T12:00:00Z")), (first, 0));
}

#[test]
fn what_does_not_belong_to_the_cadence_is_dropped() {
    let it = read(input()).unwrap();
    assert_eq!((it.plan.weekday, it.plan.month_day, it.format), (5, 0, Format::Xlsx));
    assert_eq!(it.recipients, ["Maria", "ben"]);
    assert_eq!(it.plan.zone, chrono_tz::Asia::Manila);
}

#[test]
fn bounds_are_exact() {
    assert_eq!(refused(|it| it.weekday = 8), ["Day of the week must be Monday to Sunday"]);
    let monthly = |it: &mut wire::ReportScheduleInput| it.cadence = wire::ReportCadence::Monthly.into();
    let text = "Day of the month must be between 1 and 31";
    assert_eq!(refused(|it| (monthly(it), it.month_day = 32).1), [text]);
    assert_eq!(refused(|it| (monthly(it), it.month_day = 0).1), [text]);
    assert_eq!(refused(|it| it.time = "24:00".into()), ["Time must be a time such as 07:30"]);
    let error = read(wire::ReportScheduleInput { zone: "Mars/North".into(), ..input() }).unwrap_err();
    assert_eq!(error.fields["timeZone"], ["Time zone must be one such as Asia/Manila"]);
    assert_eq!(refused(|it| it.recipients.clear()), ["Choose at least one recipient"]);
    let users = |count: usize| (0..count).map(|it| format!("user-{it}")).collect::<Vec<_>>();
    assert!(read(wire::ReportScheduleInput { recipients: users(20), ..input() }).is_ok());
    assert_eq!(refused(|it| it.recipients = users(21)), ["Choose no more than 20 recipients"]);
    let text = "Username must have no more than 64 characters";
    assert_eq!(refused(|it| it.recipients = vec!["é".repeat(65)]), [text]);
    assert_eq!(refused(|it| it.format = wire::ReportFormat::Pdf.into()), ["Format must be csv or xlsx"]);
    let text = "Days must be daily, weekdays, weekly or monthly";
    assert_eq!(refused(|it| it.cadence = 0), [text]);
}
