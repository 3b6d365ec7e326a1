//! Signing in: links that lead elsewhere, cookies, passwords.

use axum::http::{StatusCode, header};
use watchclock_service::member::Role;
use watchclock_tests::World;

use super::check_page;

const PASSWORD: &str = "a long enough password";

#[tokio::test]
async fn signing_in_leads_only_to_pages_of_ours() {
    let world = World::new().await;
    world.watchclock().add_user("admin@example.org", true, Some(PASSWORD)).await.unwrap();
    for (next, to) in [
        ("/incidents?open=false", "/incidents?open=false"),
        ("", "/"),
        ("//evil.test", "/"),
        ("/\\evil.test", "/"),
        ("\\\\evil.test", "/"),
        ("https://evil.test/", "/"),
        ("https:evil.test", "/"),
        ("javascript:alert(1)", "/"),
        ("/\t/evil.test", "/"),
        ("/\r\nLocation: https://evil.test", "/"),
        (" //evil.test", "/"),
        ("evil.test", "/"),
    ] {
        let visitor = world.visitor();
        let fields = [("email", "admin@example.org"), ("password", PASSWORD), ("next", next)];
        let reply = visitor.post("/sign-in", &fields).await;
        assert_eq!((reply.status, reply.header("location")), (StatusCode::SEE_OTHER, to), "{next:?}");
        let again = visitor.get(&format!("/sign-in?next={}", watchclock_tests::visitor::escaped(next))).await;
        assert_eq!((again.status, again.header("location")), (StatusCode::SEE_OTHER, to), "{next:?}");
    }
}

#[tokio::test]
async fn a_wrong_password_keeps_the_address_and_tells_nothing() {
    let world = World::new().await;
    world.watchclock().add_user("admin@example.org", true, Some(PASSWORD)).await.unwrap();
    let visitor = world.visitor();
    let mut pages = Vec::new();
    for email in ["admin@example.org", "nobody@example.org"] {
        let fields = [("email", email), ("password", "not that one"), ("next", "/incidents")];
        let reply = visitor.post("/sign-in", &fields).await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
        check_page("/sign-in", &reply);
        let html = reply.text();
        assert!(html.contains(&format!("value=\"{email}\"")) && html.contains("value=\"/incidents\""));
        assert!(!html.contains("not that one"));
        pages.push(html.replace(email, "…"));
    }
    assert_eq!(pages[0], pages[1], "nobody learns who has an account");
}

#[tokio::test]
async fn the_cookie_of_a_session_is_out_of_reach() {
    let world = World::new().await;
    world.watchclock().add_user("admin@example.org", true, Some(PASSWORD)).await.unwrap();
    let reply =
        world.visitor().post("/sign-in", &[("email", "admin@example.org"), ("password", PASSWORD)]).await;
    let cookie = reply.header("set-cookie");
    assert!(cookie.starts_with("__Host-watchclock="), "{cookie}");
    for part in ["; Path=/;", "; HttpOnly", "; Secure", "; SameSite=Lax"] {
        assert!(format!("{cookie};").contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Domain"), "{cookie}");
    let member = world.member("member@example.org", Role::Member).await;
    for path in ["/theme", "/project", "/sign-out"] {
        let reply = member.post(path, &[("theme", "dark"), ("project", "default")]).await;
        for set in reply.headers.get_all(header::SET_COOKIE) {
            let set = set.to_str().unwrap();
            assert!(set.contains("; Secure") && set.contains("SameSite=Lax"), "{path}: {set}");
            assert!(set.starts_with("theme=") || set.contains("; HttpOnly"), "{path}: {set}");
        }
    }
}

#[tokio::test]
async fn a_link_works_once_and_looking_at_it_does_not_use_it_up() {
    let world = World::new().await;
    let link = world.watchclock().invite(world.project().id, "new@example.org", Role::Viewer).await;
    let link = link.unwrap().unwrap();
    let visitor = world.visitor();
    for _ in 0..2 {
        let page = visitor.get(&link).await;
        check_page(&link, &page);
        assert!(page.text().contains("new@example.org"));
    }
    assert_eq!(visitor.post(&link, &[]).await.header("location"), "/password");
    check_page("/password", &visitor.get("/password").await);
    let late = world.visitor().post(&link, &[]).await;
    assert_eq!(late.status, StatusCode::GONE);
    assert!(late.text().contains("This link no longer works"));
}

#[tokio::test]
async fn a_new_password_is_refused_with_all_that_is_wrong() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let reply = member.post("/password", &[("password", "short"), ("again", "other")]).await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY);
    let html = reply.text();
    assert!(
        html.contains("a password has 10 to 200 characters") && html.contains("this is not the same"),
        "{html}"
    );
    assert!(!html.contains("value=\"short\""));
    let saved = member.post("/password", &[("password", PASSWORD), ("again", PASSWORD)]).await;
    assert_eq!(saved.header("location"), "/");
    let fields = [("current", "wrong"), ("password", "short"), ("again", "other")];
    let html = member.post("/settings/account/password", &fields).await.text();
    for problem in
        ["this is not your password", "a password has 10 to 200 characters", "this is not the same"]
    {
        assert!(html.contains(problem), "{problem}");
    }
}
