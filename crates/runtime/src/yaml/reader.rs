//! The tree as serde reads it: one value at a time, each fault with the place
//! of the value it is about.

use super::tree::{Key, Node, Value};
use super::values::{Changes, Fault};
use super::wording::{self, Shape};
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_saphyr::granit_parser::ScalarStyle;
use std::rc::Rc;

/// One value, to be read as some type.
pub(super) struct Reader<'a> {
    pub node: &'a Rc<Node>,
    pub changes: &'a Changes,
}

type Read<T> = Result<T, Fault>;

impl<'a> Reader<'a> {
    fn child(&self, node: &'a Rc<Node>) -> Reader<'a> {
        Reader { node, changes: self.changes }
    }

    fn wrong<T>(&self, expected: &str) -> Read<T> {
        let shape = Shape::Type { found: wording::of_node(self.node), expected: expected.to_owned() };
        Err(Fault::new(shape).at(self.node))
    }

    fn scalar(&self, expected: &str) -> Read<&'a str> {
        match self.node.text() {
            Some(text) if !self.node.is_null() => Ok(text),
            _ => self.wrong(expected),
        }
    }

    fn integer<'de, V: Visitor<'de>>(&self, visitor: V) -> Read<V::Value> {
        let text = self.scalar("a whole number")?.trim();
        let read = whole(text);
        let Some(number) = read else { return self.wrong("a whole number") };
        let visited = match (u64::try_from(number), i64::try_from(number)) {
            (Ok(number), _) => visitor.visit_u64(number),
            (_, Ok(number)) => visitor.visit_i64(number),
            _ => return self.wrong("a smaller number"),
        };
        visited.map_err(|fault: Fault| fault.at(self.node))
    }

    fn float<'de, V: Visitor<'de>>(&self, visitor: V) -> Read<V::Value> {
        let text = self.scalar("a number")?.trim();
        match text.parse::<f64>() {
            Ok(number) => visitor.visit_f64(number).map_err(|fault: Fault| fault.at(self.node)),
            Err(_) => self.wrong("a number"),
        }
    }

    fn list<'de, V: Visitor<'de>>(&self, visitor: V) -> Read<V::Value> {
        let items = match &self.node.value {
            Value::List(items) => items.as_slice(),
            Value::Text { .. } if self.node.is_null() => &[],
            _ => return self.wrong("a list"),
        };
        let access = Items { reader: self, items, next: 0 };
        visitor.visit_seq(access).map_err(|fault| fault.at(self.node))
    }

    fn map<'de, V: Visitor<'de>>(&self, visitor: V) -> Read<V::Value> {
        let entries = match &self.node.value {
            Value::Map(entries) => entries.as_slice(),
            Value::Text { .. } if self.node.is_null() => &[],
            _ => return self.wrong("keys with values"),
        };
        let access = Entries { reader: self, entries, next: 0, value: None };
        visitor.visit_map(access).map_err(|fault| fault.at(self.node))
    }
}

fn whole(text: &str) -> Option<i128> {
    match (text.strip_prefix("0x"), text.strip_prefix("0o")) {
        (Some(hex), _) => i128::from_str_radix(hex, 16).ok(),
        (_, Some(octal)) => i128::from_str_radix(octal, 8).ok(),
        _ => text.parse().ok(),
    }
}

