//! The apostrophes that exports put before formulas.

use std::borrow::Cow;

use kit::text::without_apostrophes;

/// Returns the text without the apostrophes that an export added. Applies to cells of any file: what began as CSV may
/// have been saved as a workbook, and our own workbooks have another apostrophe where one would be removed.
pub(super) fn unquoted(text: &str) -> Cow<'_, str> {
    match without_apostrophes(text) {
        Cow::Owned(text) => text.trim().to_owned().into(),
        unchanged => unchanged,
    }
}

#[cfg(test)]
mod tests {
    use super::unquoted;

    #[test]
    fn an_apostrophe_before_a_formula_is_taken_away_once() {
        for (read, text) in [
            ("'=SUM(A1)", "=SUM(A1)"),
            ("'+63 917", "+63 917"),
            ("'-1", "-1"),
            ("'@home", "@home"),
            ("'＝1+1", "＝1+1"),
            ("''=1", "'=1"),
            ("' =1", "=1"),
            ("Gate 4;'=cmd|'/C calc'!A0;x", "Gate 4;=cmd|'/C calc'!A0;x"),
            ("'=1;''=1", "=1;'=1"),
            ("Ring twice.\n'- Use the back door.", "Ring twice.\n- Use the back door."),
            ("a\t' \"+1", "a\t \"+1"),
            ("'t Hooft", "'t Hooft"),
            ("a; 't Hooft;'b", "a; 't Hooft;'b"),
            ("'", "'"),
            ("=1", "=1"),
            ("it's = fine", "it's = fine"),
        ] {
            assert_eq!(unquoted(read), text, "{read:?}");
        }
    }
}
