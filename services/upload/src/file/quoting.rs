//! The apostrophe that exports put before texts which a spreadsheet would read as formulas.

/// Returns the text without the apostrophe that an export added.
pub(super) fn unquoted(text: &str) -> &str {
    let runs = |rest: &str| kit::text::is_formula(rest) || kit::text::is_formula(rest.trim_start());
    match text.strip_prefix('\'') {
        Some(rest) if runs(rest) => rest.trim(),
        _ => text,
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
            ("'＝1+1", "＝1+1"),
            ("'t Hooft", "'t Hooft"),
            ("'", "'"),
            ("=1", "=1"),
            ("it's = fine", "it's = fine"),
        ] {
            assert_eq!(unquoted(read), text, "{read:?}");
        }
    }
}
