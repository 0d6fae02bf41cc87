/// Returns the value of a metric of this process: the sum of its samples that have all of these labels; `None` if it has no
/// such sample. Tests that run beside this one may count, too.
///
/// # Panics
///
/// Panics when the metrics cannot be read.
#[allow(clippy::unwrap_used)] // a test fails by panicking
pub fn metric_value(name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    metric_value_in(&crate::metrics::text().unwrap(), name, labels)
}

/// Returns the value of a metric, as [`metric_value`] does, in a response of `/metrics`.
///
/// # Panics
///
/// Panics when a value is no number.
#[allow(clippy::unwrap_used)] // a test fails by panicking
pub fn metric_value_in(text: &str, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let values = text.lines().filter_map(|line| {
        let (sample, value) = line.rsplit_once(' ')?;
        let (found, _) = sample.split_once('{').unwrap_or((sample, ""));
        let is_wanted = found == name && labels.iter().all(|(label, value)| has_label(sample, label, value));
        is_wanted.then(|| value.parse::<f64>().unwrap())
    });
    values.reduce(|sum, value| sum + value)
}

fn has_label(sample: &str, label: &str, value: &str) -> bool {
    ["{", ","].iter().any(|before| sample.contains(&format!("{before}{label}=\"{value}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_the_sum_of_the_samples_with_these_labels() {
        let text = "# HELP calls_total Calls\n# TYPE calls_total counter\ncalls_total{method=\"Get\",code=\"OK\"} 2\n\
                    calls_total{method=\"Get\",code=\"INTERNAL\"} 1\ncalls_total_of_all 9\nup 0.5\n";
        let value = |name, labels: &[(&str, &str)]| metric_value_in(text, name, labels);
        assert_eq!(value("calls_total", &[]), Some(3.0));
        assert_eq!(value("calls_total", &[("method", "Get"), ("code", "OK")]), Some(2.0));
        assert_eq!(value("calls_total", &[("method", "G")]), None);
        assert_eq!(value("calls_total", &[("ode", "OK")]), None);
        assert_eq!((value("up", &[]), value("calls", &[])), (Some(0.5), None));
    }
}
