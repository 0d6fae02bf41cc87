//! Finds records whose names resemble a name that is unknown, such as a misspelled one.

use std::cmp::Reverse;
use std::collections::HashMap;

use kit::text::letters;

/// Maximum number of suggestions for a name.
const SUGGESTED: usize = 3;
/// Number of records whose names are compared letter by letter.
const COMPARED: usize = 30;
/// Number of names that are looked at because they share a part with the wanted one, those with rare parts first.
const VISITED: usize = 5_000;
/// Least share of equal letters of a suggestion that is no prefix.
const LEAST: f64 = 0.7;
/// Least length of a prefix.
const PREFIX: usize = 3;

/// A record that a name can stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// The driver's id, or the customer's or trucker's name.
    pub name: String,
    /// How the record is shown: a driver's name and id, or the same as `name`.
    pub label: String,
    /// For a driver, their name, which can be matched as well as the id.
    pub other: Option<String>,
}

/// Three neighboring letters of a name.
type Part = [char; 3];

/// Known records, found by parts of their names.
pub struct Parties {
    parties: Vec<Party>,
    names: Vec<Name>,
    /// The indexes in `names` of those that have the part.
    with: HashMap<Part, Vec<usize>>,
}

struct Name {
    letters: String,
    /// The number of its parts.
    parts: usize,
    /// The index of its record.
    party: usize,
}

/// How a name resembles another: the greatest is the best.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Likeness {
    Similar(f64),
    Prefix(f64),
    Same,
}

impl Parties {
    pub fn new(parties: Vec<Party>) -> Self {
        let mut names: Vec<Name> = Vec::with_capacity(parties.len());
        let mut with: HashMap<Part, Vec<usize>> = HashMap::new();
        for (index, party) in parties.iter().enumerate() {
            for text in [Some(&party.name), party.other.as_ref()].into_iter().flatten() {
                let letters = letters(text);
                let parts = parts(&letters);
                for part in &parts {
                    with.entry(*part).or_default().push(names.len());
                }
                names.push(Name { letters, parts: parts.len(), party: index });
            }
        }
        Self { parties, names, with }
    }

    /// Returns the records that resemble the name most, the best first: with the same letters, with a name that
    /// begins like it, or with a similar one.
    pub fn similar(&self, name: &str) -> Vec<&Party> {
        let wanted = letters(name);
        let mut best: HashMap<usize, Likeness> = HashMap::new();
        for index in self.candidates(&wanted) {
            let known = &self.names[index];
            let Some(likeness) = likeness(&wanted, &known.letters) else { continue };
            let before = best.entry(known.party).or_insert(likeness);
            if likeness > *before {
                *before = likeness;
            }
        }
        let mut found: Vec<_> =
            best.into_iter().map(|(index, likeness)| (likeness, &self.parties[index])).collect();
        found.sort_by(|(one, a), (other, b)| {
            other.partial_cmp(one).unwrap_or(std::cmp::Ordering::Equal).then_with(|| a.name.cmp(&b.name))
        });
        found.into_iter().take(SUGGESTED).map(|(_, party)| party).collect()
    }

    /// Returns the indexes of the names that share most parts with these letters.
    fn candidates(&self, wanted: &str) -> Vec<usize> {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        let asked = parts(wanted);
        let mut with: Vec<&Vec<usize>> = asked.iter().filter_map(|part| self.with.get(part)).collect();
        with.sort_by_key(|names| names.len());
        for index in with.into_iter().flatten().take(VISITED) {
            *shared.entry(*index).or_default() += 1;
        }
        let mut found: Vec<_> = shared.into_iter().collect();
        // A shorter name counts as much when all of its parts are shared, because one may begin like the other.
        let rank = |&(index, count): &(usize, usize)| {
            let known = self.names[index].parts;
            let shorter = known.min(asked.len()).max(1);
            (Reverse(count * 1_000 / shorter), known.abs_diff(asked.len()), index)
        };
        found.sort_by_cached_key(rank);
        found.into_iter().take(COMPARED).map(|(index, _)| index).collect()
    }
}

/// Returns the distinct three-letter parts of a name. Two spaces are put before the name, so that short names
/// with the same beginning have parts in common, too.
fn parts(name: &str) -> Vec<Part> {
    let letters: Vec<char> = [' ', ' '].into_iter().chain(name.chars()).collect();
    let mut parts: Vec<Part> = letters.array_windows::<3>().copied().collect();
    parts.sort_unstable();
    parts.dedup();
    parts
}

fn likeness(wanted: &str, known: &str) -> Option<Likeness> {
    if wanted.is_empty() || known.is_empty() {
        return None;
    }
    if wanted == known {
        return Some(Likeness::Same);
    }
    let similarity = strsim::normalized_damerau_levenshtein(wanted, known);
    let is_prefix = wanted.starts_with(known) || known.starts_with(wanted);
    if is_prefix && wanted.chars().count().min(known.chars().count()) >= PREFIX {
        return Some(Likeness::Prefix(similarity));
    }
    (similarity >= LEAST).then_some(Likeness::Similar(similarity))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn party(name: &str, other: Option<&str>) -> Party {
        Party { name: name.to_owned(), label: name.to_owned(), other: other.map(str::to_owned) }
    }

    fn names<'a>(parties: &'a Parties, name: &str) -> Vec<&'a str> {
        parties.similar(name).into_iter().map(|it| it.name.as_str()).collect()
    }

    #[test]
    fn the_best_of_similar_names_come_first() {
        let all = ["Acme", "Acme Manila", "Acne", "ACME Inc.", "José Niño", "Ace Hardware", "Zebra"];
        let parties = Parties::new(all.into_iter().map(|name| party(name, None)).collect());
        assert_eq!(names(&parties, "acme, inc"), ["ACME Inc.", "Acme"]);
        assert_eq!(names(&parties, "Jose Nino"), ["José Niño"]);
        assert_eq!(names(&parties, "Jsoe Niño"), ["José Niño"]);
        assert_eq!(names(&parties, "Acme M"), ["Acme", "Acme Manila"]);
        assert_eq!(names(&parties, "Acm"), ["Acme", "ACME Inc.", "Acme Manila"], "at most three");
        for unlike in ["Hardware Ace", "Ze", "", "-", "1234"] {
            assert_eq!(names(&parties, unlike), Vec::<&str>::new(), "{unlike}");
        }
    }

    #[test]
    fn drivers_are_found_by_id_and_by_name() {
        let parties =
            Parties::new(vec![party("D-0012", Some("Ana Cruz")), party("D-0345", Some("Ben Reyes"))]);
        assert_eq!(names(&parties, "ana cruz"), ["D-0012"]);
        assert_eq!(names(&parties, "D0012"), ["D-0012"]);
        assert_eq!(names(&parties, "D-00l2"), ["D-0012"]);
        assert_eq!(names(&parties, "Ben Reyes Jr"), ["D-0345"]);
    }

    #[test]
    fn many_names_are_compared_quickly() {
        let parties =
            Parties::new((0..50_000).map(|n| party(&format!("Store {n:05} of Manila"), None)).collect());
        for number in (0..50_000).step_by(2_500) {
            let wanted = format!("Store {number:05} of Manila");
            assert_eq!(names(&parties, &wanted.replace("Store", "Stroe"))[0], wanted);
        }
    }
}
