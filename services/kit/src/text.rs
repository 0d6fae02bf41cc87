//! How texts are stored and compared.
//!
//! The same name arrives composed from one computer, decomposed from another and full-width from a third.
//! [`normalize`] returns the form that is stored and shown, [`fold`] the form that is compared. Every key,
//! index and comparison of names uses `fold`: two notions of "the same name" would make two customers of one.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfkc_quick};

/// Returns the text as it is stored: trimmed and composed (NFC).
pub fn normalize(text: &str) -> String {
    let text = text.trim();
    // Most texts are composed already, which is found out faster than they are composed.
    if is_nfc_quick(text.chars()) == IsNormalized::Yes { text.to_owned() } else { text.nfc().collect() }
}

/// Does what [`normalize`] does, without copying a text that needs no change.
pub fn normalized(text: String) -> String {
    let is_normal = text.trim().len() == text.len() && is_nfc_quick(text.chars()) == IsNormalized::Yes;
    if is_normal { text } else { normalize(&text) }
}

/// Returns the comparison key of a text: compatibility-composed (NFKC), lower case, trimmed.
///
/// Lower case, not full case folding: ß and ss stay apart, as names require. Letters are folded one by one,
/// so that the key of a prefix is a prefix of the key. Therefore a final Greek sigma becomes an ordinary one.
///
/// Postgres cannot store U+0000 and fails on a query with it. U+0001 replaces it, a control character that
/// our texts never contain: a search with U+0000 finds nothing, on every database.
pub fn fold(text: &str) -> String {
    let text = text.trim();
    if text.is_ascii() {
        let folded = text.to_ascii_lowercase();
        return if folded.contains('\0') { folded.replace('\0', "\u{1}") } else { folded };
    }
    let lower =
        text.nfkc().flat_map(char::to_lowercase).map(|letter| if letter == 'ς' { 'σ' } else { letter });
    let mut folded: String = lower.collect();
    // Some pairs of characters compose only in lower case.
    if is_nfkc_quick(folded.chars()) != IsNormalized::Yes {
        folded = folded.nfkc().collect();
    }
    folded.trim().replace('\0', "\u{1}")
}

/// Returns the letters and digits of a text in lower case and without accents, to find texts that resemble each
/// other. Never a key: different names can have the same letters.
pub fn letters(text: &str) -> String {
    let plain = |letter: char| match letter {
        'ß' => "ss".to_owned(),
        'æ' => "ae".to_owned(),
        'ø' => "o".to_owned(),
        'ł' => "l".to_owned(),
        letter => letter.to_string(),
    };
    let letters = fold(text).nfd().filter(|letter| letter.is_alphanumeric()).map(plain).collect::<String>();
    letters.nfc().collect()
}

/// Signs with which a formula begins. Some spreadsheets accept full-width ones as well.
const SIGNS: [char; 12] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫'];
/// Where a spreadsheet may begin another cell within a text: at its separators, if they are not those of the file.
const BREAKS: [char; 4] = [';', '\t', '\r', '\n'];

/// Returns whether a spreadsheet would read the text as a formula, ignoring leading spaces, quotation marks and
/// apostrophes.
pub fn is_formula(text: &str) -> bool {
    begins_formula(text) || unpadded(text).starts_with(['\t', '\r', '\n', '\0'])
}

/// Returns the text with an apostrophe before each part that a spreadsheet would read as a formula, however it splits
/// CSV into cells. [`without_apostrophes`] gives the text back. `frontend/src/lib/csv.ts` has the same rule.
pub fn with_apostrophes(text: &str) -> Cow<'_, str> {
    inserted(text, formulas(text))
}

/// Returns the text with another apostrophe where [`without_apostrophes`] would remove one.
pub fn with_second_apostrophes(text: &str) -> Cow<'_, str> {
    inserted(text, apostrophes(text))
}

/// Returns the text without the apostrophes that [`with_apostrophes`] adds, one before each formula.
pub fn without_apostrophes(text: &str) -> Cow<'_, str> {
    let (mut read, mut from) = (String::new(), 0);
    for at in apostrophes(text) {
        read += &text[from..at];
        from = at + 1;
    }
    if from == 0 {
        return text.into();
    }
    read += &text[from..];
    read.into()
}

fn inserted(text: &str, places: impl Iterator<Item = usize>) -> Cow<'_, str> {
    let (mut written, mut from) = (String::new(), 0);
    for at in places {
        written += &text[from..at];
        written.push('\'');
        from = at;
    }
    if written.is_empty() {
        return text.into();
    }
    written += &text[from..];
    written.into()
}

/// Returns where formulas begin: the start of the text, or right behind a break.
fn formulas(text: &str) -> impl Iterator<Item = usize> {
    let inside = text.match_indices(BREAKS).map(|(at, sign)| at + sign.len());
    let inside = inside.filter(move |at| begins_formula(&text[*at..]));
    std::iter::once(0).filter(move |_| is_formula(text)).chain(inside)
}

/// Returns the formulas that have an apostrophe in front.
fn apostrophes(text: &str) -> impl Iterator<Item = usize> {
    formulas(text).filter(move |at| text[*at..].starts_with('\''))
}

fn begins_formula(text: &str) -> bool {
    unpadded(text).starts_with(SIGNS)
}

