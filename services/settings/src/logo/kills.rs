//! Any step of anybody is cut off anywhere, beside a sweeper that is as well: the setting never refers to
//! what is not there, and in the end only what it refers to is left.

use std::pin::pin;
use std::task::Poll;

use ::store::{Db, on_both};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use sea_orm::EntityTrait;

use super::tests::{Desk, HOURS, picture, value};
use super::{ID, key_of, sweep, value as values};
use crate::Migrator;
use crate::entity::setting;

/// Polls so often, then dies: what is not finished by then is dropped where it stands.
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

/// What the setting shows is there.
async fn assert_nothing_dangles(desk: &Desk, run: u64) {
    let row =
        setting::Entity::find_by_id(ID.to_owned()).one(desk.context().db.read()).await.unwrap().unwrap();
    let Some(logo) = row.value.as_deref().and_then(values::referred) else { return };
    let head = desk.context().blob.head(&key_of(&logo.file).unwrap()).await.unwrap();
    assert!(head.is_some(), "run {run}: the setting shows {} and it is gone", logo.file);
}

/// A person at the four steps, who may be cut off or give up at each.
async fn person(desk: &Desk, name: &str, dice: &mut StdRng) {
    let patience = |dice: &mut StdRng| if dice.random_bool(0.3) { dice.random_range(0..40) } else { 100_000 };
    // Few pictures, so that they meet.
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
    for run in 0..RUNS {
        let mut one = StdRng::seed_from_u64(run);
        let mut other = StdRng::seed_from_u64(run + RUNS);
        let mut third = StdRng::seed_from_u64(run + 2 * RUNS);
        if third.random_bool(0.5) {
            desk.later(HOURS).await;
        }
        let polls = if third.random_bool(0.5) { third.random_range(0..60) } else { 100_000 };
        let sweeping = async {
            if let Some(swept) = cut(polls, sweep::sweep(desk.context())).await {
                swept.unwrap();
            }
        };
        futures::join!(person(&desk, "maria", &mut one), person(&desk, "jose", &mut other), sweeping);
        assert_nothing_dangles(&desk, run).await;
    }
    // Twenty changes that show only one of them, and some hours.
    for size in 1..=21 {
        let (address, url) = desk.logo("maria", 7).await;
        desk.save("maria", &value(&address, &url, size)).await.unwrap();
    }
    desk.later(HOURS).await;
    desk.sweep().await;
    assert_eq!(desk.objects().len(), 1, "{:?}", desk.objects());
    assert_nothing_dangles(&desk, RUNS).await;
});
