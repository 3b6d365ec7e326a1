//! Who hears of a recovery, and when, where the way to them was not straight: some were reached, or the clock was set back.

use watchclock_service::member::Role;
use watchclock_tests::{
    World,
    smtp::{Mail, Stage, Trouble},
};

/// The subjects that an address got.
async fn got(world: &World, address: &str) -> Vec<String> {
    let mails = world.mails().await;
    mails.iter().filter(|mail| mail.to.iter().any(|to| to == address)).map(Mail::subject).collect()
}

#[tokio::test]
async fn who_got_the_first_mail_hears_of_the_recovery_whatever_became_of_the_others() {
    for refused_for_good in [false, true] {
        let world = World::without_channels().await;
        world.add_email("both", &["quick@example.org", "slow@example.org"]).await;
        if refused_for_good {
            world.smtp.refuse("slow@example.org", "550 5.1.1 no such user");
        } else {
            world.smtp.greylist("slow@example.org", 3);
        }
        let job = world.monitor("sync").create().await;
        job.fail("a").await;
        assert_eq!(got(&world, "quick@example.org").await.len(), 1);
        world.advance("1s").await;
        job.end("b").await;
        world.advance("2h").await;
        let subjects = got(&world, "quick@example.org").await;
        assert_eq!(subjects.len(), 2, "{subjects:?}");
        assert!(
            subjects[0].starts_with("[failing]") && !subjects[1].starts_with("[failing]"),
            "{subjects:?}"
        );
        let failing = got(&world, "slow@example.org").await;
        assert!(!failing.iter().any(|subject| subject.starts_with("[failing]")), "it is over: {failing:?}");
    }
}

#[tokio::test]
async fn what_is_due_when_the_clock_is_set_back_goes_out_at_once() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    world.until("2027-01-04T12:00:00Z").await;
    world.smtp.always(Some((Stage::Greeting, Trouble::Drop)));
    job.fail("a").await;
    world.advance("10m").await;
    assert_eq!(job.incident().await.deliveries[0].status, "retry");
    world.smtp.always(None);
    job.fail("b").await;
    world.set_clock("2027-01-04T09:00:00Z");
    world.tick().await;
    assert_eq!(world.subjects().await, ["[failing] sync: run #1 failed"]);
    world.advance("4h").await;
    assert_eq!(world.subjects().await.len(), 1, "and once");
}

#[tokio::test]
async fn what_is_held_back_when_the_clock_is_set_back_is_held_for_as_long_as_it_was_to_be() {
    let world = World::new().await;
    let job = world.monitor("sync").alert_after("10m").create().await;
    world.until("2027-01-04T12:00:00Z").await;
    job.fail("a").await;
    world.set_clock("2027-01-04T09:00:00Z");
    // A second look, also by a server that has just started, moves nothing again.
    world.tick().await;
    world.restart();
    world.tick().await;
    world.advance("9m").await;
    assert_eq!(world.subjects().await, [""; 0]);
    world.advance("2m").await;
    assert_eq!(world.subjects().await, ["[failing] sync: run #1 failed"]);
}

#[tokio::test]
async fn of_owners_who_take_each_other_out_at_once_one_stays() {
    let world = World::without_channels().await;
    let project = world.project().id;
    for round in 0..10 {
        world.member(&format!("owner-{round}@example.org"), Role::Owner).await;
        let members = world.watchclock().members(project).await.unwrap();
        let owners: Vec<_> = members.iter().filter(|member| member.role == "owner").collect();
        let (one, two) = (world.watchclock(), world.second_server());
        let half = owners.len().div_ceil(2);
        let take = |server: &watchclock_service::Watchclock, ids: Vec<uuid::Uuid>| {
            let server = server.clone();
            async move {
                for id in ids {
                    let _ = server.remove_member(project, id).await;
                }
            }
        };
        let ids = |owners: &[&watchclock_service::member::MemberRow]| {
            owners.iter().map(|one| one.user_id).collect()
        };
        tokio::join!(take(&one, ids(&owners[..half])), take(&two, ids(&owners[half..])));
        let left = world.watchclock().members(project).await.unwrap();
        assert_eq!(left.iter().filter(|member| member.role == "owner").count(), 1, "round {round}");
    }
}
