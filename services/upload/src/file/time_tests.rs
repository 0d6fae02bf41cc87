use super::*;
use proptest::prelude::*;

const MANILA: Tz = chrono_tz::Asia::Manila;

fn at(text: &str, order: DateOrder) -> Result<String, TimeError> {
    parse(text, order)
        .and_then(|parts| parts.instant(MANILA))
        .map(|at| at.format("%Y-%m-%dT%H:%M:%S").to_string())
}

#[test]
fn the_same_moment_in_many_words() {
    // 08:30 in Manila is half past midnight in UTC.
    for text in [
        "2026-03-04 08:30",
        "2026-03-04T08:30",
        "2026-03-04T08:30:00",
        "2026-03-04 08:30:00.250",
        "2026-03-04T00:30Z",
        "2026-03-04T00:30:00.000Z",
        "2026-03-04T08:30:00+08:00",
        "2026-03-04 09:30 +0900",
        "2026-03-03T19:30-05",
        "2026-03-03T19:30-05:00",
        "2026-03-03 19:30:00-05:00",
        "2026-03-03 19:30:00 -05:00",
        "2026/03/04 08:30",
        "2026-3-4 8:30",
        "03/04/2026 08:30",
        "3/4/2026 8:30 AM",
        "3/4/26 8:30",
        "3-4-2026 08:30",
        "03.04.2026 08:30",
        "4-Mar-2026 08:30",
        "04-MAR-26 8:30am",
        "4 March 2026 8:30 a.m.",
        "Mar 4, 2026 8:30 AM",
        "March 4 2026, 08:30",
        "Mar. 4, 2026 08:30:00",
        "Wed, 4 Mar 2026 00:30:00 GMT",
        "Wednesday, March 4, 2026 at 8:30 AM",
        "46085.3541666667",
        " 2026-03-04\u{a0}08:30 ",
    ] {
        assert_eq!(at(text, DateOrder::Mdy).as_deref(), Ok("2026-03-04T00:30:00"), "{text}");
    }
}

/// A date that does not fit the order of its column is refused, never swapped.
#[test]
fn the_order_holds_for_every_date_of_a_column() {
    assert_eq!(at("03/04/2026 08:30", DateOrder::Dmy).as_deref(), Ok("2026-04-03T00:30:00"));
    assert_eq!(at("03.04.26 08:30", DateOrder::Dmy).as_deref(), Ok("2026-04-03T00:30:00"));
    assert_eq!(at("13/04/2026 08:30", DateOrder::Dmy).as_deref(), Ok("2026-04-13T00:30:00"));
    assert_eq!(at("04/13/2026 08:30", DateOrder::Mdy).as_deref(), Ok("2026-04-13T00:30:00"));
    assert_eq!(at("13/04/2026 08:30", DateOrder::Mdy), Err(TimeError::NotATime));
    assert_eq!(at("04/13/2026 08:30", DateOrder::Dmy), Err(TimeError::NotATime));
    for order in [DateOrder::Mdy, DateOrder::Dmy] {
        assert_eq!(at("2026-04-13 08:30", order).as_deref(), Ok("2026-04-13T00:30:00"));
    }
    assert!(at("13/13/2026", DateOrder::Mdy).is_err());
}

#[test]
fn a_date_shows_its_order_or_leaves_it_open() {
    use DateOrder::{Dmy, Mdy};
    for (text, expected) in [
        ("23/11/2026", Fit::Only(Dmy)),
        ("11/23/2026 8:30 AM", Fit::Only(Mdy)),
        ("23.11.26", Fit::Only(Dmy)),
        ("01/12/2026", Fit::Open),
        ("5/5/2026", Fit::Any),
        ("2026-11-23", Fit::Any),
        ("23-Nov-2026", Fit::Any),
        ("31/02/2026", Fit::Any),
        ("46085.35", Fit::Any),
        ("8:30", Fit::Any),
        ("soon", Fit::Any),
    ] {
        assert_eq!(fit(text), expected, "{text}");
    }
}

