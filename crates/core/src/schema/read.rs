//! Reads a schema, and refuses what would not be checked.

use super::format::Format;
use super::number::whole;
use super::{Counted, Fields, Keyword, Node, Schema, Type, Unreadable, pattern};
use serde_json::{Map, Number, Value};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Keywords that only describe, and have no say in whether a value fits.
const ANNOTATIONS: &[&str] =
    &["$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"];

/// Keywords that are read here.
const KNOWN: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "definitions",
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "prefixItems",
    "items",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "required",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
];

/// Keywords of JSON Schema that are not checked here, with what to write instead.
const REFUSED: &[(&str, &str)] = &[
    ("unevaluatedProperties", "use `additionalProperties`"),
    ("unevaluatedItems", "use `items`"),
    ("additionalItems", "use `prefixItems` and `items`"),
    ("dependencies", "use `dependentRequired` or `dependentSchemas`"),
    ("$anchor", "refer to the part by its path, `#/$defs/NAME`"),
    ("$dynamicRef", "use `$ref`"),
    ("$dynamicAnchor", "use `$defs` and `$ref`"),
    ("$recursiveRef", "use `$ref: \"#\"`"),
    ("$recursiveAnchor", "use `$ref: \"#\"`"),
    ("$vocabulary", "remove it"),
    ("contentEncoding", "use `pattern`"),
    ("contentMediaType", "remove it"),
    ("contentSchema", "remove it"),
];

const DIALECTS: &[&str] = &["draft-06/", "draft-07/", "draft/2019-09/", "draft/2020-12/"];

/// Levels of a schema within each other.
const DEPTH_MAX: usize = 64;

type Read<T> = Result<T, Unreadable>;

pub(super) fn schema(root: &Value) -> Read<Schema> {
    let mut reader = Reader { wanted: Vec::new() };
    let node = reader.node(root, "", 0)?;
    let mut targets = BTreeMap::new();
    while let Some((at, name)) = reader.wanted.pop() {
        if targets.contains_key(&name) {
            continue;
        }
        let Some(part) = root.pointer(&name) else {
            return Err(bad(&at, format!("`$ref: \"#{name}\"` names a part this schema does not have")));
        };
        let part = reader.node(part, &name, 0)?;
        targets.insert(name, part);
    }
    endless(&targets)?;
    Ok(Schema { root: node, targets })
}

fn bad(at: &str, why: impl Into<String>) -> Unreadable {
    Unreadable { at: at.to_owned(), why: why.into() }
}

/// A `$ref` that leads back to itself without going down into the value would never end.
fn endless(targets: &BTreeMap<String, Node>) -> Read<()> {
    let mut done: Vec<&str> = Vec::new();
    for start in targets.keys() {
        let mut open: Vec<(&str, bool)> = vec![(start, false)];
        let mut way: Vec<&str> = Vec::new();
        while let Some((name, leaving)) = open.pop() {
            if leaving {
                way.pop();
                done.push(name);
            } else if way.contains(&name) {
                return Err(bad(name, "`$ref` leads back to itself without end"));
            } else if !done.contains(&name) {
                way.push(name);
                open.push((name, true));
                let mut next = Vec::new();
                targets.get(name).into_iter().for_each(|node| in_place(node, &mut next));
                open.extend(next.into_iter().map(|name| (name, false)));
            }
        }
    }
    Ok(())
}

/// The references of a schema that speak of the same value as itself.
fn in_place<'a>(node: &'a Node, found: &mut Vec<&'a str>) {
    let Node::Every(keywords) = node else { return };
    for keyword in keywords {
        match keyword {
            Keyword::Ref(name) => found.push(name),
            Keyword::All(nodes) | Keyword::Any(nodes) | Keyword::One(nodes) => {
                nodes.iter().for_each(|node| in_place(node, found));
            }
            Keyword::Not(node) | Keyword::Dependent { node, .. } => in_place(node, found),
            Keyword::If { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().for_each(|node| in_place(node, found));
            }
            _ => {}
        }
    }
}

