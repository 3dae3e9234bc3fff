//! Derives inputs from other inputs without knowledge of their format.

use fastrand::Rng;

/// The maximum size of an input in bytes.
const MAX_LENGTH: usize = 1 << 14;

/// The maximum number of changes to one input.
const MAX_CHANGES: usize = 8;

/// Changes inputs at random. The same seed gives the same sequence of inputs.
pub struct Mutator {
    rng: Rng,
    inputs: Vec<Vec<u8>>,
    /// Parts of the inputs between syntax characters, these characters, and special values.
    words: Vec<Vec<u8>>,
}

impl Mutator {
    /// A mutator of these inputs, of which there must be at least one.
    pub fn new(inputs: Vec<Vec<u8>>, seed: u64) -> Self {
        assert!(!inputs.is_empty(), "a target has a seed");
        let is_mark = |byte: &u8| b"\"'{}[](),;:/|&=\n ".contains(byte);
        let mut words: Vec<Vec<u8>> =
            inputs.iter().flat_map(|input| input.split(is_mark)).map(<[u8]>::to_vec).collect();
        words.extend(b"\"'{}[](),;:/|&=\n*.\\%$#^".iter().map(|mark| vec![*mark]));
        words.extend(
            ["null", "true", "-1", "1e9", "9223372036854775808", "{}", "[]", "*.", "..", "\u{0}", "\u{feff}"]
                .map(Into::into),
        );
        words.sort();
        words.dedup();
        Self { rng: Rng::with_seed(seed), inputs, words }
    }

    /// The next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let mut input = self.pick(|own| &own.inputs);
        for _ in 0..self.rng.usize(1..=MAX_CHANGES) {
            self.change(&mut input);
        }
        input.truncate(MAX_LENGTH);
        input
    }

    fn pick(&mut self, from: impl Fn(&Self) -> &Vec<Vec<u8>>) -> Vec<u8> {
        let index = self.rng.usize(..from(self).len());
        from(self)[index].clone()
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let at = self.rng.usize(..=input.len());
        let end = (at + self.rng.usize(..=16)).min(input.len());
        match self.rng.usize(..7) {
            0 => drop(input.drain(at..end)),
            1 => drop(input.splice(at..end, self.pick(|own| &own.words))),
            2 => drop(input.splice(at..at, self.pick(|own| &own.words))),
            3 if at < input.len() => input[at] ^= 1 << self.rng.u8(..8),
            4 => {
                let piece = input[at..end].to_vec();
                let to = self.rng.usize(..=input.len());
                drop(input.splice(to..to, piece));
            }
            5 => {
                let other = self.pick(|own| &own.inputs);
                let from = self.rng.usize(..=other.len());
                input.truncate(at);
                input.extend(&other[from..]);
            }
            _ => input.insert(at, self.rng.u8(..)),
        }
    }
}
