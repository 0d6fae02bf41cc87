//! Answers in the form that clients get, about a few deliveries that can be counted by hand.

use ::store::Db;
use kit::clock::Clock;
use serde_json::{Value, json};

use super::queries::{Data, at};
use crate::Migrator;
use crate::answers::{Answers, Asker};
use crate::query::check::check;

const NOW: &str = "2024-06-01T00:00:00Z";

/// Three deliveries around the night of 2024-10-27, when the hour from two to three occurs twice in Berlin.
fn data() -> Data {
    let mut data = Data::new(1, 3);
    data.variances.clear();
    let times = ["2024-10-26T22:30:00Z", "2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z"];
    for (delivery, time) in data.deliveries.iter_mut().zip(times) {
        delivery.schedule_date_time = at(time);
        delivery.delivery_status = "Pending".to_owned();
        delivery.delivery_status_key = "pending".to_owned();
        delivery.delivery_date_time = None;
        (delivery.trucker, delivery.trucker_key) = ("Harbor".to_owned(), "harbor".to_owned());
    }
    (data.deliveries[2].trucker, data.deliveries[2].trucker_key) = ("Quick".to_owned(), "quick".to_owned());
    data
}

async fn filled_with(db: &Db, data: &Data) -> Answers {
    data.insert(db).await;
    Answers::new(db.clone(), Clock::fixed(at(NOW)))
}

async fn filled(db: &Db) -> Answers {
    filled_with(db, &data()).await
}

fn somebody() -> Asker {
    Asker { account: "somebody".to_owned(), is_lab: false }
}

async fn load(answers: &Answers, query: Value, multi: bool) -> Value {
    load_at(NOW, answers, query, multi).await
}

async fn load_at(now: &str, answers: &Answers, query: Value, multi: bool) -> Value {
    let asked = check(&query.to_string(), at(now)).unwrap_or_else(|error| panic!("{query}: {error}"));
    let (body, _) =
        answers.load(asked, multi, somebody()).await.unwrap_or_else(|error| panic!("{query}: {error:?}"));
    serde_json::from_str(&body).unwrap()
}

fn series(unit: &str, range: Value) -> Value {
    json!({ "measures": ["Delivery.count"], "timezone": "Europe/Berlin", "timeDimensions": [
        { "dimension": "Delivery.scheduledatetime", "granularity": unit, "dateRange": range } ] })
}

store::on_both!(an_hour_that_comes_twice_is_one_bucket_of_both, Migrator, |db: Db| async move {
    let answers = filled(&db).await;
    let answer = load(&answers, series("hour", json!(["2024-10-27", "2024-10-27"])), false).await;
    let row = |hour: &str, count: &str| {
        let time = format!("2024-10-27T{hour}:00:00.000");
        json!({ "Delivery.scheduledatetime": time, "Delivery.scheduledatetime.hour": time, "Delivery.count": count })
    };
    assert_eq!(answer["data"], json!([row("00", "1"), row("02", "2")]));
});

store::on_both!(a_group_is_passed_by_its_number_and_the_total_says_so, Migrator, |db: Db| async move {
    let answers = filled(&db).await;
    let query = json!({
        "measures": ["Delivery.count"], "dimensions": ["Delivery.trucker"], "total": true, "limit": 0,
        "filters": [{ "member": "Delivery.count", "operator": "gt", "values": ["1"] }],
    });
    let answer = load(&answers, query.clone(), false).await;
    assert_eq!((&answer["data"], &answer["total"]), (&json!([]), &json!(1)));
    let mut compacted = query;
    compacted["limit"] = json!(5);
    compacted["responseFormat"] = json!("compact");
    let answer = load(&answers, compacted, false).await;
    let compact = json!({ "members": ["Delivery.trucker", "Delivery.count"], "dataset": [["Harbor", "2"]] });
    assert_eq!(answer["data"], compact);
    assert_eq!(answer["query"]["responseFormat"], "compact");
});