/// Returns the text without what may precede the sign of a formula. Stops at breaks, so that a text with many of them
/// is read only once.
fn unpadded(text: &str) -> &str {
    text.trim_start_matches(|c: char| match c {
        '"' | '\'' | '＇' | '\u{feff}' => true,
        c => c.is_whitespace() && !BREAKS.contains(&c),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_name_however_it_is_encoded_is_one_key() {
        for (one, other) in [
            ("José", "Jose\u{301}"),
            ("ÀÉÎÕÜ", "a\u{300}e\u{301}i\u{302}o\u{303}u\u{308}"),
            ("ＡＣＭＥ　４２", "acme 42"),
            ("한국", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"),
            ("ガレージ", "ｶﾞﾚｰｼﾞ"),
            ("oﬃce", "OFFICE"),
            ("Ⓐ①", "a1"),
            ("ΟΔΟΣ", "οδος"),
            ("Å", "\u{212b}"),
            ("J\u{30c}", "\u{1f0}"),
            ("\u{a0} Nena\u{2003}", "nena"),
        ] {
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
        for (one, other) in [("Straße", "strasse"), ("pena", "peña"), ("раu", "pau"), ("a b", "ab")] {
            assert_ne!(fold(one), fold(other), "{one} {other}");
        }
    }

    #[test]
    fn a_key_has_no_character_that_a_database_refuses() {
        assert_eq!((fold(" A\0B"), fold("\0É")), ("a\u{1}b".to_owned(), "\u{1}é".to_owned()));
    }

    #[test]
    fn letters_ignore_accents_case_and_punctuation() {
        for (one, other) in [
            ("José & Niño, Inc.", "JOSE NINO INC"),
            ("D-0012", "d 0012"),
            ("Straße 1", "strasse1"),
            ("Łódź", "lodz"),
            ("ＡＣＭＥ", "acme"),
            ("한국", "한국"),
        ] {
            assert_eq!(letters(one), letters(other), "{one} {other}");
        }
        assert_eq!(letters(" -.- "), "");
    }

    #[test]
    fn what_is_kept_is_composed_and_keeps_its_letters() {
        assert_eq!(normalize(" Jose\u{301} ＡＣＭＥ ﬃ Straße "), "José ＡＣＭＥ ﬃ Straße");
        assert_eq!(normalize(" \u{a0}\t"), "");
        for text in ["José", "Jose\u{301}", " José", "José\t", "\u{a0}"] {
            assert_eq!(normalized(text.to_owned()), normalize(text));
        }
    }

    #[test]
    fn formulas_are_known_behind_apostrophes_too() {
        for formula in [
            "=1", "+1", "-1", "@a", "\ta", "\ra", "\na", "\0", "'=1", "''+1", "＝1+1", "'＋1", "＇=1", "﹣1",
            " =1", "\"=1", "' =1",
        ] {
            assert!(is_formula(formula), "{formula:?}");
        }
        for text in ["", "'", "'a", "a=1", "1-1", "é", "1", "１＋１", "＇"] {
            assert!(!is_formula(text), "{text:?}");
        }
    }

    #[test]
    fn formulas_inside_a_text_get_an_apostrophe() {
        for (text, written) in [
            ("Gate 4;=cmd|'/C calc'!A0;x", "Gate 4;'=cmd|'/C calc'!A0;x"),
            ("a\t=1", "a\t'=1"),
            ("12 Rizal St\r\n-1", "12 Rizal St\r\n'-1"),
            ("=1;+2", "'=1;'+2"),
            ("a; \"=1", "a;' \"=1"),
            ("a;'=1", "a;''=1"),
            ("a;＇＠b", "a;'＇＠b"),
            (";;=1;", ";;'=1;"),
            ("\t=1", "'\t'=1"),
            ("a\n\nb", "a\n\nb"),
            ("1;2, b=c; 't", "1;2, b=c; 't"),
        ] {
            assert_eq!(with_apostrophes(text), written, "{text:?}");
        }
        assert_eq!(with_second_apostrophes("a;=1;'=1"), "a;=1;''=1");
        assert_eq!(with_second_apostrophes("'=1;'b"), "''=1;'b");
    }

    #[test]
    fn no_character_folds_further_than_once() {
        for letter in '\0'..=char::MAX {
            let text = String::from(letter);
            let key = fold(&text);
            assert_eq!(
                (fold(&key), fold(&text.to_lowercase())),
                (key.clone(), key),
                "U+{:04X}",
                letter as u32
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        /// Keys that an older version of the fold wrote are folded again, without the original text.
        #[test]
        fn folding_again_changes_nothing(text in any::<String>()) {
            let key = fold(&text);
            prop_assert_eq!(&fold(&key), &key);
            prop_assert_eq!(&fold(&normalize(&text)), &key);
            prop_assert_eq!(&fold(&text.trim().to_lowercase()), &key);
            prop_assert_eq!(normalized(text.clone()), normalize(&text));
        }

        #[test]
        fn taking_one_apostrophe_away_gives_the_text_back(text in "[;\t\r\n '\"＇=＠\\-a\0\u{a0}\u{feff}]{0,12}") {
            let written = with_apostrophes(&text);
            prop_assert_eq!(without_apostrophes(&written), text.as_str());
            let second = with_second_apostrophes(&text);
            prop_assert_eq!(without_apostrophes(&second), text.as_str());
            for cell in written.split(BREAKS) {
                let cell = cell.trim_start_matches(['"', ' ', '\u{a0}', '\u{feff}', '＇']);
                prop_assert!(!cell.starts_with(SIGNS), "{:?}", written);
            }
        }
    }
}
