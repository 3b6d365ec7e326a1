//! Who may see and do what.

use axum::http::StatusCode;
use watchclock_service::member::Role;
use watchclock_tests::visitor::escaped;

use super::{Scene, check_page};

#[tokio::test]
async fn members_see_every_page_and_viewers_those_that_change_nothing() {
    let scene = Scene::new().await;
    let member = scene.member().await;
    let viewer = scene.world.member("viewer@example.org", Role::Viewer).await;
    for (pages, for_viewers) in [(scene.pages(), StatusCode::OK), (scene.workshops(), StatusCode::FORBIDDEN)]
    {
        for path in pages {
            let reply = member.get(&path).await;
            assert_eq!(reply.status, StatusCode::OK, "{path}");
            if !path.ends_with("/output") {
                check_page(&path, &reply);
            }
            let reply = viewer.get(&path).await;
            assert_eq!(reply.status, for_viewers, "{path}");
            if for_viewers == StatusCode::OK && !path.ends_with("/output") {
                let text = reply.text();
                let offers =
                    ["/monitors/new\"", "/edit\"", "/pause\"", "/resolve\"", "/delete\"", "/rotate\""];
                let offered = offers.iter().find(|offer| text.contains(**offer));
                assert_eq!(offered, None, "{path} offers a viewer what they may not do");
                assert!(
                    !text.contains(&scene.world.project().ping_key),
                    "{path} tells a viewer the ping key"
                );
            }
        }
    }
}

#[tokio::test]
async fn strangers_are_asked_to_sign_in_and_come_back() {
    let scene = Scene::new().await;
    let stranger = scene.world.visitor();
    for path in scene.pages().into_iter().chain(scene.workshops()) {
        if path.starts_with("/docs") {
            continue;
        }
        let reply = stranger.get(&path).await;
        assert_eq!(reply.status, StatusCode::SEE_OTHER, "{path}");
        let expected = if path == "/" {
            "/sign-in?next=%2F".to_owned()
        } else {
            format!("/sign-in?next={}", escaped(&path))
        };
        assert_eq!(reply.header("location"), expected, "{path}");
    }
    for path in scene.deeds() {
        let reply = stranger.post(&path, &[]).await;
        assert_eq!((reply.status, reply.header("location")), (StatusCode::SEE_OTHER, "/sign-in"), "{path}");
    }
    let member = scene.member().await;
    let gone = member.post("/sign-out", &[]).await;
    assert_eq!(gone.header("location"), "/sign-in");
    assert_eq!(member.get("/").await.status, StatusCode::SEE_OTHER, "the session is over");
}

#[tokio::test]
async fn viewers_and_other_projects_change_nothing() {
    let scene = Scene::new().await;
    let viewer = scene.world.member("viewer@example.org", Role::Viewer).await;
    let other = scene.world.watchclock().create_project("other", "Other", None).await.unwrap();
    let owner = scene.world.member_of(other.id, "owner@example.org", Role::Owner).await;
    let before = format!("{:?}{:?}", scene.job.view().await, scene.job.incident().await);
    for path in scene.deeds() {
        assert_eq!(viewer.post(&path, &[]).await.status, StatusCode::FORBIDDEN, "{path}");
        let reply = owner.post(&path, &[("text", "a comment"), ("name", "x"), ("to", "x@example.org")]).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
        check_page(&path, &reply);
    }
    let ours: Vec<String> = scene.pages().into_iter().chain(scene.workshops()).collect();
    for path in ours.iter().filter(|path| path.split('/').any(|part| part.len() > 30 || part == "sync")) {
        assert_eq!(owner.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert!(!owner.get("/").await.text().contains("sync"));
    assert_eq!(format!("{:?}{:?}", scene.job.view().await, scene.job.incident().await), before);
}

#[tokio::test]
async fn a_link_leads_into_another_project_of_the_reader() {
    let scene = Scene::new().await;
    let watchclock = scene.world.watchclock();
    let other = watchclock.create_project("other", "Other", None).await.unwrap();
    let both = scene.world.member_of(other.id, "both@example.org", Role::Owner).await;
    watchclock.invite(scene.world.project().id, "both@example.org", Role::Viewer).await.unwrap();
    both.post("/project", &[("project", "other")]).await;
    let incident = scene.job.incident().await.incident;
    let monitor = format!("/monitors/{}?span=24h", incident.monitor);
    for path in [format!("/incidents/{}", incident.id), monitor, format!("/runs/{}", incident.runs[0])] {
        both.post("/project", &[("project", "other")]).await;
        let reply = both.get(&path).await;
        assert_eq!((reply.status, reply.header("location")), (StatusCode::SEE_OTHER, path.as_str()));
        assert_eq!(both.cookie("project"), scene.world.project().slug);
        assert_eq!(both.get(&path).await.status, StatusCode::OK, "{path}");
    }
    let nowhere = both.get(&format!("/incidents/{}/nothing", incident.id)).await;
    assert_eq!(nowhere.status, StatusCode::NOT_FOUND, "it is led to once, not for ever");
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let scene = Scene::new().await;
    let member = scene.member().await;
    let nobody = "00000000-0000-0000-0000-000000000000";
    for room in ["monitors", "runs", "incidents", "channels", "settings", "docs"] {
        for id in [nobody, "no-such-thing", "%00", "%F0%9F%A6%80", "..%2f..", "a'b", "%3Cscript%3E"] {
            for end in ["", "/edit", "/delete", "/output"] {
                let path = format!("/{room}/{id}{end}");
                let reply = member.get(&path).await;
                assert!(
                    matches!(reply.status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED),
                    "{path}: {}",
                    reply.status
                );
                check_page(&path, &reply);
            }
        }
    }
    for path in ["/nowhere", "/monitors/", "//", "/sign-in/", "/wp-login.php"] {
        let reply = member.get(path).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(member.get("/?project=other").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn forms_of_other_sites_are_refused() {
    let scene = Scene::new().await;
    let member = scene.member().await;
    let foreign: [&[(&str, &str)]; 5] = [
        &[("origin", "https://evil.test"), ("sec-fetch-site", "cross-site")],
        &[("origin", "https://evil.test")],
        &[("origin", "null")],
        &[("sec-fetch-site", "same-site")],
        &[("origin", "http://clock.test.evil.test"), ("sec-fetch-site", "same-site")],
    ];
    for path in
        scene.deeds().iter().map(String::as_str).chain(["/monitors", "/channels", "/sign-out", "/theme"])
    {
        for headers in foreign {
            let reply = member.post_as(path, &[], headers).await;
            assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path} {headers:?}");
            check_page(path, &reply);
        }
        assert!(!member.get(path).await.status.is_server_error(), "{path}");
    }
    assert_eq!(scene.job.view().await.monitor.version, 1);
    assert!(scene.job.incident().await.incident.acknowledged_at.is_none());
    assert_eq!(member.get("/").await.status, StatusCode::OK, "they are signed in still");
}
