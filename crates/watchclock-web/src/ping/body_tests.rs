//! Cases for [`super`]: bodies as streams, packed, broken, endless and slow.

use std::{convert::Infallible, io::Write as _};

use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};
use futures_util::stream;

use super::*;
use crate::ping::unpack::MAX_UNPACKED;

fn streamed(pieces: Vec<Vec<u8>>) -> Body {
    Body::from_stream(stream::iter(pieces.into_iter().map(Ok::<_, Infallible>)))
}

async fn read_as(body: Body, encoding: Option<&str>) -> (Kept, Vec<String>) {
    let mut headers = HeaderMap::new();
    if let Some(encoding) = encoding {
        headers.insert(CONTENT_ENCODING, encoding.parse().unwrap());
    }
    let mut notes = Notes::default();
    let patience = Patience { idle: Duration::from_millis(100), total: Duration::from_secs(20) };
    let kept = read(body, &headers, 1_000, patience, &mut notes).await;
    (kept, notes.into_sentences())
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// A megabyte that does not compress to nothing.
fn noise() -> Vec<u8> {
    let mut state = 1_u32;
    std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'a' + u8::try_from(state >> 28).unwrap()
    })
    .take(1_000_000)
    .collect()
}

#[tokio::test]
async fn plain_bodies() {
    for pieces in [
        vec![],
        vec![vec![]],
        vec![b"a".to_vec()],
        vec![b"ab".to_vec(), vec![], b"c".to_vec(), b"def".to_vec()],
    ] {
        let whole = pieces.concat();
        let (kept, notes) = read_as(streamed(pieces), None).await;
        assert_eq!(kept.whole(), Some(whole.as_slice()));
        assert!(notes.is_empty());
    }
    assert!(read_as(Body::empty(), Some("gzip")).await.0.is_empty());
}

#[tokio::test]
async fn fifty_megabytes_go_by() {
    let pieces = (0..800).map(|i| Ok::<_, Infallible>(vec![b'a' + u8::try_from(i % 26).unwrap(); 65_536]));
    let (kept, notes) = read_as(Body::from_stream(stream::iter(pieces)), None).await;
    assert_eq!((kept.size(), kept.whole()), (800 * 65_536, None));
    let output = kept.into_output();
    assert_eq!((output.tail.len(), output.cut), (1_000, 800 * 65_536 - 1_000));
    assert!(notes.is_empty());
}

#[tokio::test]
async fn packed_bodies_are_unpacked() {
    let text = noise();
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(&text).unwrap();
    let zlib = zlib.finish().unwrap();
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
    deflate.write_all(&text).unwrap();
    let deflate = deflate.finish().unwrap();
    let (first, second) = text.split_at(1_234);
    let two_members = [gzip(first), gzip(second)].concat();
    for (packed, encoding) in [
        (gzip(&text), Some("gzip")),
        (gzip(&text), Some(" X-GZIP ")),
        (gzip(&text), None),
        (gzip(&text), Some("identity")),
        (two_members, None),
        (zlib, Some("deflate")),
        (deflate, Some("Deflate")),
    ] {
        for size in [1_000, 70_000, packed.len()] {
            let pieces = packed.chunks(size).map(<[u8]>::to_vec).collect();
            let (kept, notes) = read_as(streamed(pieces), encoding).await;
            assert!(kept.whole() == Some(&text), "{encoding:?} {size}");
            assert!(notes.is_empty(), "{notes:?}");
        }
    }
    let byte_by_byte = gzip(b"rows=5").into_iter().map(|b| vec![b]).collect();
    assert_eq!(read_as(streamed(byte_by_byte), None).await.0.whole(), Some(&b"rows=5"[..]));
}

#[tokio::test]
async fn a_large_packed_body_keeps_its_end() {
    let mut text = noise().repeat(3);
    text.extend_from_slice(b"\nwatchclock: rows=5\nthe end");
    let (mut kept, notes) = read_as(streamed(vec![gzip(&text)]), None).await;
    assert!(notes.is_empty());
    let large = kept.take_large().unwrap();
    assert_eq!(large.lines.meta.finish(&mut Notes::default()).len(), 1);
    let output = kept.into_output();
    assert_eq!((output.size(), output.tail.as_slice()), (text.len() as u64, &text[text.len() - 1_000..]));
}