store::on_both!(nothing_has_no_mean_and_the_number_nought, Migrator, |db: Db| async move {
    let answers = filled(&db).await;
    let query = json!({ "measures": ["Delivery.completedCount", "Delivery.onTimeRate", "Delivery.avgStopMinutes"],
        "filters": [{ "member": "Delivery.trucker", "operator": "equals", "values": ["nobody"] }] });
    let row = json!({ "Delivery.completedCount": "0", "Delivery.onTimeRate": null, "Delivery.avgStopMinutes": null });
    assert_eq!(load(&answers, query, false).await["data"], json!([row]));
});

store::on_both!(a_delivery_without_a_trucker_has_no_value_there, Migrator, |db: Db| async move {
    let mut data = data();
    (data.deliveries[2].trucker, data.deliveries[2].trucker_key) = (String::new(), String::new());
    let answers = filled_with(&db, &data).await;
    let leaf = |operator: &str, values: Value| json!({ "member": "Delivery.trucker", "operator": operator, "values": values });
    let tests = [
        (json!({ "member": "Delivery.trucker", "operator": "set" }), "2"),
        (json!({ "member": "Delivery.trucker", "operator": "notSet" }), "1"),
        (leaf("equals", json!([null])), "1"),
        (leaf("notEquals", json!([null])), "2"),
        (leaf("equals", json!(["harbor", null])), "3"),
        (leaf("notEquals", json!(["harbor"])), "1"),
        (leaf("equals", json!([""])), "0"),
        (leaf("contains", json!([""])), "2"),
    ];
    // Roll-ups suffice for the first queries; the number of a shipment is only in the facts.
    for more in [vec![], vec![json!({ "member": "Delivery.shipmentnumber", "operator": "set" })]] {
        let query = |filters: Vec<Value>| json!({ "measures": ["Delivery.count"], "filters": filters });
        let mut grouped = query(more.clone());
        grouped["dimensions"] = json!(["Delivery.trucker"]);
        let row =
            |trucker: Value, count: &str| json!({ "Delivery.trucker": trucker, "Delivery.count": count });
        let rows = json!([row(json!("Harbor"), "2"), row(json!(null), "1")]);
        assert_eq!(load(&answers, grouped, false).await["data"], rows);
        for (test, count) in &tests {
            let filters = std::iter::once(test).chain(&more).cloned().collect();
            let answer = load(&answers, query(filters), false).await;
            assert_eq!(answer["data"], json!([{ "Delivery.count": count }]), "{test} and {more:?}");
        }
    }
});

store::on_both!(a_range_may_end_with_the_last_day_of_the_last_year, Migrator, |db: Db| async move {
    let answers = filled(&db).await;
    let day = |operator: &str| json!([{ "member": "Delivery.scheduledatetime", "operator": operator, "values": ["9999-12-31"] }]);
    // In Los Angeles, the end of that day is in the year 10000 of UTC.
    for zone in ["UTC", "Asia/Manila", "America/Los_Angeles"] {
        let query = |more: Value| {
            let mut query = json!({ "measures": ["Delivery.count"], "timezone": zone });
            query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            query
        };
        let range =
            json!([{ "dimension": "Delivery.scheduledatetime", "dateRange": ["0001-01-01", "9999-12-31"] }]);
        for (query, count) in [
            (query(json!({ "timeDimensions": range })), "3"),
            (query(json!({ "filters": day("beforeOrOnDate") })), "3"),
            (query(json!({ "filters": day("onTheDate") })), "0"),
            (query(json!({ "filters": day("afterDate") })), "0"),
        ] {
            let answer = load(&answers, query.clone(), false).await;
            assert_eq!(answer["data"], json!([{ "Delivery.count": count }]), "{query}");
        }
    }
});

