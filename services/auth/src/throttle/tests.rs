//! The SQL statements of `counters` give the same results as the arithmetic of `rule`, on both databases.

use chrono::DateTime;
use futures::future::join_all;
use sea_orm::{EntityTrait, PaginatorTrait};

use super::counters::{closed_until, forget, give_back, prune_to, take};
use super::rule::Next;
use super::*;
use crate::Migrator;
use crate::entity::throttle;

const SIGN_IN: Rule = Rule::Backoff { free: 5, longest: Duration::seconds(1200) };
const TEN: Rule = Rule::Window { limit: 3, length: Duration::minutes(10) };

fn start() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 250_000_000).unwrap()
}

async fn one(db: &Db, key: &Key, rule: Rule, now: DateTime<Utc>) -> bool {
    let tx = db.begin().await.unwrap();
    let open = take(&tx, key, rule, now).await.unwrap();
    tx.commit().await.unwrap();
    open
}

fn key(text: &str) -> Key {
    text.as_bytes().to_vec()
}

::store::on_both!(each_wait_is_as_the_rule_says, Migrator, |db: Db| async move {
    for rule in [SIGN_IN, Rule::Backoff { free: 1, longest: Duration::seconds(3) }] {
        let (key, mut now) = (key(&format!("{rule:?}")), start());
        for count in 1..=20 {
            assert!(one(&db, &key, rule, now).await, "number {count}");
            let Next::After(wait) = rule.next(count) else { panic!("a wait") };
            let until = closed_until(db.read(), &key, rule, now).await.unwrap();
            assert_eq!(until, (wait > Duration::zero()).then(|| now + wait), "after {count}");
            if wait > Duration::zero() {
                assert!(!one(&db, &key, rule, now).await);
                assert!(
                    !one(&db, &key, rule, now + wait - Duration::milliseconds(1)).await,
                    "just too early"
                );
            }
            now += wait;
        }
        // Refused attempts do not count, and a day without attempts clears the counter.
        let Next::After(wait) = rule.next(20) else { panic!("a wait") };
        assert!(one(&db, &key, rule, now).await);
        now += Duration::hours(24);
        assert!(wait < Duration::hours(24) && one(&db, &key, rule, now).await);
        let row = throttle::Entity::find_by_id(key.clone()).one(db.read()).await.unwrap().unwrap();
        assert_eq!(row.count, 1);
    }
});

::store::on_both!(a_day_begins_anew_with_each_wrong_one, Migrator, |db: Db| async move {
    let (key, mut now) = (key("slow"), start());
    for _ in 0..5 {
        assert!(one(&db, &key, SIGN_IN, now).await);
        now += Duration::hours(24) - Duration::seconds(1);
    }
    assert!(one(&db, &key, SIGN_IN, now).await);
    assert!(closed_until(db.read(), &key, SIGN_IN, now).await.unwrap() == Some(now + Duration::seconds(2)));
});

::store::on_both!(a_window_opens_when_it_is_over, Migrator, |db: Db| async move {
    let (key, now) = (key("window"), start());
    let at = |minutes| now + Duration::minutes(minutes);
    for minutes in [0, 3, 9] {
        assert!(one(&db, &key, TEN, at(minutes)).await);
    }
    assert!(!one(&db, &key, TEN, at(9)).await);
    assert_eq!(closed_until(db.read(), &key, TEN, at(9)).await.unwrap(), Some(at(10)));
    assert!(!one(&db, &key, TEN, at(10) - Duration::milliseconds(1)).await);
    assert!(one(&db, &key, TEN, at(10)).await, "a new window");
    assert!(one(&db, &key, TEN, at(12)).await);
    assert!(one(&db, &key, TEN, at(19)).await);
    assert!(!one(&db, &key, TEN, at(19)).await);
    let single = Rule::Window { limit: 1, length: Duration::minutes(1) };
    let key = b"single".to_vec();
    assert!(one(&db, &key, single, now).await);
    assert!(!one(&db, &key, single, now + Duration::seconds(59)).await);
    assert!(one(&db, &key, single, now + Duration::seconds(60)).await);
});

