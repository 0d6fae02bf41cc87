//! Memory, files and processor time of the process, read when metrics are collected; nothing on systems
//! without `/proc`.

use opentelemetry::metrics::Meter;

/// Kernels report processor time in hundredths of a second, whatever their internal clock.
const TICKS: f64 = 100.0;

pub(super) fn watch(meter: &Meter) {
    meter
        .u64_observable_gauge("process.memory.usage")
        .with_unit("By")
        .with_description("Memory of the process that is in use")
        .with_callback(|observer| {
            if let Some(bytes) = memory() {
                observer.observe(bytes, &[]);
            }
        })
        .build();
    meter
        .u64_observable_gauge("process.open_files")
        .with_description("Files and connections that the process has open")
        .with_callback(|observer| {
            if let Ok(open) = std::fs::read_dir("/proc/self/fd") {
                observer.observe(open.count() as u64, &[]);
            }
        })
        .build();
    meter
        .f64_observable_counter("process.cpu.time")
        .with_unit("s")
        .with_description("Processor time that the process has used")
        .with_callback(|observer| {
            if let Some(seconds) = processor() {
                observer.observe(seconds, &[]);
            }
        })
        .build();
}

fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().split(' ').next()?.parse().ok()?;
    Some(kib * 1024)
}

fn processor() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The program's name is in parentheses and may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: f64 = fields.next()?.parse().ok()?;
    let system: f64 = fields.next()?.parse().ok()?;
    Some((user + system) / TICKS)
}
