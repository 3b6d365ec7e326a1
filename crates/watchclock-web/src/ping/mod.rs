//! What a job sends, decoded: from the bytes of a request to a [`watchclock_domain::ping::Ping`]; recording it is the
//! service's concern.
//!
//! A ping never breaks a job and is never lost for a formality. So [`Address::parse`] alone may refuse; [`decode`] takes
//! whatever comes and notes on the ping what it could not believe, keep or understand.
//!
//! On the way in: [`Address`] (path) and [`decode`] (query, headers, body). The body is read to its end, unpacked and cut
//! while it streams, and only then understood: as JSON, as form text, or as output with marked lines in it.

mod address;
mod body;
mod clean;
mod content;
mod decode;
pub(crate) mod door;
mod form;
mod json;
mod json_text;
mod kept;
mod lines;
mod meta;
mod notes;
mod params;
mod query;
mod run_id;
mod signal;
mod source;
mod stamp;
mod unpack;

pub use address::{Action, Address, BadAddress, Target};
pub use body::Patience;
pub use decode::{Decoded, Request, Settings, decode};
pub use query::CreateRequest;
pub use source::client;