#[test]
fn noon_midnight_and_whole_days() {
    for (text, expected) in [
        ("2026-03-04 12:00 AM", "2026-03-03T16:00:00"),
        ("2026-03-04 12:05 pm", "2026-03-04T04:05:00"),
        ("2026-03-04 11 PM", "2026-03-04T15:00:00"),
        ("2026-03-04", "2026-03-03T16:00:00"),
        ("20260304", "2026-03-03T16:00:00"),
        ("46085", "2026-03-03T16:00:00"),
        ("2000-02-29", "2000-02-28T16:00:00"),
    ] {
        assert_eq!(at(text, DateOrder::Mdy).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_no_time() {
    for text in [
        "",
        "soon",
        "8:30",
        "2026-02-30",
        "2026-03-04 25:00",
        "2026-03-04 24:00",
        "2026-03-04 08:60",
        "2026-03-04 13:00 PM",
        "2026-03-04 0:30 AM",
        "2026-03-04 08",
        "2026-03-04 08:30 PST",
        "2026-03-04 08:30 +99:00",
        "03/04",
        "March 2026",
        "4 Smarch 2026",
        "3/4/226",
        "12345678901234567890",
        "-46085",
        "4/5-2026",
        "2026-03-04 08:30 x",
        "NaN",
        "inf",
        "1e5",
        "2026-03-04\n08:30:1",
        // A range of times is no time with an offset.
        "2026-03-04 08:00 - 10:00",
        "2026-03-04 08:00-10:00",
        "2026-03-04 08:00 -10:00",
        "2026-03-04 8am - 10",
        "2026-03-04 08:00-10",
        "2026-03-04 8AM-12",
        "2026-03-04 08:00-1000",
        "2026-03-04 08:00 -1000",
        "2026-03-04 08:00 + 10:00",
    ] {
        assert_eq!(at(text, DateOrder::Mdy), Err(TimeError::NotATime), "{text:?}");
    }
    for text in ["1999-12-31", "2101-01-01", "1926-03-04"] {
        assert_eq!(at(text, DateOrder::Mdy), Err(TimeError::OutOfRange), "{text:?}");
    }
}

#[test]
fn clocks_that_jump() {
    let berlin = |text| {
        parse(text, DateOrder::Mdy)
            .and_then(|p| p.instant(chrono_tz::Europe::Berlin))
            .map(|at| at.to_string())
    };
    assert_eq!(berlin("2026-03-29 02:30"), Err(TimeError::NeverWas));
    assert_eq!(berlin("2026-10-25 02:30").unwrap(), "2026-10-25 00:30:00 UTC");
    // In the repeated hour, an offset shows which of the two times is meant.
    assert_eq!(berlin("2026-10-25 02:30+01:00").unwrap(), "2026-10-25 01:30:00 UTC");
}

#[test]
fn a_day_without_midnight_begins_when_clocks_resume() {
    let cairo = |parts: Parts| parts.instant(chrono_tz::Africa::Cairo).map(|at| at.to_string());
    let begins = Ok("2026-04-23 22:00:00 UTC".to_owned());
    for text in ["2026-04-24", "20260424", "46136"] {
        assert_eq!(cairo(parse(text, DateOrder::Mdy).unwrap()), begins, "{text}");
    }
    let cell = Parts::of(NaiveDate::from_ymd_opt(2026, 4, 24).unwrap().and_time(NaiveTime::MIN));
    assert_eq!(cairo(cell), begins);
    assert_eq!(cairo(parse("2026-04-24 00:00", DateOrder::Mdy).unwrap()), Err(TimeError::NeverWas));
    let mut with_time = cell;
    with_time.set_time(parse("00:30", DateOrder::Mdy).unwrap());
    assert_eq!(cairo(with_time), Err(TimeError::NeverWas));
    // Midnight in a column of times was entered explicitly.
    with_time.set_time(cell);
    assert_eq!(cairo(with_time), Err(TimeError::NeverWas));
}

#[test]
fn fractions_of_a_second_are_kept_to_the_microsecond() {
    for (text, expected) in [
        ("2026-03-04T08:30:00.25+08:00", "2026-03-04T00:30:00.250Z"),
        ("2026-03-04 08:30:00,123456", "2026-03-04T00:30:00.123456Z"),
        ("2026-03-04 08:30:00.1234567890", "2026-03-04T00:30:00.123456Z"),
        ("3/4/2026 8:30:00.5 AM", "2026-03-04T00:30:00.500Z"),
        ("2026-03-04 08:30:00.000", "2026-03-04T00:30:00Z"),
    ] {
        let read = |text: &str| parse(text, DateOrder::Mdy).unwrap().instant(MANILA).unwrap();
        let at = read(text);
        assert_eq!(at.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true), expected, "{text}");
        assert_eq!(read(&plainly(text, DateOrder::Mdy).unwrap()), at, "{text}");
    }
}

#[test]
fn typed_cells() {
    let parts =
        Parts::of(NaiveDate::from_ymd_opt(2026, 3, 4).unwrap().and_hms_milli_opt(8, 29, 59, 999).unwrap());
    assert_eq!(parts.instant(MANILA).unwrap().to_string(), "2026-03-04 00:30:00 UTC");
    let time = Parts::of(NaiveDate::from_ymd_opt(1899, 12, 31).unwrap().and_hms_opt(8, 30, 0).unwrap());
    assert_eq!((time.date, time.time), (None, NaiveTime::from_hms_opt(8, 30, 0)));
    assert_eq!(Parts::of_number(0.354_166_666_7), Some(time));
    let compact = Parts::of_number(20_261_224.0).unwrap();
    assert_eq!((compact.date, compact.time), (NaiveDate::from_ymd_opt(2026, 12, 24), None));
    for number in [80_001_234.0, 20_261_224.5, 20_261_324.0, 2_026_122.0, 12.0, -1.0] {
        assert_eq!(Parts::of_number(number), None, "{number}");
    }
    assert_eq!(parse("8:30 PM", DateOrder::Mdy).unwrap().time, NaiveTime::from_hms_opt(20, 30, 0));
}

proptest! {
    #[test]
    fn never_panics(text in "\\PC{0,40}", near in "[0-9]{1,5}[-/. ][0-9a-y]{1,4}[-/., ]{1,2}[0-9]{1,5}[T ]?[0-9:. amp+Z-]{0,14}") {
        for text in [text, near] {
            if let Ok(parts) = parse(&text, DateOrder::Dmy) {
                let _ = parts.instant(MANILA);
            }
        }
    }

    #[test]
    fn every_minute_survives(minutes in 0i64..53_000_000) {
        let when = DateTime::from_timestamp(946_684_800 + minutes * 60, 0).unwrap();
        let local = when.with_timezone(&MANILA);
        for format in ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S%:z", "%m/%d/%Y %I:%M %p", "%-d-%b-%Y %H:%M", "%b %-d, %Y %-I:%M %p"] {
            let text = local.format(format).to_string();
            prop_assert_eq!(parse(&text, DateOrder::Mdy).and_then(|p| p.instant(MANILA)), Ok(when), "{}", text);
        }
    }
}
