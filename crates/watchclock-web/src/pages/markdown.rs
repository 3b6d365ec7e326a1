//! Reads the Markdown that our own docs use: headings, paragraphs, lists, tables, code, links. Anything else is text.

use super::views::docs::{Block, Blocks, Span};

/// What code without a fence stands behind.
const INDENT: &str = "    ";

/// Reads a text.
pub(crate) fn read(text: &str) -> Blocks {
    blocks(&text.lines().collect::<Vec<_>>())
}

fn blocks(lines: &[&str]) -> Blocks {
    let mut found = Vec::new();
    let mut rest = lines;
    while let Some((line, after)) = rest.split_first() {
        if line.trim().is_empty() {
            rest = after;
        } else if line.starts_with("```") {
            let end = after.iter().position(|line| line.starts_with("```")).unwrap_or(after.len());
            found.push(Block::Code(after[..end].join("\n")));
            rest = after.get(end + 1..).unwrap_or_default();
        } else if line.starts_with(INDENT) {
            let ends = |line: &&str| !line.trim().is_empty() && !line.starts_with(INDENT);
            let end = rest.iter().position(ends).unwrap_or(rest.len());
            let code: Vec<&str> =
                rest[..end].iter().map(|line| line.strip_prefix(INDENT).unwrap_or("")).collect();
            found.push(Block::Code(code.join("\n").trim_end().to_owned()));
            rest = &rest[end..];
        } else if let Some((level, title)) = heading(line) {
            found.push(Block::Heading(level, id(title), spans(title)));
            rest = after;
        } else if line.starts_with('|') {
            let end = rest.iter().position(|line| !line.starts_with('|')).unwrap_or(rest.len());
            found.push(table(&rest[..end]));
            rest = &rest[end..];
        } else if let Some(first) = marker(line) {
            let (items, after) = list(rest, first.1);
            found.push(Block::List(first.1, items));
            rest = after;
        } else {
            let ends =
                |line: &&str| line.trim().is_empty() || line.starts_with("```") || marker(line).is_some();
            let end = after.iter().position(ends).map_or(rest.len(), |at| at + 1);
            found.push(Block::Paragraph(spans(&joined(&rest[..end]))));
            rest = &rest[end..];
        }
    }
    Blocks(found)
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.chars().take_while(|letter| *letter == '#').count();
    let title = line[level..].strip_prefix(' ')?;
    (1..=4).contains(&level).then_some((level, title.trim()))
}

/// The width of an item's marker, and whether it is a number: `- `, `12. `.
fn marker(line: &str) -> Option<(usize, bool)> {
    if line.starts_with("- ") {
        return Some((2, false));
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    (digits > 0 && line[digits..].starts_with(". ")).then_some((digits + 2, true))
}

/// The items of a list, and the lines after it. What is indented or follows at once belongs to its item.
fn list<'a, 'l>(lines: &'a [&'l str], is_numbered: bool) -> (Vec<Blocks>, &'a [&'l str]) {
    let mut items: Vec<Vec<&'l str>> = Vec::new();
    let mut used = 0;
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        match marker(line) {
            Some((width, numbered)) if numbered == is_numbered => items.push(vec![&line[width..]]),
            _ if line.starts_with("  ") => {
                let indent = line.len() - line.trim_start().len();
                let item = items
                    .last_mut()
                    .map(|item| item.push(&line[indent.min(if is_numbered { 3 } else { 2 })..]));
                if item.is_none() {
                    break;
                }
            }
            _ if line.trim().is_empty()
                && (next.starts_with("  ") || marker(next).is_some_and(|next| next.1 == is_numbered)) =>
            {
                items.iter_mut().last().map(|item| item.push("")).unwrap_or_default();
            }
            _ => break,
        }
        used = at + 1;
    }
    (items.iter().map(|item| blocks(item)).collect(), &lines[used..])
}

fn table(lines: &[&str]) -> Block {
    let cells =
        |line: &&str| -> Vec<Vec<Span>> { split_cells(line).iter().map(|cell| spans(cell)).collect() };
    let head = lines.first().map(cells).unwrap_or_default();
    let rows = lines.iter().skip(1).filter(|line| !line.starts_with("|--")).map(cells).collect();
    Block::Table(head, rows)
}

