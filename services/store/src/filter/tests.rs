use super::sql::{after, escape};

#[test]
fn the_end_of_a_prefix() {
    assert_eq!(after("dr-1").as_deref(), Some("dr-2"));
    assert_eq!(after("").as_deref(), None);
    assert_eq!(after("a\u{10FFFF}").as_deref(), Some("b"));
    assert_eq!(after("\u{D7FF}").as_deref(), Some("\u{E000}"));
}

#[test]
fn wildcards_are_plain_characters() {
    assert_eq!(escape("50%_a\\b"), "50\\%\\_a\\\\b");
}
