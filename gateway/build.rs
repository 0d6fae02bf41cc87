//! Creates a placeholder if the browser application was not built, so that cargo builds without Node.
//! Compresses the third-party notices.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

const PLACEHOLDER: &str = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Waybill</title>\n\
    <p>the browser application was not built; run <code>just build-frontend</code></p>\n";

fn main() -> io::Result<()> {
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let dist = here.join("../frontend/dist");
    fs::create_dir_all(&dist)?;
    // A build of the browser application may run beside this one, and what it wrote must stay.
    match File::create_new(dist.join("index.html")) {
        Ok(mut index) => index.write_all(PLACEHOLDER.as_bytes())?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let packed = File::create(out.join("third-party-notices.txt.gz"))?;
    let mut packed = GzEncoder::new(packed, Compression::best());
    packed.write_all(&fs::read(here.join("../THIRD-PARTY-NOTICES.txt"))?)?;
    packed.finish()?;
    println!("cargo:rerun-if-changed=build.rs");
    // A development build reads the application's files while it runs, so it isn't compiled again when they change.
    if std::env::var_os("PROFILE").is_some_and(|profile| profile == "release") {
        println!("cargo:rerun-if-changed=../frontend/dist");
    }
    println!("cargo:rerun-if-changed=../THIRD-PARTY-NOTICES.txt");
    Ok(())
}
