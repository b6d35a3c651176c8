//! How far an answer is to reach, as typed: `--session`, `--minutes 30`,
//! `--always --pattern 'git push origin *'`.

use crate::screen::{DIM, one_line, styled, talk};
use crate::verbs::Failure;
use toolgate_core::{Entry, Extent, Request, fits_text, proposed_pattern};
use toolgate_store::{Store, StoreError};

/// So many records back it is looked what a pattern would have covered.
const RECORDS: u32 = 2_000;

/// So many of them are shown.
const SHOWN: usize = 8;

/// How far an answer reaches; nothing means this call, once.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ReachArgs {
    /// This exact call, as often as this session makes it
    #[arg(long, conflicts_with_all = ["minutes", "always"])]
    pub session: bool,
    /// This exact call in any session, for this many minutes
    #[arg(long, value_name = "N", conflicts_with = "always")]
    pub minutes: Option<u32>,
    /// Until revoked: this exact call, or every call that matches --pattern
    #[arg(long)]
    pub always: bool,
    /// A command in which `*` matches any text of one word
    #[arg(long, requires = "always")]
    pub pattern: Option<String>,
}

impl ReachArgs {
    /// The same as a value, for an answer to these requests.
    pub fn extent_for(&self, requests: &[Request]) -> Result<Extent, Failure> {
        let extent = match self {
            ReachArgs { session: true, .. } => Extent::Session,
            ReachArgs { minutes: Some(minutes), .. } => Extent::For { minutes: *minutes },
            ReachArgs { always: true, pattern, .. } => Extent::Always { pattern: pattern.clone() },
            _ => Extent::Once,
        };
        match requests.iter().find_map(|request| extent.fault_for(request)).or_else(|| extent.fault()) {
            Some(fault) => Err(Failure::new(fault, "`toolgate inbox approve --help` shows examples")),
            None => Ok(extent),
        }
    }
}

/// Says what an answer would reach, before it is given: in words, and as the
/// recent calls it would have covered.
pub fn preview(store: &dyn Store, request: &Request, extent: &Extent) -> Result<(), Failure> {
    if extent.is_once() {
        return Ok(());
    }
    talk(&format!("covers {}", extent.words()));
    match extent {
        Extent::Always { pattern: Some(pattern) } => {
            let covered = covered_calls(store, &request.tool, pattern)?;
            talk(&format!("recent calls it would have covered: {}", covered.len()));
            covered.iter().take(SHOWN).for_each(|title| talk(&format!("  {}", one_line(title, 100))));
        }
        Extent::Always { pattern: None } => {
            if let Some(pattern) = proposed_pattern(&request.title).filter(|_| request.input.is_none()) {
                talk(&styled(DIM, &format!("to cover more: --pattern '{pattern}'")));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Calls of late that fit a pattern, each once, the newest first.
pub fn covered_calls(store: &dyn Store, tool: &str, pattern: &str) -> Result<Vec<String>, StoreError> {
    let mut titles: Vec<String> = Vec::new();
    for record in store.records_before(u64::MAX, RECORDS)? {
        if let Entry::Decided(decided) = record.entry
            && decided.tool == tool
            && !titles.contains(&decided.title)
            && fits_text(pattern, &decided.title)
        {
            titles.push(decided.title);
        }
    }
    Ok(titles)
}
