//! A raw HTTP/1.1 connection, for what a well-behaved client would never send. Neighbour: `world` calls the server without a socket.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

/// Longer than any answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// What came back.
#[derive(Debug, Clone)]
pub struct RawReply {
    pub status: u16,
    /// Everything before the body, as it came.
    pub head: String,
    pub body: String,
}

impl RawReply {
    /// A header's value, in whatever case it came.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Sends these bytes and reads what comes until the server closes; send `Connection: close` with them.
pub async fn exchange(to: SocketAddr, request: &[u8]) -> RawReply {
    exchange_parts(to, &[request]).await
}

/// Sends these parts one after the other and reads what comes.
pub async fn exchange_parts(to: SocketAddr, parts: &[&[u8]]) -> RawReply {
    let talking = async {
        let mut stream = TcpStream::connect(to).await.expect("the server listens");
        let (mut reader, mut writer) = stream.split();
        let sending = async {
            for part in parts {
                // A server may answer and close before it has read everything.
                if writer.write_all(part).await.is_err() {
                    return;
                }
                let _ = writer.flush().await;
            }
        };
        let mut answer = Vec::new();
        let reading = reader.read_to_end(&mut answer);
        let ((), read) = tokio::join!(sending, reading);
        if answer.is_empty() {
            read.expect("the server answers");
        }
        answer
    };
    let answer = timeout(PATIENCE, talking).await.expect("the server answers and closes in time");
    let text = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    RawReply {
        status: status.unwrap_or_else(|| panic!("no status in {head:?}")),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

/// The bytes of a POST with a body of known length.
pub fn post(path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let length = body.len().to_string();
    let ours = [("Host", "watchclock"), ("Connection", "close"), ("Content-Length", &length)];
    let headers: Vec<String> =
        ours.iter().chain(headers).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let headers = headers.concat();
    let request = format!("POST {path} HTTP/1.1\r\n{headers}\r\n");
    [request.as_bytes(), body].concat()
}
