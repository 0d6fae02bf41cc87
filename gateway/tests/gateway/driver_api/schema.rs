//! Checks a value against a schema of an OpenAPI document. Supports the parts of JSON Schema that the
//! document uses, and is stricter: undeclared properties are refused.

use serde_json::{Map, Value};

/// Keywords that say nothing about the value.
const SILENT: [&str; 5] = ["description", "title", "default", "discriminator", "propertyNames"];

/// Panics when the value does not match the schema.
pub fn hold(document: &Value, schema: &Value, value: &Value, at: &str) {
    if let Err(wrong) = check(document, schema, value, at) {
        panic!("{wrong}\n{value:#}");
    }
}

fn check(document: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let schema = schema.as_object().ok_or_else(|| format!("{at}: no schema"))?;
    for (keyword, says) in schema {
        match keyword.as_str() {
            "$ref" => {
                let pointer = says.as_str().and_then(|text| text.strip_prefix('#'));
                let target = pointer.and_then(|pointer| document.pointer(pointer));
                check(document, target.ok_or_else(|| format!("{at}: {says} is not there"))?, value, at)?;
            }
            "type" if !is(says, value) => return Err(format!("{at}: is no {says}")),
            "enum" if !says.as_array().is_some_and(|all| all.contains(value)) => {
                return Err(format!("{at}: {value} is none of {says}"));
            }
            "format" if !formed(says, value) => return Err(format!("{at}: {value} is no {says}")),
            "minimum" if value.as_f64() < says.as_f64() => return Err(format!("{at}: {value} is too small")),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(document, says, item, &format!("{at}[{index}]"))?;
                }
            }
            "required" => {
                for name in says.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    value.get(name).ok_or_else(|| format!("{at}: {name} is missing"))?;
                }
            }
            "oneOf" | "anyOf" => {
                let found: Vec<_> =
                    says.as_array().into_iter().flatten().map(|it| check(document, it, value, at)).collect();
                if !found.iter().any(Result::is_ok) {
                    return Err(format!("{at}: none of {found:?}"));
                }
            }
            "type" | "enum" | "format" | "minimum" | "properties" | "additionalProperties" => {}
            silent if SILENT.contains(&silent) => {}
            other => return Err(format!("{at}: nobody checks {other} here")),
        }
    }
    properties(document, schema, value, at)
}

fn properties(document: &Value, schema: &Map<String, Value>, value: &Value, at: &str) -> Result<(), String> {
    let (Some(declared), Some(object)) = (schema.get("properties"), value.as_object()) else {
        let (Some(each), Some(object)) = (schema.get("additionalProperties"), value.as_object()) else {
            return Ok(());
        };
        return object
            .iter()
            .try_for_each(|(name, value)| check(document, each, value, &format!("{at}.{name}")));
    };
    for (name, value) in object {
        let of = declared.get(name).ok_or_else(|| format!("{at}: {name} is not declared"))?;
        check(document, of, value, &format!("{at}.{name}"))?;
    }
    Ok(())
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| is(kind, value)),
        _ => match kind.as_str().unwrap_or_default() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "null" => value.is_null(),
            _ => false,
        },
    }
}

fn formed(format: &Value, value: &Value) -> bool {
    let Some(text) = value.as_str() else { return true };
    match format.as_str().unwrap_or_default() {
        "date-time" => text.parse::<chrono::DateTime<chrono::Utc>>().is_ok() && text.ends_with('Z'),
        "date" => text.parse::<chrono::NaiveDate>().is_ok(),
        _ => false,
    }
}

#[test]
fn what_does_not_fit_is_found() {
    use serde_json::json;

    let document = json!({ "components": { "A": {
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": { "type": "string", "enum": ["x", "y"] },
            "at": { "type": ["string", "null"], "format": "date-time" },
            "count": { "type": "integer", "minimum": 0 },
            "all": { "type": "array", "items": { "$ref": "#/components/A" } },
            "one": { "oneOf": [{ "type": "null" }, { "$ref": "#/components/A" }] },
            "map": { "type": "object", "additionalProperties": { "type": "boolean" } },
        },
    } } });
    let schema = json!({ "$ref": "#/components/A" });
    let good = json!({ "id": "x", "at": "2026-11-30T00:00:00Z", "count": 1, "all": [{ "id": "y" }], "one": null, "map": { "a": true } });
    hold(&document, &schema, &good, "good");
    for (key, wrong) in [
        ("id", json!("z")),
        ("at", json!("noon")),
        ("count", json!(-1)),
        ("count", json!(1.5)),
        ("all", json!([{}])),
        ("one", json!(3)),
        ("map", json!({ "a": 1 })),
        ("other", json!(1)),
    ] {
        let mut value = good.clone();
        value[key] = wrong;
        assert!(check(&document, &schema, &value, "it").is_err(), "{key}");
    }
    assert!(check(&document, &json!({ "pattern": "x" }), &good, "it").is_err());
}
