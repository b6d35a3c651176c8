//! A JSON Schema (draft 2020-12), as far as the shape of a tool's output needs it.
//!
//! [`Schema::read`] refuses every keyword it would not check, and every
//! reference out of the document: a schema that is accepted is checked in
//! full. Work and depth are bounded, because both the schema and the value may
//! come from a repository no one has reviewed. It fetches nothing, and what it
//! says about a value never quotes it.

mod check;
mod format;
mod number;
mod pattern;
mod read;

use format::Format;
use regex::Regex;
use serde_json::{Number, Value};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

/// A schema that was read, ready to check values.
#[derive(Debug)]
pub struct Schema {
    root: Node,
    /// Every part a `$ref` names, by its JSON pointer.
    targets: BTreeMap<String, Node>,
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// JSON pointer to the part that is wrong.
    pub at: String,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.is_empty() {
            write!(out, "{}", self.why)
        } else {
            write!(out, "{}, at `{}`", self.why, self.at)
        }
    }
}

/// Where a value differs from its schema. Nothing in it is quoted from the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON pointer into the value; names the schema does not give are `*`.
    pub at: String,
    /// What was expected there.
    pub why: String,
}

/// A schema or subschema.
#[derive(Debug)]
enum Node {
    Anything,
    Nothing,
    Every(Vec<Keyword>),
}

/// One demand, or several that only mean something together.
#[derive(Debug)]
enum Keyword {
    Type(Vec<Type>),
    /// `enum` and `const`.
    Values(Vec<Value>),
    /// `minimum`, `maximum` and the exclusive ones: how a number may compare to the limit.
    Limit {
        name: &'static str,
        limit: Number,
        allowed: [Ordering; 2],
    },
    MultipleOf(Number),
    /// `minLength` … `maxProperties`: how many of what.
    Count {
        what: Counted,
        least: u64,
        most: Option<u64>,
    },
    Pattern(Regex),
    Format(Format),
    Items {
        first: Vec<Node>,
        rest: Option<Box<Node>>,
    },
    Contains {
        node: Box<Node>,
        least: u64,
        most: Option<u64>,
    },
    Unique,
    Required(Vec<String>),
    Fields(Box<Fields>),
    Names(Box<Node>),
    /// `dependentRequired` and `dependentSchemas`.
    Dependent {
        field: String,
        node: Box<Node>,
    },
    All(Vec<Node>),
    Any(Vec<Node>),
    One(Vec<Node>),
    Not(Box<Node>),
    If {
        condition: Box<Node>,
        then: Box<Node>,
        otherwise: Box<Node>,
    },
    Ref(String),
}

/// `properties`, `patternProperties` and `additionalProperties`.
#[derive(Debug)]
struct Fields {
    named: BTreeMap<String, Node>,
    matching: Vec<(Regex, Node)>,
    other: Option<Node>,
}

/// What a limit on a number of things counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    Characters,
    Items,
    Properties,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Type {
    const ALL: [(&'static str, Type); 7] = [
        ("null", Type::Null),
        ("boolean", Type::Boolean),
        ("integer", Type::Integer),
        ("number", Type::Number),
        ("string", Type::String),
        ("array", Type::Array),
        ("object", Type::Object),
    ];

    fn name(self) -> &'static str {
        Type::ALL.iter().find(|(_, one)| *one == self).map_or("", |(name, _)| name)
    }

    fn is(self, value: &Value) -> bool {
        match self {
            Type::Null => value.is_null(),
            Type::Boolean => value.is_boolean(),
            Type::Integer => matches!(value, Value::Number(number) if number::is_whole(number)),
            Type::Number => value.is_number(),
            Type::String => value.is_string(),
            Type::Array => value.is_array(),
            Type::Object => value.is_object(),
        }
    }
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// When it is not a schema, asks for something that is not checked here, or refers to itself without end.
    pub fn read(schema: &Value) -> Result<Schema, Unreadable> {
        read::schema(schema)
    }

    /// Whether a value fits.
    ///
    /// # Errors
    /// The first place where it does not.
    pub fn check(&self, value: &Value) -> Result<(), Mismatch> {
        check::check(self, value)
    }
}
