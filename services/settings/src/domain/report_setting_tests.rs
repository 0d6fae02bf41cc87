use super::*;

fn col(member: &str) -> wire::ReportColumn {
    wire::ReportColumn { member: member.into(), label: String::new(), visible: true, width: None }
}

fn by(member: &str, direction: SortDirection) -> wire::ReportSort {
    wire::ReportSort { member: member.into(), direction: direction.into() }
}

fn only(key: &str, operator: &str, values: &[&str]) -> WireFilter {
    let values = values.iter().map(|it| (*it).to_owned()).collect();
    WireFilter { key: key.into(), operator: operator.into(), values }
}

fn input() -> wire::ReportSettingInput {
    wire::ReportSettingInput {
        name: " Late ones ".into(),
        report_key: "deliveries".into(),
        columns: vec![col("Delivery.id"), col("Delivery.scheduledatetime"), col("Delivery.count")],
        default_filters: vec![only("Delivery.deliverystatus", "equals", &["Pending"])],
        range_days: 7,
        granularity: wire::Granularity::Day.into(),
        group_by: vec!["Delivery.id".into()],
        sort: vec![by("Delivery.count", SortDirection::Desc), by("Delivery.id", SortDirection::Asc)],
        format: wire::ReportFormat::Xlsx.into(),
        is_active: true,
    }
}

/// Changes a valid definition, and returns the only wrong field and why it is wrong.
fn refused(change: impl FnOnce(&mut wire::ReportSettingInput)) -> (String, String) {
    let mut input = input();
    change(&mut input);
    let error = read(input).unwrap_err();
    assert_eq!(error.reason, "INVALID_FIELDS");
    let fields: Vec<_> = error.fields.into_iter().collect();
    let [(field, texts)] = fields.as_slice() else { panic!("{fields:?}") };
    assert_eq!(texts.len(), 1, "{texts:?}");
    (field.clone(), texts[0].clone())
}

fn because(field: &str, text: &str) -> (String, String) {
    (field.to_owned(), text.to_owned())
}

#[test]
fn a_definition_is_read_whole() {
    let it = read(input()).unwrap();
    assert_eq!((it.name.as_str(), it.report_key, it.range_days), ("Late ones", ReportKey::Deliveries, 7));
    assert_eq!((it.granularity, it.format, it.is_active), (Some(Granularity::Day), Format::Xlsx, true));
    assert_eq!(it.columns.len(), 3);
    assert_eq!(it.sort.iter().map(|it| it.descending).collect::<Vec<_>>(), [true, false]);
    let mut none = wire::ReportSettingInput { granularity: 0, ..input() };
    none.columns.remove(1);
    assert_eq!(read(none).unwrap().granularity, None, "not by time");
}

#[test]
fn a_time_is_a_column_only_if_rows_are_grouped_by_it() {
    let text = "Choose a granularity, or remove Dispatch Date and Time";
    assert_eq!(refused(|it| it.granularity = 0), because("columns", text));
    let mut hidden = wire::ReportSettingInput { granularity: 0, ..input() };
    hidden.columns[1].visible = false;
    assert!(read(hidden).is_ok());
    let text = "Delivery.deliverydatetime is not available in reports on deliveries";
    assert_eq!(refused(|it| it.columns.push(col("Delivery.deliverydatetime"))), because("columns", text));
}

#[test]
fn a_range_is_not_too_long_for_its_granularity() {
    for (granularity, range_days) in
        [(wire::Granularity::Minute, 34), (wire::Granularity::Hour, 366), (wire::Granularity::Year, 366)]
    {
        let input = wire::ReportSettingInput { granularity: granularity.into(), range_days, ..input() };
        assert!(read(input).is_ok(), "{granularity:?}");
    }
    let text = "Choose a longer unit of time, or a range of at most 34 days";
    let of = |granularity: wire::Granularity, days: u32| {
        refused(move |it| (it.granularity, it.range_days) = (granularity.into(), days))
    };
    assert_eq!(of(wire::Granularity::Minute, 35), because("granularity", text));
    let text = "Choose a longer unit of time";
    assert_eq!(of(wire::Granularity::Second, 1), because("granularity", text));
    let text = "Range must be between 1 and 366 days";
    assert_eq!(refused(|it| it.range_days = 367), because("rangeDays", text));
}