/// Cells of a row; a bar with a backslash before it is one of the text.
fn split_cells(line: &str) -> Vec<String> {
    let line = line.trim().trim_matches('|').replace("\\|", "\u{1}");
    line.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

fn joined(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

/// Splits a line where something stands out from its text.
fn spans(line: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut plain = String::new();
    let mut rest = line;
    while let Some(letter) = rest.chars().next() {
        if let Some((span, length)) = special(rest) {
            if !plain.is_empty() {
                found.push(Span::Text(std::mem::take(&mut plain)));
            }
            found.push(span);
            rest = &rest[length..];
        } else {
            plain.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    if !plain.is_empty() {
        found.push(Span::Text(plain));
    }
    found
}

/// What begins at the start of a text and stands out, and how long it is.
fn special(text: &str) -> Option<(Span, usize)> {
    let between = |mark: &str| {
        let inner = text.strip_prefix(mark)?;
        let end = inner.find(mark).filter(|end| *end > 0 && !inner.starts_with(' '))?;
        Some((inner[..end].to_owned(), mark.len() * 2 + end))
    };
    // Two marks first: code may hold a single backtick, and `**` begins with `*`.
    if let Some((code, length)) = between("``").or_else(|| between("`")) {
        return Some((Span::Code(code.trim().to_owned()), length));
    }
    if let Some((strong, length)) = between("**") {
        return Some((Span::Strong(strong.replace('`', "")), length));
    }
    if let Some((emphasis, length)) = between("*") {
        return Some((Span::Emphasis(emphasis), length));
    }
    let (words, after) = text.strip_prefix('[')?.split_once("](")?;
    let (href, _) = after.split_once(')')?;
    if words.contains(['[', ']']) {
        return None;
    }
    // Docs link each other as files; here they are pages beside each other.
    let page = href.replace(".md", "");
    Some((Span::Link(words.replace('`', ""), page), words.len() + href.len() + 4))
}

/// How links within a page name a heading.
fn id(title: &str) -> String {
    let kept = title.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Span {
        Span::Text(text.to_owned())
    }

    #[test]
    fn the_blocks_of_our_docs_are_known() {
        let read = read(
            "# Pings, *all*\none\ntwo `a|b`\n\n| a | b |\n|---|---|\n| `x \\| y` | [z](rules.md#why) |\n\n```sh\ncurl\n\n# no\n```\n",
        );
        let Blocks(blocks) = read;
        assert!(matches!(&blocks[0], Block::Heading(1, id, _) if id == "pings-all"));
        assert_eq!(blocks[1], Block::Paragraph(vec![text("one two "), Span::Code("a|b".to_owned())]));
        let Block::Table(head, rows) = &blocks[2] else { panic!("{blocks:?}") };
        assert_eq!((head.len(), rows.len()), (2, 1));
        assert_eq!(rows[0][0], [Span::Code("x | y".to_owned())]);
        assert_eq!(rows[0][1], [Span::Link("z".to_owned(), "rules#why".to_owned())]);
        assert_eq!(blocks[3], Block::Code("curl\n\n# no".to_owned()));
    }

    #[test]
    fn code_may_be_indented() {
        let Blocks(blocks) = read("by\n\n    curl -d '{\n      \"a\": 1}'\n\n    and more\n\nafter\n    all");
        assert_eq!(blocks[1], Block::Code("curl -d '{\n  \"a\": 1}'\n\nand more".to_owned()));
        assert_eq!(blocks[2..], [Block::Paragraph(vec![text("after all")])]);
    }

    #[test]
    fn lists_hold_what_is_indented() {
        let Blocks(blocks) = read("1. **One** is\n   more\n\n   ```\n   code\n   ```\n2. two\n\nafter");
        let Block::List(true, items) = &blocks[0] else { panic!("{blocks:?}") };
        assert_eq!(items[0].0[1], Block::Code("code".to_owned()));
        assert_eq!(items[0].0[0], Block::Paragraph(vec![Span::Strong("One".to_owned()), text(" is more")]));
        assert_eq!((items.len(), blocks.len()), (2, 2));
    }

    #[test]
    fn lonely_marks_are_text() {
        assert_eq!(spans("2 * 3 * 4 ` and [x"), [text("2 * 3 * 4 ` and [x")]);
    }
}