store::on_both!(compared_and_blended_answers_name_what_they_are_laid_by, Migrator, |db: Db| async move {
    let answers = filled(&db).await;
    let mut query = series("day", json!(null));
    query["timeDimensions"][0] = json!({
        "dimension": "Delivery.scheduledatetime", "granularity": "day",
        "compareDateRange": [["2024-10-26", "2024-10-26"], ["2024-10-27", "2024-10-27"]],
    });
    let answer = load(&answers, query.clone(), true).await;
    assert_eq!(answer["queryType"], "compareDateRangeQuery");
    assert_eq!(answer["pivotQuery"]["dimensions"], json!(["compareDateRange"]));
    assert_eq!(answer["results"][0]["data"], json!([]));
    let label = "2024-10-27T00:00:00.000 - 2024-10-27T23:59:59.999";
    assert_eq!(answer["results"][1]["data"][0]["compareDateRange"], label);
    assert_eq!(answer["results"][1]["data"][0]["Delivery.count"], "3");
    let error =
        answers.load(check(&query.to_string(), at(NOW)).unwrap(), false, somebody()).await.unwrap_err();
    let text = "'compareDateRangeQuery' query type is not supported by the client.Please update the client.";
    assert_eq!(error.message, text);

    let one = series("day", json!(["2024-10-27", "2024-10-27"]));
    let answer = load(&answers, json!([one, one]), true).await;
    assert_eq!(answer["queryType"], "blendingQuery");
    assert_eq!(answer["results"][1]["data"][0]["time.day"], "2024-10-27T00:00:00.000");
    assert_eq!(
        answer["pivotQuery"]["timeDimensions"],
        json!([{ "dimension": "time", "granularity": "day" }])
    );
});

store::on_both!(a_kept_answer_to_a_relative_date_is_of_that_day_alone, Migrator, |db: Db| async move {
    let answers = filled(&db).await;
    let query = json!({ "measures": ["Delivery.count"], "filters": [
        { "member": "Delivery.scheduledatetime", "operator": "onTheDate", "values": ["today"] } ] });
    for (now, count) in [("2024-10-26T23:59:00Z", "1"), ("2024-10-27T00:01:00Z", "2")] {
        let answer = load_at(now, &answers, query.clone(), false).await;
        assert_eq!(answer["data"], json!([{ "Delivery.count": count }]), "{now}");
        assert_eq!(answer["query"]["filters"][0]["values"], json!(["today"]), "repeated as it was sent");
    }
});

store::on_both!(compared_answers_name_the_range_of_the_compared_time, Migrator, |db: Db| async move {
    let answers = filled(&db).await;
    let days = ["2024-10-26", "2024-10-27"];
    let label = |day: &str| format!("{day}T00:00:00.000 - {day}T23:59:59.999");
    let query = |one: Value, other: Value| {
        let mut times = json!([
            { "dimension": "Delivery.deliverydatetime" }, { "dimension": "Delivery.scheduledatetime" } ]);
        for (time, more) in times.as_array_mut().unwrap().iter_mut().zip([one, other]) {
            time.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        }
        json!({ "measures": ["Delivery.count"], "timeDimensions": times })
    };
    let range = |day: &str| json!({ "dateRange": [day, day] });
    let compared = |days: &[&str]| {
        let ranges: Vec<[&str; 2]> = days.iter().map(|day| [*day; 2]).collect();
        json!({ "compareDateRange": ranges })
    };
    let answer = load(&answers, query(range("2024-10-25"), compared(&days)), true).await;
    for (at, day) in days.into_iter().enumerate() {
        assert_eq!(answer["results"][at]["data"][0]["compareDateRange"], label(day));
    }
    // Two queries with the same ranges, which differ only in the time that is compared.
    let [first, last] = days;
    for (query, day) in
        [(query(compared(&[first]), range(last)), first), (query(range(first), compared(&[last])), last)]
    {
        let answer = load(&answers, query, true).await;
        assert_eq!(answer["results"][0]["data"][0]["compareDateRange"], label(day));
    }
});
