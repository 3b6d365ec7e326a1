//! Asks the server whether it takes statements, by the first messages of PostgreSQL's protocol (version 3).

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::connection::{Connection, DATABASE, USER};

/// Logs in and leaves again. The error is what the server, or the system in its place, said.
pub(crate) fn ask(connection: &Connection) -> Result<(), String> {
    let mut stream = UnixStream::connect(connection.socket()).map_err(|error| error.to_string())?;
    converse(&mut stream).map_err(|error| error.to_string())?
}

fn converse(stream: &mut UnixStream) -> io::Result<Result<(), String>> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    stream.write_all(&startup_message())?;
    loop {
        let (kind, body) = message(stream)?;
        match kind {
            b'Z' => {
                stream.write_all(&[b'X', 0, 0, 0, 4])?;
                return Ok(Ok(()));
            }
            b'E' => return Ok(Err(text_of_error(&body))),
            _ => {} // authentication is fine, parameters, key
        }
    }
}

fn startup_message() -> Vec<u8> {
    let mut body = 196_608_u32.to_be_bytes().to_vec(); // 3.0
    for word in ["user", USER, "database", DATABASE, "application_name", "watchclock start", ""] {
        body.extend_from_slice(word.as_bytes());
        body.push(0);
    }
    let length = u32::try_from(body.len() + 4).expect("the message is short");
    [&length.to_be_bytes()[..], &body].concat()
}

fn message(stream: &mut impl Read) -> io::Result<(u8, Vec<u8>)> {
    let mut kind = [0];
    let mut length = [0; 4];
    stream.read_exact(&mut kind)?;
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if !(4..=65_536).contains(&length) {
        return Err(io::Error::other("not a PostgreSQL server"));
    }
    let mut body = vec![0; (length - 4) as usize];
    stream.read_exact(&mut body)?;
    Ok((kind[0], body))
}

/// The field `M` of an error's fields, each one letter and a text.
fn text_of_error(body: &[u8]) -> String {
    body.split(|&byte| byte == 0).find_map(|field| field.strip_prefix(b"M")).map_or_else(
        || "an error without words".to_owned(),
        |text| String::from_utf8_lossy(text).into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_errors_and_refuses_nonsense() {
        let body = b"SFATAL\0C57P03\0Mthe database system is starting up\0\0";
        assert_eq!(text_of_error(body), "the database system is starting up");
        assert!(message(&mut &b"HTTP/1.1 400"[..]).is_err());
    }
}
