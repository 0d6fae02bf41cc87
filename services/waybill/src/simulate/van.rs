//! The movement of one van. It depends on neither time nor network, so the same driver always drives the same
//! way.

use super::roads::{DEPOTS, Place, along, heading, metres, mix, way};

/// The lowest and the highest speed in traffic, in kilometers per hour. The actual speed depends on the
/// driver and the road section.
const SLOW: f64 = 18.0;
const FAST: f64 = 52.0;
/// The highest plausible speed of a van, however fast the simulation runs.
const MOST: f64 = 120.0;
/// Duration of a stop in seconds.
const STOP: std::ops::Range<u64> = 45..180;

/// The least distance to the first stop in meters. Up to 500 meters are added, depending on the van.
const NEAR: f64 = 300.0;

/// What changed for a van in one step of the simulation.
#[derive(Debug, PartialEq)]
pub enum Done {
    Nothing,
    Arrived,
    /// The van's stop has ended, so it can drive on.
    Ready,
}

pub struct Van {
    number: u64,
    speed: f64,
    pub place: Place,
    pub heading: f64,
    pub kmh: f64,
    /// Meters that the van has driven since the simulation started.
    pub odometer: f64,
    ahead: Vec<Place>,
    /// Seconds until the stop ends.
    stopped: Option<f64>,
    stops: u64,
}

impl Van {
    pub fn new(number: u64, speed: f64) -> Self {
        let depot = DEPOTS[(mix(number) % DEPOTS.len() as u64) as usize];
        // Vans stand side by side in the yard.
        let aside = |bits: u64| ((bits % 100) as f64 - 50.0) * 1e-5;
        let place =
            Place { lat: depot.lat + aside(mix(number) >> 8), lng: depot.lng + aside(mix(number) >> 24) };
        Self {
            number,
            speed,
            place,
            heading: 0.0,
            kmh: 0.0,
            odometer: 0.0,
            ahead: Vec::new(),
            stopped: None,
            stops: 0,
        }
    }

    /// Begins close to the goal, because nobody wants to wait for the first stop.
    pub fn begin_near(&mut self, goal: Place) {
        self.place = along(goal, self.place, NEAR + (mix(self.number) % 500) as f64);
    }

    /// Starts towards another place.
    pub fn head_for(&mut self, goal: Place) {
        self.ahead = way(self.place, goal);
        self.ahead.reverse();
        self.stopped = None;
    }

    /// Advances the van by this many seconds.
    pub fn pass(&mut self, seconds: f64) -> Done {
        if let Some(left) = self.stopped {
            self.kmh = 0.0;
            let left = left - seconds * self.speed;
            self.stopped = (left > 0.0).then_some(left);
            return if left > 0.0 { Done::Nothing } else { Done::Ready };
        }
        let Some(next) = self.ahead.last().copied() else {
            self.kmh = 0.0;
            return Done::Ready;
        };
        self.kmh = self.pace(next);
        let (gone, left) = (self.kmh / 3.6 * seconds, metres(self.place, next));
        if left > 0.0 {
            self.heading = heading(self.place, next);
        }
        self.odometer += gone.min(left);
        self.place = along(self.place, next, gone);
        if gone < left {
            return Done::Nothing;
        }
        // The rest of the second is lost at the corner, as with a real van.
        self.ahead.pop();
        if !self.ahead.is_empty() {
            return Done::Nothing;
        }
        self.stops += 1;
        let length =
            STOP.start + mix(self.number ^ self.stops.wrapping_mul(0x51_7c_c1)) % (STOP.end - STOP.start);
        self.stopped = Some(length as f64);
        Done::Arrived
    }

    /// Returns the speed on this section. It is lower before a corner.
    fn pace(&self, next: Place) -> f64 {
        let stretch = mix(self.number ^ next.lat.to_bits().rotate_left(17) ^ next.lng.to_bits());
        let free = SLOW + (FAST - SLOW) * (stretch % 1_000) as f64 / 1_000.0;
        let corner = (metres(self.place, next) / 60.0).clamp(0.35, 1.0);
        (free * corner * self.speed).min(MOST)
    }
}

#[cfg(test)]
mod tests {
    use super::super::roads::somewhere;
    use super::*;

    /// Drives to a place; returns how long it took.
    fn drive(van: &mut Van, goal: Place) -> f64 {
        van.head_for(goal);
        for second in 0..20_000 {
            let before = van.place;
            let done = van.pass(1.0);
            assert!(metres(before, van.place) <= MOST / 3.6 + 0.1, "a van does not jump");
            if done == Done::Arrived {
                assert!(metres(van.place, goal) < 1.0);
                return f64::from(second);
            }
        }
        panic!("it never arrives");
    }

    #[test]
    fn a_van_arrives_stops_and_goes_on() {
        let mut van = Van::new(7, 1.0);
        drive(&mut van, somewhere(1));
        let mut waited = 0;
        while van.pass(1.0) != Done::Ready {
            assert_eq!(van.kmh, 0.0);
            waited += 1;
        }
        assert!((STOP.start..=STOP.end).contains(&(waited + 1)), "{waited}");
        drive(&mut van, somewhere(2));
        assert!(van.odometer > 1_000.0);
    }

    #[test]
    fn the_same_van_drives_the_same_way_and_another_another() {
        let drive = |number| {
            let mut van = Van::new(number, 1.0);
            van.head_for(somewhere(3));
            for _ in 0..60 {
                van.pass(1.0);
            }
            van.place
        };
        assert_eq!(drive(1), drive(1));
        assert_ne!(drive(1), drive(2));
    }

    #[test]
    fn a_fast_simulation_is_no_rocket() {
        let goal = somewhere(4);
        let (slow, fast) = (drive(&mut Van::new(9, 1.0), goal), drive(&mut Van::new(9, 50.0), goal));
        assert!(fast < slow, "{fast} {slow}");
    }
}
