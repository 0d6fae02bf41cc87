//! Passwords that attackers try first.
//!
//! Not a list of leaked passwords, but of the parts that such passwords consist of: a common word, alone,
//! doubled or with a short tail; runs along the keyboard or the alphabet and repeated characters, also with a
//! letter or two beside them; one piece repeated. Each word covers thousands of spellings. Written for this
//! project.
//!
//! Strangers may send passwords of 128 characters, so the list is a set, and no piece that is longer than every
//! word is looked up.

use std::collections::HashSet;
use std::sync::LazyLock;

use kit::text::fold;

const LIST: &str = include_str!("common_words.txt");

static WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| LIST.lines().collect());
/// Number of characters of the longest word.
static LONGEST: LazyLock<usize> = LazyLock::new(|| LIST.lines().map(str::len).max().unwrap_or_default());

/// Runs of keys and letters, which are also recognized backwards.
const RUNS: [&str; 11] = [
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiop[]",
    "qwertzuiopü",
    "azertyuiop",
    "asdfghjkl;'",
    "zxcvbnm,./",
    "qwertyuiopasdfghjklzxcvbnm",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
    "1q2w3e4r5t6y7u8i9o0p",
    "qazwsxedcrfvtgbyhnujmikolp",
];
/// Minimum length of a piece of [`RUNS`]; shorter pieces also occur in good passwords.
const RUN_CHARS: usize = 4;
/// Minimum length of a run or a repetition that stands beside others.
const PIECE_CHARS: usize = 3;
/// How many runs and repetitions in a row are no better than one.
const PIECES: usize = 3;
/// Maximum length of what people append to a word, such as a year or an exclamation mark.
const TAIL_CHARS: usize = 5;
/// How many characters of any kind at either end make a run no better.
const OTHER_CHARS: usize = 2;

/// Returns whether attackers would try this password early for this user.
pub fn is_common(password: &str, username: &str) -> bool {
    let (text, username) = (fold(password), fold(username));
    let once = squeezed(&text);
    is_weak(unit(&text), &username)
        || once.chars().count() <= 4
        || is_simple(&once)
        || is_weak(&text, &username)
}

fn is_weak(text: &str, username: &str) -> bool {
    // This also refuses a repeated piece of up to four characters, because [`is_common`] passes in the piece
    // as well.
    text.chars().count() <= 4
        || is_run(text)
        || is_word(text, username)
        || is_simple(text)
        || middles(text, username.chars().count().max(*LONGEST)).iter().any(|it| is_word(it, username))
}

/// Returns what may be a word of up to `longest` characters, with digits and signs before and after it. Signs
/// can also replace a word's letters at its ends ("pa$$"), so this is every cut that leaves only short or
/// simple ends.
fn middles(text: &str, longest: usize) -> Vec<&str> {
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let ends: Vec<bool> = cuts.iter().map(|&at| is_tail(&text[at..])).collect();
    let mut middles = Vec::new();
    for (first, &start) in cuts.iter().enumerate().filter(|&(_, &start)| is_tail(&text[..start])) {
        // Every letter of a word may have a sign beside it, as in `p-a-s-s`.
        for last in first + 1..cuts.len().min(first + 2 * longest + 1) {
            let middle = &text[start..cuts[last]];
            if ends[last] && (1..=longest).contains(&joined(middle).chars().count()) {
                middles.push(middle);
            }
        }
    }
    middles
}

/// Returns whether the text is a few runs and repetitions, such as `qwe123qwe`, with a tail or a character or
/// two of any kind at either end.
fn is_simple(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let is_end = |end: &[char]| {
        end.len() <= OTHER_CHARS || end.len() <= TAIL_CHARS && !end.iter().any(|c| c.is_alphabetic())
    };
    let longest: Vec<usize> = (0..chars.len()).map(|at| longest_piece(&chars[at..])).collect();
    let mut starts = (0..=TAIL_CHARS.min(chars.len())).filter(|&start| is_end(&chars[..start]));
    starts.any(|start| {
        // The least number of pieces between the start and each position.
        let mut pieces = vec![usize::MAX; chars.len() + 1];
        pieces[start] = 0;
        for at in start..chars.len() {
            if pieces[at] < PIECES {
                for end in at + PIECE_CHARS..=at + longest[at] {
                    pieces[end] = pieces[end].min(pieces[at] + 1);
                }
            }
        }
        (start + RUN_CHARS..pieces.len()).any(|end| pieces[end] <= PIECES && is_end(&chars[end..]))
    })
}

/// Returns the length of the longest run or repetition that the text begins with. Any shorter beginning of it
/// is one as well.
fn longest_piece(text: &[char]) -> usize {
    let along = |run: &[char]| {
        let from = |at: usize| run[at..].iter().zip(text).take_while(|(one, other)| one == other).count();
        (0..run.len()).map(from).max().unwrap_or_default()
    };
    let run = RUNS.iter().map(|run| {
        let mut run: Vec<char> = run.chars().collect();
        let forwards = along(&run);
        run.reverse();
        forwards.max(along(&run))
    });
    let repetition = (1..=text.len().min(4)).map(|unit| {
        let length = unit + text.iter().zip(&text[unit..]).take_while(|(one, other)| one == other).count();
        let least = if unit == 1 { PIECE_CHARS } else { (2 * PIECE_CHARS).max(2 * unit) };
        if length >= least { length } else { 0 }
    });
    run.chain(repetition).max().unwrap_or_default()
}

