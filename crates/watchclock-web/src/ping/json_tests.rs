//! Cases for [`super`]: JSON bodies, well-formed and otherwise.

use watchclock_domain::value::Meta;

use super::*;

fn said(text: &str) -> (Said, Vec<String>) {
    let mut notes = Notes::default();
    let said = read(text, &mut notes).unwrap_or_else(|note| panic!("{note}: {text}"));
    (said, notes.into_sentences())
}

fn meta(text: &str) -> Meta {
    said(text).0.params.meta.finish(&mut Notes::default())
}

fn shown(text: &str) -> String {
    meta(text).iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn metadata_of_every_shape() {
    for (text, expected) in [
        ("{}", ""),
        (r#"{"rows":0}"#, "rows=0"),
        (r#"{"meta":{"rows":0},"metrics":{"ms":1.50},"metadata":{"x":"y"}}"#, "ms=1.5 rows=0 x=y"),
        (r#"{"a":{"b":{"c":1}},"d":[1,[2],{"e":3}],"f":null,"g":true}"#, "a.b.c=1 d.length=3 g=true"),
        (r#"{"meta":{"list":[]},"stray":1}"#, "list.length=0"),
        (r#"{"meta.rows":1,"x":2}"#, "rows=1 x=2"),
        (r#"{"metric":"count:5"}"#, "count=5"),
        (r#"{"metric":5,"meta":"text"}"#, "meta=text metric=5"),
        (r#"{"metrics":[1,2]}"#, "metrics.length=2"),
        (r#"{"a":1,"a":2}"#, "a=2"),
        (r#"{"a.b":1,"a":{"b":2}}"#, "a.b=2"),
        (r#"{"k":"a\u0000b"}"#, "k=a\u{fffd}b"),
        (r#"{"rid":"x","rows":5}"#, "rows=5"),
        (r#"{"status":"healthy","rows":5}"#, "rows=5 status=healthy"),
        (r#"{"message":{"a":1}}"#, "message.a=1"),
        (r#"{"exit":true}"#, "exit=true"),
        (r#"{"name":"nightly"}"#, "name=nightly"),
        ("{\"a\" :\n 1 , \"b\":\t2}", "a=1 b=2"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn numbers_stay_exact() {
    let meta = meta(
        r#"{"big":9007199254740993,"dec":0.10,"neg":-0,"exp":1e400,"huge":1e999999999,"text":"5","long":123456789012345678901234567890.5}"#,
    );
    assert_eq!(meta["big"], Value::Number(Number::parse("9007199254740993").unwrap()));
    assert_eq!(meta["dec"], Value::Number(Number::parse("0.1").unwrap()));
    assert_eq!(meta["neg"], Value::Number(0.into()));
    assert_eq!(meta["exp"], Value::Number(Number::parse("1e400").unwrap()));
    assert_eq!(meta["huge"], Value::Text("1e999999999".into()));
    assert_eq!(meta["text"], Value::Text("5".into()));
    assert_eq!(meta["long"].to_string(), "123456789012345678901234567890.5");
}

#[test]
fn names_mean_what_they_say() {
    let (said, notes) = said(
        r#"{"run_id":4711,"ts":1791162000.5,"exit_code":3,"state":"error","message":"a\nb","host":"h","env":"e"}"#,
    );
    let params = said.params;
    assert_eq!(params.run_id.get().unwrap().key, "4711");
    assert!(params.stamp.get().is_some() && params.exit.get().is_some() && params.status.get().is_some());
    assert_eq!(params.message.get().unwrap(), "a b");
    assert_eq!((params.host.get().unwrap(), params.env.get().unwrap()), ("h".into(), "e".into()));
    assert!(params.meta.finish(&mut Notes::default()).is_empty() && notes.is_empty());
}

#[test]
fn output_by_name() {
    for (text, output, meta) in [
        (r#"{"output":"a\nb"}"#, Some("a\nb"), ""),
        (r#"{"stderr":"e","stdout":"o","rows":1}"#, Some("o\ne"), "rows=1"),
        (r#"{"logOutput":["a","b"]}"#, Some("a\nb"), ""),
        (r#"{"output":""}"#, None, ""),
        (r#"{"output":null}"#, None, ""),
        (r#"{"output":{"rows":1}}"#, None, "output.rows=1"),
        (r#"{"output":5}"#, None, "output=5"),
        (r#"{"output":[1,2]}"#, None, "output.length=2"),
    ] {
        assert_eq!(said(text).0.output.as_deref(), output, "{text}");
        assert_eq!(shown(text), meta, "{text}");
    }
}

#[test]
fn what_stands_beside_the_metadata_is_told() {
    let (_, notes) = said(r#"{"meta":{"rows":1},"version":"1.2","rid":"a"}"#);
    assert_eq!(notes, ["ignored beside the metadata: `version`"]);
}

#[test]
fn lone_surrogates_are_replaced() {
    assert!(shown(r#"{"k":"a\ud800b","rows":0}"#).ends_with("rows=0"));
    assert!(shown(r#"{"k":"a\ud800b"}"#).contains('\u{fffd}'));
    assert_eq!(shown(r#"{"k":"\ud83e\udd80"}"#), "k=🦀");
    let (_, notes) = said(r#"{"a":{"\ud800":1},"rows":0}"#);
    assert_eq!(notes.len(), 1);
}

#[test]
fn what_is_not_finite_is_dropped() {
    let text = r#"{"a":NaN,"b":-Infinity,"c":Infinity,"d":"NaN \" Infinity","e":-1,"f":[NaN]}"#;
    assert_eq!(shown(text), r#"d=NaN " Infinity e=-1 f.length=1"#);
    assert_eq!(said(text).1, ["NaN and infinities dropped"]);
}

#[test]
fn broken_json_is_located() {
    for (text, byte) in [
        (r#"{"records": 12,}"#, 16),
        (r#"{"records":12,x}"#, 15),
        ("{\n\"a\": x}", 8),
        ("{", 1),
        (r#"{"a":1"#, 6),
        (r#"{"a":1} {"b":2}"#, 9),
        ("{\"a\":\"\0\"}", 6),
        (r#"{"a":NaN,"b"}"#, 6),
        (r#"{"a":"\x"}"#, 8),
    ] {
        let error = read(text, &mut Notes::default()).unwrap_err();
        assert_eq!(error, format!("metadata ignored: invalid JSON at byte {byte}"), "{text}");
    }
}

#[test]
fn deep_and_wide_ones_are_bounded() {
    let deep = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    let (deep, notes) = said(&deep);
    assert!(deep.params.meta.finish(&mut Notes::default()).is_empty());
    assert_eq!(notes.len(), 1, "{notes:?}");

    let nested_list = format!("{{\"a\":{}{},\"rows\":1}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(shown(&nested_list), "a.length=1 rows=1");

    let wide: Vec<String> = (0..10_000).map(|i| format!("\"k{i}\":{i}")).collect();
    let (wide, mut notes) = (said(&format!("{{{}}}", wide.join(","))).0, Notes::default());
    assert_eq!(wide.params.meta.finish(&mut notes).len(), 200);
    assert_eq!(notes.into_sentences(), ["metadata beyond 200 keys dropped: 9800 values"]);

    let long = format!("{{\"{}\":{{\"a\":1}},\"t\":\"{}\"}}", "k".repeat(101), "x".repeat(2_000));
    let (long, notes) = said(&long);
    assert_eq!(long.params.meta.finish(&mut Notes::default())["t"], Value::Text("x".repeat(1_000)));
    assert_eq!(notes.len(), 2);
}
