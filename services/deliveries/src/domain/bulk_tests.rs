//! The verdict of a bulk change agrees with what a single change does.

use super::actor::Actor;
use super::bulk::{Candidate, LeftOut, Verb, verdict};
use super::command::{Command, Decision};
use super::delivery::Status;
use super::state::State;
use super::testing::{STATUSES, admin, at, dispatcher, planner, policy, request, state};
use super::transition::decide;

/// The time of [`request`], in minutes.
const NOW: i64 = 120;

fn of(verb: &Verb, state: &State, actor: &Actor) -> Result<(), LeftOut> {
    let driver = state.driver_id.as_deref().map(kit::text::fold);
    let it = Candidate {
        standing: state.into(),
        driver: driver.as_deref(),
        scheduledatetime: state.scheduledatetime,
        conflict: state.conflict,
    };
    verdict(verb, it, actor, at(NOW))
}

#[test]
fn what_fits_is_what_a_single_change_takes() {
    let assign = |id: Option<&str>| Verb::Assign { driver_id: id.map(str::to_owned) };
    let again = |minutes| Verb::Reschedule { at: at(minutes), note: None };
    let verbs = [
        assign(None),
        assign(Some("d-1")),
        assign(Some("D-2")),
        again(0),
        again(1),
        again(NOW),
        again(5_000),
    ];
    let (mut fits, mut left) = (0, 0);
    for status in STATUSES {
        for (attempt, scheduled, conflict) in [(1, 0, false), (3, 0, false), (1, 5_000, false), (1, 0, true)]
        {
            let state = State { attempt, scheduledatetime: at(scheduled), conflict, ..state(status) };
            for actor in [dispatcher(), planner(), admin()] {
                for verb in &verbs {
                    let command = match verb.clone() {
                        Verb::Assign { driver_id } => Command::AssignDriver { driver_id },
                        Verb::Reschedule { at, note } => Command::Reschedule { scheduledatetime: at, note },
                        Verb::Dispatch { .. } => continue,
                    };
                    let decided = decide(&state, &request(actor.clone(), command), policy());
                    let said = of(verb, &state, &actor);
                    match decided {
                        Ok(Decision::Change(_)) => assert_eq!(said, Ok(()), "{status:?} {verb:?}"),
                        Ok(_) => assert_eq!(said, Err(LeftOut::Already), "{status:?} {verb:?}"),
                        Err(_) => assert!(
                            !matches!(said, Ok(()) | Err(LeftOut::Already)),
                            "{status:?} {verb:?} {said:?}"
                        ),
                    }
                    *(if said.is_ok() { &mut fits } else { &mut left }) += 1;
                }
            }
        }
    }
    assert!(fits > 50 && left > 50, "{fits} {left}");
}

#[test]
fn each_is_left_out_for_its_own_reason() {
    let dispatcher = dispatcher();
    let move_to = |minutes| Verb::Dispatch { at: at(minutes) };
    let again = |minutes| Verb::Reschedule { at: at(minutes), note: None };
    let pending = state(Status::Pending);
    assert_eq!(of(&move_to(500), &pending, &dispatcher), Ok(()));
    assert_eq!(of(&move_to(0), &pending, &dispatcher), Err(LeftOut::Already));
    assert_eq!(of(&move_to(60), &pending, &dispatcher), Err(LeftOut::Past));
    for status in STATUSES.into_iter().filter(|it| *it != Status::Pending) {
        assert_eq!(of(&move_to(500), &state(status), &dispatcher), Err(LeftOut::NotPending));
    }
    let open = state(Status::Undelivered);
    assert_eq!(of(&again(500), &open, &dispatcher), Ok(()));
    assert_eq!(of(&again(0), &open, &dispatcher), Err(LeftOut::SameTime));
    assert_eq!(of(&again(60), &open, &dispatcher), Err(LeftOut::Past));
    let conflict = State { conflict: true, ..open.clone() };
    assert_eq!(of(&again(500), &conflict, &dispatcher), Err(LeftOut::Conflict));
    let used = State { attempt: 3, ..open };
    assert_eq!(of(&again(500), &used, &dispatcher), Err(LeftOut::AttemptsUsed));
    assert_eq!(of(&again(500), &pending, &dispatcher), Err(LeftOut::NotUndelivered));
    let done = state(Status::CompleteNoVariance);
    let other = Verb::Assign { driver_id: Some("D-2".into()) };
    assert_eq!(of(&other, &done, &dispatcher), Err(LeftOut::NotAllowed));
    assert_eq!(of(&other, &done, &planner()), Ok(()));
}