#[tokio::test]
async fn broken_packed_bodies_are_kept() {
    // Broken at the start: as it came.
    let mut packed = gzip(b"hello");
    packed[10] = 0xff;
    let (kept, notes) = read_as(streamed(vec![packed.clone()]), Some("gzip")).await;
    assert_eq!(kept.whole(), Some(packed.as_slice()));
    assert_eq!(notes, ["compressed body is broken; kept as it came"]);

    // Ended early: what was readable.
    let text = noise();
    let mut packed = gzip(&text);
    packed.truncate(packed.len() / 2);
    let (kept, notes) = read_as(streamed(vec![packed]), None).await;
    let readable = kept.whole().unwrap();
    assert!(readable.len() > 100_000 && text.starts_with(readable));
    assert_eq!(
        notes,
        [format!("compressed body is broken; its first {} bytes were readable", readable.len())]
    );

    // Broken in the middle, a wrong sum at the end, garbage after the end.
    let packed = gzip(&text);
    for at in [packed.len() / 2, packed.len() - 6] {
        let mut packed = packed.clone();
        packed[at] ^= 0xff;
        let (kept, _) = read_as(streamed(vec![packed]), None).await;
        assert!(!kept.is_empty());
    }
    let garbage = [gzip(b"hello"), b"garbage".to_vec()].concat();
    let (kept, notes) = read_as(streamed(vec![garbage]), None).await;
    assert_eq!((kept.whole(), notes.len()), (Some(&b"hello"[..]), 1));

    // Nothing behind the header.
    for length in 3..18 {
        let packed = gzip(b"").into_iter().take(length).collect::<Vec<_>>();
        let (kept, _) = read_as(streamed(vec![packed.clone()]), None).await;
        assert_eq!(kept.whole(), Some(packed.as_slice()), "{length}");
    }
}

#[tokio::test]
async fn encodings_that_are_not_so() {
    for (body, encoding) in [
        ("{\"rows\":0}", "gzip"),
        ("{\"rows\":0}", "deflate"),
        ("{\"rows\":0}", "br"),
        ("{\"rows\":0}", "gzip, br"),
    ] {
        let (kept, notes) = read_as(Body::from(body), Some(encoding)).await;
        assert_eq!((kept.whole(), notes.len()), (Some(body.as_bytes()), 1), "{encoding} {notes:?}");
    }
}

#[tokio::test]
async fn a_bomb_stops() {
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..(MAX_UNPACKED / 1_048_576 + 10) {
        bomb.write_all(&vec![0; 1_048_576]).unwrap();
    }
    let (kept, notes) = read_as(Body::from(bomb.finish().unwrap()), None).await;
    assert_eq!(kept.size(), MAX_UNPACKED);
    assert_eq!(notes, ["body unpacked to 200 MB only, the rest dropped"]);
}

#[tokio::test]
async fn a_body_that_breaks_off() {
    let pieces = vec![Ok("half of it"), Err(std::io::Error::other("gone"))];
    let (kept, notes) = read_as(Body::from_stream(stream::iter(pieces)), None).await;
    assert_eq!(kept.whole(), Some(&b"half of it"[..]));
    assert_eq!(notes, ["body broke off after 10 bytes"]);

    let packed = gzip(&noise());
    let pieces = vec![Ok(packed[..100_000].to_vec()), Err(std::io::Error::other("gone"))];
    let (kept, notes) = read_as(Body::from_stream(stream::iter(pieces)), None).await;
    assert!(noise().starts_with(kept.whole().unwrap()) && !kept.is_empty());
    assert_eq!(notes.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_never_ends() {
    let first = stream::iter([Ok::<_, Infallible>("first")]).chain(stream::pending());
    let (kept, notes) = read_as(Body::from_stream(first), None).await;
    assert_eq!(kept.whole(), Some(&b"first"[..]));
    assert_eq!(notes, ["body took too long; the first 5 bytes were read"]);

    // One byte at a time, always just in time, until patience ends altogether.
    let drops = stream::unfold((), |()| async {
        tokio::time::sleep(Duration::from_millis(90)).await;
        Some((Ok::<_, Infallible>("x"), ()))
    });
    let (kept, notes) = read_as(Body::from_stream(drops), None).await;
    assert!((200..=230).contains(&kept.size()), "{}", kept.size());
    assert_eq!(notes.len(), 1);
}
