//! PINs that attackers try first.
//!
//! A PIN has few digits, and a third of all people choose one that follows a rule: a repeated digit, a run,
//! pairs, a line on the keypad, a date. Functions recognize these rules; a list has the few PINs that are
//! common for other reasons. Written for this project.

use chrono::NaiveDate;

/// PINs that are common without following a rule: formulas, constants, words on a keypad, numbers from songs.
const COMMON: &str = include_str!("common_pins.txt");
/// Straight lines on a keypad, in both directions.
const LINES: [&[u8; 3]; 16] = [
    b"123", b"456", b"789", b"147", b"258", b"369", b"159", b"357", b"321", b"654", b"987", b"741", b"852",
    b"963", b"951", b"753",
];
/// Differences between neighboring pairs of an easily guessed PIN: 01 02 03, 10 15 20, 10 20 30, 11 22 33.
const STEPS: [i32; 5] = [1, 2, 5, 10, 11];

/// Returns whether a PIN, which must have digits only, is among the first that attackers try.
pub fn is_common(pin: &str) -> bool {
    let digits = pin.as_bytes();
    has_few_digits(digits)
        || is_run(digits)
        || is_repeated(digits)
        || digits.iter().eq(digits.iter().rev())
        || are_even_pairs(digits)
        || are_lines(digits)
        || is_date(pin)
        || COMMON.lines().any(|common| common == pin)
}

/// Returns whether the PIN has one digit, or two in any order: 111222, 696969, 000001.
fn has_few_digits(digits: &[u8]) -> bool {
    let mut there = digits.to_vec();
    there.sort_unstable();
    there.dedup();
    there.len() <= 2
}

/// Returns whether the PIN is a run, such as 123456 or 97531. Digits may be repeated, as in 111222333, and 0
/// follows 9, as on a keyboard.
fn is_run(digits: &[u8]) -> bool {
    let mut once = digits.to_vec();
    once.dedup();
    let by = |step: u8| once.windows(2).all(|two| (two[0] - b'0' + step) % 10 == two[1] - b'0');
    [1, 2, 8, 9].into_iter().any(by)
}

/// Returns whether the PIN repeats a part: 123123, 121212.
fn is_repeated(digits: &[u8]) -> bool {
    let is_made_of = |length: usize| digits.chunks(length).all(|piece| piece == &digits[..length]);
    (1..=digits.len() / 2).any(|length| digits.len().is_multiple_of(length) && is_made_of(length))
}

fn are_even_pairs(digits: &[u8]) -> bool {
    let pairs =
        digits.chunks(2).map(|pair| pair.iter().fold(0, |sum, digit| sum * 10 + i32::from(digit - b'0')));
    let pairs: Vec<i32> = pairs.collect();
    let step = pairs[1] - pairs[0];
    digits.len().is_multiple_of(2)
        && STEPS.contains(&step.abs())
        && pairs.windows(2).all(|two| two[1] - two[0] == step)
}

/// Returns whether the PIN consists of lines on the keypad: 159753, 147258.
fn are_lines(digits: &[u8]) -> bool {
    digits.len().is_multiple_of(3)
        && digits.chunks(3).all(|three| LINES.iter().any(|line| line[..] == *three))
}

/// Returns whether the PIN is a date within a lifetime, with a four-digit year. Dates with a two-digit year
/// are allowed, because otherwise one in ten numbers of six digits would be refused.
fn is_date(pin: &str) -> bool {
    let year = |from: usize| pin[from..from + 4].parse().ok().filter(|year| (1930..2040).contains(year));
    let number = |from: usize| pin[from..from + 2].parse().unwrap_or(0);
    let is_day = |year: Option<i32>, month, day| {
        year.is_some_and(|it| NaiveDate::from_ymd_opt(it, month, day).is_some())
    };
    pin.len() == 8
        && (is_day(year(4), number(2), number(0))
            || is_day(year(4), number(0), number(2))
            || is_day(year(0), number(4), number(6)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_choose_is_refused() {
        for pin in [
            "111111",
            "000000000000",
            "000001",
            "111222",
            "121212",
            "131313",
            "696969",
            "123456",
            "0123456789",
            "1234567890",
            "7890123",
            "987654",
            "3210987",
            "135791",
            "246802",
            "975319",
            "112233",
            "332211",
            "111222333",
            "123123",
            "12341234",
            "007007",
            "123321",
            "147741",
            "010203",
            "102030",
            "101112",
            "302010",
            "101520",
            "159753",
            "147258",
            "789456",
            "123654",
            "852456",
            "963741",
            "357159",
            "24121985",
            "12241985",
            "19851224",
            "01012000",
            "142536",
            "246810",
            "520131",
            "314159",
            "112358",
            "102938",
        ] {
            assert!(is_common(pin), "{pin}");
        }
    }

    #[test]
    fn what_took_thought_is_left_alone() {
        for pin in ["482913", "108765", "907856", "271905", "94027513", "83140629", "4719302", "604182739501"]
        {
            assert!(!is_common(pin), "{pin}");
        }
        // The step is prime, so that every digit occurs in every place.
        let refused = (0..1_000_000).step_by(31).filter(|number| is_common(&format!("{number:06}"))).count();
        assert!((60..500).contains(&refused), "most PINs of six digits can be had: {refused} of 32,259");
    }

    #[test]
    fn the_list_has_what_no_rule_finds() {
        let all: Vec<&str> = COMMON.lines().collect();
        assert!(all.is_sorted() && all.len() >= 100, "sorted: {}", all.len());
        assert!(
            all.iter().all(|pin| (6..=12).contains(&pin.len()) && pin.bytes().all(|b| b.is_ascii_digit()))
        );
    }
}
