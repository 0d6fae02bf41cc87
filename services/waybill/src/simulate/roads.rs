//! The larger roads of Metro Manila, accurate enough to show vans driving, and routes along these roads.

/// A place in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    pub lat: f64,
    pub lng: f64,
}

const METRES_OF_A_DEGREE: f64 = 111_195.0;

const fn at(lat: f64, lng: f64) -> Place {
    Place { lat, lng }
}

/// Crossings of the roads.
const CROSSINGS: [Place; 30] = [
    at(14.6572, 120.9842), // 0 Monumento
    at(14.6577, 121.0038), // 1 Balintawak
    at(14.6564, 121.0306), // 2 North Avenue
    at(14.6350, 121.0437), // 3 Quezon Avenue
    at(14.6195, 121.0511), // 4 Cubao
    at(14.6032, 121.0566), // 5 Santolan
    at(14.5878, 121.0567), // 6 Ortigas
    at(14.5664, 121.0452), // 7 Guadalupe
    at(14.5545, 121.0341), // 8 Buendia
    at(14.5419, 121.0194), // 9 Magallanes
    at(14.5377, 121.0012), // 10 Taft
    at(14.5350, 120.9835), // 11 Mall of Asia
    at(14.5586, 120.9841), // 12 Roxas and Buendia
    at(14.5826, 120.9787), // 13 Rizal Park
    at(14.5958, 120.9740), // 14 Intramuros
    at(14.6037, 120.9822), // 15 Quiapo
    at(14.6096, 120.9896), // 16 Espana
    at(14.6179, 121.0020), // 17 Welcome Rotonda
    at(14.6510, 121.0490), // 18 Quezon Memorial Circle
    at(14.6760, 121.0610), // 19 Commonwealth
    at(14.6316, 121.0740), // 20 Katipunan
    at(14.6207, 121.0858), // 21 Marcos Highway
    at(14.6081, 121.0795), // 22 Libis
    at(14.5880, 121.0645), // 23 C5 Ortigas
    at(14.5647, 121.0645), // 24 Kalayaan
    at(14.5503, 121.0560), // 25 McKinley
    at(14.5236, 121.0350), // 26 Bicutan way
    at(14.5093, 121.0190), // 27 Airport
    at(14.4872, 121.0450), // 28 Bicutan
    at(14.4230, 121.0400), // 29 Alabang
];

const ROADS: [(usize, usize); 40] = [
    (0, 1),
    (1, 2),
    (2, 3),
    (3, 4),
    (4, 5),
    (5, 6),
    (6, 7),
    (7, 8),
    (8, 9),
    (9, 10),
    (10, 11),
    (11, 12),
    (12, 13),
    (13, 14),
    (14, 15),
    (15, 16),
    (16, 17),
    (17, 3),
    (17, 4),
    (0, 15),
    (1, 17),
    (2, 18),
    (3, 18),
    (18, 19),
    (18, 20),
    (4, 20),
    (20, 21),
    (21, 22),
    (20, 22),
    (22, 23),
    (23, 6),
    (23, 24),
    (24, 7),
    (24, 25),
    (25, 8),
    (25, 26),
    (26, 9),
    (26, 28),
    (9, 27),
    (27, 28),
];
const SOUTH: (usize, usize) = (28, 29);

/// Where vans begin their day.
pub const DEPOTS: [Place; 5] = [CROSSINGS[1], CROSSINGS[11], CROSSINGS[22], CROSSINGS[28], CROSSINGS[12]];

/// Returns the distance in meters. The area is small enough to be treated as flat.
pub fn metres(from: Place, to: Place) -> f64 {
    let north = (to.lat - from.lat) * METRES_OF_A_DEGREE;
    let east = (to.lng - from.lng) * METRES_OF_A_DEGREE * from.lat.to_radians().cos();
    north.hypot(east)
}

/// Returns the heading in degrees clockwise from north.
pub fn heading(from: Place, to: Place) -> f64 {
    let east = (to.lng - from.lng) * from.lat.to_radians().cos();
    east.atan2(to.lat - from.lat).to_degrees().rem_euclid(360.0)
}

/// Returns the point after `gone` meters of a straight line.
pub fn along(from: Place, to: Place, gone: f64) -> Place {
    let whole = metres(from, to);
    let part = if whole > 0.0 { (gone / whole).clamp(0.0, 1.0) } else { 1.0 };
    at(from.lat + (to.lat - from.lat) * part, from.lng + (to.lng - from.lng) * part)
}

