//! Passwords that attackers try first.
//!
//! Not a list of leaked passwords, but of the parts that such passwords consist of: a common word, alone,
//! doubled or with a short tail; a run along the keyboard or the alphabet; one piece repeated. Each word
//! covers thousands of spellings. Written for this project.

use kit::text::fold;

const WORDS: &str = include_str!("common_words.txt");

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
/// Maximum length of what people append to a word, such as a year or an exclamation mark.
const TAIL_CHARS: usize = 5;

/// Returns whether attackers would try this password early for this user.
pub fn is_common(password: &str, username: &str) -> bool {
    let (text, username) = (fold(password), fold(username));
    is_weak(&text, &username) || is_weak(unit(&text), &username)
}

fn is_weak(text: &str, username: &str) -> bool {
    // This also refuses a repeated piece of up to four characters, because [`is_common`] passes in the piece
    // as well.
    if text.chars().count() <= 4 || is_run(text) {
        return true;
    }
    if is_word(text, username) {
        return true;
    }
    // Recognize a word with digits and signs before and after it. Signs can also replace a word's letters at
    // its ends ("pa$$"), so try every cut that leaves only short or simple ends.
    let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    for (count, &start) in cuts.iter().enumerate() {
        if text[..start].chars().any(char::is_alphabetic) {
            break;
        }
        if !is_tail(&text[..start]) {
            continue;
        }
        for &end in cuts[count + 1..].iter().rev() {
            if text[end..].chars().any(char::is_alphabetic) {
                break;
            }
            if is_tail(&text[end..]) && (is_word(&text[start..end], username) || is_run(&text[start..end])) {
                return true;
            }
        }
    }
    false
}

/// Returns whether the text is empty, a few digits and signs, or something as simple as 123456.
fn is_tail(text: &str) -> bool {
    !text.chars().any(char::is_alphabetic)
        && (text.chars().count() <= TAIL_CHARS || is_run(text) || unit(text).chars().count() == 1)
}

fn is_word(text: &str, username: &str) -> bool {
    let known = |word: &str| word == username && !word.is_empty() || WORDS.lines().any(|line| line == word);
    // Try both letters that 1 can replace: i and l.
    known(text) || known(&undisguised(text, 'i')) || known(&undisguised(text, 'l')) || known(&joined(text))
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
        ] {
            assert!(!is_common(password, "maria"), "{password}");
        }
    }

    #[test]
    fn words_are_as_they_are_looked_up() {
        let words: Vec<&str> = WORDS.lines().collect();
        assert!(words.len() >= 500, "{}", words.len());
        let mut sorted = words.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(words, sorted, "sorted, each once");
        assert!(words.iter().all(
            |word| word.len() >= 3 && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        ));
    }

    #[test]
    fn odd_texts_do_not_panic() {
        for text in ["", "é", "éé1", "ñ1ñ1ñ1ñ1", "\u{1f600}\u{1f600}\u{1f600}", "İİİİİİİİ"] {
            is_common(text, "");
        }
    }
}