struct Reader {
    /// References still to read: where they is, and what they name.
    wanted: Vec<(String, String)>,
}

/// One schema object while it is read.
struct Part<'a> {
    fields: &'a Map<String, Value>,
    at: &'a str,
    depth: usize,
}

impl<'a> Part<'a> {
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name)
    }

    fn under(&self, name: &str) -> String {
        under(self.at, name)
    }

    fn wrong<T>(&self, name: &str, why: &str) -> Read<T> {
        Err(bad(self.at, format!("`{name}` {why}")))
    }

    fn number(&self, name: &str) -> Read<Option<Number>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(number.clone())),
            Some(_) => self.wrong(name, "must be a number"),
        }
    }

    fn count(&self, name: &str) -> Read<Option<u64>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.as_number().and_then(whole).and_then(|count| u64::try_from(count).ok()) {
            Some(count) => Ok(Some(count)),
            None => self.wrong(name, "must be a whole number, 0 or more"),
        }
    }

    fn text(&self, name: &str) -> Read<Option<&'a str>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => self.wrong(name, "must be a string"),
        }
    }

    fn list(&self, name: &str) -> Read<Option<&'a Vec<Value>>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => self.wrong(name, "must be a list"),
        }
    }

    fn object(&self, name: &str) -> Read<Option<&'a Map<String, Value>>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(fields)),
            Some(_) => self.wrong(name, "must be an object"),
        }
    }

    fn names(&self, name: &str, value: &Value) -> Read<Vec<String>> {
        let names = value.as_array().and_then(|list| {
            list.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
        });
        names.map_or_else(|| self.wrong(name, "must be a list of names"), Ok)
    }
}

