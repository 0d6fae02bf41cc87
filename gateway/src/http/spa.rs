//! The browser application: its built files are embedded in the binary.
//!
//! Every URL that is not a file returns the application's page, whose router shows the right screen. The
//! exceptions are URLs of API calls and of files: if nothing is there, the response is a 404.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use rust_embed::RustEmbed;

use super::{Shape, not_found};
use crate::state::App;

/// Paths of API calls and files. A tracker whose positions are not taken must get a failure here: it would take
/// a page for success, and delete them.
const WITHOUT_PAGES: [&str; 8] =
    ["/assets", "/objects", "/logo", "/graphql", "/delivery-forms", "/export", "/ingest", "/cubejs-api"];

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../frontend/dist"]
#[allow_missing = true]
struct Files;

struct File {
    content: Cow<'static, [u8]>,
    hash: [u8; 32],
}

fn embedded(path: &str) -> Option<File> {
    let file = Files::get(path)?;
    Some(File { hash: file.metadata.sha256_hash(), content: file.data })
}

/// Serves every URL that has no route of its own.
pub async fn fallback(State(_): State<Arc<App>>, request: Request) -> Response {
    let path = request.uri().path();
    let shape = Shape::of(request.method(), path);
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    // A driver's phone that calls a wrong URL cannot use a page.
    if shape == Shape::Driver || !is_read || has_position(request.uri()) {
        return not_found(shape);
    }
    answer(path, request.headers(), embedded)
}

/// Serves the application's page at a URL that also takes API calls, by other verbs.
pub async fn page(headers: HeaderMap) -> Response {
    index(&headers)
}

pub fn index(headers: &HeaderMap) -> Response {
    answer("/", headers, embedded)
}

fn answer(path: &str, headers: &HeaderMap, find: impl Fn(&str) -> Option<File>) -> Response {
    let name = path.trim_start_matches('/');
    // Do not serve names with a leading dot: they are files of the build itself, or path segments such as
    // `..`.
    let public = !name.is_empty() && !name.split('/').any(|segment| segment.starts_with('.'));
    if let Some(file) = public.then(|| find(name)).flatten() {
        return serve(name, file, headers, &find);
    }
    match has_no_page(path) {
        true => not_found(Shape::Plain),
        false => find("index.html")
            .map_or_else(|| not_found(Shape::Plain), |file| serve("index.html", file, headers, &find)),
    }
}

/// Returns whether a request has a position in its query string. Tracker apps send it like that, and the address
/// set in them may lack `/ingest`.
fn has_position(uri: &Uri) -> bool {
    let query = uri.query().unwrap_or_default();
    let has = |name: &str| query.split('&').any(|pair| pair.split('=').next() == Some(name));
    let has_place = has("location") || (has("lat") && has("lon"));
    has_place && (has("id") || has("deviceid"))
}

fn has_no_page(path: &str) -> bool {
    let under =
        |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    matches!(path, "/auth/") || WITHOUT_PAGES.into_iter().any(under)
}

fn serve(name: &str, plain: File, headers: &HeaderMap, find: &impl Fn(&str) -> Option<File>) -> Response {
    let small = find(&format!("{name}.gz")).filter(|_| accepts_gzip(headers));
    let gzip = small.is_some();
    let file = small.unwrap_or(plain);
    let tag = format!("\"{}\"", hex::encode(&file.hash[..16]));
    // The content of a file with a hash in its name never changes. `index.html` names the current files, so
    // browsers must not cache it.
    let cache = match name {
        "index.html" => "no-store",
        name if name.starts_with("assets/") => "public, max-age=31536000, immutable",
        _ => "no-cache",
    };
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let mut response = match known {
        Some(known) if name != "index.html" && known == tag => StatusCode::NOT_MODIFIED.into_response(),
        _ => Body::from(file.content).into_response(),
    };
    let out = response.headers_mut();
    let kind = match mime_guess::from_path(name).first_or_octet_stream() {
        mime if mime.type_() == "text" => format!("{mime}; charset=utf-8"),
        mime => mime.to_string(),
    };
    for (header, value) in [(CONTENT_TYPE, kind.as_str()), (CACHE_CONTROL, cache), (ETAG, tag.as_str())] {
        if let Ok(value) = HeaderValue::try_from(value) {
            out.insert(header, value);
        }
    }
    out.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if gzip {
        out.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            name.trim().eq_ignore_ascii_case("gzip").then_some(weight)
        })
        .any(|weight| !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(path: &str) -> Option<File> {
        let content: &[u8] = match path {
            "index.html" => b"<html>",
            "assets/app-1a2b.js" => b"plain",
            "assets/app-1a2b.js.gz" => b"small",
            "favicon.svg" => b"<svg>",
            ".vite/manifest.json" => b"{}",
            _ => return None,
        };
        Some(File { content: Cow::Borrowed(content), hash: [path.len() as u8; 32] })
    }

    fn get(path: &str, headers: &[(http::HeaderName, &'static str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        answer(path, &headers.collect(), find)
    }

    #[test]
    fn hashed_files_stay_cached_and_the_page_does_not() {
        let asset = get("/assets/app-1a2b.js", &[]);
        assert_eq!(asset.headers()[CACHE_CONTROL], "public, max-age=31536000, immutable");
        assert_eq!(asset.headers()[CONTENT_TYPE], "text/javascript; charset=utf-8");
        assert!(!asset.headers().contains_key(CONTENT_ENCODING));
        for page in ["/", "/deliveries", "/auth/create-admin", "/deliveries/D.1", "/index.html"] {
            let page = get(page, &[]);
            assert_eq!(page.status(), StatusCode::OK);
            assert_eq!(page.headers()[CACHE_CONTROL], "no-store");
            assert_eq!(page.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
        }
    }

    #[test]
    fn the_compressed_sibling_goes_to_those_who_take_it() {
        for (accepts, expected) in
            [("gzip, br", true), ("br;q=1.0, GZIP;q=0.5", true), ("gzip;q=0", false), ("br", false)]
        {
            let asset = get("/assets/app-1a2b.js", &[(ACCEPT_ENCODING, accepts)]);
            assert_eq!(asset.headers().contains_key(CONTENT_ENCODING), expected, "{accepts}");
            assert_eq!(asset.headers()[VARY], "accept-encoding");
        }
    }

    #[test]
    fn missing_files_and_calls_have_no_page() {
        for path in [
            "/assets/gone.js",
            "/assets",
            "/objects/a",
            "/graphql/x",
            "/auth/",
            "/export",
            "/export/x",
            "/ingest",
            "/ingest/",
            "/cubejs-api/v1/none",
        ] {
            assert_eq!(get(path, &[]).status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[test]
    fn files_of_the_build_are_not_shown() {
        let page = get("/.vite/manifest.json", &[]);
        assert_eq!(page.headers()[CONTENT_TYPE], "text/html; charset=utf-8");
    }

    #[test]
    fn an_unchanged_file_is_not_sent_again() {
        let first = get("/favicon.svg", &[]);
        assert_eq!(first.headers()[CACHE_CONTROL], "no-cache");
        let tag = first.headers()[ETAG].clone();
        let again = answer("/favicon.svg", &HeaderMap::from_iter([(IF_NONE_MATCH, tag)]), find);
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    }
}
