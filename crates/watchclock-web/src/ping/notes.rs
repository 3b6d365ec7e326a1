//! What was dropped, cut or not believed, one sentence each; they end on [`watchclock_domain::ping::Ping::notes`].

/// Most sentences of one ping; the rest is only counted.
const MAX_NOTES: usize = 20;

/// A bounded list of sentences.
#[derive(Debug, Default)]
pub(super) struct Notes {
    kept: Vec<String>,
    more: usize,
}

impl Notes {
    pub(super) fn add(&mut self, note: impl Into<String>) {
        if self.kept.len() < MAX_NOTES {
            self.kept.push(note.into());
        } else {
            self.more += 1;
        }
    }

    pub(super) fn append(&mut self, other: Self) {
        for note in other.kept {
            self.add(note);
        }
        self.more += other.more;
    }

    pub(super) fn into_sentences(mut self) -> Vec<String> {
        if self.more > 0 {
            self.kept.push(format!("and {} more of this kind", self.more));
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_it_does_not_keep() {
        let mut notes = Notes::default();
        for i in 0..30 {
            notes.add(format!("{i}"));
        }
        let sentences = notes.into_sentences();
        assert_eq!(sentences.len(), 21);
        assert_eq!(sentences[20], "and 10 more of this kind");
    }
}
