//! Which of many expressions match a text together: every combination that some text leads to, each with short examples.
//!
//! One automaton for all expressions is searched breadth first, so the examples are the shortest.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};
use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson::{NFA, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use regex_syntax::hir::Hir;

/// The maximum size of the automaton of one host in bytes.
const MAX_AUTOMATON: usize = 16 << 20;

/// The maximum number of its states that are searched.
const MAX_STATES: usize = 50_000;

/// The maximum number of examples of a combination.
const MAX_EXAMPLES: usize = 4;

/// The automaton is too large, or an expression cannot be a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLarge;

/// The texts that the same expressions match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Combination {
    /// The indexes of the expressions, in order.
    pub(super) members: Vec<usize>,
    /// Texts, the shortest first; at least one.
    pub(super) examples: Vec<String>,
}

/// Expressions in one automaton.
pub(super) struct Automaton {
    dfa: dense::DFA<Vec<u32>>,
    start: StateID,
}

impl Automaton {
    /// The automaton of expressions that match whole texts.
    pub(super) fn new(expressions: &[Hir]) -> Result<Self, TooLarge> {
        let config = NFA::config().utf8(false).which_captures(WhichCaptures::None).nfa_size_limit(Some(MAX_AUTOMATON));
        let nfa = NFA::compiler().configure(config).build_many_from_hir(expressions).map_err(|_| TooLarge)?;
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            .match_kind(MatchKind::All)
            .dfa_size_limit(Some(MAX_AUTOMATON))
            .determinize_size_limit(Some(4 * MAX_AUTOMATON));
        let dfa = dense::Builder::new().configure(config).build_from_nfa(&nfa).map_err(|_| TooLarge)?;
        let start = dfa.start_state(&start::Config::new().anchored(Anchored::Yes)).map_err(|_| TooLarge)?;
        Ok(Self { dfa, start })
    }

    /// All combinations of texts that begin with `beginning` and go on with characters of `alphabet`, without those that the
    /// expression at index `excluded` matches.
    pub(super) fn combinations(
        &self,
        beginning: &str,
        alphabet: impl IntoIterator<Item = char>,
        excluded: Option<usize>,
    ) -> Result<Vec<Combination>, TooLarge> {
        let letters = self.distinguished(alphabet);
        let first = self.after(self.start, beginning);
        let (mut seen, mut queue) = (HashSet::new(), VecDeque::from([(first, beginning.to_owned())]));
        seen.insert(first);
        let (mut all, mut known): (Vec<Combination>, HashMap<Vec<usize>, usize>) = Default::default();
        while let Some((state, text)) = queue.pop_front() {
            for letter in &letters {
                let next = self.after(state, letter.encode_utf8(&mut [0; 4]));
                if seen.insert(next) {
                    if seen.len() > MAX_STATES {
                        return Err(TooLarge);
                    }
                    queue.push_back((next, format!("{text}{letter}")));
                }
            }
            let members = self.members(state);
            if excluded.is_some_and(|excluded| members.contains(&excluded)) {
                continue;
            }
            match known.get(&members) {
                Some(index) if all[*index].examples.len() < MAX_EXAMPLES => all[*index].examples.push(text),
                Some(_) => {}
                None => {
                    known.insert(members.clone(), all.len());
                    all.push(Combination { members, examples: vec![text] });
                }
            }
        }
        Ok(all)
    }

    /// The indexes of the expressions that match `text`, in order.
    pub(super) fn matching(&self, text: &str) -> Vec<usize> {
        self.members(self.after(self.start, text))
    }

    /// Whether it treats all bytes of characters outside ASCII alike.
    pub(super) fn is_about_ascii(&self) -> bool {
        let classes = self.dfa.byte_classes();
        (0x80..=u8::MAX).all(|byte| classes.get(byte) == classes.get(u8::MAX))
    }

    /// The state after `text`.
    fn after(&self, state: StateID, text: &str) -> StateID {
        text.bytes().fold(state, |state, byte| self.dfa.next_state(state, byte))
    }

    /// The indexes of the expressions that match a text that ends in this state.
    fn members(&self, state: StateID) -> Vec<usize> {
        let end = self.dfa.next_eoi_state(state);
        if !self.dfa.is_match_state(end) {
            return Vec::new();
        }
        let mut members: Vec<usize> =
            (0..self.dfa.match_len(end)).map(|index| self.dfa.match_pattern(end, index).as_usize()).collect();
        members.sort_unstable();
        members
    }

    /// The first of those characters that no expression distinguishes.
    fn distinguished(&self, alphabet: impl IntoIterator<Item = char>) -> Vec<char> {
        let (classes, mut seen) = (self.dfa.byte_classes(), HashSet::new());
        let of = |letter: char| -> Vec<u8> {
            letter.encode_utf8(&mut [0; 4]).bytes().map(|byte| classes.get(byte)).collect()
        };
        alphabet.into_iter().filter(|letter| seen.insert(of(*letter))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::pattern::Pattern;

    #[test]
    fn every_combination_has_the_shortest_example() {
        let expressions = ["/a+", "/ab*", "/[ab]+c"].map(|written| Pattern::new(written).language().expect("valid"));
        let automaton = Automaton::new(&expressions).expect("small");
        let found = automaton.combinations("/", "abcd/".chars(), None).expect("small");
        let of = |members: &[usize]| {
            found.iter().find(|combination| combination.members == members).map(|found| found.examples[0].as_str())
        };
        assert_eq!((of(&[]), of(&[0, 1]), of(&[0]), of(&[1])), (Some("/"), Some("/a"), Some("/aa"), Some("/ab")));
        assert_eq!((of(&[2]), of(&[1, 2]), found.len()), (Some("/ac"), None, 5));
        assert_eq!((automaton.matching("/a"), automaton.matching("/bbc")), (vec![0, 1], vec![2]));
    }
}
