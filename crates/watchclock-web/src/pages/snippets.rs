//! How a job pings its monitor, ready to paste: curl, crontab, bash, Python, Node, and our own wrapper.

/// One way to ping.
#[derive(Debug, Clone)]
pub struct Snippet {
    /// Part of ids in the page: `curl`.
    pub key: &'static str,
    /// On the tab.
    pub name: &'static str,
    /// One sentence above the code: when to take this one.
    pub note: &'static str,
    /// The text to copy, with the monitor's real URL in it.
    pub code: String,
}

/// All ways, for the ping URL of one monitor (without a slash at its end).
pub fn snippets(ping_url: &str) -> Vec<Snippet> {
    let fill = |text: &str| text.replace(PLACE, ping_url);
    [
        (
            "curl",
            "curl",
            "At the end of a job that went well. Numbers in the body become metadata that rules can judge.",
            CURL,
        ),
        ("crontab", "crontab", "One line: the exit code of the job becomes the result of the run.", CRONTAB),
        (
            "bash",
            "bash",
            "With a run id, so that runs that overlap are never mixed up, and with the output.",
            BASH,
        ),
        ("python", "Python", "Standard library only; a ping that fails never breaks the job.", PYTHON),
        ("node", "Node", "Built-in fetch; a ping that fails never breaks the job.", NODE),
    ]
    .map(|(key, name, note, code)| Snippet { key, name, note, code: fill(code).trim().to_owned() })
    .into()
}

/// Where the ping URL goes; nothing that any of the languages reads.
const PLACE: &str = "PING-URL";

const CURL: &str = r"
curl -fsS -m 10 --retry 5 -o /dev/null PING-URL -d records_processed=1204
";

const CRONTAB: &str = r"
0 3 * * *  /usr/local/bin/job; curl -fsS -m 10 --retry 5 -o /dev/null PING-URL/$?
";

const BASH: &str = r#"
url=PING-URL
rid=$(cat /proc/sys/kernel/random/uuid)
ping() { curl -fsS -m 10 --retry 5 -o /dev/null -w '%{http_code}' "$@" || true; }

# 409: another run is active, and the monitor refuses two at once.
[ "$(ping "$url/start?rid=$rid")" = 409 ] && exit 0
output=$(/usr/local/bin/job 2>&1); code=$?
printf '%s' "$output" | ping --data-binary @- "$url/$code?rid=$rid" > /dev/null
exit $code
"#;

const PYTHON: &str = r#"
import json, sys, urllib.request, uuid

URL, RID = "PING-URL", uuid.uuid4()

def ping(signal, **meta):
    body = json.dumps({"meta": meta}).encode() if meta else None
    try:
        return urllib.request.urlopen(f"{URL}/{signal}?rid={RID}", data=body, timeout=10).status
    except OSError as error:
        return getattr(error, "code", None)

if ping("start") == 409:
    sys.exit()  # another run is active, and the monitor refuses two at once
try:
    rows = job()
except BaseException:
    ping("fail")
    raise
ping("success", records_processed=rows)
"#;

const NODE: &str = r#"
const url = "PING-URL", rid = crypto.randomUUID();

const ping = (signal, meta) =>
  fetch(`${url}/${signal}?rid=${rid}`, {
    method: "POST",
    body: JSON.stringify({ meta }),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => {});

// 409: another run is active, and the monitor refuses two at once.
if ((await ping("start"))?.status === 409) process.exit();
try {
  const rows = await job();
  await ping("success", { records_processed: rows });
} catch (error) {
  await ping("fail", { error: String(error) });
  throw error;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_snippet_names_the_monitor() {
        for snippet in snippets("https://watch.example.com/ping/0190") {
            assert_eq!(
                snippet.code.matches("https://watch.example.com/ping/0190").count(),
                1,
                "{}",
                snippet.key
            );
            assert!(!snippet.code.contains(PLACE), "{}", snippet.key);
        }
    }

    #[test]
    fn whatever_starts_a_run_heeds_a_refusal() {
        for snippet in snippets("https://watch.example.com/ping/0190") {
            let starts = snippet.code.contains("start");
            assert_eq!(starts, snippet.code.contains("409"), "{}", snippet.key);
        }
    }

    #[test]
    fn what_a_language_fills_in_itself_stays() {
        let all: String =
            snippets("https://watch.example.com/ping/0190").into_iter().map(|one| one.code).collect();
        for own in
            ["`${url}/${signal}?rid=${rid}`", "f\"{URL}/{signal}?rid={RID}\"", "\"$url/$code?rid=$rid\""]
        {
            assert!(all.contains(own), "{own}");
        }
    }
}
