//! What a trial says of a run, and what the monitor's rule did when it ended: the same, whatever the runs were like.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};
use watchclock_service::member::Role;
use watchclock_tests::{Job, World};

use super::client::Client;

/// Rules in words of the API, each with a name of its own.
fn rules() -> Vec<Json> {
    let plain = [
        "state eq \"all well\"",
        "prev(state) ne state",
        "clean eq false",
        "prev(clean) eq true and clean eq false",
        "big gt 123456789012345678901234567890",
        "big gt median(big, 3)",
        "change(big) gt 10%",
        "rows lt 0.5 * avg(rows, 3)",
        "rows lt median(rows, 12h)",
        "meta.\"a b\" gt prev(meta.\"a b\")",
        "found gt prev(found)",
        "counted gt prev(counted)",
        "later gt 5",
        "early gt 5",
        "prev(message) eq \"first\"",
        "prev(message) ne message",
        "duration gt 2 * prev(duration)",
        "count(failed, 24h) ge 2",
        "count(any, 4) ge 4",
        "count(hung, 24h) ge 1",
        "count(missed, 4h) ge 2",
        "output contains \"Traceback\"",
        "prev(output_size) gt output_size",
    ];
    let mut rules: Vec<Json> = plain.iter().map(|when| json!({ "when": when })).collect();
    for settings in [
        json!({"when": "rows lt 60", "for": 2}),
        json!({"when": "rows lt 60", "on": "any"}),
        json!({"when": "rows lt 60", "on": "fail"}),
        json!({"when": "rows lt 60", "if_missing": "ignore"}),
        json!({"when": "later missing", "on": "any"}),
        json!({"when": "last_success older than 2h", "on": "any"}),
    ] {
        rules.push(settings);
    }
    for (at, rule) in rules.iter_mut().enumerate() {
        rule["name"] = json!(format!("r{at}"));
    }
    rules
}