#[test]
fn a_name_has_1_to_100_characters() {
    assert!(read(wire::ReportSettingInput { name: "n".repeat(100), ..input() }).is_ok());
    assert_eq!(refused(|it| it.name = " ".into()), because("name", "Name is required"));
    let text = "Name must have no more than 100 characters";
    assert_eq!(refused(|it| it.name = "n".repeat(101)), because("name", text));
    let text = "Name must not contain line breaks or control characters";
    assert_eq!(refused(|it| it.name = "a\nb".into()), because("name", text));
}

#[test]
fn there_are_five_reports() {
    let text = "Report must be one of customers, deliveries, drivers, shipments, variances";
    for bad in ["", "Deliveries", "orders"] {
        assert_eq!(refused(|it| it.report_key = bad.into()), because("reportKey", text));
    }
}

#[test]
fn columns_are_known_named_once_and_1_to_40() {
    let none = refused(|it| {
        it.columns.clear();
        it.group_by.clear();
        it.sort.clear();
    });
    assert_eq!(none, because("columns", "Columns must be 1 to 40"));
    let many = refused(|it| it.columns.extend(vec![col("Delivery.id"); 38]));
    assert_eq!(many, because("columns", "Columns must be 1 to 40"));
    let twice = refused(|it| it.columns.push(col("Delivery.id")));
    assert_eq!(twice, because("columns", "Columns must name Delivery.id once"));
    let text = "Delivery.secret is not available in reports on deliveries";
    assert_eq!(refused(|it| it.columns.push(col("Delivery.secret"))), because("columns", text));
    let text = "Variance.reason is not available in reports on deliveries";
    assert_eq!(refused(|it| it.columns.push(col("Variance.reason"))), because("columns", text));
    let hidden = refused(|it| it.columns.iter_mut().for_each(|it| it.visible = false));
    assert_eq!(hidden, because("columns", "Columns must include at least one that is shown"));
}

#[test]
fn widths_and_labels_are_bounded() {
    for width in [40, 600] {
        let mut input = input();
        input.columns[0].width = Some(width);
        assert!(read(input).is_ok(), "{width}");
    }
    for width in [0, 39, 601, u32::MAX] {
        let text = "The width of Delivery Doc must be between 40 and 600";
        assert_eq!(refused(|it| it.columns[0].width = Some(width)), because("columns", text));
    }
    let text = "The label of Delivery Doc must have no more than 100 characters";
    assert_eq!(refused(|it| it.columns[0].label = "l".repeat(101)), because("columns", text));
    let text = "The label of Delivery Doc must not contain line breaks or control characters";
    assert_eq!(refused(|it| it.columns[0].label = "a\u{202e}b".into()), because("columns", text));
}

#[test]
fn groups_are_dimensions_among_the_columns() {
    let text = "Trucker must be among the columns";
    assert_eq!(refused(|it| it.group_by = vec!["Delivery.trucker".into()]), because("groupBy", text));
    let text = "Deliveries cannot be grouped by";
    assert_eq!(refused(|it| it.group_by = vec!["Delivery.count".into()]), because("groupBy", text));
    let text = "Dispatch Date and Time cannot be grouped by";
    let time = refused(|it| it.group_by = vec!["Delivery.scheduledatetime".into()]);
    assert_eq!(time, because("groupBy", text));
    let twice = refused(|it| it.group_by = vec!["Delivery.id".into(); 2]);
    assert_eq!(twice, because("groupBy", "Grouping must name Delivery.id once"));
}

#[test]
fn a_report_is_sorted_by_its_columns() {
    let text = "Delivery.trucker must be among the columns";
    let sort = || vec![by("Delivery.trucker", SortDirection::Asc)];
    assert_eq!(refused(|it| it.sort = sort()), because("sort", text));
    let twice = refused(|it| it.sort.push(by("Delivery.id", SortDirection::Desc)));
    assert_eq!(twice, because("sort", "Sorting must name Delivery.id once"));
    let many = refused(|it| it.sort = vec![by("Delivery.id", SortDirection::Asc); 6]);
    assert_eq!(many, because("sort", "Sorting must be by no more than 5 columns"));
}

