//! Computes from the number of attempts when the next one is allowed. Uses no clock and no database.

use chrono::Duration;

/// How long wrong sign-ins are remembered after the last one.
const MEMORY: Duration = Duration::hours(24);

/// A rule for how many attempts are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Some attempts are free. After them each wait is twice as long as the one before, up to a limit. The
    /// counter expires a day after the last attempt.
    Backoff { free: u32, longest: Duration },
    /// `limit` attempts within a period that begins with the first. Further attempts wait until the period is
    /// over.
    Window { limit: u32, length: Duration },
}

/// When the next attempt is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    After(Duration),
    WhenForgotten,
}

impl Rule {
    /// Returns when the next attempt is allowed after `count` attempts.
    pub fn next(self, count: u32) -> Next {
        match self {
            Self::Backoff { free, .. } if count < free => Next::After(Duration::zero()),
            Self::Backoff { free, longest } => {
                // More than 2^40 seconds are not needed: no limit is that long.
                let doubled = Duration::seconds(1 << (count - free).min(40));
                Next::After(doubled.min(longest))
            }
            Self::Window { limit, .. } if count < limit => Next::After(Duration::zero()),
            Self::Window { .. } => Next::WhenForgotten,
        }
    }

    /// Returns [`Rule::next`] as a table: each row has the highest count it applies to, and the wait. The
    /// last row applies to all higher counts, too.
    pub fn steps(self) -> Vec<(u32, Next)> {
        let last = match self {
            Self::Backoff { free, longest } => {
                free + (0..40).find(|&doublings| Duration::seconds(1 << doublings) >= longest).unwrap_or(40)
            }
            Self::Window { limit, .. } => limit,
        };
        let mut steps: Vec<(u32, Next)> = Vec::new();
        for count in 1..=last {
            let next = self.next(count);
            match steps.last_mut() {
                Some(step) if step.1 == next => step.0 = count,
                _ => steps.push((count, next)),
            }
        }
        steps
    }

    /// Returns how long the counter is kept, and whether each attempt restarts that time.
    pub fn memory(self) -> (Duration, bool) {
        match self {
            Self::Backoff { longest, .. } => (MEMORY.max(longest), true),
            Self::Window { length, .. } => (length, false),
        }
    }

    /// Returns the longest time for which attempts are refused.
    pub fn longest_wait(self) -> Duration {
        match self {
            Self::Backoff { longest, .. } => longest,
            Self::Window { length, .. } => length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGN_IN: Rule = Rule::Backoff { free: 5, longest: Duration::seconds(1200) };

    #[test]
    fn waits_double_after_the_free_ones() {
        for (count, seconds) in [
            (1, 0),
            (4, 0),
            (5, 1),
            (6, 2),
            (7, 4),
            (8, 8),
            (14, 512),
            (15, 1024),
            (16, 1200),
            (17, 1200),
            (1_000, 1200),
            (u32::MAX, 1200),
        ] {
            assert_eq!(SIGN_IN.next(count), Next::After(Duration::seconds(seconds)), "after {count}");
        }
        let strict = Rule::Backoff { free: 1, longest: Duration::seconds(1) };
        assert_eq!(strict.next(1), Next::After(Duration::seconds(1)));
        assert_eq!(strict.next(2), Next::After(Duration::seconds(1)));
    }

    #[test]
    fn a_day_has_room_for_less_than_a_hundred() {
        let (mut count, mut at) = (0, Duration::zero());
        while at < Duration::hours(24) {
            count += 1;
            let Next::After(wait) = SIGN_IN.next(count) else { panic!("a wait") };
            at += wait;
        }
        assert_eq!(count, 86);
    }

    #[test]
    fn a_window_is_closed_once_it_is_full() {
        let rule = Rule::Window { limit: 3, length: Duration::minutes(10) };
        let open = Next::After(Duration::zero());
        assert_eq!(
            [1, 2, 3, 4].map(|count| rule.next(count)),
            [open, open, Next::WhenForgotten, Next::WhenForgotten]
        );
        let one = Rule::Window { limit: 1, length: Duration::minutes(1) };
        assert_eq!(one.next(1), Next::WhenForgotten);
    }

    #[test]
    fn steps_are_the_rule() {
        let longest = |seconds| Duration::seconds(seconds);
        for rule in [
            SIGN_IN,
            Rule::Backoff { free: 1, longest: longest(1) },
            Rule::Backoff { free: 1, longest: longest(86_400) },
            Rule::Backoff { free: 20, longest: longest(1024) },
            Rule::Window { limit: 1, length: longest(60) },
            Rule::Window { limit: 50, length: longest(600) },
        ] {
            let steps = rule.steps();
            assert!(steps.len() <= 20, "{rule:?} is {} steps", steps.len());
            for count in 1..200 {
                let step = steps.iter().find(|(to, _)| count <= *to).or(steps.last()).unwrap();
                assert_eq!(step.1, rule.next(count), "{rule:?} after {count}");
            }
        }
    }
}
