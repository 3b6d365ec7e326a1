//! Matches regular expressions within a budget: no text makes a rule slow. Neighbour: [`super::pattern`] compiles them.
//!
//! The automaton of an expression is built while it reads. Reading a byte whose step is known costs a nanosecond,
//! building a step costs as many visits as the expression has states; those are counted, and when the budget is spent
//! the answer is that it cannot be told. The budget always begins anew, so that the same text gets the same answer.

use std::{collections::HashSet, ops::Range};

use regex_automata::{
    Anchored, Input, Span,
    hybrid::{LazyStateID, dfa::Cache, dfa::DFA},
    util::start,
};

use super::pattern::Pattern;

/// Visits of states in one judgement: together about half a millisecond.
const BUDGET: usize = 60_000;
/// What starting takes beside, in visits.
const START: usize = 20;

/// The work that may still be done.
#[derive(Debug)]
pub(super) struct Work {
    left: usize,
}

impl Default for Work {
    fn default() -> Self {
        Self { left: BUDGET }
    }
}

/// The budget is spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMuch;

/// States that were built for one expression, kept over several texts.
#[derive(Debug)]
pub(super) struct Seen {
    forward: (Cache, Tagged),
    reverse: Option<(Cache, Tagged)>,
}

/// The steps made so far from states that are told apart: begins and matches.
#[derive(Debug, Default)]
struct Tagged {
    /// The end of the text is step 256.
    steps: HashSet<(LazyStateID, u16)>,
    clears: usize,
}

impl Seen {
    pub(super) fn of(pattern: &Pattern) -> Self {
        let compiled = &pattern.compiled;
        Self {
            forward: (compiled.forward.create_cache(), Tagged::default()),
            reverse: compiled.reverse.as_ref().map(|dfa| (dfa.create_cache(), Tagged::default())),
        }
    }
}

impl Work {
    fn spend(&mut self, visits: usize) -> Result<(), TooMuch> {
        self.left = self.left.checked_sub(visits).ok_or(TooMuch)?;
        Ok(())
    }

    /// A byte of the text within the earliest match, if there is one.
    pub(super) fn find(&mut self, pattern: &Pattern, text: &str) -> Result<Option<usize>, TooMuch> {
        let end = self.forward(pattern, &mut Seen::of(pattern), text.as_bytes(), true)?;
        Ok(end.map(|end| text.floor_char_boundary(end.saturating_sub(1))))
    }

    /// Where the first group that took part in the first match stands, else all of the match.
    pub(super) fn group(
        &mut self,
        pattern: &Pattern,
        seen: &mut Seen,
        text: &str,
    ) -> Result<Option<Range<usize>>, TooMuch> {
        let Some(end) = self.forward(pattern, seen, text.as_bytes(), false)? else { return Ok(None) };
        let (Some(reverse), Some(groups), Some(cache)) =
            (&pattern.compiled.reverse, &pattern.compiled.groups, &mut seen.reverse)
        else {
            return Ok(None);
        };
        let start = self.backward(reverse, cache, text.as_bytes(), end)?;
        // Finding groups visits every state for every byte of the match, at worst.
        self.spend(reverse.get_nfa().states().len() * (end - start))?;
        let mut captures = groups.create_captures();
        groups.captures(Input::new(text).span(start..end).anchored(Anchored::Yes), &mut captures);
        let found = captures.iter().skip(1).flatten().next();
        Ok(Some(found.map_or(start..end, |span| span.range())))
    }

