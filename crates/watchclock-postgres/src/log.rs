//! The one way out for log lines, shared between threads, with the last lines kept for error messages.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::settings::LogSink;

/// Enough to show why PostgreSQL refused to start.
const KEPT_LINES: usize = 12;

#[derive(Clone)]
pub(crate) struct Log {
    shared: Arc<Mutex<(LogSink, VecDeque<String>)>>,
}

impl Log {
    pub(crate) fn new(sink: LogSink) -> Self {
        Self { shared: Arc::new(Mutex::new((sink, VecDeque::new()))) }
    }

    pub(crate) fn line(&self, line: &str) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if shared.1.len() == KEPT_LINES {
            shared.1.pop_front();
        }
        shared.1.push_back(line.to_owned());
        (shared.0)(line);
    }

    /// The last lines, joined for a sentence.
    pub(crate) fn tail(&self) -> String {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = shared.1.iter().map(String::as_str).collect();
        if lines.is_empty() { "none".to_owned() } else { lines.join(" | ") }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}