::store::on_both!(a_wait_ends_when_a_clock_that_was_ahead_is_set_back, Migrator, |db: Db| async move {
    let single = Rule::Window { limit: 1, length: Duration::minutes(1) };
    for (rule, ahead) in [SIGN_IN, TEN, single].into_iter().zip([20, 24 * 365, 1].map(Duration::hours)) {
        let (key, now) = (key(&format!("{rule:?}")), start());
        while one(&db, &key, rule, now + ahead).await {}
        assert!(closed_until(db.read(), &key, rule, now + ahead).await.unwrap().is_some(), "{rule:?}");
        assert_eq!(closed_until(db.read(), &key, rule, now).await.unwrap(), None, "{rule:?}");
        assert!(one(&db, &key, rule, now).await, "{rule:?}");
    }
    // Wrong sign-ins still count if they would be remembered at the time before the clock was set.
    let counts = throttle::Entity::find().all(db.read()).await.unwrap();
    let mut counts: Vec<i32> = counts.iter().map(|row| row.count).collect();
    counts.sort_unstable();
    assert_eq!(counts, [1, 1, 6]);
});

::store::on_both!(what_is_given_back_is_room_again, Migrator, |db: Db| async move {
    let (key, now) = (key("back"), start());
    for _ in 0..3 {
        assert!(one(&db, &key, TEN, now).await);
    }
    let tx = db.begin().await.unwrap();
    give_back(&tx, &key, now).await.unwrap();
    tx.commit().await.unwrap();
    assert!(one(&db, &key, TEN, now).await);
    assert!(!one(&db, &key, TEN, now).await);
    let tx = db.begin().await.unwrap();
    forget(&tx, vec![key.clone()]).await.unwrap();
    give_back(&tx, &key, now).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(throttle::Entity::find().count(db.read()).await.unwrap(), 0);
});

::store::on_both!(many_at_once_are_let_in_like_one_by_one, Migrator, |db: Db| async move {
    for rule in [SIGN_IN, Rule::Window { limit: 5, length: Duration::hours(1) }] {
        let key = key(&format!("{rule:?}"));
        let now = start();
        let open = join_all((0..64).map(|_| one(&db, &key, rule, now))).await;
        assert_eq!(open.iter().filter(|open| **open).count(), 5, "{rule:?}");
    }
});

::store::on_both!(the_table_is_kept_small, Migrator, |db: Db| async move {
    let now = start();
    for number in 0..30 {
        let minutes = Duration::minutes(number % 10);
        one(&db, &key(&format!("old {number}")), TEN, now - Duration::minutes(30) + minutes).await;
        one(&db, &key(&format!("once {number}")), SIGN_IN, now - minutes).await;
    }
    let (attacked, doubts) = (key("attacked"), ::store::clearing::Doubts::default());
    for _ in 0..3 {
        one(&db, &attacked, SIGN_IN, now - Duration::minutes(20)).await;
    }
    prune_to(&db, now, 100, &doubts).await.unwrap();
    assert_eq!(throttle::Entity::find().count(db.read()).await.unwrap(), 31, "what is forgotten goes");
    prune_to(&db, now, 10, &doubts).await.unwrap();
    let left = throttle::Entity::find().all(db.read()).await.unwrap();
    assert_eq!(left.len(), 10);
    assert!(left.iter().any(|row| row.key == attacked), "the ones with the fewest attempts go first");
});

#[test]
fn waits_are_told_in_words() {
    for (millis, words, seconds) in [
        (1, "1 second", 1),
        (1000, "1 second", 1),
        (1001, "2 seconds", 2),
        (90_000, "90 seconds", 90),
        (90_001, "2 minutes", 91),
        (1_200_000, "20 minutes", 1200),
    ] {
        let error = refused(Duration::milliseconds(millis));
        assert_eq!(error.message, format!("Too many attempts. Try again in {words}."));
        assert_eq!(error.retry_after, Some(std::time::Duration::from_secs(seconds)));
        assert_eq!((error.kind, error.reason.as_str()), (kit::Kind::RateLimited, "SIGN_IN_THROTTLED"));
    }
}
