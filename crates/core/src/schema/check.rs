//! Holds a value against a schema that was read.

use super::number::{compare, is_multiple, order};
use super::{Counted, Fields, Keyword, Mismatch, Node, Schema, Type};
use serde_json::{Map, Value};

/// Subschemas applied to one value, all together: alternatives within alternatives multiply.
const WORK_MAX: u32 = 5_000_000;

/// Subschemas within each other. A value nests at most 128 deep; the stack of a thread must hold it.
const DEPTH_MAX: u32 = 512;

const TOO_MUCH: &str = "checking it takes too long";

/// Why a check ends early. Work that ran out is no mismatch: `not` and `anyOf` must not turn it around.
enum Stop {
    /// The way to it, the innermost step first.
    Mismatch(Vec<String>, String),
    TooMuch,
}

type Checked = Result<(), Stop>;

pub(super) fn check(schema: &Schema, value: &Value) -> Result<(), Mismatch> {
    let mut checker = Checker { schema, work: WORK_MAX, depth: 0 };
    checker.apply(&schema.root, value).map_err(|stop| match stop {
        Stop::Mismatch(steps, why) => {
            let at =
                steps.iter().rev().map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1")));
            Mismatch { at: at.collect(), why }
        }
        Stop::TooMuch => Mismatch { at: String::new(), why: TOO_MUCH.to_owned() },
    })
}

fn no(why: impl Into<String>) -> Checked {
    Err(Stop::Mismatch(Vec::new(), why.into()))
}

fn must(holds: bool, why: &str) -> Checked {
    if holds { Ok(()) } else { no(why) }
}

/// Puts a step before the place of a mismatch.
fn within(step: &str, checked: Checked) -> Checked {
    checked.map_err(|stop| match stop {
        Stop::Mismatch(mut steps, why) => {
            steps.push(step.to_owned());
            Stop::Mismatch(steps, why)
        }
        Stop::TooMuch => Stop::TooMuch,
    })
}

struct Checker<'a> {
    schema: &'a Schema,
    work: u32,
    depth: u32,
}

impl<'a> Checker<'a> {
    fn apply(&mut self, node: &'a Node, value: &Value) -> Checked {
        self.work(1)?;
        if self.depth == DEPTH_MAX {
            return Err(Stop::TooMuch);
        }
        self.depth += 1;
        let checked = match node {
            Node::Anything => Ok(()),
            Node::Nothing => no("nothing is allowed here"),
            Node::Every(keywords) => keywords.iter().try_for_each(|keyword| self.keyword(keyword, value)),
        };
        self.depth -= 1;
        checked
    }

    fn work(&mut self, steps: usize) -> Checked {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        self.work = self.work.checked_sub(steps).ok_or(Stop::TooMuch)?;
        Ok(())
    }

    fn fits(&mut self, node: &'a Node, value: &Value) -> Result<bool, Stop> {
        match self.apply(node, value) {
            Ok(()) => Ok(true),
            Err(Stop::Mismatch(..)) => Ok(false),
            Err(Stop::TooMuch) => Err(Stop::TooMuch),
        }
    }

    fn how_many(&mut self, nodes: &'a [Node], value: &Value) -> Result<usize, Stop> {
        nodes.iter().try_fold(0, |count, node| Ok(count + usize::from(self.fits(node, value)?)))
    }

    fn keyword(&mut self, keyword: &'a Keyword, value: &Value) -> Checked {
        match keyword {
            Keyword::Type(types) if types.iter().any(|one| one.is(value)) => Ok(()),
            Keyword::Type(types) => no(format!("expected {}", names(types))),
            Keyword::Values(values) => {
                self.work(values.len())?;
                must(values.iter().any(|one| order(one, value).is_eq()), "not one of the allowed values")
            }
            Keyword::All(nodes) => nodes.iter().try_for_each(|node| self.apply(node, value)),
            Keyword::Any(nodes) => {
                for node in nodes {
                    if self.fits(node, value)? {
                        return Ok(());
                    }
                }
                no("fits none of the alternatives of `anyOf`")
            }
            Keyword::One(nodes) => match self.how_many(nodes, value)? {
                1 => Ok(()),
                count => no(format!("fits {count} of the alternatives of `oneOf` instead of 1")),
            },
            Keyword::Not(node) => must(!self.fits(node, value)?, "fits what `not` excludes"),
            Keyword::If { condition, then, otherwise } => {
                let branch = if self.fits(condition, value)? { then } else { otherwise };
                self.apply(branch, value)
            }
            Keyword::Ref(name) => match self.schema.targets.get(name) {
                Some(node) => self.apply(node, value),
                None => no("the schema refers to a part that does not exist"),
            },
            other => self.of_one_type(other, value),
        }
    }

