//! Measures how long printing a form takes, including its pictures. Run it in release mode; `--no-capture`
//! shows the times.

use std::time::{Duration, Instant};

use super::page::FONTS;
use super::sample::{item, photo, typical};
use crate::form::{Form, Paper, Unshown, pdf, picture};

/// Returns the best of several runs, because other tests use the machine at the same time.
fn best(form: &Form, photos: &[Vec<u8>]) -> (Duration, usize) {
    let run = || {
        let started = Instant::now();
        let mut form = form.clone();
        for (attachment, bytes) in form.pictures.iter_mut().skip(1).zip(photos) {
            attachment.picture = picture::photo(bytes).ok_or(Unshown::Unreadable);
        }
        let size = pdf(&form, &FONTS, Paper::A4).unwrap().len();
        (started.elapsed(), size)
    };
    (0..if cfg!(debug_assertions) { 1 } else { 8 }).map(|_| run()).min().unwrap()
}

#[test]
#[allow(clippy::print_stdout)]
fn a_form_takes_less_than_300_milliseconds() {
    let with_photos = typical();
    let mut plain = typical();
    plain.pictures.clear();
    let mut long = plain.clone();
    long.items = (1..=1000).map(|at| item(&at.to_string(), "Instant noodles", "box", at, at)).collect();
    let photos = |width, height| (1..=3).map(|seed| photo(width, height, seed)).collect::<Vec<_>>();
    let mut cases = vec![
        ("without pictures", &plain, Vec::new()),
        ("three photos of 1 megapixel", &with_photos, photos(1200, 900)),
        ("three photos of 2 megapixels", &with_photos, photos(1600, 1200)),
    ];
    // Measure these cases only with optimization: without it, this crate is many times slower.
    if !cfg!(debug_assertions) {
        cases.push(("three photos of 12 megapixels", &with_photos, photos(4000, 3000)));
        cases.push(("1,000 items", &long, Vec::new()));
    }
    for (at, (what, form, photos)) in cases.into_iter().enumerate() {
        let (took, bytes) = best(form, &photos);
        println!("{what}: {:.1} ms, {} kB", took.as_secs_f64() * 1000.0, bytes / 1000);
        let limit = Duration::from_millis(if cfg!(debug_assertions) { 3_000 } else { 300 });
        assert!(at > 2 || took < limit, "{what}: {took:?}");
    }
}
