//! Values in the environment: secrets that do not look like text, because what the program prints goes to logs, and
//! mistakes.

use std::process::{Output, Stdio};

use crate::running::program;

const SECRET: &str = "1234567890123456";

/// Runs `waybill config show` with a variable. Returns whether it succeeded, and what it printed.
fn shown(variable: &str, value: &str) -> (bool, String) {
    let mut command = program(&["config", "show"]);
    command.env(variable, value).stdin(Stdio::null()).stdout(Stdio::piped());
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.success(), String::from_utf8([stdout, stderr].concat()).unwrap())
}

#[test]
fn a_secret_of_digits_alone_is_text_and_is_never_printed() {
    let (accepted, printed) = shown("WAYBILL__BLOB__SECRET_KEY", SECRET);
    assert!(accepted && printed.contains("blob.secret_key = ********  # environment"), "{printed}");
    assert!(!printed.contains(SECRET), "{printed}");
}

#[test]
fn a_secret_of_the_wrong_type_is_refused_without_printing_it() {
    for value in [SECRET.to_owned(), format!("redis://:{SECRET}@cache"), format!("{{url={SECRET}}}")] {
        let (accepted, printed) = shown("WAYBILL__CACHE", &value);
        assert!(!accepted && printed.contains("cache"), "{printed}");
        assert!(!printed.contains(SECRET), "{printed}");
    }
}

#[test]
fn a_mistake_in_the_environment_is_named_with_its_key_and_its_variable() {
    for (variable, value, problem) in [
        ("WAYBILL__HTTP__PORT", "many", "http.port: "),
        ("WAYBILL__HTP__X", "1", "unknown key htp.x "),
        ("WAYBILL__HTTP", "{port=many}", "http.port: "),
    ] {
        let (accepted, printed) = shown(variable, value);
        assert!(!accepted && printed.contains(problem), "{printed}");
        assert!(printed.contains(&format!("(from environment variable {variable})")), "{printed}");
    }
}