    /// Keywords that only speak of values of one type.
    fn of_one_type(&mut self, keyword: &'a Keyword, value: &Value) -> Checked {
        match value {
            Value::Number(number) => match keyword {
                Keyword::Limit { name, limit, allowed } => {
                    let holds = allowed.contains(&compare(number, limit));
                    if holds { Ok(()) } else { no(format!("breaks `{name}: {limit}`")) }
                }
                Keyword::MultipleOf(step) if !is_multiple(number, step) => {
                    no(format!("not a multiple of {step}"))
                }
                _ => Ok(()),
            },
            Value::String(text) => match keyword {
                Keyword::Count { what: Counted::Characters, least, most } => {
                    count(text.chars().count(), "characters", *least, *most)
                }
                Keyword::Pattern(pattern) => must(pattern.is_match(text), "does not match the pattern"),
                Keyword::Format(format) if !format.is(text) => {
                    no(format!("not of the format `{}`", format.name()))
                }
                _ => Ok(()),
            },
            Value::Array(items) => self.array(keyword, items),
            Value::Object(fields) => self.object(keyword, value, fields),
            _ => Ok(()),
        }
    }

    fn array(&mut self, keyword: &'a Keyword, items: &[Value]) -> Checked {
        match keyword {
            Keyword::Count { what: Counted::Items, least, most } => {
                count(items.len(), "items", *least, *most)
            }
            Keyword::Items { first, rest } => {
                for (index, item) in items.iter().enumerate() {
                    let Some(node) = first.get(index).or(rest.as_deref()) else { break };
                    within(&index.to_string(), self.apply(node, item))?;
                }
                Ok(())
            }
            Keyword::Contains { node, least, most } => {
                let found = items
                    .iter()
                    .try_fold(0, |found, item| Ok(found + usize::from(self.fits(node, item)?)))?;
                count(found, "items that fit `contains`", *least, *most)
            }
            Keyword::Unique => {
                self.work(items.len())?;
                let mut sorted: Vec<&Value> = items.iter().collect();
                sorted.sort_by(|left, right| order(left, right));
                let twice =
                    sorted.windows(2).any(|pair| matches!(pair, [left, right] if order(left, right).is_eq()));
                must(!twice, "two items are equal")
            }
            _ => Ok(()),
        }
    }

    fn object(&mut self, keyword: &'a Keyword, value: &Value, fields: &Map<String, Value>) -> Checked {
        match keyword {
            Keyword::Count { what: Counted::Properties, least, most } => {
                count(fields.len(), "properties", *least, *most)
            }
            Keyword::Required(names) => match names.iter().find(|name| !fields.contains_key(*name)) {
                Some(name) => no(format!("`{name}` is missing")),
                None => Ok(()),
            },
            Keyword::Fields(rules) => {
                fields.iter().try_for_each(|(name, value)| self.field(rules, name, value))
            }
            Keyword::Names(node) => {
                let mut names = fields.keys();
                names.try_for_each(|name| within("*", self.apply(node, &Value::String(name.clone()))))
            }
            Keyword::Dependent { field, node } if fields.contains_key(field) => self.apply(node, value),
            _ => Ok(()),
        }
    }

    fn field(&mut self, rules: &'a Fields, name: &str, value: &Value) -> Checked {
        let mut known = false;
        if let Some(node) = rules.named.get(name) {
            known = true;
            within(name, self.apply(node, value))?;
        }
        for (pattern, node) in &rules.matching {
            self.work(1)?;
            if pattern.is_match(name) {
                known = true;
                within("*", self.apply(node, value))?;
            }
        }
        match &rules.other {
            Some(Node::Nothing) if !known => no("has a property the schema does not allow"),
            Some(node) if !known => within("*", self.apply(node, value)),
            _ => Ok(()),
        }
    }
}

fn names(types: &[Type]) -> String {
    let names: Vec<&str> = types.iter().map(|one| one.name()).collect();
    names.join(" or ")
}

fn count(found: usize, what: &str, least: u64, most: Option<u64>) -> Checked {
    let found = u64::try_from(found).unwrap_or(u64::MAX);
    match most {
        _ if found < least => no(format!("has {found} {what}, at least {least} expected")),
        Some(most) if found > most => no(format!("has {found} {what}, at most {most} expected")),
        _ => Ok(()),
    }
}
