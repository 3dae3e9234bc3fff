//! Expressions that are matched by trying every way, for oracles.

/// The ranges of the groups that matched; the first one is the whole match.
type Groups = Vec<Option<(usize, usize)>>;

enum Node {
    /// One letter of these ranges.
    Letter(Vec<(char, char)>),
    End,
    /// A group with its number and its alternatives.
    Group(usize, Vec<Vec<Node>>),
    /// At least and at most so often.
    Repeat(Box<Node>, usize, usize),
}

/// An expression of letters, `.`, `[...]`, `\d`, groups, `|`, `*`, `+`, `?` and `$`, which ignores case.
pub struct Expression {
    alternatives: Vec<Vec<Node>>,
    groups: usize,
}

impl Expression {
    pub fn new(text: &str) -> Self {
        let mut letters = text.chars().peekable();
        let mut groups = 1;
        let alternatives = alternatives(&mut letters, &mut groups);
        assert!(letters.next().is_none(), "{text}");
        Self { alternatives, groups }
    }

    /// The groups of the first match at the beginning of `text`, as text.
    pub fn at_beginning(&self, text: &str) -> Option<Vec<String>> {
        let letters: Vec<char> = text.chars().collect();
        let mut groups: Groups = vec![None; self.groups];
        let found = self.alternatives.iter().any(|nodes| {
            run(nodes, 0, &mut groups, &letters, &mut |end, groups| {
                groups[0] = Some((0, end));
                true
            })
        });
        let text = |group: &Option<(usize, usize)>| {
            group.map_or_else(String::new, |(from, to)| letters[from..to].iter().collect())
        };
        found.then(|| groups.iter().map(text).collect())
    }
}

type Letters<'t> = std::iter::Peekable<std::str::Chars<'t>>;

fn alternatives(letters: &mut Letters<'_>, groups: &mut usize) -> Vec<Vec<Node>> {
    let mut all = vec![Vec::new()];
    while let Some(letter) = letters.next_if(|letter| *letter != ')') {
        let node = match letter {
            '|' => {
                all.push(Vec::new());
                continue;
            }
            '(' => {
                let number = *groups;
                *groups += 1;
                let inner = alternatives(letters, groups);
                assert_eq!(letters.next(), Some(')'));
                Node::Group(number, inner)
            }
            '[' => {
                let mut ranges = Vec::new();
                while let Some(from) = letters.next_if(|letter| *letter != ']') {
                    let to = letters.next_if_eq(&'-').and_then(|_| letters.next()).unwrap_or(from);
                    ranges.push((from, to));
                }
                letters.next();
                Node::Letter(ranges)
            }
            '\\' => match letters.next() {
                Some('d') => Node::Letter(vec![('0', '9')]),
                other => panic!("{other:?}"),
            },
            '.' => Node::Letter(vec![('\0', char::MAX)]),
            '$' => Node::End,
            letter => Node::Letter(vec![(letter, letter)]),
        };
        let (least, most) = match letters.next_if(|letter| "*+?".contains(*letter)) {
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some(_) => (0, 1),
            None => (1, 1),
        };
        let node = if (least, most) == (1, 1) { node } else { Node::Repeat(Box::new(node), least, most) };
        all.last_mut().expect("an alternative").push(node);
    }
    all
}

/// Whether the nodes match `text` at a position so that `next` holds for what follows.
fn run(
    nodes: &[Node],
    at: usize,
    groups: &mut Groups,
    text: &[char],
    next: &mut dyn FnMut(usize, &mut Groups) -> bool,
) -> bool {
    let Some((first, rest)) = nodes.split_first() else { return next(at, groups) };
    match first {
        Node::Letter(ranges) => {
            let is_in = |letter: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter));
            let found =
                text.get(at).is_some_and(|own| is_in(own.to_ascii_lowercase()) || is_in(own.to_ascii_uppercase()));
            found && run(rest, at + 1, groups, text, next)
        }
        Node::End => at == text.len() && run(rest, at, groups, text, next),
        Node::Group(number, alternatives) => alternatives.iter().any(|inner| {
            run(inner, at, groups, text, &mut |end, groups| {
                let old = groups[*number].replace((at, end));
                let found = run(rest, end, groups, text, next);
                if !found {
                    groups[*number] = old;
                }
                found
            })
        }),
        Node::Repeat(node, least, most) => repeat((node, *least, *most), rest, at, groups, text, next),
    }
}

fn repeat(
    (node, least, most): (&Node, usize, usize),
    rest: &[Node],
    at: usize,
    groups: &mut Groups,
    text: &[char],
    next: &mut dyn FnMut(usize, &mut Groups) -> bool,
) -> bool {
    let once = most > 0
        && run(std::slice::from_ref(node), at, groups, text, &mut |end, groups| {
            end > at && repeat((node, least.saturating_sub(1), most.saturating_sub(1)), rest, end, groups, text, next)
        });
    once || least == 0 && run(rest, at, groups, text, next)
}

#[test]
fn expressions_match_as_they_are_defined() {
    let groups = |expression: &str, text: &str| Expression::new(expression).at_beginning(text);
    let texts = |all: &[&str]| Some(all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
    assert_eq!(groups("/a(/|$)(.*)", "/A/b/c"), texts(&["/A/b/c", "/", "b/c"]));
    assert_eq!(groups("/a(/|$)(.*)", "/a"), texts(&["/a", "", ""]));
    assert_eq!(groups("/a(/|$)(.*)", "/ab"), None);
    assert_eq!(groups(r"/b\d*", "/b12x"), texts(&["/b12"]));
    assert_eq!(groups("/[ab]+", "/abc"), texts(&["/ab"]));
    assert_eq!(groups("/a.*c", "/a1c2c3"), texts(&["/a1c2c"]));
}
