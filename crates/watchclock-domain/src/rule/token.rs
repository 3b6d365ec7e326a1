//! The words of a rule's text. Neighbours: [`super::lexer`] finds them, [`super::parser`] reads them.

use super::units::Literal;

/// A comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    pub(super) const ALL: [Self; 6] = [Self::Eq, Self::Ne, Self::Lt, Self::Le, Self::Gt, Self::Ge];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::Ne => "ne",
            Self::Lt => "lt",
            Self::Le => "le",
            Self::Gt => "gt",
            Self::Ge => "ge",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|comparison| comparison.word().eq_ignore_ascii_case(word))
    }

    /// The comparison that is true when this one is false.
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Ge => Self::Lt,
            Self::Gt => Self::Le,
            Self::Le => Self::Gt,
        }
    }

    /// The comparison that is true when the two sides change places.
    pub(super) fn mirrored(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Gt => Self::Lt,
            Self::Le => Self::Ge,
            Self::Ge => Self::Le,
            same => same,
        }
    }
}

/// Everything that may stand after a value, for messages and hints.
pub(super) const OPERATORS: &[&str] = &[
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "contains",
    "starts with",
    "ends with",
    "matches",
    "in",
    "missing",
    "present",
    "older than",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a word of the language; which of them, its place tells.
    Word(String),
    /// A metadata key, said to be one: `meta.duration`, `meta."rows written"`.
    Key(String),
    Number(Literal),
    /// Begins like a number but is none: `2xx_count`, `10min`. The unit begins at this byte of the token.
    Digits(usize),
    Text(String),
    /// What stands after `contains` without quotes.
    Bare(String),
    Pattern {
        source: String,
        ignore_case: bool,
        dot_all: bool,
    },
    Comparison(Comparison),
    Plus,
    Minus,
    Star,
    Slash,
    Open,
    Close,
    Comma,
    /// Something whose problem is told already.
    Bad,
    End,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// Bytes of the text that it covers.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    /// The word, if it is one that may be of the language.
    pub(super) fn word(&self) -> Option<&str> {
        match &self.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.word().is_some_and(|mine| mine.eq_ignore_ascii_case(word))
    }

    /// Whether a value may end with this token, so that an operator may follow.
    pub(super) fn ends_value(&self) -> bool {
        match &self.kind {
            TokenKind::Word(word) => {
                !["and", "or", "not"].iter().any(|other| word.eq_ignore_ascii_case(other))
                    && Comparison::from_word(word).is_none()
            }
            TokenKind::Key(_)
            | TokenKind::Number(_)
            | TokenKind::Digits(_)
            | TokenKind::Text(_)
            | TokenKind::Bare(_)
            | TokenKind::Close
            | TokenKind::Bad => true,
            _ => false,
        }
    }
}
