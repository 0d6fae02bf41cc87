//! Interrupts people's uploads and a concurrent sweep at random points. The setting must never refer to a
//! missing object, and in the end no unreferenced object may be left.

use std::pin::pin;
use std::task::Poll;

use ::store::clearing::Doubts;
use ::store::{Db, on_both};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sea_orm::EntityTrait;

use super::tests::{Desk, HOURS, picture, value};
use super::{ID, key_of, sweep, value as values};
use crate::Migrator;
use crate::entity::setting;

/// Polls the work at most this many times, and then drops it, finished or not.
async fn cut<F: Future>(polls: usize, work: F) -> Option<F::Output> {
    let mut work = pin!(work);
    let mut left = polls;
    std::future::poll_fn(|context| {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(Some(done));
        }
        match left {
            0 => Poll::Ready(None),
            _ => {
                left -= 1;
                Poll::Pending
            }
        }
    })
    .await
}

/// Asserts that the logo in the setting has an object.
async fn assert_nothing_dangles(desk: &Desk, run: u64) {
    let row =
        setting::Entity::find_by_id(ID.to_owned()).one(desk.context().db.read()).await.unwrap().unwrap();
    let Some(logo) = row.value.as_deref().and_then(values::referred) else { return };
    let head = desk.context().blob.head(&key_of(&logo.file).unwrap()).await.unwrap();
    assert!(head.is_some(), "run {run}: the setting shows {} and it is gone", logo.file);
}

/// Uploads, publishes, maybe waits, and saves a logo. Each step may be interrupted, which ends the attempt.
async fn person(desk: &Desk, name: &str, dice: &mut StdRng) {
    let patience = |dice: &mut StdRng| if dice.random_bool(0.3) { dice.random_range(0..40) } else { 100_000 };
    // Use few different pictures, so that two people often upload the same one.
    let shade = dice.random_range(0..3);
    let polls = patience(dice);
    let Some(url) = cut(polls, desk.uploaded(name, "a.png", picture(6, 6, shade))).await else { return };
    let polls = patience(dice);
    let Some(Ok(address)) = cut(polls, desk.published(name, &url)).await else { return };
    if dice.random_bool(0.3) {
        desk.later(HOURS).await;
    }
    let size = dice.random_range(1..=130);
    let polls = patience(dice);
    if let Some(Err(error)) = cut(polls, desk.save(name, &value(&address, &url, size))).await {
        assert_eq!(error.reason, "SETTING_VALUE_INVALID", "{error}");
    }
}

on_both!(nothing_dangles_and_nothing_is_left_over, Migrator, |db: Db| async move {
    const RUNS: u64 = 150;
    let desk = Desk::open(&db).await;
    // Disable the delay, because a sweep that comes many hours after the last one would wait for a day.
    let doubts = Doubts::holding(std::time::Duration::ZERO);
    for run in 0..RUNS {
        let mut one = StdRng::seed_from_u64(run);
        let mut other = StdRng::seed_from_u64(run + RUNS);
        let mut third = StdRng::seed_from_u64(run + 2 * RUNS);
        if third.random_bool(0.5) {
            desk.later(HOURS).await;
        }
        let polls = if third.random_bool(0.5) { third.random_range(0..60) } else { 100_000 };
        let sweeping = async {
            if let Some(swept) = cut(polls, sweep::sweep(desk.context(), &doubts)).await {
                swept.unwrap();
            }
        };
        futures::join!(person(&desk, "maria", &mut one), person(&desk, "jose", &mut other), sweeping);
        assert_nothing_dangles(&desk, run).await;
    }
    // Save one logo 21 times, so that the history shows no other logo. Then let the other logos age.
    for size in 1..=21 {
        let (address, url) = desk.logo("maria", 7).await;
        desk.save("maria", &value(&address, &url, size)).await.unwrap();
    }
    desk.later(HOURS).await;
    sweep::sweep(desk.context(), &doubts).await.unwrap();
    assert_eq!(desk.objects().len(), 1, "{:?}", desk.objects());
    assert_nothing_dangles(&desk, RUNS).await;
});
