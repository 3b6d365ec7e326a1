//! Random expressions in zones with unusual clock changes, against the walk over real minutes.
