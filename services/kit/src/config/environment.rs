//! The environment as a layer of the configuration.

use std::collections::BTreeMap;

use figment::providers::Env;
use figment::value::{Dict, Map, Value};
use figment::{Metadata, Profile, Provider};

const PREFIX: &str = "WAYBILL__";
/// Separates the parts of a key.
const SEPARATOR: &str = "__";

/// The variables with the prefix. The value of a key whose default is a text stays text: by itself, figment turns
/// a secret of digits alone into a number.
pub(super) struct Environment<'a> {
    variables: Env,
    defaults: &'a BTreeMap<String, Value>,
}

impl<'a> Environment<'a> {
    /// Creates the layer. `defaults` has the default of each key.
    pub(super) fn new(defaults: &'a BTreeMap<String, Value>) -> Self {
        Self { variables: Env::prefixed(PREFIX).split(SEPARATOR), defaults }
    }
}

impl Provider for Environment<'_> {
    fn metadata(&self) -> Metadata {
        self.variables.metadata()
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        let mut layers = self.variables.data()?;
        if let Some(layer) = layers.get_mut(&Profile::Default) {
            for (key, text) in self.variables.iter() {
                let is_text = matches!(self.defaults.get(key.as_str()), Some(Value::String(..)));
                if let Some(value) = find(layer, key.as_str()).filter(|_| is_text) {
                    *value = as_text(&text);
                }
            }
        }
        Ok(layers)
    }
}

/// Returns the name of the variable that sets a key such as `http.port`, or that sets the section it is in.
pub(super) fn variable(key: &str) -> String {
    let name = |key: &str| format!("{PREFIX}{}", key.to_ascii_uppercase().replace('.', SEPARATOR));
    let sections = std::iter::successors(Some(key), |key| key.rsplit_once('.').map(|(section, _)| section));
    let set = sections.map(name).find(|variable| std::env::var_os(variable).is_some());
    set.unwrap_or_else(|| name(key))
}

/// Returns the value of a key such as `blob.secret_key`.
fn find<'a>(dict: &'a mut Dict, key: &str) -> Option<&'a mut Value> {
    match key.split_once('.') {
        None => dict.get_mut(key),
        Some((section, rest)) => match dict.get_mut(section)? {
            Value::Dict(_, inner) => find(inner, rest),
            _ => None,
        },
    }
}

/// Returns the text of a variable. As figment does, reads a text in quotes as in a file, and ignores white space
/// around it.
fn as_text(text: &str) -> Value {
    match text.parse::<Value>() {
        Ok(value @ (Value::String(..) | Value::Char(..))) => value,
        _ => Value::from(text.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_something_else_stays_text() {
        for text in ["1234567890123456", "007", "-3", "1.50", "true", "[a]", "{a=1}", "a,b", "", "auto"] {
            assert_eq!(as_text(text).as_str(), Some(text));
        }
        for (text, read) in [("\"1 \"", "1 "), (" 7\n", "7"), (" auto ", "auto")] {
            assert_eq!(as_text(text).as_str(), Some(read), "{text:?}");
        }
    }

    #[test]
    fn a_variable_is_named_as_it_is_documented() {
        assert_eq!(variable("http.port"), "WAYBILL__HTTP__PORT");
        assert_eq!(variable("blob.secret_key"), "WAYBILL__BLOB__SECRET_KEY");
    }

    #[test]
    fn a_key_is_found_in_its_section() {
        let section = Dict::from([("secret_key".to_owned(), Value::from("x"))]);
        let sections = [("blob".to_owned(), Value::from(section)), ("data".to_owned(), Value::from("x"))];
        let mut layer = Dict::from(sections);
        for (key, is_there) in
            [("data", true), ("blob.secret_key", true), ("blob.x", false), ("data.x", false), ("x", false)]
        {
            assert_eq!(find(&mut layer, key).is_some(), is_there, "{key}");
        }
    }
}
