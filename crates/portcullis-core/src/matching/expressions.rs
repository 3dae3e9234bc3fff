//! The regular expressions of one review. Each is compiled once, also where the old object contains it as well.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use hashbrown::HashMap;
use regex_automata::meta::Regex;

use super::compile::{MAX_SIZE, MAX_TEXT, Reach, Unusable, compile};

/// The maximum size of all compiled expressions of one review together, in bytes.
pub const MAX_TOTAL: usize = 1 << 20;

/// The compiled expressions of one review. What no longer fits is too large. No denial depends on it, since it depends on
/// the other expressions of the object: only checks that warn use it, and conditions on header values, which warn where it is used up.
#[derive(Debug, Default)]
pub struct Expressions {
    compiled: RefCell<HashMap<Reach, HashMap<Box<str>, CompiledExpression>>>,
    size: Cell<usize>,
}

/// An expression, or why it cannot be evaluated.
pub type CompiledExpression = Rc<Result<Regex, Unusable>>;

impl Expressions {
    /// Compiles an expression, unless it is already compiled.
    pub fn get(&self, written: &str, reach: Reach) -> CompiledExpression {
        let mut compiled = self.compiled.borrow_mut();
        let known = compiled.entry(reach).or_default();
        if let Some(known) = known.get(written) {
            return Rc::clone(known);
        }
        if self.size.get() >= MAX_TOTAL {
            return Rc::new(Err(Unusable::TooLarge));
        }
        let new = Rc::new(compile(written, reach));
        self.size.set(self.size.get() + cost(written, &new));
        known.insert(written.into(), Rc::clone(&new));
        new
    }

    /// The size of all compiled expressions, where one that cannot be evaluated counts as much as it may have cost.
    pub fn size(&self) -> usize {
        self.size.get()
    }
}

fn cost(written: &str, compiled: &Result<Regex, Unusable>) -> usize {
    match compiled {
        Ok(regex) => regex.memory_usage(),
        Err(Unusable::TooLarge) => MAX_SIZE,
        Err(Unusable::Invalid) => written.len() * (MAX_SIZE / MAX_TEXT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_compiled_once_and_within_one_total() {
        let expressions = Expressions::default();
        let get = |written: &str| expressions.get(written, Reach::Whole);
        assert!(get("/a.*").as_ref().as_ref().is_ok_and(|regex| regex.is_match("/ab")));
        let size = expressions.size();
        assert!(size > 0 && get("/a.*").is_ok() && expressions.size() == size);
        for number in 0..1000 {
            let large = format!("/{}x{number}", ".{1,1000}".repeat(20));
            assert_eq!(get(&large).as_ref().as_ref().err(), Some(&Unusable::TooLarge));
        }
        assert!(expressions.size() < MAX_TOTAL + MAX_SIZE, "{}", expressions.size());
        assert_eq!(get("/b.*").as_ref().as_ref().err(), Some(&Unusable::TooLarge));
        assert!(get("/a.*").is_ok(), "what was compiled before remains");
    }
}
