//! Decompresses a body while it streams by, within bounds; what comes out is kept by [`super::kept`].

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use super::{kept::Kept, notes::Notes};

/// Where decompression stops. A bomb costs this much work and no memory.
pub(super) const MAX_UNPACKED: u64 = 200 * 1024 * 1024;
/// Packed bytes that are unpacked in one go: at most a thousand times as much comes out.
pub(super) const STEP: usize = 4 * 1024;

/// How a body says that it is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Gzip,
    Deflate,
}

/// A decompressor that writes into what is kept.
#[derive(Debug)]
pub(super) struct Unpacker {
    decoder: Decoder,
    /// Why it stopped before the end.
    stopped: Option<Stopped>,
}

#[derive(Debug)]
enum Decoder {
    Gzip(MultiGzDecoder<Bounded>),
    Zlib(ZlibDecoder<Bounded>),
    Deflate(DeflateDecoder<Bounded>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopped {
    Broken,
    TooLarge,
}

impl Unpacker {
    /// Chooses by what the first bytes are: `Content-Encoding: deflate` means zlib to some and raw deflate to others.
    /// None if they are no such thing at all.
    pub(super) fn of(encoding: Encoding, first: &[u8], limit: usize) -> Option<Self> {
        let into = Bounded { kept: Kept::new(limit), left: MAX_UNPACKED };
        let decoder = match (encoding, first) {
            (Encoding::Gzip, first) if is_gzip(first) => Decoder::Gzip(MultiGzDecoder::new(into)),
            (Encoding::Gzip, _) => return None,
            (Encoding::Deflate, [a, b, ..])
                if a & 0x0f == 8 && (u16::from(*a) << 8 | u16::from(*b)) % 31 == 0 =>
            {
                Decoder::Zlib(ZlibDecoder::new(into))
            }
            (Encoding::Deflate, _) => Decoder::Deflate(DeflateDecoder::new(into)),
        };
        Some(Self { decoder, stopped: None })
    }

    /// Unpacks some more, at most [`STEP`] bytes at a time for the sake of others.
    pub(super) fn push(&mut self, packed: &[u8]) {
        if self.stopped.is_some() {
            return;
        }
        let written = match &mut self.decoder {
            Decoder::Gzip(decoder) => decoder.write_all(packed),
            Decoder::Zlib(decoder) => decoder.write_all(packed),
            Decoder::Deflate(decoder) => decoder.write_all(packed),
        };
        self.stopped = written.err().map(|_| self.why());
    }

    /// What came out, if anything did.
    pub(super) fn finish(mut self, notes: &mut Notes) -> Option<Kept> {
        if self.stopped.is_none() {
            let finished = match &mut self.decoder {
                Decoder::Gzip(decoder) => decoder.try_finish(),
                Decoder::Zlib(decoder) => decoder.try_finish(),
                Decoder::Deflate(decoder) => decoder.try_finish(),
            };
            self.stopped = finished.err().map(|_| self.why());
        }
        let into = self.bounded();
        let kept = std::mem::replace(&mut into.kept, Kept::new(0));
        match self.stopped {
            Some(Stopped::TooLarge) => {
                notes.add(format!(
                    "body unpacked to {} MB only, the rest dropped",
                    MAX_UNPACKED / 1024 / 1024
                ));
            }
            // Raw deflate has no mark and no sum of its own: if it breaks, it may have been something else from the start.
            Some(Stopped::Broken) if kept.is_empty() || matches!(self.decoder, Decoder::Deflate(_)) => {
                notes.add("compressed body is broken; kept as it came");
                return None;
            }
            Some(Stopped::Broken) => {
                notes
                    .add(format!("compressed body is broken; its first {} bytes were readable", kept.size()));
            }
            None => {}
        }
        Some(kept)
    }

    fn why(&mut self) -> Stopped {
        if self.bounded().left == 0 { Stopped::TooLarge } else { Stopped::Broken }
    }

    fn bounded(&mut self) -> &mut Bounded {
        match &mut self.decoder {
            Decoder::Gzip(decoder) => decoder.get_mut(),
            Decoder::Zlib(decoder) => decoder.get_mut(),
            Decoder::Deflate(decoder) => decoder.get_mut(),
        }
    }
}

/// Whether these bytes begin a gzip stream.
pub(super) fn is_gzip(first: &[u8]) -> bool {
    first.starts_with(&[0x1f, 0x8b, 8])
}

/// Keeps what is written, until too much was.
#[derive(Debug)]
struct Bounded {
    kept: Kept,
    left: u64,
}

impl Write for Bounded {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let fits = piece.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.kept.push(&piece[..fits]);
        self.left -= fits as u64;
        if fits < piece.len() { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(fits) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