/// Replaces each row of equal characters with one, as in `112233`.
fn squeezed(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    chars.dedup();
    chars.into_iter().collect()
}

/// Returns whether the text is empty, a few digits and signs, or something as simple as 123456.
fn is_tail(text: &str) -> bool {
    !text.chars().any(char::is_alphabetic)
        && (text.chars().count() <= TAIL_CHARS || is_run(text) || unit(text).chars().count() == 1)
}

fn is_word(text: &str, username: &str) -> bool {
    let known = |word: &str| word == username && !word.is_empty() || WORDS.contains(word);
    if known(text) || known(&joined(text)) {
        return true;
    }
    // Try both letters that 1 can replace: i and l. A number does not stand for a word.
    text.chars().any(char::is_alphabetic)
        && (known(&undisguised(text, 'i')) || known(&undisguised(text, 'l')))
}

/// Removes signs between words, as in `pass_word` or `i love you`.
fn joined(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '_' | '-' | '.')).collect()
}

fn undisguised(text: &str, one: char) -> String {
    text.chars()
        .map(|c| match c {
            '0' => 'o',
            '1' | '!' | '|' => one,
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' | '+' => 't',
            '8' => 'b',
            '9' => 'g',
            other => other,
        })
        .collect()
}

fn is_run(text: &str) -> bool {
    if text.chars().count() < RUN_CHARS {
        return false;
    }
    let backwards: String = text.chars().rev().collect();
    RUNS.iter().any(|run| run.contains(text) || run.contains(&backwards))
}

/// Returns the shortest piece whose repetition is the text.
fn unit(text: &str) -> &str {
    text.char_indices()
        .map(|(at, _)| &text[..at])
        .skip(1)
        .find(|piece| {
            text.len().is_multiple_of(piece.len()) && piece.repeat(text.len() / piece.len()) == text
        })
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_everybody_tries_is_refused() {
        for password in [
            "password",
            "Password1",
            "P@ssw0rd",
            "p@$$w0rd123",
            "password123456",
            "12345678",
            "87654321",
            "123456password",
            "qwertyuiop",
            "1q2w3e4r",
            "1qaz2wsx",
            "zaq12wsx",
            "aaaaaaaa",
            "abcabcabc",
            "iloveyou",
            "I love you!",
            "Qwerty123!",
            "letmein2024",
            "welcome1",
            "admin123",
            "administrator",
            "changeme",
            "baseball",
            "football1",
            "sunshine",
            "princess",
            "superman",
            "trustno1",
            "passw0rd",
            "11111111",
            "00000000",
            "asdfghjkl",
            "password!",
            "!password!",
            "123password",
            "passwordpassword",
            "Summer2026!",
            "manila2025",
            "mahalkita",
            "waybill1",
            "dispatcher",
            "ｐａｓｓｗｏｒｄ",
            "abcdefgh",
            "qwer1234",
            "dragon12",
            "monkey99",
            "michael1",
            "1234qwer",
            "abc12345",
            "test1234",
            "secret123",
            "21212121",
            "        ",
            "Aa123456",
            "a123456789",
            "12345678a",
            "123456ab",
            "qwe123qwe",
            "abc123abc",
            "qwe123asd!",
            "asdasd12",
            "aaaa1111",
            "112233445566",
            "swordfish",
            "midnight",
            "Godzilla-7",
            "barangay",
        ] {
            assert!(is_common(password, ""), "{password}");
        }
    }

    #[test]
    fn the_own_name_is_refused() {
        assert!(is_common("MariaSantos1", "mariasantos"));
        assert!(is_common("mariasantos2026", "MariaSantos"));
        assert!(!is_common("the truck of mariasantos", "mariasantos"));
    }

    #[test]
    fn what_took_thought_is_left_alone() {
        for password in [
            "correct horse battery",
            "blue-truck-9317",
            "kx7!vRq2mTz",
            "dragon 4 breakfast",
            "ulan sa tag-araw",
            "94027513",
            "my password is long",
            "密码是很长的一句话",
            "x9x8x7x6",
            "tindahan ni aling nena",
            "kalesa-48-sampalok",
            "94123751",
        ] {
            assert!(!is_common(password, "maria"), "{password}");
        }
    }

    #[test]
    fn words_are_as_they_are_looked_up() {
        let words: Vec<&str> = LIST.lines().collect();
        assert!(words.len() >= 3000, "{}", words.len());
        let mut sorted = words.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(words, sorted, "sorted, each once");
        assert!(words.iter().all(
            |word| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        ));
    }

    #[test]
    fn long_passwords_cost_few_lookups() {
        for text in [
            "1".repeat(128),
            "!".repeat(128),
            "-".repeat(128),
            "1".repeat(64) + &"2".repeat(64),
            "-".repeat(100) + &"1".repeat(28),
            "-".repeat(64) + "a" + &"-".repeat(63),
            "1-".repeat(64),
        ] {
            let count = middles(&text, *LONGEST).len();
            assert!(count <= 128 * *LONGEST, "{count} for {text}");
            is_common(&text, "maria");
        }
    }

    #[test]
    fn odd_texts_do_not_panic() {
        for text in ["", "é", "éé1", "ñ1ñ1ñ1ñ1", "\u{1f600}\u{1f600}\u{1f600}", "İİİİİİİİ"] {
            is_common(text, "");
        }
    }
}
