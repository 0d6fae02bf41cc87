use kit::error::Fields;
use serde_json::{Value as Json, json};

use super::*;

fn state() -> Json {
    json!({
        "filters": [
            { "key": "deliverystatus", "operator": "equals", "values": [{ "label": "Pending", "value": "Pending" }] },
            { "key": "driverId", "operator": "isEmpty", "values": [] },
            { "key": "dateRange", "operator": "inDateRange", "values": [{ "label": "today", "value": "today" }] },
        ],
        "sort": [{ "key": "scheduledatetime", "direction": "desc" }, { "key": "id", "direction": "asc" }],
        "columns": { "order": ["id", "customername"], "hidden": ["trucker"], "pinned": ["customername"],
            "widths": { "customername": 240 } },
    })
}

fn read_state(state: &str) -> Result<SavedView> {
    read(wire::SavedViewInput {
        name: " Manila today ".into(),
        list: "deliveries".into(),
        state: state.into(),
        shared: false,
    })
}

fn wrong(fields: Fields) -> Vec<(String, String)> {
    fields
        .into_iter()
        .flat_map(|(field, texts)| texts.into_iter().map(move |it| (field.clone(), it)))
        .collect()
}

/// Replaces the value at this path of a valid state, and returns why the state is refused.
fn refused(path: &str, value: Json) -> String {
    let mut state = state();
    *state.pointer_mut(path).unwrap() = value;
    let error = read_state(&state.to_string()).unwrap_err();
    assert_eq!(error.reason, "INVALID_FIELDS");
    let wrong = wrong(error.fields);
    let [(field, text)] = wrong.as_slice() else { panic!("{wrong:?}") };
    assert_eq!(field, "state");
    text.clone()
}

#[test]
fn a_state_is_kept_whole() {
    let view = read_state(&state().to_string()).unwrap();
    assert_eq!((view.name.as_str(), view.list), ("Manila today", List::Deliveries));
    assert_eq!(serde_json::from_str::<Json>(&view.state.to_json()).unwrap(), state());
}

#[test]
fn names_have_1_to_60_letters_and_lists_are_known() {
    let input = |name: &str, list: &str| wire::SavedViewInput {
        name: name.into(),
        list: list.into(),
        state: state().to_string(),
        shared: false,
    };
    assert!(read(input(&"é".repeat(60), "deliveries")).is_ok());
    let refused = |name: &str, list: &str| wrong(read(input(name, list)).unwrap_err().fields);
    let because = |field: &str, text: &str| vec![(field.to_owned(), text.to_owned())];
    let long = because("name", "Name must have no more than 60 characters");
    assert_eq!(refused(&"é".repeat(61), "deliveries"), long);
    assert_eq!(refused(" ", "deliveries"), because("name", "Name is required"));
    assert_eq!(refused("a\u{200b}b", "deliveries").len(), 1);
    assert_eq!(refused("Mine", "forms"), because("list", "List must be one of deliveries, queryLab"));
}

#[test]
fn a_query_is_kept_as_it_was_written_and_is_json() {
    let input = |query: &str, shared: bool| wire::SavedViewInput {
        name: "By trucker".into(),
        list: "queryLab".into(),
        state: json!({ "query": query }).to_string(),
        shared,
    };
    for query in ["{ \"measures\" : [] }", "[{}, {}]", &format!("{{{}}}", " ".repeat(QUERY_CHARS - 2))] {
        let read = read(input(query, true)).unwrap();
        assert!(read.shared && read.state == State::Query(QueryState { query: query.to_owned() }));
        assert_eq!(serde_json::from_str::<State>(&read.state.to_json()).unwrap(), read.state);
    }
    let refused = |query: &str| wrong(read(input(query, false)).unwrap_err().fields).remove(0);
    for bad in ["", "1", "[1]", "{", "\"{}\""] {
        assert_eq!(refused(bad).1, "Query must be a JSON object or a list of objects", "{bad}");
    }
    let long = format!("{{{}}}", " ".repeat(QUERY_CHARS - 1));
    assert_eq!(refused(&long).1, "Query must have no more than 20000 characters");
    // A query is not accepted as the view of a list, nor a view as a query.
    assert!(read(wire::SavedViewInput { list: "deliveries".into(), ..input("{}", false) }).is_err());
    assert!(read(wire::SavedViewInput { state: state().to_string(), ..input("{}", false) }).is_err());
    let shared =
        wire::SavedViewInput { list: "deliveries".into(), state: state().to_string(), ..input("", true) };
    let text = "Only queries of the query lab can be shared".to_owned();
    assert_eq!(wrong(read(shared).unwrap_err().fields), [("shared".to_owned(), text)]);
}