/// What happens, one after the other: `+` lets time pass, `rename` renames the extractor, all else are pings, each with what
/// is sent along and the id of the run that it ends.
const STEPS: &[(&str, &str, &str)] = &[
    (
        "?rid=1",
        r#"{"state": "all well", "clean": true, "big": 123456789012345678901234567891, "rows": 100, "a b": 1}"#,
        "1",
    ),
    ("+1h", "", ""),
    (
        "?rid=2&msg=first",
        r#"{"state": "so so", "clean": false, "big": 123456789012345678901234567889, "rows": "100", "a b": 3}"#,
        "2",
    ),
    ("+1h", "", ""),
    ("/start?rid=3", r#"{"early": 7}"#, ""),
    // It is hung now, and the only one that has told `early`.
    ("+3h", "", ""),
    ("?rid=4&msg=second", "Processed 12 rows\nwatchclock: rows=50\n", "4"),
    ("+10m", "", ""),
    ("?rid=5", "Traceback (most recent call last)\nProcessed 11 rows\nwatchclock: rows=none\n", "5"),
    ("+1m", "", ""),
    ("?rid=3&msg=late", "rows=90", "3"),
    ("+10m", "", ""),
    // After the end: more metadata, and a key that no run had.
    ("/log?rid=5", r#"{"later": 6, "rows": 70}"#, ""),
    ("?rid=6&msg=third", r#"{"state": "all well", "clean": "yes", "big": 1e29, "rows": 20}"#, "6"),
    ("+1m", "", ""),
    ("/fail?rid=6", "rows=10", ""),
    ("+2h", "", ""),
    ("/fail?rid=7", "rows=59", "7"),
    ("+1m", "", ""),
    ("/fail?rid=8", "rows=70", "8"),
    ("restart", "", ""),
    // One within another.
    ("/start?rid=9", "", ""),
    ("+1m", "", ""),
    ("/start?rid=10", "", ""),
    ("+1m", "", ""),
    ("?rid=10&msg=inner", "rows=40&state=within", "10"),
    ("+5m", "", ""),
    ("?rid=9&msg=outer", "rows=80&state=around", "9"),
    ("+1m", "", ""),
    ("rename", "", ""),
    ("?rid=11", "Processed 13 rows\nwatchclock: rows=30 big=-99999999999999999999.5\n", "11"),
    ("/start?rid=12", "", ""),
    ("+3h", "", ""),
    // Still hung; others go on.
    (
        "?rid=13&msg=inner",
        r#"{"rows": 61, "a b": "4", "big": 223456789012345678901234567891, "clean": true}"#,
        "13",
    ),
    ("+1h", "", ""),
    ("?rid=14", r#"{"rows": 61, "a b": 2, "clean": false, "later": 5}"#, "14"),
    ("+1m", "", ""),
    ("?rid=12", "rows=1", "12"),
    ("+13h", "", ""),
    ("?rid=15&msg=first", "", "15"),
    ("+1m", "", ""),
    ("?rid=16", "watchclock: rows=1 later=7 state=\"all well\"\n", "16"),
];

/// How many runs the incidents of each rule hold: a run that fires is one more.
async fn in_incidents(job: &Job) -> BTreeMap<String, i64> {
    let mut found = BTreeMap::new();
    for incident in job.incidents().await {
        if let Some(name) = incident.rule_name {
            *found.entry(name).or_default() += incident.run_count;
        }
    }
    found
}

/// What the page of a run says of a rule; none where the rule does not judge such runs.
fn said<'p>(page: &'p str, name: &str) -> Option<&'p str> {
    let item = page.split_once(&format!("<b>{name}</b>"))?.1.split_once("</li>")?.0;
    ["fired", "quiet", "unknown"].into_iter().find(|word| item.contains(&format!("</svg>{word}</span>")))
}

#[tokio::test]
async fn a_trial_says_of_each_run_what_the_rule_did_when_it_ended() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let visitor = world.member("member@example.org", Role::Member).await;
    let rules = rules();
    let sent = json!({"slug": "m", "max_duration": "2h", "schedule": "every 90m", "overlap": "allow 5", "rules": rules,
        "extractors": {"found": r"/Processed (\d+) rows/"}});
    client.make("/v1/monitors", sent).await;
    let job = world.job("m").await;
    let (mut differ, mut fired, mut before) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
    for (step, body, ended) in STEPS {
        match *step {
            "restart" => world.restart(),
            "rename" => {
                let extractors = json!({"counted": r"/Processed (\d+) rows/"});
                let reply = client.patch("/v1/monitors/m", json!({"extractors": extractors})).await;
                assert_eq!(reply.status, 200, "{}", reply.text());
            }
            step if step.starts_with('+') => world.advance(&step[1..]).await,
            _ => assert_eq!(job.ping(step, body).await.status, 200, "{step}"),
        }
        let now = in_incidents(&job).await;
        if !ended.is_empty() {
            let runs = job.runs().await;
            let run =
                runs.iter().find(|run| run.run_id.as_ref().is_some_and(|id| id.shown == *ended)).unwrap();
            let page = visitor.get(&format!("/runs/{}", run.id)).await.text();
            for rule in &rules {
                let name = rule["name"].as_str().unwrap();
                let does = now.get(name) > before.get(name);
                if does {
                    fired.insert(name.to_owned());
                }
                let mut sent = rule.clone();
                sent.as_object_mut().unwrap().remove("name");
                sent["monitor"] = json!("m");
                let results = client.post("/v1/rules/try", sent).await.json()["results"].clone();
                let results = results.as_array().unwrap();
                let tried = results.iter().find(|tried| tried["number"] == run.number).unwrap();
                if tried["fires"] != does {
                    differ.push(format!("run {ended}: {rule}: fires {does}, tried: {tried}"));
                }
                let expected = match tried["verdict"].as_str().unwrap() {
                    "true" => "fired",
                    "false" => "quiet",
                    unknown => unknown,
                };
                if let Some(said) = said(&page, name).filter(|said| *said != expected) {
                    differ.push(format!("run {ended}: {rule}: its page says {said}, tried: {tried}"));
                }
            }
            assert!(said(&page, "r0").is_some() || run.status.word() == "failed", "{page}");
        }
        before = now;
    }
    // A trial tells of the ends that a rule looks at; this one is judged by time, too. And it takes runs as they are now: of
    // two in a row below 60, the first was still good when it was judged.
    let known =
        ["run 7: {\"when\":\"count(failed, 24h) ge 2\"", "run 10: {\"when\":\"rows lt 60\",\"for\":2"];
    let as_known = known.iter().zip(&differ).all(|(known, differ)| differ.starts_with(known));
    assert!(as_known && differ.len() == known.len(), "{} differ:\n{}", differ.len(), differ.join("\n"));
    let never: Vec<&Json> =
        rules.iter().filter(|rule| !fired.contains(rule["name"].as_str().unwrap())).collect();
    assert!(never.is_empty(), "nothing is known of rules that never fire: {never:?}");
    world.facts_agree().await;
}
