//! The parties of demo data: stores, truckers, drivers, sources. Every name is fictitious.

use std::collections::BTreeSet;

use super::chance::Chance;
use crate::domain::state::Place;
use ::store::filter::fold;

pub const DRIVERS: u64 = 300;
/// The largest customer's share of all deliveries.
const TOP_SHARE: f64 = 0.033;

pub const TRUCKERS: &[&str] = &[
    "Agila Express Haulage",
    "Alon Freight",
    "Amihan Trucking",
    "Bituin Logistics",
    "Dalisay Hauling",
    "Hiraya Transport",
    "Kidlat Cargo",
    "Lakbay Movers",
    "Mayon Ridge Trucking",
    "Sinag Distribution",
    "Tala Freight Lines",
    "Tanglaw Carriers",
];

/// Active sources first; the last one is no longer used.
const FEW_SOURCES: &[&str] =
    &["Default", "Pasig warehouse", "Valenzuela warehouse", "Store orders", "Old order system"];
/// Number of sources in a large installation.
const MANY_SOURCES: usize = 50;

const OWNERS: &[&str] = &[
    "Aling Belen",
    "Aling Choleng",
    "Aling Ising",
    "Aling Luz",
    "Aling Nena",
    "Aling Puring",
    "Ate Gemma",
    "Ate Joy",
    "Ate Tess",
    "Kuya Dindo",
    "Kuya Jun",
    "Kuya Obet",
    "Lola Caring",
    "Lola Ising",
    "Mang Berto",
    "Mang Carding",
    "Mang Kanor",
    "Mang Pidong",
    "Tatay Doming",
    "Tita Baby",
    "Abellanosa",
    "Balagtasan",
    "Cabrillas",
    "Dimaculangan",
    "Evaristo",
    "Fontanilla",
    "Galvante",
    "Hinirang",
    "Ibarrola",
    "Jacobe",
    "Katindig",
    "Lacanilao",
    "Macaraeg",
    "Natividad",
    "Ocampo-Reyes",
    "Panganiban",
    "Quimson",
    "Rosales",
    "Salonga",
    "Tumibay",
    "Umali",
    "Villaruel",
    "Yambao",
    "Zamorano",
    "Bagong Umaga",
    "Biyaya",
    "Diwa",
    "Kapitbahay",
    "Ligaya",
    "Luntian",
    "Masagana",
    "Pag-asa",
    "Parola",
    "Perlas",
    "Pinya",
    "Pulang Lupa",
    "Sampaguita",
    "Suki",
    "Tatlong Bituin",
    "Tindahan ni Pacing",
];

const KINDS: &[&str] = &[
    "Sari-Sari Store",
    "Mini Mart",
    "Grocery",
    "Supermart",
    "General Merchandise",
    "Trading",
    "Bakery",
    "Eatery",
    "Convenience Store",
    "Wholesale",
    "Rice Store",
    "Canteen",
    "Fresh Market",
    "Food House",
    "Carinderia",
    "Commissary",
];

/// Names of each city in addresses and in names of branches, and its approximate location.
const CITIES: &[(&str, &str, (f64, f64))] = &[
    ("Makati City", "Makati", (14.5547, 121.0244)),
    ("Taguig City", "Taguig", (14.5176, 121.0509)),
    ("Quezon City", "Quezon City", (14.6760, 121.0437)),
    ("Pasig City", "Pasig", (14.5764, 121.0851)),
    ("Mandaluyong City", "Mandaluyong", (14.5794, 121.0359)),
    ("Manila", "Manila", (14.5995, 120.9942)),
    ("Parañaque City", "Parañaque", (14.4793, 121.0198)),
    ("Muntinlupa City", "Muntinlupa", (14.4081, 121.0415)),
    ("Caloocan City", "Caloocan", (14.6507, 120.9768)),
    ("Las Piñas City", "Las Piñas", (14.4445, 120.9989)),
    ("Marikina City", "Marikina", (14.6507, 121.1029)),
    ("Pasay City", "Pasay", (14.5378, 121.0014)),
    ("Valenzuela City", "Valenzuela", (14.7011, 120.9830)),
    ("San Juan City", "San Juan", (14.6019, 121.0355)),
    ("Malabon City", "Malabon", (14.6681, 120.9658)),
    ("Navotas City", "Navotas", (14.6567, 120.9507)),
];

const STREETS: &[&str] = &[
    "Acacia St.",
    "Adelfa St.",
    "Aguinaldo St.",
    "Bayani Rd.",
    "Bonifacio St.",
    "Camia St.",
    "Dahlia St.",
    "Gumamela St.",
    "Ilang-Ilang St.",
    "J. Luna St.",
    "Kalayaan Ave.",
    "Kamagong St.",
    "Lapu-Lapu St.",
    "Mabini St.",
    "Magsaysay Ave.",
    "Malvar St.",
    "Molave St.",
    "Narra St.",
    "P. Burgos St.",
    "Rizal St.",
    "Rosal St.",
    "Sampaguita St.",
    "Santol St.",
    "Tindalo St.",
    "Yakal St.",
];

const BARANGAYS: &[&str] = &[
    "Bagong Silang",
    "Bagumbayan",
    "Concepcion",
    "Kapitolyo",
    "Malanday",
    "Maybunga",
    "Pinagkaisahan",
    "Poblacion",
    "San Antonio",
    "San Isidro",
    "San Jose",
    "San Roque",
    "Santa Cruz",
    "Santa Lucia",
    "Santo Niño",
    "Tumana",
];