#[test]
fn filters_are_on_dimensions_with_as_many_values_as_in_lists() {
    let with = |filter: WireFilter| refused(|it| it.default_filters = vec![filter]);
    let text = "Delivery.secret cannot be filtered by";
    assert_eq!(with(only("Delivery.secret", "equals", &["a"])), because("defaultFilters", text));
    let text = "Deliveries cannot be filtered by";
    assert_eq!(with(only("Delivery.count", "equals", &["1"])), because("defaultFilters", text));
    for bad in ["inDateRange", "gt", "", "Equals"] {
        let (field, text) = with(only("Delivery.id", bad, &["a"]));
        assert!(field == "defaultFilters" && text.starts_with("The filter on Delivery Doc must use one of"));
    }
    let text = "The filter on Delivery Doc must have 1 to 50 values";
    assert_eq!(with(only("Delivery.id", "equals", &[])), because("defaultFilters", text));
    assert_eq!(with(only("Delivery.id", "equals", &["a"; 51])), because("defaultFilters", text));
    let text = "A value of the filter on Delivery Doc is required";
    assert_eq!(with(only("Delivery.id", "equals", &[" "])), because("defaultFilters", text));
    let many = refused(|it| it.default_filters = vec![only("Delivery.id", "equals", &["a"]); 21]);
    assert_eq!(many, because("defaultFilters", "Filters must be no more than 20"));
    for operator in OPERATORS {
        let filters = vec![only("Delivery.id", operator, &["a"; 50])];
        assert!(read(wire::ReportSettingInput { default_filters: filters, ..input() }).is_ok(), "{operator}");
    }
}

#[test]
fn a_filter_on_a_fixed_set_takes_its_values_and_no_label() {
    let read_with = |key: &str, operator: &str, value: &str| {
        let default_filters = vec![only(key, operator, &[value])];
        read(wire::ReportSettingInput { default_filters, ..input() })
    };
    let statuses = "Pending, Complete_No_Variance, Complete_With_Variance, Undelivered, Rejected";
    let text = format!("A value of the filter on Delivery Status must be one of {statuses}");
    for operator in OPERATORS {
        let label = only("Delivery.deliverystatus", operator, &["Pending", "Complete no variance"]);
        let error = refused(|it| it.default_filters = vec![label]);
        assert_eq!(error, because("defaultFilters", &text), "{operator}");
    }
    for (key, value, known) in [
        ("Shipment.shipmentstatus", "Complete", "Shipment Status must be one of Pending, Partial, Completed"),
        ("Delivery.scanmode", "true", "Scan Mode must be one of Yes, No"),
        ("Delivery.conflict", "Open", "Conflict must be one of Yes, No"),
    ] {
        let error = refused(|it| it.default_filters = vec![only(key, "equals", &[value])]);
        assert_eq!(error, because("defaultFilters", &format!("A value of the filter on {known}")));
    }
    for (operator, value) in [
        ("equals", "complete_no_variance"),
        ("!equals", "Rejected"),
        ("contains", "Variance"),
        ("startsWith", "complete"),
        ("endsWith", "ed"),
    ] {
        assert!(read_with("Delivery.deliverystatus", operator, value).is_ok(), "{operator} {value}");
    }
    assert!(read_with("Delivery.conflict", "equals", "Yes").is_ok());
}

#[test]
fn a_range_has_1_to_366_days() {
    for days in [1, 366] {
        assert!(read(wire::ReportSettingInput { range_days: days, ..input() }).is_ok(), "{days}");
    }
    for days in [0, 367, u32::MAX] {
        let text = "Range must be between 1 and 366 days";
        assert_eq!(refused(|it| it.range_days = days), because("rangeDays", text));
    }
    let text = "Format must be csv, xlsx or pdf";
    assert_eq!(refused(|it| it.format = 0), because("format", text));
}