    /// Where the first match ends; with `earliest`, as soon as there is one.
    fn forward(
        &mut self,
        pattern: &Pattern,
        seen: &mut Seen,
        text: &[u8],
        earliest: bool,
    ) -> Result<Option<usize>, TooMuch> {
        let (dfa, (cache, tagged)) = (&pattern.compiled.forward, &mut seen.forward);
        let mut found = None;
        let mut at = 0;
        if let Some(skip) = &pattern.compiled.skip {
            self.spend(1)?;
            let Some(first) = skip.find(text, Span { start: 0, end: text.len() }) else { return Ok(None) };
            at = first.start;
        }
        let before = at.checked_sub(1).map(|at| text[at]);
        let mut state = self.start(dfa, cache, before, Anchored::No)?;
        while at < text.len() {
            if state.is_start()
                && let Some(skip) = &pattern.compiled.skip
            {
                let Some(candidate) = skip.find(text, Span { start: at, end: text.len() }) else {
                    return Ok(found);
                };
                if candidate.start > at {
                    at = candidate.start;
                    state = self.start(dfa, cache, Some(text[at - 1]), Anchored::No)?;
                }
            }
            state = self.step(dfa, (cache, tagged), state, text[at])?;
            // Matches are told one byte late.
            if state.is_tagged() {
                if state.is_match() {
                    found = Some(at);
                    if earliest {
                        return Ok(found);
                    }
                } else if state.is_dead() {
                    return Ok(found);
                } else if state.is_quit() {
                    return Err(TooMuch);
                }
            }
            at += 1;
        }
        let end = self.end(dfa, (cache, tagged), state)?;
        Ok(if end { Some(text.len()) } else { found })
    }

    /// Where the longest match begins that ends at `end`.
    fn backward(
        &mut self,
        dfa: &DFA,
        (cache, tagged): &mut (Cache, Tagged),
        text: &[u8],
        end: usize,
    ) -> Result<usize, TooMuch> {
        let mut state = self.start(dfa, cache, text.get(end).copied(), Anchored::Yes)?;
        let mut found = end;
        for at in (0..end).rev() {
            state = self.step(dfa, (cache, tagged), state, text[at])?;
            if state.is_match() {
                found = at + 1;
            } else if state.is_dead() {
                return Ok(found);
            } else if state.is_quit() {
                return Err(TooMuch);
            }
        }
        let last = self.end(dfa, (cache, tagged), state)?;
        Ok(if last { 0 } else { found })
    }

    fn start(
        &mut self,
        dfa: &DFA,
        cache: &mut Cache,
        beside: Option<u8>,
        anchored: Anchored,
    ) -> Result<LazyStateID, TooMuch> {
        let before = cache.memory_usage();
        let config = start::Config::new().look_behind(beside).anchored(anchored);
        let state = dfa.start_state(cache, &config).map_err(|_| TooMuch)?;
        self.spend(if cache.memory_usage() > before { START + dfa.get_nfa().states().len() } else { 1 })?;
        Ok(state)
    }

    #[inline]
    fn step(
        &mut self,
        dfa: &DFA,
        (cache, tagged): (&mut Cache, &mut Tagged),
        state: LazyStateID,
        byte: u8,
    ) -> Result<LazyStateID, TooMuch> {
        if !state.is_tagged() {
            let next = dfa.next_state_untagged(cache, state, byte);
            if !next.is_unknown() {
                return Ok(next);
            }
            self.spend(dfa.get_nfa().states().len())?;
            return dfa.next_state(cache, state, byte).map_err(|_| TooMuch);
        }
        self.remember(dfa, (cache, tagged), state, byte.into())?;
        dfa.next_state(cache, state, byte).map_err(|_| TooMuch)
    }

    /// Whether the text may end here, as a match.
    fn end(
        &mut self,
        dfa: &DFA,
        (cache, tagged): (&mut Cache, &mut Tagged),
        state: LazyStateID,
    ) -> Result<bool, TooMuch> {
        self.remember(dfa, (cache, tagged), state, 256)?;
        Ok(dfa.next_eoi_state(cache, state).map_err(|_| TooMuch)?.is_match())
    }