const FIRST: &[&str] = &[
    "Aileen", "Benjie", "Carmela", "Dennis", "Edna", "Ferdie", "Grace", "Hilda", "Inés", "Jomar", "Kristine",
    "Lito", "Marites", "Noel", "Olive", "Paolo", "Queenie", "Rowena", "Sonny", "Tess",
];

const LAST: &[&str] = &[
    "Abad",
    "Bautista",
    "Castillo",
    "Dizon",
    "Espiritu",
    "Flores",
    "Guevarra",
    "Hizon",
    "Ignacio",
    "Javier",
    "Lim",
    "Manalo",
    "Navarro",
    "Ocampo",
    "Peña",
    "Quiambao",
    "Ramos",
    "Soriano",
    "Tolentino",
    "Villanueva",
];

pub struct Customer {
    pub name: String,
    /// Whether the customer sends goods back more often than others.
    pub refuses: bool,
    pub email: Option<String>,
    pub address: String,
    pub contact_name: String,
    pub contact_phone: String,
    pub place: Place,
}

/// Customers, the largest first, and their shares.
pub struct Customers {
    pub all: Vec<Customer>,
    /// Cumulative shares of the customers in all deliveries, ending in 1.
    shares: Vec<f64>,
}

impl Customers {
    pub fn make(count: usize) -> Self {
        let mut chance = Chance::of(1, 0);
        let mut names = BTreeSet::new();
        let all = (0..count).map(|_| customer(&mut chance, &mut names)).collect();
        Self { all, shares: shares(count) }
    }

    pub fn pick(&self, chance: &mut Chance) -> &Customer {
        let at = chance.unit();
        let index = self.shares.partition_point(|share| *share <= at);
        &self.all[index.min(self.all.len() - 1)]
    }
}

fn customer(chance: &mut Chance, names: &mut BTreeSet<String>) -> Customer {
    let (owner, kind) = (chance.pick(OWNERS), chance.pick(KINDS));
    let (city, branch, centre) = chance.pick(CITIES);
    let plain = format!("{owner} {kind}");
    let candidates = [plain.clone(), format!("{plain} {branch}")].into_iter();
    let numbered = (2..).map(|number| format!("{plain} {branch} {number}"));
    let skip = usize::from(chance.percent(40));
    let name =
        candidates.skip(skip).chain(numbered).find(|name| names.insert(fold(name))).unwrap_or_default();
    let (house, street, barangay) = (chance.between(1, 980), chance.pick(STREETS), chance.pick(BARANGAYS));
    let (first, last) = (chance.pick(FIRST), chance.pick(LAST));
    let (left, right) = (chance.between(0, 99), chance.between(0, 9_999));
    Customer {
        // Computed, not drawn, so that later draws stay the same.
        refuses: names.len() % 23 == 7,
        email: chance.percent(70).then(|| format!("receiving{}@stores.example", names.len())),
        address: format!("{house} {street}, Brgy. {barangay}, {city}"),
        contact_name: format!("{first} {last}"),
        // No phone network uses 0900.
        contact_phone: format!("+63 900 0{left:02} {right:04}"),
        place: around(*centre, names.len()),
        name,
    }
}

/// Picks the nearest of a few customers drawn at random, so that the stops of a trip are in one part of the
/// city.
pub fn pick_near<'a>(all: &'a Customers, chance: &mut Chance, here: Option<Place>) -> &'a Customer {
    const DRAWN: usize = 8;
    let mut best = all.pick(chance);
    let Some(here) = here else { return best };
    for _ in 1..DRAWN {
        let other = all.pick(chance);
        if here.distance_m(other.place) < here.distance_m(best.place) {
            best = other;
        }
    }
    best
}

/// Returns a location within a kilometer of the city's center.
fn around((lat, lng): (f64, f64), number: usize) -> Place {
    let mut chance = Chance::of(8, number as u64);
    let mut off = |degrees: f64| ((degrees + (chance.unit() - 0.5) * 0.018) * 1e6).round() / 1e6;
    Place { lat: off(lat), lng: off(lng), accuracy: None }
}

/// Returns the cumulative shares of customers: they follow a power law whose first share is `TOP_SHARE`.
fn shares(count: usize) -> Vec<f64> {
    let total = |exponent: f64| -> f64 { (1..=count).map(|rank| (rank as f64).powf(-exponent)).sum() };
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..40 {
        let middle = (low + high) / 2.0;
        if 1.0 / total(middle) < TOP_SHARE { low = middle } else { high = middle }
    }
    let whole = total(low);
    let mut sum = 0.0;
    (1..=count)
        .map(|rank| {
            sum += (rank as f64).powf(-low) / whole;
            sum
        })
        .collect()
}

/// Returns names of sources; the last one is disabled.
pub fn sources(many: bool) -> Vec<String> {
    let mut names: Vec<String> = FEW_SOURCES.iter().map(|name| (*name).to_owned()).collect();
    if many {
        let last = names.pop();
        let depots =
            CITIES.iter().cycle().zip(1..).map(|((_, city, _), number)| format!("Depot {number:02} {city}"));
        names.extend(depots.take(MANY_SOURCES - 1 - names.len()));
        names.extend(last);
    }
    names
}

/// Returns a driver's id, and the trucker that the driver works for.
pub fn driver(index: u64) -> (String, &'static str) {
    let number = index % DRIVERS;
    // Larger truckers have more drivers.
    let trucker = Chance::of(2, number).unit().powi(2) * TRUCKERS.len() as f64;
    (format!("DRV-{:04}", number + 1), TRUCKERS[(trucker as usize).min(TRUCKERS.len() - 1)])
}
