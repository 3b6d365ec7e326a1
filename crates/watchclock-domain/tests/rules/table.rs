//! Rule texts × runs → true, false, unknown, or a problem at a place. Neighbour: [`super::history`], the same with earlier runs.

use watchclock_domain::rule::{Condition, Truth};

use super::support::{Run, judge, noon};

use Expected::{F, Problem, T, U};

enum Expected {
    T,
    F,
    /// Unknown, and the reason contains this.
    U(&'static str),
    /// Refused: at this character, with so many characters, and the message contains this.
    Problem(usize, usize, &'static str),
}

/// Each line: a rule, the metadata of a run, the verdict.
const META: &[(&str, &str, Expected)] = &[
    // comparisons of numbers
    ("records_processed eq 0", r#"{"records_processed": 0}"#, T),
    ("records_processed eq 0", r#"{"records_processed": 5}"#, F),
    ("records_processed eq 0", r#"{"records_processed": 0.0}"#, T),
    ("records_processed = 0", r#"{"records_processed": 0}"#, T),
    ("records_processed == 0", r#"{"records_processed": 0}"#, T),
    ("records_processed != 0", r#"{"records_processed": 0}"#, F),
    ("records_processed ne 0", r#"{"records_processed": 1}"#, T),
    ("rows lt 100", r#"{"rows": 99.999}"#, T),
    ("rows lt 100", r#"{"rows": 100}"#, F),
    ("rows < 100", r#"{"rows": 5}"#, T),
    ("rows le 100", r#"{"rows": 100}"#, T),
    ("rows <= 100", r#"{"rows": 101}"#, F),
    ("rows gt 100", r#"{"rows": 100}"#, F),
    ("rows > 100", r#"{"rows": 1e3}"#, T),
    ("rows ge 100", r#"{"rows": 100.0}"#, T),
    ("rows >= 100", r#"{"rows": 99}"#, F),
    ("100 gt rows", r#"{"rows": 99}"#, T),
    ("0 eq rows", r#"{"rows": 0}"#, T),
    ("ROWS EQ 5 AND NOT rows GT 3", r#"{"ROWS": 5, "rows": 3}"#, T),
    ("rows gt -5", r#"{"rows": -4}"#, T),
    ("rows eq -0", r#"{"rows": 0}"#, T),
    ("rows eq 0", r#"{"rows": -0}"#, T),
    ("rows eq 0", r#"{"rows": -0.0}"#, T),
    ("rows eq 1_000", r#"{"rows": 1000}"#, T),
    ("rows eq 10k", r#"{"rows": 10000}"#, T),
    ("rows eq 2.5M", r#"{"rows": 2500000}"#, T),
    ("rows eq 1G", r#"{"rows": 1000000000}"#, T),
    ("size eq 500MB", r#"{"size": 500000000}"#, T),
    ("size eq 1KB", r#"{"size": 1000}"#, T),
    ("size eq 1GiB", r#"{"size": 1073741824}"#, T),
    ("size ge 2Ki", r#"{"size": 2048}"#, T),
    ("size eq 7B", r#"{"size": 7}"#, T),
    ("share lt 5%", r#"{"share": 0.049}"#, T),
    ("took gt 1h30m", r#"{"took": 5401}"#, T),
    ("took eq 500ms", r#"{"took": 0.5}"#, T),
    ("took lt 1w", r#"{"took": 604799}"#, T),
    // exactness
    ("a + b eq 0.3", r#"{"a": 0.1, "b": 0.2}"#, T),
    ("0.1 + a eq 0.3", r#"{"a": 0.2}"#, T),
    ("n eq 9007199254740993", r#"{"n": 9007199254740993}"#, T),
    ("n eq 9007199254740992", r#"{"n": 9007199254740993}"#, F),
    ("n gt 9007199254740992", r#"{"n": 9007199254740993}"#, T),
    ("n eq 1e400", r#"{"n": 1e400}"#, T),
    ("n gt 1e399", r#"{"n": 1e400}"#, T),
    ("n eq 123456789012345678901234567890.5", r#"{"n": 123456789012345678901234567890.5}"#, T),
    // what is missing
    ("rows lt 100", "{}", U("rows is missing")),
    ("rows lt 100", r#"{"rows": null}"#, U("rows is missing")),
    ("rows lt 100", r#"{"ROWS": 5}"#, U("rows is missing")),
    ("rows missing", "{}", T),
    ("rows missing", r#"{"rows": null}"#, T),
    ("rows missing", r#"{"rows": 0}"#, F),
    ("rows missing", r#"{"rows": ""}"#, F),
    ("rows present", r#"{"rows": 0}"#, T),
    ("rows present", "{}", F),
    ("not rows missing", r#"{"rows": 0}"#, T),
    ("not (rows present)", "{}", T),
    ("rows + 1 gt 0", "{}", U("rows is missing")),
    ("rows in (1, 2)", "{}", U("rows is missing")),
    ("rows contains 5", "{}", U("rows is missing")),
    ("rows matches /5/", "{}", U("rows is missing")),
    ("rows eq total", r#"{"rows": 5}"#, U("total is missing")),
    ("rows eq done", r#"{"rows": "done"}"#, U("write \"done\"")),
    // numbers in texts, and what is no number
    ("rows lt 100", r#"{"rows": "0"}"#, T),
    ("rows lt 100", r#"{"rows": " 12 "}"#, T),
    ("rows eq 0", r#"{"rows": "0"}"#, T),
    ("rows lt 100", r#"{"rows": "12 rows"}"#, U("\"12 rows\" (a text)")),
    ("rows eq 12", r#"{"rows": "12 rows"}"#, U("does not compare")),
    ("rows ne 12", r#"{"rows": "12 rows"}"#, U("does not compare")),
    ("rows lt 100", r#"{"rows": "NaN"}"#, U("\"NaN\" (a text)")),
    ("rows lt 100", r#"{"rows": "Infinity"}"#, U("does not compare")),
    ("rows lt 100", r#"{"rows": "1e999999999"}"#, U("does not compare")),
    ("rows lt 100", r#"{"rows": ""}"#, U("does not compare")),
    ("rows lt 100", r#"{"rows": true}"#, U("true (true or false)")),
    ("rows + 1 gt 5", r#"{"rows": "abc"}"#, U("rows is \"abc\", which is no number")),
    ("rows + 1 gt 5", r#"{"rows": "5"}"#, T),
    ("rows * 2 gt 5", r#"{"rows": true}"#, U("no number")),
    // flags
    ("verified eq true", r#"{"verified": true}"#, T),
    ("verified eq true", r#"{"verified": "true"}"#, T),
    ("verified ne true", r#"{"verified": false}"#, T),
    ("verified eq false", r#"{"verified": 0}"#, U("does not compare")),
    ("verified in (true)", r#"{"verified": true}"#, T),
    // texts
    (r#"state eq "partial""#, r#"{"state": "partial"}"#, T),
    ("state eq 'partial'", r#"{"state": "partial"}"#, T),
    (r#"state eq "Partial""#, r#"{"state": "partial"}"#, F),
    (r#"state eq "partial""#, r#"{"state": 5}"#, F),
    (r#"state ne "partial""#, r#"{"state": 5}"#, T),
    (r#"state eq "5""#, r#"{"state": 5}"#, T),
    (r#"version eq "1.10""#, r#"{"version": "1.1"}"#, F),
    (r#"name lt "b""#, r#"{"name": "abc"}"#, T),
    (r#"name eq "say \"hi\"\n""#, r#"{"name": "say \"hi\"\n"}"#, T),
    (r#"name eq "größe""#, r#"{"name": "größe"}"#, T),
    ("name contains err", r#"{"name": "an error"}"#, T),
    ("name contains \"an e\"", r#"{"name": "an error"}"#, T),
    ("name contains Err", r#"{"name": "an error"}"#, F),
    ("name not contains err", r#"{"name": "fine"}"#, T),
    ("name contains ORA-00942", r#"{"name": "x ORA-00942 y"}"#, T),
    ("name contains 404", r#"{"name": 14045}"#, T),
    ("(name contains err)", r#"{"name": "an error"}"#, T),
    ("name contains meta.part", r#"{"name": "an error", "part": "err"}"#, T),
    ("name starts with an", r#"{"name": "an error"}"#, T),
    ("name starts with \"error\"", r#"{"name": "an error"}"#, F),
    ("name ends with error and name starts with an", r#"{"name": "an error"}"#, T),
    ("name not ends with error", r#"{"name": "an error"}"#, F),
    ("name in (a, b, \"c d\")", r#"{"name": "c d"}"#, T),
    ("name in (a, b)", r#"{"name": "c"}"#, F),
    ("name not in (a, b)", r#"{"name": "c"}"#, T),
    ("code in (1, 2.0, 3k)", r#"{"code": 2}"#, T),
    ("code in (1, 2)", r#"{"code": "2"}"#, T),
    ("code in (1, 2)", r#"{"code": "two"}"#, U("does not compare")),
    ("code in (1, none)", r#"{"code": "two"}"#, F),
    (r"name matches /ORA-\d{5}/", r#"{"name": "x ORA-00942"}"#, T),
    (r"name matches /^ora/i", r#"{"name": "x\nORA-00942"}"#, T),
    (r"name matches /a.b/", r#"{"name": "a\nb"}"#, F),
    (r"name matches /a.b/s", r#"{"name": "a\nb"}"#, T),
    (r"name not matches /x/", r#"{"name": "abc"}"#, T),
    (r"name matches /a\/b[/]c/", r#"{"name": "a/b/c"}"#, T),
    (r#"name matches "^\d+$""#, r#"{"name": 123}"#, T),
    // arithmetic and its order
    ("a + b * 2 eq 7", r#"{"a": 1, "b": 3}"#, T),
    ("(a + b) * 2 eq 8", r#"{"a": 1, "b": 3}"#, T),
    ("a - b - 1 eq 1", r#"{"a": 5, "b": 3}"#, T),
    ("a / b / 2 eq 2", r#"{"a": 12, "b": 3}"#, T),
    ("-a + 5 eq 2", r#"{"a": 3}"#, T),
    ("a - -b eq 5", r#"{"a": 2, "b": 3}"#, T),
    ("a / b gt 0.3", r#"{"a": 1, "b": 3}"#, T),
    ("a / b gt 1", r#"{"a": 1, "b": 0}"#, U("division by zero")),
    ("a * a gt 1", r#"{"a": 1e400}"#, U("too large")),
    ("db.rows.deleted gt db.rows.total * 0.2", r#"{"db": {"rows": {"deleted": 30, "total": 100}}}"#, T),
    (
        "db.rows.deleted gt db.rows.total * 0.2",
        r#"{"db.rows.deleted": 20, "db": {"rows": {"total": 100}}}"#,
        F,
    ),
    // Kleene's logic: x is missing
    ("x eq 1 or a eq 1", r#"{"a": 1}"#, T),
    ("a eq 1 or x eq 1", r#"{"a": 1}"#, T),
    ("x eq 1 or a eq 1", r#"{"a": 2}"#, U("x is missing")),
    ("x eq 1 and a eq 1", r#"{"a": 2}"#, F),
    ("a eq 1 and x eq 1", r#"{"a": 2}"#, F),
    ("x eq 1 and a eq 1", r#"{"a": 1}"#, U("x is missing")),
    ("not x eq 1", "{}", U("x is missing")),
    ("not (x eq 1 and a eq 1)", r#"{"a": 2}"#, T),
    ("x eq 1 and y eq 1", "{}", U("x is missing; y is missing")),
    ("not a eq 1 and a eq 2", r#"{"a": 2}"#, T),
    ("a eq 1 or a eq 2 and a eq 3", r#"{"a": 1}"#, T),
    ("(a eq 1 or a eq 2) and a eq 3", r#"{"a": 1}"#, F),
    ("not a eq 1 and a eq 3", r#"{"a": 2}"#, F),
    ("a eq 2 and a eq 1 or a eq 1", r#"{"a": 1}"#, T),
    ("a + 1 lt 2 and a - 1 ge 0 - 1", r#"{"a": 0}"#, T),
    ("not not a eq 1", r#"{"a": 1}"#, T),
    // names
    ("meta.duration gt 5", r#"{"duration": 6}"#, T),
    ("meta.\"rows written\" gt 5", r#"{"rows written": 6}"#, T),
    ("meta.'rows-written' missing", r#"{"rows written": 6}"#, T),
    ("meta.status eq \"failed\"", r#"{"status": "failed"}"#, T),
    ("größe gt 5", r#"{"größe": 6}"#, T),
    ("_x1.y gt 5", r#"{"_x1": {"y": 6}}"#, T),
    // the plain form takes any name
    ("404 gt 5", r#"{"404": 6}"#, T),
    ("2xx_count lt 5", r#"{"2xx_count": 4}"#, T),
    ("1e5 eq 1", r#"{"1e5": 1}"#, T),
    ("not eq 0", r#"{"not": 0}"#, T),
    ("and ge -1", r#"{"and": 0}"#, T),
    ("contains eq 5", r#"{"contains": 5}"#, T),
    ("missing eq 5", r#"{"missing": 5}"#, T),
    ("true eq 5", r#"{"true": 5}"#, T),
    ("count gt 5", r#"{"count": 6}"#, T),
    ("last gt 5 and sum lt 3", r#"{"last": 6, "sum": 1}"#, T),
    ("older gt 5 or matches gt 5", r#"{"older": 1, "matches": 6}"#, T),
    // status: the run's, where it can be
    (r#"status eq "success""#, "{}", T),
    (r#"status eq "success""#, r#"{"status": "failed"}"#, T),
    (r#"status eq "failed""#, r#"{"status": "failed"}"#, F),
    ("status eq success", "{}", T),
    ("status in (success, failed)", "{}", T),
    (r#"status eq "partial""#, r#"{"status": "partial"}"#, T),
    (r#"status eq "partial""#, "{}", U("meta.status is missing")),
    (r#"status ne "partial""#, r#"{"status": "complete"}"#, T),
    ("status eq 3", r#"{"status": 3}"#, T),
    ("status contains art", r#"{"status": "partial"}"#, T),
    (r#"error_count gt 0 or status eq "partial""#, r#"{"error_count": 0, "status": "partial"}"#, T),
    // points in time in metadata
    ("newest_file older than 2h", r#"{"newest_file": "2026-01-31T09:59:59Z"}"#, T),
    ("newest_file older than 2h", r#"{"newest_file": "2026-01-31T12:00:00+01:00"}"#, F),
    ("newest_file older than 2h", r#"{"newest_file": 1769850000}"#, T),
    ("newest_file older than 2h", r#"{"newest_file": 1769850000000}"#, T),
    ("newest_file older than 2h", r#"{"newest_file": "1769860000"}"#, F),
    ("newest_file older than 2h", r#"{"newest_file": 1e300}"#, U("no point in time")),
    ("newest_file older than 2h", r#"{"newest_file": "yesterday"}"#, U("no point in time")),
    ("newest_file older than 2h", "{}", U("newest_file is missing")),
];

/// Each line: a rule, a whole run, the verdict.
const RUNS: &[(&str, &str, Expected)] = &[
    ("duration gt 2h", r#"{"duration": 7201}"#, T),
    ("duration gt 2h", r#"{"duration": 7200}"#, F),
    ("duration gt 7200", r#"{"duration": 7200.5}"#, T),
    ("duration lt 500ms", r#"{"duration": 0.25}"#, T),
    ("duration gt 2h", "{}", U("duration is not known")),
    ("duration missing", "{}", T),
    (r#"duration gt 2h and not (env eq "staging")"#, r#"{"duration": 9000, "env": "prod"}"#, T),
    (r#"duration gt 2h and not (env eq "staging")"#, r#"{"duration": 9000, "env": "staging"}"#, F),
    (r#"duration gt 2h and not (env eq "staging")"#, r#"{"duration": 9000}"#, U("no environment was told")),
    ("exit_code ne 0", r#"{"exit_code": 3}"#, T),
    ("exit_code in (1, 2)", r#"{"exit_code": 2}"#, T),
    ("exit_code eq 0", "{}", U("no exit code")),
    ("exit_code missing", "{}", T),
    ("env eq staging", r#"{"env": "staging"}"#, T),
    ("host eq db1.example.com", r#"{"host": "db1.example.com"}"#, T),
    ("host ne meta.expected", r#"{"host": "db1", "meta": {"expected": "db2"}}"#, T),
    ("message eq 5", r#"{"message": "5"}"#, T),
    ("message contains fail", "{}", U("no message")),
    (r#"output contains "Traceback""#, r#"{"output": "a\nTraceback (most"}"#, T),
    (r#"output contains "Traceback""#, "{}", F),
    (r#"not (output contains "OK")"#, "{}", T),
    (r"output contains Traceback or output matches /ORA-\d{5}/", r#"{"output": "ORA-00942"}"#, T),
    ("output matches /^done$/", r#"{"output": "a\r\ndone\r\n"}"#, T),
    ("output missing", "{}", T),
    ("output missing", r#"{"output": "x"}"#, F),
    ("output eq 0", r#"{"output": "0\n"}"#, T),
    ("output_size lt 1KB", r#"{"output": "x"}"#, T),
    ("overlaps gt 0", r#"{"overlaps": 2}"#, T),
    ("attempts gt 1", "{}", F),
    (r#"status eq "failed""#, r#"{"status": "failed"}"#, T),
    ("status ne success", r#"{"status": "hung"}"#, T),
];

/// Each line: a text that is refused, where, and why.
const PROBLEMS: &[(&str, Expected)] = &[
    ("", Problem(0, 1, "empty")),
    ("  \n", Problem(0, 1, "empty")),
    ("rows", Problem(0, 4, "expected an operator")),
    ("a gt 5 and rows", Problem(11, 4, "`rows` alone")),
    ("5", Problem(0, 1, "alone")),
    ("rows gt", Problem(7, 1, "expected a value after `gt`")),
    ("rows gt and a eq 1", Problem(8, 3, "found `and`")),
    ("rows gt 5 and", Problem(13, 1, "another comparison after `and`")),
    ("or rows gt 5", Problem(0, 2, "begins with a name")),
    ("duration gtt 10m", Problem(9, 3, "did you mean `gt`")),
    ("rows is 5", Problem(5, 2, "did you mean `eq`")),
    ("rows like 5", Problem(5, 4, "did you mean `contains`")),
    ("rows contians 5", Problem(5, 8, "did you mean `contains`")),
    ("größe gtt 5", Problem(6, 3, "did you mean `gt`")),
    ("rows 5", Problem(5, 1, "expected an operator before `5`")),
    ("rows gt 5 rows lt 9", Problem(10, 4, "expected `and`, `or`")),
    ("rows gt 5 gt 3", Problem(10, 2, "one comparison at a time")),
    ("rows && x", Problem(5, 2, "write `and`")),
    ("rows gt 5 || x lt 3", Problem(10, 2, "write `or`")),
    ("!rows missing", Problem(0, 1, "write `not`")),
    ("rows <> 5", Problem(5, 2, "write `ne`")),
    ("rows =~ /x/", Problem(5, 2, "write `matches")),
    ("rows ; 5", Problem(5, 1, "means nothing")),
    ("$rows gt 5", Problem(0, 1, "means nothing")),
    ("(rows gt 5", Problem(0, 1, "never closed")),
    ("rows gt 5)", Problem(9, 1, "closes nothing")),
    ("a eq 1 and ((rows gt 5)", Problem(11, 1, "never closed")),
    ("()", Problem(1, 1, "after `(`")),
    ("rows gt 1,000", Problem(9, 1, "without commas")),
    ("rows gt .5", Problem(8, 1, "digit before the point")),
    ("duration gt 10 min", Problem(15, 3, "`10m`")),
    ("duration gt 10min", Problem(12, 5, "did you mean `10m`")),
    ("size gt 10gb", Problem(8, 4, "did you mean `10GB`")),
    ("rows gt 10xyz", Problem(8, 5, "unknown unit `xyz`")),
    ("rows gt 1e500", Problem(8, 5, "out of range")),
    ("rows-written eq 0", Problem(0, 12, "two ways")),
    ("rows. gt 5", Problem(0, 5, "not with a point")),
    ("meta.\"\" gt 5", Problem(0, 7, "empty")),
    ("name eq \"abc", Problem(8, 1, "no closing")),
    ("name eq “abc”", Problem(8, 1, "straight quotes")),
    (r#"path eq "C:\data""#, Problem(11, 2, "backslash")),
    ("name contains", Problem(13, 1, "expected a text")),
    ("name starts \"x\"", Problem(5, 6, "starts with")),
    ("name matches", Problem(12, 1, "between slashes")),
    ("name matches x", Problem(13, 1, "between slashes")),
    ("name matches /x", Problem(13, 1, "no closing")),
    ("name matches /x/q", Problem(16, 1, "not a flag")),
    ("name matches //", Problem(13, 2, "empty")),
    ("name matches /ö(b/", Problem(15, 1, "unclosed group")),
    (r"name matches /(a)\1/", Problem(17, 1, "backreferences")),
    (r"name matches /(?=a)/", Problem(14, 1, "look-ahead")),
    (r"name matches /(\w{100}){100}/", Problem(13, 16, "too big")),
    (
        "a matches /1/ or a matches /2/ or a matches /3/ or a matches /4/ or a matches /5/ or a matches /6/",
        Problem(95, 3, "at most five"),
    ),
    ("rows in 5", Problem(8, 1, "in brackets")),
    ("rows in ()", Problem(9, 1, "expected a value in the list")),
    ("rows in (1,)", Problem(11, 1, "expected a value in the list")),
    ("rows in (1 2)", Problem(11, 1, "expected `,`")),
    ("rows in (1, meta.x)", Problem(12, 6, "fixed values")),
    ("rows eq null", Problem(8, 4, "rows missing")),
    ("(a gt 5) + 1 eq 2", Problem(0, 8, "no value")),
    ("\"abc\" + rows eq 2", Problem(0, 5, "no number")),
    ("(1 + 1) eq 2", Problem(0, 12, "two fixed values")),
    ("rows / 0 gt 1", Problem(7, 1, "divides by zero")),
    ("verified gt true", Problem(12, 4, "no order")),
    ("exit_code eq true", Problem(13, 4, "never compare")),
    ("exit_code eq \"bad\"", Problem(13, 5, "never compare")),
    ("duration gt 10M", Problem(12, 3, "millions")),
    ("duration gt 500MB", Problem(12, 5, "size in bytes")),
    ("output_size gt 5m", Problem(15, 2, "length of time")),
    ("exit_code gt 5m", Problem(13, 2, "a count")),
    ("duration + output_size gt 5", Problem(11, 11, "do not add up")),
    ("duration contains 5", Problem(0, 8, "no text")),
    ("output_size missing", Problem(0, 11, "meta.output_size")),
    ("5 missing", Problem(0, 1, "only a name")),
    ("status eq \"faild\"", Problem(10, 7, "did you mean \"failed\"")),
    ("status eq fail", Problem(10, 4, "did you mean \"failed\"")),
    ("status in (success, partial)", Problem(0, 6, "meta.status")),
    ("last_success gt 5", Problem(0, 12, "older than 26h")),
    ("last_success older than 26", Problem(24, 2, "`26h`")),
    ("last_success older 26h", Problem(13, 5, "older than")),
    ("duration older than 26h", Problem(0, 8, "not a point in time")),
    ("mean(rows, 5) gt 1", Problem(0, 4, "did you mean `avg`")),
    ("frobnicate(rows) gt 1", Problem(0, 10, "unknown function")),
    ("avg(rows) gt 1", Problem(0, 9, "avg(rows, 14)")),
    ("avg(rows + 1, 5) gt 1", Problem(4, 8, "one name")),
    ("avg(rows, 0) gt 1", Problem(10, 1, "1 to 500")),
    ("avg(rows, 2.5) gt 1", Problem(10, 3, "1 to 500")),
    ("avg(rows, 501) gt 1", Problem(10, 3, "1 to 500")),
    ("avg(rows, 400d) gt 1", Problem(10, 4, "366d")),
    ("avg(rows, x) gt 1", Problem(10, 1, "14 or 7d")),
    ("avg(env, 5) gt 1", Problem(4, 3, "no number")),
    ("avg(rows 5) gt 1", Problem(9, 1, "expected `,`")),
    ("avg(rows, 5 gt 1", Problem(12, 2, "expected `,`")),
    ("prev(rows, 2) gt 1", Problem(0, 13, "one name")),
    ("prev(output) eq output", Problem(5, 6, "cannot be read")),
    ("prev(status) eq \"failed\"", Problem(5, 6, "count(failed, 24h)")),
    ("count(fail, 24h) ge 3", Problem(6, 4, "did you mean `failed`")),
    ("count(failed) ge 3", Problem(0, 13, "count(failed, 24h)")),
    ("count(failed, 24h) ge 3h", Problem(22, 2, "a count")),
];

fn check(rule: &str, run: &Run, expected: &Expected) -> Result<(), String> {
    let parsed = Condition::parse(rule);
    let (truth, reason) = match expected {
        T => (Truth::True, ""),
        F => (Truth::False, ""),
        U(reason) => (Truth::Unknown, *reason),
        Problem(at, len, message) => {
            let Err(problems) = parsed else { return Err("was accepted".to_owned()) };
            let first = &problems[0];
            let right = first.at == Some(*at) && first.len == *len && first.message.contains(message);
            return if right { Ok(()) } else { Err(format!("{}\n{first:?}", first.with_caret(rule))) };
        }
    };
    let condition = parsed
        .map_err(|problems| problems.iter().map(|problem| problem.with_caret(rule)).collect::<String>())?;
    let verdict = judge(&condition, std::slice::from_ref(run), noon());
    let why = verdict.why.as_deref().unwrap_or_default();
    if verdict.truth == truth && why.contains(reason) && (truth == Truth::False) == verdict.why.is_none() {
        Ok(())
    } else {
        Err(format!("{verdict:?}"))
    }
}

#[test]
fn texts_and_runs_to_verdicts() {
    let json = |text: &str| serde_json::from_str(text).expect("JSON");
    let metas = META.iter().map(|(rule, meta, expected)| {
        (*rule, Run::of_json(&serde_json::json!({ "meta": json(meta) })), expected)
    });
    let runs = RUNS.iter().map(|(rule, run, expected)| (*rule, Run::of_json(&json(run)), expected));
    let problems = PROBLEMS.iter().map(|(rule, expected)| (*rule, Run::default(), expected));
    let wrong: Vec<String> = metas
        .chain(runs)
        .chain(problems)
        .filter_map(|(rule, run, expected)| {
            check(rule, &run, expected).err().map(|wrong| format!("{rule}\n    {:?}\n    {wrong}", run.meta))
        })
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn all_problems_are_told_at_once() {
    let rule = "rows gtt 5 and duration gt 500MB or mean(rows, 5) gt 1 and name eq \"x";
    let problems = Condition::parse(rule).unwrap_err();
    let places: Vec<_> = problems.iter().map(|problem| problem.at.unwrap()).collect();
    assert_eq!(places, [5, 27, 36, 67], "{problems:?}");
}

#[test]
fn limits_hold() {
    let long = format!("rows gt {}", "1".repeat(1_000));
    assert_eq!(Condition::parse(&long).unwrap_err()[0].at, Some(1_000));
    let deep = |depth: usize| format!("{}rows gt 5{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Condition::parse(&deep(32)).is_ok());
    let problems = Condition::parse(&deep(33)).unwrap_err();
    assert_eq!((problems.len(), problems[0].at), (1, Some(32)), "{problems:?}");
    assert!(Condition::parse(&format!("{} rows gt 5", "not ".repeat(200))).is_err());
    assert!(Condition::parse(&format!("{}1 eq rows", "- ".repeat(400))).is_err());
    // A long chain is not deep.
    assert!(Condition::parse(&vec!["a eq 1"; 80].join(" or ")).is_ok());
    assert!(Condition::parse(&format!("{} gt 1", vec!["a"; 240].join(" + "))).is_ok());
    let calls: Vec<String> = (1..=9).map(|runs| format!("avg(a, {runs}) gt 1")).collect();
    assert!(Condition::parse(&calls.join(" or ")).unwrap_err()[0].message.contains("8 different calls"));
    let tests = vec!["output contains x"; 13].join(" or ");
    assert!(Condition::parse(&tests).unwrap_err()[0].message.contains("12 times"));
}