/// Returns the corners of the shortest way by road, including the goal. A goal that is closer than the
/// nearest road is reached in a straight line.
pub fn way(from: Place, to: Place) -> Vec<Place> {
    let (begin, end) = (nearest(from), nearest(to));
    if metres(from, to) <= metres(from, CROSSINGS[begin]) + metres(CROSSINGS[end], to) {
        return vec![to];
    }
    let mut corners: Vec<Place> = crossings(begin, end).into_iter().map(|at| CROSSINGS[at]).collect();
    corners.push(to);
    corners
}

/// Returns a place near a crossing, for drivers without deliveries; different for each number.
pub fn somewhere(number: u64) -> Place {
    let mixed = mix(number);
    let crossing = CROSSINGS[(mixed % CROSSINGS.len() as u64) as usize];
    let off = |bits: u64| ((bits % 1_000) as f64 / 1_000.0 - 0.5) * 0.012;
    at(crossing.lat + off(mixed >> 16), crossing.lng + off(mixed >> 32))
}

/// Returns a pseudo-random number, always the same for the same input.
pub fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn nearest(place: Place) -> usize {
    let by_distance = |one: &usize, other: &usize| {
        metres(place, CROSSINGS[*one]).total_cmp(&metres(place, CROSSINGS[*other]))
    };
    (0..CROSSINGS.len()).min_by(by_distance).unwrap_or_default()
}

/// Returns the way found by Dijkstra's algorithm, without a heap because there are so few crossings.
fn crossings(begin: usize, end: usize) -> Vec<usize> {
    let mut best = [(f64::INFINITY, begin); CROSSINGS.len()];
    let mut done = [false; CROSSINGS.len()];
    best[begin] = (0.0, begin);
    let nearest_open = |best: &[(f64, usize)], done: &[bool]| {
        let open = (0..CROSSINGS.len()).filter(|at| !done[*at] && best[*at].0.is_finite());
        open.min_by(|one, other| best[*one].0.total_cmp(&best[*other].0))
    };
    while let Some(here) = nearest_open(&best, &done) {
        done[here] = true;
        for (one, other) in ROADS.into_iter().chain([SOUTH]) {
            let next = match here {
                here if here == one => other,
                here if here == other => one,
                _ => continue,
            };
            let length = best[here].0 + metres(CROSSINGS[here], CROSSINGS[next]);
            if length < best[next].0 {
                best[next] = (length, here);
            }
        }
    }
    let mut corners = vec![end];
    let mut here = end;
    while here != begin && best[here].1 != here {
        here = best[here].1;
        corners.push(here);
    }
    corners.reverse();
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crossing_is_reached_from_every_other() {
        for begin in 0..CROSSINGS.len() {
            for end in 0..CROSSINGS.len() {
                let corners = crossings(begin, end);
                assert_eq!((corners[0], corners[corners.len() - 1]), (begin, end));
                let joined = |pair: &[usize]| {
                    let road = |(one, other): (usize, usize)| pair == [one, other] || pair == [other, one];
                    ROADS.into_iter().chain([SOUTH]).any(road)
                };
                assert!(corners.windows(2).all(joined), "{corners:?}");
            }
        }
    }

    #[test]
    fn a_way_ends_at_its_goal_and_is_not_much_longer_than_it_must_be() {
        for number in 0..500 {
            let (from, to) = (somewhere(number), somewhere(number + 10_000));
            let corners = way(from, to);
            assert_eq!(corners.last(), Some(&to));
            let mut length = 0.0;
            let mut here = from;
            for corner in corners {
                length += metres(here, corner);
                here = corner;
            }
            assert!(length <= 3.0 * metres(from, to) + 5_000.0, "{number}: {length}");
        }
    }

    #[test]
    fn directions_and_distances_are_those_of_the_map() {
        let manila = at(14.5995, 120.9842);
        assert!((metres(manila, at(14.6095, 120.9842)) - 1_112.0).abs() < 1.0);
        assert_eq!(heading(manila, at(14.7, 120.9842)).round(), 0.0);
        assert_eq!(heading(manila, at(14.5995, 121.2)).round(), 90.0);
        assert_eq!(heading(manila, at(14.5995, 120.5)).round(), 270.0);
        let half = along(manila, at(14.6995, 120.9842), metres(manila, at(14.6995, 120.9842)) / 2.0);
        assert!((half.lat - 14.6495).abs() < 1e-9);
        assert_eq!(somewhere(7), somewhere(7));
    }
}
