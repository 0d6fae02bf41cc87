//! The map that drivers are shown on. Browsers fetch it, so their content security policy allows the
//! origins named here.

use reqwest::Url;
use serde::Deserialize;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map {
    pub style_url: String,
    pub tile_url: String,
    pub attribution: String,
    pub hosts: Vec<String>,
}

impl Map {
    /// Returns every origin that the map may fetch from, without duplicates.
    pub fn origins(&self) -> Vec<String> {
        let named = self.hosts.iter().map(String::as_str);
        let mut origins: Vec<String> =
            named.chain([self.style_url.as_str(), self.tile_url.as_str()]).filter_map(origin).collect();
        origins.sort();
        origins.dedup();
        origins
    }

    /// Returns the problems of this section of the configuration.
    pub(super) fn check(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let mut want = |good: bool, text: &str| {
            if !good {
                problems.push(format!("map.{text}"));
            }
        };
        let given = |url: &str| url.is_empty() || origin(url).is_some();
        want(given(&self.style_url), "style_url: must begin with http:// or https://");
        want(given(&self.tile_url), "tile_url: must begin with http:// or https://");
        want(
            self.tile_url.is_empty()
                || is_archive(&self.tile_url)
                || ["{z}", "{x}", "{y}"].iter().all(|part| self.tile_url.contains(part)),
            "tile_url: must contain {z}, {x} and {y}, or name a file that ends in .pmtiles",
        );
        want(self.style_url.is_empty() || self.tile_url.is_empty(), "style_url: not together with tile_url");
        want(
            self.hosts.iter().all(|it| origin(it).as_deref() == Some(it)),
            "hosts: exact origins such as https://tiles.example.com",
        );
        problems
    }
}

/// Returns whether an address is that of a single-file tile archive.
fn is_archive(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.path().ends_with(".pmtiles"))
}

fn origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::Map;

    fn map(style_url: &str, tile_url: &str, hosts: &[&str]) -> Map {
        Map {
            style_url: style_url.to_owned(),
            tile_url: tile_url.to_owned(),
            attribution: String::new(),
            hosts: hosts.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    #[test]
    fn a_map_names_where_it_comes_from() {
        let good = map("", "https://tiles.example.com/{z}/{x}/{y}.png", &["https://fonts.example.com"]);
        assert!(good.check().is_empty());
        assert_eq!(good.origins(), ["https://fonts.example.com", "https://tiles.example.com"]);
        let archive = map("", "https://tiles.example.com/manila.pmtiles", &[]);
        assert!(archive.check().is_empty());
        assert_eq!(archive.origins(), ["https://tiles.example.com"]);
        assert!(map("", "", &[]).origins().is_empty());
        for (bad, what) in [
            (map("tiles.json", "", &[]), "map.style_url"),
            (map("", "https://tiles.example.com/", &[]), "{z}"),
            (map("javascript:alert(1)", "", &[]), "map.style_url"),
            (map("", "", &["https://a.example.com; script-src *"]), "map.hosts"),
            (map("", "", &["https://a.example.com/path"]), "map.hosts"),
        ] {
            assert!(bad.check().concat().contains(what), "{bad:?}");
        }
    }
}
