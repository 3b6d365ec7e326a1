//! Cases for [`super`]: every name, and what its values mean.

use super::*;

fn heard(words: &[(&str, &str)]) -> (Params, Vec<String>) {
    let (mut params, mut notes) = (Params::default(), Notes::default());
    for (name, word) in words {
        params.hear(name, word, &mut notes);
    }
    (params, notes.into_sentences())
}

#[test]
fn every_alias() {
    for name in ["rid", "run_id", "series", "check_in_id"] {
        assert_eq!(heard(&[(name, "a")]).0.run_id.get().unwrap().key, "a");
    }
    for name in ["ts", "stamp"] {
        assert!(heard(&[(name, "1791162000")]).0.stamp.get().is_some());
    }
    for name in ["exit", "exit_code", "status_code"] {
        assert_eq!(heard(&[(name, "3")]).0.exit.get(), Some(Exit::Code(3)));
    }
    for name in ["status", "state"] {
        assert_eq!(heard(&[(name, "ok")]).0.status.get(), Some(Signal::Success));
    }
    for name in ["msg", "message", "errorMessage"] {
        assert_eq!(heard(&[(name, "a\nb")]).0.message.get().unwrap(), "a b");
    }
    assert_eq!(heard(&[("host", "h")]).0.host.get().unwrap(), "h");
    assert_eq!(heard(&[("env", "e")]).0.env.get().unwrap(), "e");
}

#[test]
fn status_words() {
    for (words, signal) in [
        (["ok", "success", "complete", "OK", "Completed"], Signal::Success),
        (["fail", "error", "failed", "failure", "ERROR"], Signal::Fail),
        (["start", "run", "in_progress", "running", "Start"], Signal::Start),
    ] {
        for word in words {
            assert_eq!(status(word), Some(signal), "{word}");
        }
    }
    for word in ["", "okay", "0", "log", "200"] {
        assert_eq!(status(word), None, "{word}");
    }
}

#[test]
fn exit_codes() {
    for (word, expected) in [
        ("0", Some(Exit::Code(0))),
        ("007", Some(Exit::Code(7))),
        (" 255\n", Some(Exit::Code(255))),
        ("256", Some(Exit::Beyond)),
        ("-1", Some(Exit::Beyond)),
        ("3221225477", Some(Exit::Beyond)),
        ("99999999999999999999999", Some(Exit::Beyond)),
        ("", None),
        ("-", None),
        ("1.0", None),
        ("one", None),
        ("+1", None),
    ] {
        assert_eq!(exit(word), expected, "{word}");
    }
}

#[test]
fn the_first_alias_stands_and_the_last_value() {
    let (params, _) = heard(&[("exit", "1"), ("status_code", "200"), ("rid", "a"), ("rid", "b")]);
    assert_eq!(params.exit.get(), Some(Exit::Code(1)));
    assert_eq!(params.run_id.get().unwrap().key, "b");
    let (params, _) = heard(&[("status_code", "200"), ("exit", "1")]);
    assert_eq!(params.exit.get(), Some(Exit::Code(1)));
}

#[test]
fn what_says_nothing_is_noted() {
    let (params, notes) =
        heard(&[("rid", ""), ("ts", "noon"), ("exit", "x"), ("status", "meh"), ("msg", "")]);
    assert!(params.run_id.get().is_none() && params.message.get().is_none());
    assert_eq!(
        notes,
        [
            "rid is empty",
            "ts not understood: `noon`",
            "exit not understood: `x`",
            "status not understood: `meh`"
        ]
    );
}

#[test]
fn metadata_by_name() {
    let (params, notes) =
        heard(&[("meta.rows", "0"), ("metric", "count:5"), ("metric", "b: x:y"), ("meta.a.b", "1")]);
    let meta = params.meta.finish(&mut Notes::default());
    assert_eq!(meta.keys().collect::<Vec<_>>(), ["a.b", "b", "count", "rows"]);
    assert_eq!(meta["b"].to_string(), "x:y");
    assert!(notes.is_empty());
    assert_eq!(Params::default().hear("metric", "5", &mut Notes::default()), Heard::Unknown);
    assert_eq!(Params::default().hear("meta.", "5", &mut Notes::default()), Heard::Unknown);
}

#[test]
fn long_texts_are_cut() {
    let (params, notes) = heard(&[("msg", &"m".repeat(1_001)), ("host", &"h".repeat(300))]);
    assert_eq!(params.message.get().unwrap().len(), 1_000);
    assert_eq!(params.host.get().unwrap().len(), 200);
    assert_eq!(notes, ["msg cut to 1000 characters"]);
}