/// The truth values of YAML, old and new.
fn truth(text: &str) -> Option<bool> {
    let is = |all: [&str; 4]| all.iter().any(|one| text.eq_ignore_ascii_case(one));
    match (is(["true", "yes", "on", "y"]), is(["false", "no", "off", "n"])) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// A number that is written like one: `.inf` and `1e9` are, `infinity` is a word.
fn fraction(text: &str) -> Option<f64> {
    let is_number = text
        .starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.'))
        && text.contains(|found: char| found.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

macro_rules! numbers {
    ($how:ident: $($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
            self.$how(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        let (text, style, is_text) = match &self.node.value {
            Value::List(_) => return self.list(visitor),
            Value::Map(_) => return self.map(visitor),
            Value::Text { text, style, is_text } => (text, style, *is_text),
        };
        let visited = if is_text || *style != ScalarStyle::Plain {
            visitor.visit_str(text)
        } else if self.node.is_null() {
            visitor.visit_unit()
        } else if let Some(value) = truth(text) {
            visitor.visit_bool(value)
        } else if let Some(number) = whole(text) {
            match (u64::try_from(number), i64::try_from(number)) {
                (Ok(number), _) => visitor.visit_u64(number),
                (_, Ok(number)) => visitor.visit_i64(number),
                _ => visitor.visit_str(text),
            }
        } else if let Some(number) = fraction(text) {
            visitor.visit_f64(number)
        } else {
            visitor.visit_str(text)
        };
        visited.map_err(|fault: Fault| fault.at(self.node))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match truth(self.scalar("`true` or `false`")?) {
            Some(value) => visitor.visit_bool(value),
            None => self.wrong("`true` or `false`"),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        let text = self.scalar("a text")?;
        visitor.visit_str(text).map_err(|fault: Fault| fault.at(self.node))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        if self.node.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Read<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        self.list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Read<V::Value> {
        self.list(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Read<V::Value> {
        self.list(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        self.map(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        self.map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        let variant = match &self.node.value {
            Value::Text { text, .. } if !self.node.is_null() => {
                let name = self.changes.words.get(&self.node.id).unwrap_or(text);
                Variant { reader: &self, name, value: None }
            }

            Value::Map(entries) => match entries.as_slice() {
                [(key, value)] => Variant { reader: &self, name: &key.text, value: Some(value) },
                _ => return self.wrong("one word"),
            },
            _ => return self.wrong("one word"),
        };
        visitor.visit_enum(variant).map_err(|fault| fault.at(self.node))
    }

    numbers!(integer: deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128);
    numbers!(integer: deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128);
    numbers!(float: deserialize_f32 deserialize_f64);
    forward_to_deserialize_any! { char bytes byte_buf unit unit_struct identifier ignored_any }
}

struct Items<'r, 'a> {
    reader: &'r Reader<'a>,
    items: &'a [Rc<Node>],
    next: usize,
}

impl<'de> SeqAccess<'de> for Items<'_, '_> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Read<Option<T::Value>> {
        let container = self.reader.node;
        loop {
            let at = self.next;
            let Some(item) = self.items.get(at) else { return Ok(None) };
            self.next = at.saturating_add(1);
            if !self.reader.changes.dropped.contains(&(container.id, at)) {
                let read = seed.deserialize(self.reader.child(item));
                return read.map(Some).map_err(|fault| fault.at(item).within(container, at, None));
            }
        }
    }
}

struct Entries<'r, 'a> {
    reader: &'r Reader<'a>,
    entries: &'a [(Key, Rc<Node>)],
    next: usize,
    value: Option<(usize, &'a Key, &'a Rc<Node>)>,
}

impl<'de> MapAccess<'de> for Entries<'_, '_> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Read<Option<K::Value>> {
        let container = self.reader.node;
        loop {
            let at = self.next;
            let Some((key, value)) = self.entries.get(at) else { return Ok(None) };
            self.next = at.saturating_add(1);
            if !self.reader.changes.dropped.contains(&(container.id, at)) {
                self.value = Some((at, key, value));
                let name = self.reader.changes.keys.get(&(container.id, at)).unwrap_or(&key.text);
                let read = seed.deserialize(StrDeserializer::new(name));
                return read.map(Some).map_err(|mut fault: Fault| {
                    fault.place = Some(key.place);
                    fault.within(container, at, Some(key))
                });
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Read<V::Value> {
        let Some((at, key, value)) = self.value.take() else {
            return Err(Fault::new(Shape::Other("a value without a key".to_owned())));
        };
        let read = seed.deserialize(self.reader.child(value));
        read.map_err(|fault| fault.at(value).within(self.reader.node, at, Some(key)))
    }
}

struct Variant<'r, 'a> {
    reader: &'r Reader<'a>,
    name: &'a str,
    value: Option<&'a Rc<Node>>,
}

impl<'de, 'r, 'a> EnumAccess<'de> for Variant<'r, 'a> {
    type Error = Fault;
    type Variant = Variant<'r, 'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Read<(V::Value, Variant<'r, 'a>)> {
        Ok((seed.deserialize(StrDeserializer::new(self.name))?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, '_> {
    type Error = Fault;

    fn unit_variant(self) -> Read<()> {
        if self.value.is_some() { self.reader.wrong("one word") } else { Ok(()) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Read<T::Value> {
        match self.value {
            Some(value) => seed.deserialize(self.reader.child(value)),
            None => self.reader.wrong("a key with a value"),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Read<V::Value> {
        match self.value {
            Some(value) => self.reader.child(value).list(visitor),
            None => self.reader.wrong("a key with a list"),
        }
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Read<V::Value> {
        match self.value {
            Some(value) => self.reader.child(value).map(visitor),
            None => self.reader.wrong("a key with more keys below it"),
        }
    }
}

/// The keys of a type.
pub(super) fn fields_of<T: de::DeserializeOwned>() -> &'static [&'static str] {
    let mut found: &'static [&'static str] = &[];
    let _ = T::deserialize(Fields(&mut found));
    found
}

/// Reads nothing; learns which keys a type has.
struct Fields<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Read<V::Value> {
        Err(Fault::new(Shape::Other("there is no value".to_owned())))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