fn under(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

impl Reader {
    fn node(&mut self, value: &Value, at: &str, depth: usize) -> Read<Node> {
        let fields = match value {
            Value::Bool(true) => return Ok(Node::Anything),
            Value::Bool(false) => return Ok(Node::Nothing),
            Value::Object(fields) => fields,
            _ => return Err(bad(at, "a schema must be an object, `true` or `false`")),
        };
        if depth > DEPTH_MAX {
            return Err(bad(at, format!("a schema may nest at most {DEPTH_MAX} levels deep")));
        }
        let part = Part { fields, at, depth };
        known(&part)?;
        let mut all = Vec::new();
        self.reference(&part, &mut all)?;
        plain(&part, &mut all)?;
        numbers(&part, &mut all)?;
        texts(&part, &mut all)?;
        self.items(&part, &mut all)?;
        self.fields(&part, &mut all)?;
        self.joined(&part, &mut all)?;
        Ok(Node::Every(all))
    }

    fn child(&mut self, part: &Part<'_>, name: &str, value: &Value) -> Read<Node> {
        self.node(value, &part.under(name), part.depth + 1)
    }

    fn maybe(&mut self, part: &Part<'_>, name: &str) -> Read<Option<Node>> {
        part.get(name).map(|value| self.child(part, name, value)).transpose()
    }

    fn nodes(&mut self, part: &Part<'_>, name: &str) -> Read<Option<Vec<Node>>> {
        let Some(list) = part.list(name)? else { return Ok(None) };
        if list.is_empty() {
            return part.wrong(name, "must not be empty");
        }
        let base = part.under(name);
        let read = |(index, value): (usize, &Value)| {
            self.node(value, &under(&base, &index.to_string()), part.depth + 1)
        };
        list.iter().enumerate().map(read).collect::<Read<Vec<Node>>>().map(Some)
    }

    fn map(&mut self, part: &Part<'_>, name: &str) -> Read<Vec<(String, Node)>> {
        let base = part.under(name);
        let fields = part.object(name)?.into_iter().flatten();
        let read = |(key, value): (&String, &Value)| {
            Ok((key.clone(), self.node(value, &under(&base, key), part.depth + 1)?))
        };
        fields.map(read).collect()
    }

    fn reference(&mut self, part: &Part<'_>, all: &mut Vec<Keyword>) -> Read<()> {
        // Parts nothing refers to are read all the same: a mistake in them is one.
        self.map(part, "$defs")?;
        self.map(part, "definitions")?;
        let Some(text) = part.text("$ref")? else { return Ok(()) };
        let local = text.strip_prefix('#').filter(|name| name.is_empty() || name.starts_with('/'));
        let Some(name) = local.and_then(decoded) else {
            return part
                .wrong("$ref", "must name a part of this schema, like `#/$defs/NAME`; nothing is fetched");
        };
        self.wanted.push((part.at.to_owned(), name.clone()));
        all.push(Keyword::Ref(name));
        Ok(())
    }

    fn items(&mut self, part: &Part<'_>, all: &mut Vec<Keyword>) -> Read<()> {
        if part.get("items").is_some_and(Value::is_array) {
            return part.wrong("items", "must be one schema; use `prefixItems` for a list of them");
        }
        let first = self.nodes(part, "prefixItems")?.unwrap_or_default();
        let rest = self.maybe(part, "items")?.map(Box::new);
        if !first.is_empty() || rest.is_some() {
            all.push(Keyword::Items { first, rest });
        }
        let (least, most) = (part.count("minContains")?.unwrap_or(1), part.count("maxContains")?);
        if let Some(node) = self.maybe(part, "contains")? {
            all.push(Keyword::Contains { node: Box::new(node), least, most });
        }
        match part.get("uniqueItems") {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => all.push(Keyword::Unique),
            Some(_) => return part.wrong("uniqueItems", "must be `true` or `false`"),
        }
        Ok(())
    }

    fn fields(&mut self, part: &Part<'_>, all: &mut Vec<Keyword>) -> Read<()> {
        if let Some(value) = part.get("required") {
            all.push(Keyword::Required(part.names("required", value)?));
        }
        let named: BTreeMap<String, Node> = self.map(part, "properties")?.into_iter().collect();
        let mut matching = Vec::new();
        for (text, node) in self.map(part, "patternProperties")? {
            let regex = pattern::compile(&text).map_err(|why| bad(&part.under("patternProperties"), why))?;
            matching.push((regex, node));
        }
        let other = self.maybe(part, "additionalProperties")?;
        if !named.is_empty() || !matching.is_empty() || other.is_some() {
            all.push(Keyword::Fields(Box::new(Fields { named, matching, other })));
        }
        if let Some(node) = self.maybe(part, "propertyNames")? {
            all.push(Keyword::Names(Box::new(node)));
        }
        for (field, value) in part.object("dependentRequired")?.into_iter().flatten() {
            let names = part.names("dependentRequired", value)?;
            let node = Box::new(Node::Every(vec![Keyword::Required(names)]));
            all.push(Keyword::Dependent { field: field.clone(), node });
        }
        let dependent = self.map(part, "dependentSchemas")?.into_iter();
        all.extend(dependent.map(|(field, node)| Keyword::Dependent { field, node: Box::new(node) }));
        Ok(())
    }

    fn joined(&mut self, part: &Part<'_>, all: &mut Vec<Keyword>) -> Read<()> {
        all.extend(self.nodes(part, "allOf")?.map(Keyword::All));
        all.extend(self.nodes(part, "anyOf")?.map(Keyword::Any));
        all.extend(self.nodes(part, "oneOf")?.map(Keyword::One));
        all.extend(self.maybe(part, "not")?.map(|node| Keyword::Not(Box::new(node))));
        let then = Box::new(self.maybe(part, "then")?.unwrap_or(Node::Anything));
        let otherwise = Box::new(self.maybe(part, "else")?.unwrap_or(Node::Anything));
        if let Some(condition) = self.maybe(part, "if")?.map(Box::new) {
            all.push(Keyword::If { condition, then, otherwise });
        }
        Ok(())
    }
}

/// Refuses every keyword whose demand would be passed over.
fn known(part: &Part<'_>) -> Read<()> {
    for name in part.fields.keys().map(String::as_str) {
        if let Some((_, instead)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
            return part.wrong(name, &format!("is not supported; {instead}"));
        }
        if !KNOWN.contains(&name) && !ANNOTATIONS.contains(&name) && !name.starts_with("x-") {
            return part.wrong(name, "is not a keyword of JSON Schema");
        }
    }
    if part.text("$id")?.is_some() && !part.at.is_empty() {
        return part.wrong("$id", "is only supported at the top of a schema");
    }
    let dialect = part.text("$schema")?.map(|text| text.trim_end_matches('#'));
    let supported = |text: &str| {
        let path = text.split_once("://json-schema.org/").map(|(_, path)| path);
        path.and_then(|path| path.strip_suffix("schema")).is_some_and(|path| DIALECTS.contains(&path))
    };
    if dialect.is_some_and(|text| !supported(text)) {
        return part.wrong("$schema", "names a dialect that is not supported; use draft 2020-12");
    }
    Ok(())
}

fn plain(part: &Part<'_>, all: &mut Vec<Keyword>) -> Read<()> {
    if let Some(value) = part.get("type") {
        let names = match value {
            Value::String(name) => vec![name.clone()],
            _ => part.names("type", value)?,
        };
        let of = |name: &String| Type::ALL.iter().find(|(known, _)| known == name).map(|(_, one)| *one);
        match names.iter().map(of).collect::<Option<Vec<Type>>>() {
            Some(types) if !types.is_empty() => all.push(Keyword::Type(types)),
            _ => {
                let known = Type::ALL.map(|(name, _)| name).join(", ");
                return part.wrong("type", &format!("must be one or more of {known}"));
            }
        }
    }
    all.extend(part.list("enum")?.map(|list| Keyword::Values(list.clone())));
    all.extend(part.get("const").map(|value| Keyword::Values(vec![value.clone()])));
    Ok(())
}

fn numbers(part: &Part<'_>, all: &mut Vec<Keyword>) -> Read<()> {
    for (name, allowed) in [
        ("minimum", [Ordering::Greater, Ordering::Equal]),
        ("maximum", [Ordering::Less, Ordering::Equal]),
        ("exclusiveMinimum", [Ordering::Greater; 2]),
        ("exclusiveMaximum", [Ordering::Less; 2]),
    ] {
        all.extend(part.number(name)?.map(|limit| Keyword::Limit { name, limit, allowed }));
    }
    if let Some(step) = part.number("multipleOf")? {
        if step.as_f64().is_none_or(|step| step <= 0.0) {
            return part.wrong("multipleOf", "must be more than 0");
        }
        all.push(Keyword::MultipleOf(step));
    }
    for (what, least, most) in [
        (Counted::Characters, "minLength", "maxLength"),
        (Counted::Items, "minItems", "maxItems"),
        (Counted::Properties, "minProperties", "maxProperties"),
    ] {
        let (least, most) = (part.count(least)?.unwrap_or(0), part.count(most)?);
        if least > 0 || most.is_some() {
            all.push(Keyword::Count { what, least, most });
        }
    }
    Ok(())
}

fn texts(part: &Part<'_>, all: &mut Vec<Keyword>) -> Read<()> {
    if let Some(text) = part.text("pattern")? {
        all.push(Keyword::Pattern(pattern::compile(text).map_err(|why| bad(part.at, why))?));
    }
    if let Some(name) = part.text("format")? {
        let Some((_, format)) = Format::ALL.iter().find(|(known, _)| *known == name) else {
            let known = Format::ALL.map(|(name, _)| name).join(", ");
            return part
                .wrong("format", &format!("must be one of {known}; `{name}` is not checked, use `pattern`"));
        };
        all.push(Keyword::Format(*format));
    }
    Ok(())
}

/// The JSON pointer of a reference, its `%XX` decoded.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
