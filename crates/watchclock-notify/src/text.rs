//! Makes any text harmless to print: a job's output, names and summaries come from outside and may hold anything.

/// How much of a job's output a message carries, in bytes.
pub(crate) const TAIL_BYTES: usize = 10_000;

/// One printable line: control characters and line ends become spaces, invisible direction marks go, runs of
/// spaces shrink, and more than `limit` characters end in `…`.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    // the double limit leaves room for what is squeezed out without reading a megabyte
    let printable = text.chars().take(limit.saturating_mul(2)).filter(|c| !is_direction_mark(*c));
    let spaced: String = printable.map(|c| if is_unprintable(c) { ' ' } else { c }).collect();
    let squeezed = spaced.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten(&squeezed, limit)
}

/// At most `limit` characters, the last one `…` where something was cut.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(limit.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// The end of an output, ready to print: at most [`TAIL_BYTES`], whole lines where lines are short enough, `\n` line
/// ends, no terminal colours, no control characters but tabs. `None` where nothing is left to see.
pub(crate) fn tail(output: &str) -> Option<Tail> {
    // colours shrink the text, so clean twice what is kept
    let recent = last_bytes(output, TAIL_BYTES * 2);
    let clean = block(recent);
    let kept = last_bytes(&clean, TAIL_BYTES);
    let cut = recent.len() < output.len() || kept.len() < clean.len();
    let kept = match kept.find('\n') {
        // a cut line at the top reads as nonsense, unless it is most of what there is
        Some(end) if cut && end < kept.len() / 2 => &kept[end + 1..],
        _ => kept,
    };
    let text = kept.trim_matches('\n').trim_end();
    (!text.trim().is_empty()).then(|| Tail { text: text.to_owned(), cut })
}

/// What [`tail`] kept.
#[derive(Debug, PartialEq)]
pub(crate) struct Tail {
    pub(crate) text: String,
    /// Whether earlier output was left out.
    pub(crate) cut: bool,
}

fn last_bytes(text: &str, bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Several lines, printable; keeps tabs.
fn block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\u{1b}' => skip_escape(&mut chars),
            '\n' | '\t' => out.push(c),
            '\0' => {}
            c if is_direction_mark(c) => {}
            c if is_unprintable(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Skips what follows an ESC: a CSI sequence (`[31m`), or one character.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    if chars.peek() == Some(&'[') {
        chars.next();
        while chars.peek().is_some_and(|c| matches!(c, ' '..='?')) {
            chars.next();
        }
        if chars.peek().is_some_and(|c| matches!(c, '@'..='~')) {
            chars.next();
        }
    } else if chars.peek().is_some_and(|c| matches!(c, '('..='~')) {
        chars.next();
    }
}

fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Marks that reorder what is read, so that a subject could lie.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_one_line() {
        assert_eq!(one_line("night\r\nBcc: all@example.org\0\tè  🦀", 80), "night Bcc: all@example.org è 🦀");
        assert_eq!(one_line("abcdef", 4), "abc…");
        assert_eq!(one_line("paid\u{202e}gnp.exe", 80), "paidgnp.exe");
    }

    #[test]
    fn tail_keeps_the_end_in_whole_lines() {
        let long: Vec<String> = (0..5_000).map(|n| format!("line {n}")).collect();
        let tail = tail(&long.join("\n")).unwrap();
        assert!(tail.cut);
        assert!(tail.text.starts_with("line "));
        assert!(tail.text.ends_with("line 4999"));
        assert!(tail.text.len() <= TAIL_BYTES);
    }

    #[test]
    fn tail_keeps_a_huge_line_and_whole_characters() {
        let tail = tail(&"è".repeat(500_000)).unwrap();
        assert!(tail.cut && tail.text.chars().all(|c| c == 'è'));
        assert!(tail.text.len() > TAIL_BYTES - 2);
    }

    #[test]
    fn tail_is_printable() {
        let tail = tail("\u{1b}[1;31merror\u{1b}[0m: è 🦀\r\n.\r\nhalf\rfull\0\u{7}\n\n").unwrap();
        assert_eq!(tail.text, "error: è 🦀\n.\nhalf\nfull\u{fffd}");
        assert!(!tail.cut);
    }

    #[test]
    fn nothing_to_see_is_nothing() {
        assert_eq!(tail(""), None);
        assert_eq!(tail("\0\r\n \n"), None);
    }
}
