//! Checks with a model checker every order in which events can be lost, doubled and delayed. Some tests
//! replace one of the present rules by a faulty one. The checker must find each such fault: if it missed one,
//! it could miss faults of the present rules, too.

#![allow(clippy::print_stdout)] // findings are read where the test failed

mod delivery;

use delivery::{DONE_ONCE, Delivery, NOT_GIVEN_UP, NOT_STUCK, POSSIBLE, Rules};
use stateright::{Checker, HasDiscoveries, Model};

/// Returns the properties that the checker found violated.
fn faults(rules: Rules, faults: u8) -> Vec<&'static str> {
    let delivery = Delivery { rules, faults };
    let checker = delivery.checker().threads(2).finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let found = checker.discoveries();
    for (name, path) in &found {
        println!("{name}: {:?}", path.clone().into_actions());
    }
    println!("{} states", checker.unique_state_count());
    let mut names: Vec<_> = found.into_keys().filter(|name| *name != POSSIBLE).collect();
    names.sort_unstable();
    assert!(
        !names.is_empty() || checker.discovery(POSSIBLE).is_some(),
        "a model in which nothing happens is right too"
    );
    names
}

#[test]
fn the_present_rules_lose_double_and_hold_up_nothing() {
    let faults_at_most = if kit::testing::long() { 2 } else { 1 };
    let none: [&str; 0] = [];
    assert_eq!(faults(Rules::PRESENT, faults_at_most), none);
}

#[test]
fn counting_what_is_away_gives_good_events_up() {
    let found = faults(Rules { away_counts: true, ..Rules::PRESENT }, 1);
    assert_eq!(found, [NOT_GIVEN_UP]);
}

#[test]
fn stopping_at_an_event_that_no_bus_takes_holds_up_those_behind_it() {
    let found = faults(Rules { refusal_stops: true, ..Rules::PRESENT }, 0);
    assert_eq!(found, [NOT_STUCK]);
}

#[test]
fn asking_for_nothing_loses_what_the_broker_lost() {
    let found = faults(Rules { asks_source: false, ..Rules::PRESENT }, 1);
    assert_eq!(found, [NOT_STUCK]);
}

#[test]
fn without_an_inbox_events_take_effect_twice() {
    let found = faults(Rules { has_inbox: false, ..Rules::PRESENT }, 1);
    assert_eq!(found, [DONE_ONCE]);
}
