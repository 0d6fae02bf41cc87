//! Makes sure there is a browser application to embed, so that cargo builds without Node.

use std::path::PathBuf;

const PLACEHOLDER: &str = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Waybill</title>\n\
    <p>the browser application was not built; run <code>just build-frontend</code></p>\n";

fn main() -> std::io::Result<()> {
    let dist =
        PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../frontend/dist");
    let index = dist.join("index.html");
    if !index.exists() {
        std::fs::create_dir_all(&dist)?;
        std::fs::write(&index, PLACEHOLDER)?;
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../frontend/dist");
    Ok(())
}
