//! HTTP of Watchclock: pings, pages and APIs; neighbour: `watchclock-service` decides, this room only speaks.

pub mod assets;
pub mod pages;
