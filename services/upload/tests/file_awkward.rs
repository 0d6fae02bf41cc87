//! The cost of fixtures that are hard to read: a small file must neither fill the memory nor block a worker.
//! These tests are a separate program, because memory and time are measured for the process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;

use upload::file::{self, FileError, Limits};

const MAX_KIB: u64 = 300 << 10;
const MAX_SECONDS: f64 = 10.0;

/// Returns the peak memory since the last reset.
fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Returns the processor time of all threads, which other load on the machine does not affect.
fn seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let after_name = stat.rsplit_once(')').unwrap().1;
    let ticks: Vec<f64> =
        after_name.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse().unwrap()).collect();
    ticks.iter().sum::<f64>() / 100.0
}

fn read(path: &Path) -> Result<u64, FileError> {
    let mut rows = file::open(path, "march", &Limits::default())?;
    let mut count = 0;
    while rows.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

#[test]
fn no_awkward_file_costs_much() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/awkward");
    let mut worst = (0, 0.0_f64);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Resetting the peak may be forbidden. Then the peak covers all earlier files as well, which is
        // stricter.
        let _ = fs::write("/proc/self/clear_refs", "5");
        let before = seconds();
        let _ = read(&path);
        let (kib, took) = (peak_kib(), seconds() - before);
        assert!(kib < MAX_KIB && took < MAX_SECONDS, "{}: {kib} KiB, {took:.1} s", path.display());
        worst = (worst.0.max(kib), worst.1.max(took));
    }
    println!("at most {} MiB and {:.1} s", worst.0 >> 10, worst.1);
}
