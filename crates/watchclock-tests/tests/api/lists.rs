//! Lists: pages that neither skip nor repeat while things come and go, and filters.

use serde_json::json;
use watchclock_tests::World;

use super::client::{Client, texts};

#[tokio::test]
async fn pages_neither_skip_nor_repeat() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    for n in 0..7 {
        client.make("/v1/monitors", json!({"slug": format!("m{n}"), "rules": ["rows eq 0"]})).await;
        client
            .make(
                "/v1/channels",
                json!({"kind": "email", "name": format!("c{n}"), "to": "a@example.org", "enabled": false}),
            )
            .await;
        let window =
            json!({"name": format!("w{n}"), "from": "2027-02-01T20:00:00Z", "to": "2027-02-01T23:00:00Z"});
        client.make("/v1/maintenance-windows", window).await;
        client.make("/v1/calendars", json!({"name": format!("d{n}"), "dates": ["2027-12-25"]})).await;
        client.make("/v1/keys", json!({"role": "read", "name": format!("k{n}")})).await;
        world.job(&format!("m{n}")).await.fail(&format!("r{n}")).await;
        // Several of them are made at the same moment.
        if n % 3 == 0 {
            world.advance("1s").await;
        }
    }
    for (list, field) in [
        ("monitors", "slug"),
        ("runs", "rid"),
        ("channels", "name"),
        ("keys", "name"),
        ("maintenance-windows", "name"),
        ("calendars", "name"),
        ("incidents", "monitor"),
    ] {
        let all = texts(&client.get(&format!("/v1/{list}")).await.json()["items"], field);
        let pages = client.pages(&format!("/v1/{list}?limit=3"), field).await;
        assert!(pages[..pages.len() - 1].iter().all(|page| page.len() == 3), "{list}: {pages:?}");
        assert_eq!(pages.concat(), all, "{list}");
        assert_eq!(client.pages(&format!("/v1/{list}?limit=500"), field).await.len(), 1, "{list}");
        let place = |end: char| all.iter().position(|text| text.ends_with(end));
        assert!(list == "incidents" || place('6') < place('0'), "newest first: {list} {all:?}");
    }
    let page = client.get("/v1/monitors?limit=2").await.json();
    client.make("/v1/monitors", json!({"slug": "new"})).await;
    client.delete("/v1/monitors/m2").await;
    client.patch("/v1/monitors/m3", json!({"name": "renamed"})).await;
    let rest = client.get(&format!("/v1/monitors?cursor={}", page["next"].as_str().unwrap())).await.json();
    assert_eq!(rest["items"].as_array().unwrap().len(), 4);
    assert!(texts(&rest["items"], "slug").iter().all(|slug| slug != "new" && slug != "m2"));
    for wrong in ["x", "1.x", "1", "9999999999999999999999.0199a3b2-7c1e-7d7e-9a6b-3b1f5d2c8e40"] {
        assert_eq!(client.get(&format!("/v1/monitors?cursor={wrong}")).await.status, 422, "{wrong}");
    }
}

#[tokio::test]
async fn monitors_are_found_by_tag_health_and_words() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let make = async |slug: &str, name: &str, tags: &[&str]| {
        world.advance("1s").await;
        client
            .make("/v1/monitors", json!({"slug": slug, "name": name, "tags": tags, "schedule": "every 1h"}))
            .await;
        world.job(slug).await
    };
    let (good, bad) =
        (make("good", "Ärger im Büro", &["etl", "a/b"]).await, make("bad", "Backup 100%", &["etl"]).await);
    make("new", "New_one", &[]).await;
    world.advance("1s").await;
    client
        .make("/v1/monitors", json!({"slug": "off", "paused": true, "description": "the BACKUP of old"}))
        .await;
    good.end("a").await;
    bad.fail("a").await;
    for (query, found) in [
        ("tag=etl", "bad good"),
        ("tag=a%2Fb", "good"),
        ("tag=ETL", ""),
        ("tag=nothing", ""),
        ("health=healthy", "good"),
        ("health=failing", "bad"),
        ("health=waiting", "new"),
        ("health=paused", "off"),
        ("health=late", ""),
        ("q=backup", "off bad"),
        ("q=%C3%A4RGER", "good"),
        ("q=BÜRO", "good"),
        ("q=100%25", "bad"),
        ("q=_", "new"),
        ("q=%25", "bad"),
        ("tag=etl&health=failing&q=back", "bad"),
        ("tag=etl&health=paused", ""),
        ("tag=&health=&q=", "off new bad good"),
    ] {
        let query = query.replace('Ü', "%C3%9C");
        let listed = client.get(&format!("/v1/monitors?{query}")).await;
        assert_eq!(listed.status, 200, "{query} {}", listed.text());
        assert_eq!(texts(&listed.json()["items"], "slug").join(" "), found, "{query}");
        let sizes = client.pages(&format!("/v1/monitors?limit=1&{query}"), "slug").await;
        assert_eq!(sizes.concat().join(" "), found, "{query}");
    }
    let refused = client.get("/v1/monitors?health=fine").await;
    assert_eq!((refused.status.as_u16(), super::client::fields(&refused)), (422, vec!["health".to_owned()]));
}

#[tokio::test]
async fn a_rare_monitor_among_many_is_found_page_by_page() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "rare", "paused": true})).await;
    let project = world.project().id;
    world
        .database()
        .execute(&format!(
            "insert into monitors (id, project_id, slug, name, schedule_kind, grace_seconds, created_at, updated_at)
             select gen_random_uuid(), '{project}', 'm' || n, 'm' || n, 'none', 60, t, t
             from generate_series(1, 1200) n, (select timestamptz '2027-01-05' as t) made;
             insert into monitor_memories (monitor_id, anchor) select id, created_at from monitors where slug <> 'rare'"
        ))
        .await;
    for query in ["health=paused", "q=rare", "tag=&health=paused&q=RARE"] {
        assert_eq!(
            client.pages(&format!("/v1/monitors?{query}"), "slug").await.concat(),
            ["rare"],
            "{query}"
        );
    }
    let pages = client.pages("/v1/monitors?limit=500", "slug").await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [500, 500, 201]);
    let mut slugs = pages.concat();
    slugs.sort();
    slugs.dedup();
    assert_eq!(slugs.len(), 1201);
    let waiting = client.pages("/v1/monitors?limit=500&health=waiting", "slug").await;
    assert_eq!(waiting.iter().map(Vec::len).collect::<Vec<_>>(), [500, 500, 200]);
}