    /// These steps do not tell whether they are known, so it is remembered here.
    fn remember(
        &mut self,
        dfa: &DFA,
        (cache, tagged): (&Cache, &mut Tagged),
        state: LazyStateID,
        step: u16,
    ) -> Result<(), TooMuch> {
        if tagged.clears != cache.clear_count() {
            tagged.steps.clear();
            tagged.clears = cache.clear_count();
        }
        self.spend(if tagged.steps.insert((state, step)) { dfa.get_nfa().states().len() } else { 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, always the same.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).expect("31 bits fit") % limit
        }

        fn text(&mut self, alphabet: &[&str], most: usize) -> String {
            (0..self.below(most + 1)).map(|_| alphabet[self.below(alphabet.len())]).collect()
        }
    }

    const PATTERNS: [&str; 22] = [
        "a",
        "ab|b",
        "a*",
        "(a+)(b?)",
        "(?:a|ab)(c|bcd)?",
        "^a",
        "b$",
        "^$",
        r"^\s*(\w+)$",
        r"\bab\b",
        r"\Bb",
        r"(\d+)%",
        r"x(\d+)|y(\w)",
        "(a|b)*c",
        "a.c",
        "[^a]b",
        "ö+(a)?",
        r"\p{L}b",
        "a{2,3}?",
        r"rows: ([\d,]+)",
        "(a)(b)?(c)?",
        r"\z|a",
    ];
    const PIECES: [&str; 16] =
        ["a", "b", "c", "ab", "ö", "x", "y", "1", "23", "%", " ", "\n", "\r\n", "_", "rows: ", ","];

    #[test]
    fn it_finds_what_an_unbounded_search_finds() {
        let mut chance = Chance(7);
        for source in PATTERNS {
            for (ignore_case, dot_all) in [(false, false), (true, true)] {
                let pattern = Pattern::with_groups(source, ignore_case, dot_all).unwrap();
                let unbounded = pattern.compiled.groups.as_ref().unwrap();
                let mut seen = Seen::of(&pattern);
                for _ in 0..300 {
                    let text = chance.text(&PIECES, 12);
                    let mut captures = unbounded.create_captures();
                    unbounded.captures(&text, &mut captures);
                    let group = captures.iter().skip(1).flatten().next();
                    let expected = group.or(captures.get_group(0)).map(|span| &text[span.range()]);
                    let mut work = Work::default();
                    let found = work.group(&pattern, &mut seen, &text);
                    let found = found.map(|place| place.map(|place| &text[place]));
                    assert_eq!(found, Ok(expected), "{source} in {text:?}");
                    let found = Work::default().find(&pattern, &text).unwrap();
                    assert_eq!(found.is_some(), unbounded.is_match(&text), "{source} in {text:?}");
                    assert!(found.is_none_or(|at| text.is_char_boundary(at)));
                }
            }
        }
    }

    #[test]
    fn the_budget_is_never_overdrawn_and_the_answer_is_always_the_same() {
        let mut chance = Chance(11);
        let texts = [
            chance.text(&["a", "b"], 200_000),
            "a".repeat(100_000),
            "x\n".repeat(50_000),
            chance.text(&["ö", "é", "a", "文", " "], 50_000),
        ];
        let mut given_up = 0;
        for source in [
            "[ab]*a[ab]{60}c",
            "[ab]*a[ab]{100}c",
            "(a|b|ab)*c",
            "(x+x+)+y",
            r"(?:[a-z0-9 ]{1,20}:){8}x",
            r"\p{L}+\d",
            r"(\w+\s?)*$x",
            "(a?){30}a{30}c",
        ] {
            let Ok(pattern) = Pattern::with_groups(source, false, false) else { continue };
            for text in &texts {
                let found = Work::default().find(&pattern, text);
                given_up += usize::from(found == Err(TooMuch));
                assert_eq!(Work::default().find(&pattern, text), found, "{source}");
                let _ = Work::default().group(&pattern, &mut Seen::of(&pattern), text);
            }
        }
        assert!(given_up > 0, "nothing of it was hard");
    }
}
