//! The condition on the host a call reaches: `host: ["*.example.com"]`, or name,
//! port and scheme apart.

use crate::host::{Host, canonical_name};
use crate::rule::compiled::{Check, RuleFault};
use crate::rule::names::Names;
use crate::rule::pattern::Pattern;
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::net::Ipv4Addr;

/// Which hosts are meant. In each list one must hold; a text or a list in its
/// place is the list of names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HostMatch {
    /// `example.com` is that host, `*.example.com` every one below it; a scheme
    /// and a port may be written with it: `https://example.com:8443`.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub name: Names,
    /// Ports, or ranges of them: `8000-8999`.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub port: Names,
    /// What is spoken: `http`, `ssh`, `postgres` …
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub scheme: Names,
    /// Hosts that are never meant, written like names.
    #[serde(skip_serializing_if = "Names::is_empty")]
    pub except: Names,
}

/// The form with keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    #[serde(default)]
    name: Names,
    #[serde(default, deserialize_with = "ports")]
    port: Names,
    #[serde(default)]
    scheme: Names,
    #[serde(default)]
    except: Names,
}

impl<'de> Deserialize<'de> for HostMatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HostMatch, D::Error> {
        struct Forms;
        impl<'de> Visitor<'de> for Forms {
            type Value = HostMatch;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "a host, a list of hosts, or `name`, `port`, `scheme` and `except`")
            }
            fn visit_str<E>(self, text: &str) -> Result<HostMatch, E> {
                Ok(HostMatch { name: Names(vec![text.to_owned()]), ..HostMatch::default() })
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<HostMatch, A::Error> {
                let name = Names::deserialize(SeqAccessDeserializer::new(list))?;
                Ok(HostMatch { name, ..HostMatch::default() })
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HostMatch, A::Error> {
                let Keys { name, port, scheme, except } = Keys::deserialize(MapAccessDeserializer::new(map))?;
                Ok(HostMatch { name, port, scheme, except })
            }
        }
        deserializer.deserialize_any(Forms)
    }
}

/// Ports are numbers, ranges are texts.
fn ports<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Names, D::Error> {
    struct Numbers;
    impl<'de> Visitor<'de> for Numbers {
        type Value = Names;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "a port, a range like `8000-8999`, or a list of them")
        }
        fn visit_u64<E>(self, port: u64) -> Result<Names, E> {
            Ok(Names(vec![port.to_string()]))
        }
        fn visit_i64<E>(self, port: i64) -> Result<Names, E> {
            Ok(Names(vec![port.to_string()]))
        }
        fn visit_str<E>(self, text: &str) -> Result<Names, E> {
            Ok(Names(vec![text.to_owned()]))
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Names, A::Error> {
            let mut all = Vec::new();
            while let Some(one) = list.next_element::<serde_json::Value>()? {
                all.push(one.as_str().map_or_else(|| one.to_string(), str::to_owned));
            }
            Ok(Names(all))
        }
    }
    deserializer.deserialize_any(Numbers)
}

/// The same, checked.
#[derive(Debug)]
pub(crate) struct CompiledHosts {
    names: Vec<HostPattern>,
    ports: Vec<(u16, u16)>,
    schemes: Vec<Pattern>,
    except: Vec<HostPattern>,
}

impl CompiledHosts {
    pub(crate) fn new(wanted: &HostMatch, check: &Check<'_>) -> Result<CompiledHosts, RuleFault> {
        if *wanted == HostMatch::default() {
            let help = "name the hosts: `host: [\"*.example.com\"]`";
            return Err(check.fault("host", "`host` names no host".to_owned(), help));
        }
        let patterns = |names: &Names| -> Result<Vec<HostPattern>, RuleFault> {
            names.iter().map(|name| HostPattern::new(name, check)).collect()
        };
        let port = |text: &str| {
            range(text).ok_or_else(|| {
                let message = format!("`{text}` is not a port");
                check.fault(text, message, "write a number from 1 to 65535, or a range: `8000-8999`")
            })
        };
        Ok(CompiledHosts {
            names: patterns(&wanted.name)?,
            ports: wanted.port.iter().map(port).collect::<Result<_, _>>()?,
            schemes: check.globs(&wanted.scheme)?,
            except: patterns(&wanted.except)?,
        })
    }

    /// Whether one of these hosts is meant.
    pub(crate) fn mean(&self, hosts: &[Host]) -> bool {
        hosts.iter().any(|host| {
            (self.names.is_empty() || self.names.iter().any(|one| one.fits(host)))
                && (self.ports.is_empty()
                    || host.port.is_some_and(|port| {
                        self.ports.iter().any(|(from, to)| (*from..=*to).contains(&port))
                    }))
                && (self.schemes.is_empty() || self.schemes.iter().any(|one| one.is_match(&host.scheme)))
                && !self.except.iter().any(|one| one.fits(host))
        })
    }
}

fn range(text: &str) -> Option<(u16, u16)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let ends = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    (ends.0 > 0 && ends.0 <= ends.1).then_some(ends)
}

/// `scheme://name:port`, only the name required.
#[derive(Debug)]
struct HostPattern {
    scheme: Option<Pattern>,
    name: NamePattern,
    ports: Option<(u16, u16)>,
}

#[derive(Debug)]
enum NamePattern {
    Like(Pattern),
    /// `10.0.0.0/8`: address and mask.
    Block(u32, u32),
}

impl HostPattern {
    fn new(text: &str, check: &Check<'_>) -> Result<HostPattern, RuleFault> {
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme.to_ascii_lowercase()), rest),
            None => (None, text),
        };
        let block = block(rest);
        let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let rest = rest.split('/').next().unwrap_or(rest);
        let (name, port) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((name, behind)) => (name, behind.strip_prefix(':')),
            None if rest.matches(':').count() > 1 => (rest, None),
            None => rest.split_once(':').map_or((rest, None), |(name, port)| (name, Some(port))),
        };
        let port = port.filter(|port| *port != "*");
        let ports = port.map(|port| {
            range(port).ok_or_else(|| {
                check.fault(text, format!("`{port}` is not a port"), "write `name:8443`, or only the name")
            })
        });
        let name = match block {
            Some((address, mask)) => NamePattern::Block(address, mask),
            None => NamePattern::Like(check.glob(text, Pattern::word(&canonical_name(name)))?),
        };
        let scheme = scheme.map(|scheme| check.glob(text, Pattern::word(&scheme))).transpose()?;
        Ok(HostPattern { scheme, name, ports: ports.transpose()? })
    }

    fn fits(&self, host: &Host) -> bool {
        let name = match &self.name {
            // An unknown host may be any, and is none in particular.
            NamePattern::Like(pattern) if host.is_unknown() => pattern.is_match(""),
            NamePattern::Like(pattern) => pattern.is_match(&host.name),
            NamePattern::Block(address, mask) => {
                host.name.parse::<Ipv4Addr>().is_ok_and(|own| u32::from(own) & mask == *address)
            }
        };
        name && self.scheme.as_ref().is_none_or(|scheme| scheme.is_match(&host.scheme))
            && self.ports.is_none_or(|(from, to)| host.port.is_some_and(|port| (from..=to).contains(&port)))
    }
}

/// `10.0.0.0/8` as address and mask.
fn block(text: &str) -> Option<(u32, u32)> {
    let (address, bits) = text.split_once('/')?;
    let address: Ipv4Addr = address.parse().ok()?;
    let bits: u32 = bits.parse().ok().filter(|bits| *bits <= 32)?;
    let mask = u32::MAX.checked_shl(32 - bits).unwrap_or(0);
    Some((u32::from(address) & mask, mask))
}
