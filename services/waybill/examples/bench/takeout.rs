//! Bulk output: the whole list as a file, and the forms of many deliveries as PDF.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::http::{Connection, Sample, once};
use crate::server::{Server, members};
use crate::{Result, say};

/// The number of forms, as many as the screen packs into one ZIP file.
const FORMS: usize = 1_000;
const READERS: usize = 4;
/// The maximum number of rows in one response.
const PAGE: usize = 100;

pub fn run(server: &Server) -> Result<()> {
    say(
        "    export of the whole list        seconds   lines/s     file MB   resident MB before, at the peak",
    );
    for format in ["csv", "xlsx"] {
        export(server, format)?;
    }
    forms(server)
}

fn export(server: &Server, format: &str) -> Result<()> {
    let bearer = format!("authorization: Bearer {}\r\n", server.token()?);
    let mut connection = Connection::open(&server.address)?;
    let request = connection.request("GET", &format!("/export/deliveries?format={format}"), &bearer, "");
    let held = || server.resident().map_or(f64::NAN, |it| it.now);
    let (before, begun) = (held(), Instant::now());
    let done = AtomicBool::new(false);
    let (answer, peak) = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut peak = before;
            while !done.load(Ordering::Relaxed) {
                peak = peak.max(held());
                std::thread::sleep(Duration::from_millis(50));
            }
            peak
        });
        let (mut bytes, mut lines, mut head) = (0, 0, Vec::new());
        let answer = connection.read(&request, |piece| {
            if bytes == 0 {
                head = piece[..piece.len().min(300)].to_vec();
            }
            bytes += piece.len();
            lines += piece.iter().filter(|byte| **byte == b'\n').count();
        });
        done.store(true, Ordering::Relaxed);
        (answer.map(|answer| (answer.status, head, bytes, lines)), watch.join().unwrap_or(f64::NAN))
    });
    let (status, head, bytes, lines) = answer?;
    if status != 200 {
        let text = String::from_utf8_lossy(&head);
        say(format_args!("    {format:<8} refused with {status}: {text}"));
        return Ok(());
    }
    let seconds = begun.elapsed().as_secs_f64();
    say(format_args!(
        "    {format:<24}{seconds:>15.1}{:>10.0}{:>12.0}{before:>14.0}{peak:>8.0}",
        lines as f64 / seconds,
        bytes as f64 / 1e6
    ));
    Ok(())
}

fn forms(server: &Server) -> Result<()> {
    let ids = completed(server)?;
    let bearer = format!("authorization: Bearer {}\r\n", server.token()?);
    let (begun, next) = (Instant::now(), AtomicUsize::new(0));
    let each: Vec<Result<Vec<u64>>> = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..READERS)
            .map(|_| {
                scope.spawn(|| -> Result<Vec<u64>> {
                    let mut connection = Connection::open(&server.address)?;
                    let mut micros = Vec::new();
                    while let Some(id) = ids.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let request =
                            connection.request("GET", &format!("/delivery-forms/{id}.pdf"), &bearer, "");
                        let begun = Instant::now();
                        let answer = connection.send(&request)?;
                        micros.push(begun.elapsed().as_micros() as u64);
                        if answer.status != 200 || !answer.body.starts_with(b"%PDF") {
                            return Err(format!("no form of {id}: {}", answer.status).into());
                        }
                    }
                    Ok(micros)
                })
            })
            .collect();
        readers.into_iter().map(|it| it.join().unwrap_or_else(|_| Err("a thread failed".into()))).collect()
    });
    let each = each.into_iter().collect::<Result<Vec<_>>>()?;
    let mut sample = Sample { micros: each.concat(), seconds: begun.elapsed().as_secs_f64() };
    let (median, p95) = (sample.percentile(50), sample.percentile(95));
    say(format_args!(
        "    {} forms as PDF, {READERS} at a time: {:.1} s; one takes {median:.1} ms, p95 {p95:.1} ms\n",
        ids.len(),
        sample.seconds
    ));
    Ok(())
}

/// Returns the deliveries that have a form, newest first.
fn completed(server: &Server) -> Result<Vec<String>> {
    let token = server.token()?;
    let mut ids = Vec::new();
    for offset in (0..).step_by(PAGE) {
        let filter = "{key: \\\"deliverystatus\\\", operator: \\\"equals\\\", values: [\\\"Complete_With_Variance\\\", \\\"Complete_No_Variance\\\"]}";
        let query = format!(
            "{{ deliveries(page: {{where: [{filter}], limit: {PAGE}, offset: {offset}}}) {{ id formVersion }} }}"
        );
        let answer = server.graphql(&token, &query)?;
        let found: Vec<&str> = members(&answer, "id").collect();
        let versions = members(&answer, "formVersion");
        ids.extend(
            found.iter().zip(versions).filter(|(_, version)| *version != "0").map(|(id, _)| (*id).to_owned()),
        );
        if found.len() < PAGE || ids.len() >= FORMS || offset > 20 * FORMS {
            break;
        }
    }
    ids.truncate(FORMS);
    if ids.is_empty() {
        return Err("no delivery has a form".into());
    }
    // The first request loads what all later requests share.
    let bearer = format!("authorization: Bearer {token}\r\n");
    once(&server.address, "GET", &format!("/delivery-forms/{}.pdf", ids[0]), &bearer, "")?;
    Ok(ids)
}
