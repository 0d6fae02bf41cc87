//! The body of `/meta`: the registry of members in the format of the Cube contract.

use serde_json::{Value, json};

use crate::members::{Aggregate, CUBES, Cube, DIMENSIONS, Dimension, MEASURES, Measure, cube_of};
use crate::query::dates::Unit;

pub fn body() -> String {
    let cubes: Vec<Value> = CUBES.iter().map(cube).collect();
    json!({ "cubes": cubes }).to_string()
}

fn cube(cube: &Cube) -> Value {
    let measures: Vec<Value> =
        MEASURES.iter().filter(|it| cube_of(it.name) == cube.name).map(measure).collect();
    let dimensions: Vec<Value> =
        DIMENSIONS.iter().filter(|it| cube_of(it.name) == cube.name).map(dimension).collect();
    json!({
        "name": cube.name,
        "title": cube.title,
        "type": "cube",
        "public": true,
        "isVisible": true,
        // All cubes have the same number, which means that all of them can be joined.
        "connectedComponent": 1,
        "measures": measures,
        "dimensions": dimensions,
        "segments": [],
        "folders": [],
        "nestedFolders": [],
        "hierarchies": [],
    })
}

fn measure(measure: &Measure) -> Value {
    let mut shown = json!({
        "name": measure.name,
        "title": measure.title,
        "shortTitle": measure.short_title,
        "type": "number",
        "aggType": aggregate(measure),
        "cumulative": false,
        "cumulativeTotal": false,
        "isVisible": true,
        "public": true,
        "drillMembers": measure.drill,
        "drillMembersGrouped": { "measures": [], "dimensions": measure.drill },
    });
    if measure.is_rate() {
        shown["format"] = json!("percent");
    }
    shown
}

/// Returns the name of the aggregate in the Cube contract.
fn aggregate(measure: &Measure) -> &'static str {
    match measure.aggregate {
        Aggregate::Rows | Aggregate::RowsWith(_) => "count",
        Aggregate::Rate(_) => "number",
        Aggregate::MeanMinutes(_) => "avg",
        Aggregate::Sum(_) | Aggregate::Thousandths(_) => "sum",
    }
}

fn dimension(dimension: &Dimension) -> Value {
    let kind = if dimension.is_time() { "time" } else { "string" };
    let mut shown = json!({
        "name": dimension.name,
        "title": dimension.title,
        "shortTitle": dimension.short_title,
        "type": kind,
        "suggestFilterValues": !dimension.is_time(),
        "primaryKey": dimension.is_key(),
        "isVisible": true,
        "public": true,
    });
    if dimension.is_time() {
        shown["granularities"] = Unit::ALL.into_iter().map(granularity).collect();
    }
    shown
}

pub fn granularity(unit: Unit) -> Value {
    json!({ "name": unit.name(), "title": unit.name(), "interval": format!("1 {}", unit.name()) })
}