#[test]
fn what_is_no_state_of_a_list_is_refused() {
    let text = "View must have the filters, sort and columns of a list";
    for bad in ["", "null", "[]", "{}", "{\"filters\":[]}", "x"] {
        let fields = wrong(read_state(bad).unwrap_err().fields);
        assert_eq!(fields, [("state".to_owned(), text.to_owned())], "{bad}");
    }
    let mut more = state();
    more["script"] = json!("x");
    assert!(read_state(&more.to_string()).is_err());
    assert_eq!(refused("/sort/0/direction", json!("up")), text);
    let large = format!("{}{}", state(), " ".repeat(STATE_BYTES));
    let fields = wrong(read_state(&large).unwrap_err().fields);
    assert_eq!(fields[0].1, "View is too large to save. Remove some filter values.");
}

#[test]
fn filters_are_those_of_the_list() {
    assert_eq!(refused("/filters/0/key", json!("password")), "The list has no filter password");
    let text = "The filter on deliverystatus must use one of equals, !equals, isEmpty, !isEmpty";
    assert_eq!(refused("/filters/0/operator", json!("contains")), text);
    let text = "The filter on deliverystatus must have 1 to 50 values";
    assert_eq!(refused("/filters/0/values", json!([])), text);
    let value = json!({ "label": "a", "value": "a" });
    assert_eq!(refused("/filters/0/values", json!(vec![value.clone(); 51])), text);
    let text = "The filter on driverId must have 0 to 0 values";
    assert_eq!(refused("/filters/1/values", json!([value])), text);
    let text = "The filter on dateRange must have 1 to 2 values";
    assert_eq!(refused("/filters/2/values", json!(vec![value; 3])), text);
    let empty = json!({ "label": "a", "value": "" });
    let text = "A value of the filter on deliverystatus is required";
    assert_eq!(refused("/filters/0/values/0", empty), text);
    let filter = state()["filters"][1].clone();
    assert_eq!(refused("/filters", json!(vec![filter; 21])), "View must have no more than 20 filters");
}

#[test]
fn sort_and_columns_are_those_of_the_list() {
    assert_eq!(refused("/sort/0/key", json!("linecount")), "The list can't be sorted by linecount");
    assert_eq!(
        refused("/sort/1/key", json!("scheduledatetime")),
        "View must be sorted by scheduledatetime once"
    );
    let entry = state()["sort"][0].clone();
    assert_eq!(refused("/sort", json!(vec![entry; 4])), "View must be sorted by no more than 3 columns");
    assert_eq!(refused("/columns/order/0", json!("salary")), "The list has no column salary");
    assert_eq!(refused("/columns/hidden", json!(["id", "id"])), "View must name the column id once");
    assert_eq!(refused("/columns/pinned/0", json!("x\u{7}y")), "The list has no column xy");
    for width in [59, 601] {
        let text = "The width of customername must be between 60 and 600";
        assert_eq!(refused("/columns/widths/customername", json!(width)), text);
    }
    assert_eq!(refused("/columns/widths", json!({ "x": 100 })), "The list has no column x");
}

#[test]
fn the_browser_has_the_same_fields_and_columns() {
    let list = List::Deliveries;
    let filters = list.fields().iter().map(|(key, kind)| {
        let operators = kind.operators();
        json!({ "key": key, "operators": operators })
    });
    let columns = list.columns().iter().map(|(id, sorts)| json!({ "id": id, "sorts": sorts }));
    let recorded = json!({ "filters": filters.collect::<Vec<_>>(), "columns": columns.collect::<Vec<_>>() });
    let recorded = serde_json::to_string_pretty(&recorded).unwrap() + "\n";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../frontend/src/test/saved-view-fields.json");
    if std::env::var_os("WAYBILL_WRITE_FORMS").is_some() {
        std::fs::write(path, &recorded).unwrap();
    }
    let known = std::fs::read_to_string(path).unwrap_or_default();
    assert!(known == recorded, "fields have changed: run this test with WAYBILL_WRITE_FORMS=1");
}
