//! Whether a rule is about a call, and what in the call says so.
//!
//! For shell calls, the conditions on command, kind, pattern and files must
//! hold for *one and the same* simple command: `git status && rm -n x` is not
//! `git … -n`.

use crate::call::{Call, Kind};
use crate::evidence::{Evidence, shortened};
use crate::facts::{Access, FileFact};
use crate::guard::Seen;
use crate::places::{Place, Places};
use crate::rule::compiled::{CompiledRule, Files};
use crate::rule::data::{CommandMatch, RuleKind};
use crate::rule::effects;
use crate::rule::lazy::LazyRegex;
use crate::rule::overlap::can_hold;
use crate::rule::pattern::Pattern;
use crate::tool_word::server_and_tool;
use crate::unsaved;
use serde_json::Value;
use toolgate_shell::{
    Assignment, Command, Effect, Flag, Reach, Span, Word, find_flag, identity, is_path, is_subcommand,
    is_surely_subcommand,
};

/// Why a rule is about a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hit {
    /// What in the call matched, quoted.
    pub evidence: Vec<Evidence>,
    /// The commands concerned, for shell calls.
    pub commands: Vec<usize>,
    /// What the rule says of this very call, where that is more than its reason.
    pub said: Option<String>,
}

/// The hit of a rule on an event, if it is about it.
pub(crate) fn hit(rule: &CompiledRule, seen: &Seen<'_>) -> Option<Hit> {
    let wanted = &rule.rule.matches;
    let call = &seen.event.call;
    if !seen.event.is_at(wanted.event) {
        return None;
    }
    if !rule.tools.is_empty() && !is_tool(rule, call) {
        return None;
    }
    if !rule.params.iter().all(|(name, regex)| param_matches(&call.input, name, regex)) {
        return None;
    }
    if !rule.opaque.is_empty() {
        return opaque_hit(rule, seen);
    }
    let found = match &call.kind {
        Kind::Shell { .. } if seen.facts.reached.is_empty() => shell_hit(rule, seen),
        Kind::Shell { .. } => {
            shell_hit(rule, seen).or_else(|| plain_hit(rule, seen).filter(|_| has_effects(rule)))
        }
        // A tool that amounts to commands is judged like them.
        Kind::Mcp { .. } if !seen.facts.reading.commands.is_empty() => {
            shell_hit(rule, seen).or_else(|| plain_hit(rule, seen))
        }
        _ => plain_hit(rule, seen),
    };
    found.map(|hit| Hit { said: lost_work(rule, seen, &hit), ..hit })
}

/// Whether the rule names the tool: as the host calls it, as any server's tool is called, or by
/// the word every host's tools go by.
fn is_tool(rule: &CompiledRule, call: &Call) -> bool {
    let is_named = |name: &str| rule.tools.iter().any(|glob| glob.is_match(name));
    is_named(&call.tool)
        || call.server_tool().is_some_and(|name| is_named(&name))
        || call.tool_words().iter().any(|word| rule.rule.matches.tool.iter().any(|named| named == *word))
        || call.tool_of_some_server().is_some_and(|tool| may_be_of_a_server(rule, tool))
}

/// Whether the tool may be the one a rule names together with its server. A rule that only loosens needs to be sure.
fn may_be_of_a_server(rule: &CompiledRule, tool: &str) -> bool {
    let servers = rule.rule.matches.tool.iter().filter_map(server_and_tool).map(|(server, _)| server);
    let mut names = servers.map(|server| format!("mcp__{server}__{tool}"));
    rule.rule.kind != RuleKind::Approve
        && names.any(|name| rule.tools.iter().any(|glob| glob.is_match(&name)))
}

/// What work would be lost, for a rule about such work.
fn lost_work(rule: &CompiledRule, seen: &Seen<'_>, hit: &Hit) -> Option<String> {
    let wanted = rule.files.as_ref().filter(|files| files.unsaved)?;
    let is_meant = |file: &&FileFact| {
        let concerned = file.command.is_none_or(|at| hit.commands.contains(&at));
        concerned && file_matches(wanted, file, seen.places)
    };
    let command = hit.evidence.first().filter(|_| hit.commands.len() == 1);
    // Of a program in another language a piece says little.
    let command = command.map(|one| shortened(&one.text)).filter(|text| !text.starts_with(['"', '\'']));
    unsaved::sentence(seen.facts.files.iter().filter(is_meant), command)
}

fn opaque_hit(rule: &CompiledRule, seen: &Seen<'_>) -> Option<Hit> {
    let reading = &seen.facts.reading;
    let places = reading.opaque.iter().filter(|place| rule.opaque.contains(&place.kind));
    let call = &seen.event.call;
    let mut evidence: Vec<Evidence> = Vec::new();
    for place in places {
        evidence.extend(Evidence::of_span(call, around(seen, place.span), [place.span]));
        evidence.push(Evidence::remark(&place.what));
    }
    for fault in reading.fault.iter().filter(|fault| rule.opaque.contains(&fault.kind)) {
        evidence.extend(Evidence::of_span(call, fault.span, []));
        evidence.push(Evidence::remark(format!("cannot be read to its end: {}", fault.message)));
    }
    (!evidence.is_empty()).then_some(Hit { evidence, commands: Vec::new(), said: None })
}

/// The command a stretch is in, or the stretch itself where it is in none.
fn around(seen: &Seen<'_>, span: Span) -> Span {
    let commands = seen.facts.commands().map(|(_, command)| command.span);
    let holding = commands.filter(|one| one.start <= span.start && span.end <= one.end);
    holding.min_by_key(|one| one.end.saturating_sub(one.start)).unwrap_or(span)
}

fn shell_hit(rule: &CompiledRule, seen: &Seen<'_>) -> Option<Hit> {
    let wanted = &rule.rule.matches;
    let whole_call =
        wanted.command.is_none() && !has_effects(rule) && rule.regex.is_none() && rule.files.is_none();
    if whole_call {
        let evidence = whole(rule, &seen.event.call);
        return Some(Hit { evidence, commands: Vec::new(), said: None });
    }
    let mut hit = Hit::default();
    for (at, command) in seen.facts.commands() {
        if let Some(evidence) = command_hit(rule, seen, at, command) {
            hit.commands.push(at);
            // What runs in a loop is found once for each round.
            let new = evidence.into_iter().filter(|one| !hit.evidence.contains(one)).collect::<Vec<_>>();
            hit.evidence.extend(new);
        }
    }
    (!hit.commands.is_empty()).then_some(hit)
}

fn plain_hit(rule: &CompiledRule, seen: &Seen<'_>) -> Option<Hit> {
    let wanted = &rule.rule.matches;
    let call = &seen.event.call;
    if wanted.command.is_some() || rule.regex.is_some() {
        return None;
    }
    let (touched, reached) = if has_effects(rule) {
        let (touched, reached) = effects::of_tool(rule, seen)?;
        (Some(touched), reached)
    } else {
        (None, Vec::new())
    };
    let files = match &rule.files {
        None => touched.unwrap_or_default(),
        // The effect must be on the very file, unless it is on a host.
        Some(files) => {
            let all = seen.facts.files.iter();
            let own = all.filter(|file| match &touched {
                Some(touched) if reached.is_empty() => touched.contains(file),
                _ => true,
            });
            let found = matching_files(files, own, seen.places);
            (!found.is_empty()).then_some(found)?
        }
    };
    if files.is_empty() && reached.is_empty() {
        return Some(Hit { evidence: whole(rule, call), commands: Vec::new(), said: None });
    }
    let quoted = files.iter().filter_map(|file| Evidence::of_file(call, seen.facts, file));
    let addresses = reached.iter().filter_map(|address| Evidence::of_text(call, address));
    let evidence = quoted.chain(addresses).chain(files.iter().filter_map(|file| led_to(file)));
    Some(Hit { evidence: evidence.collect(), commands: Vec::new(), said: None })
}

fn has_effects(rule: &CompiledRule) -> bool {
    !rule.effects.is_empty() || rule.hosts.is_some()
}

/// What says that a rule is about a call that is neither commands nor files: the fields it names.
fn whole(rule: &CompiledRule, call: &Call) -> Vec<Evidence> {
    let fields: Vec<Evidence> =
        rule.params.iter().filter_map(|(name, _)| Evidence::of_field(call, name)).collect();
    if fields.is_empty() { Evidence::of_call(call).into_iter().collect() } else { fields }
}

fn command_hit(rule: &CompiledRule, seen: &Seen<'_>, at: usize, command: &Command) -> Option<Vec<Evidence>> {
    if let Some(wanted) = &rule.rule.matches.command
        && !words_match(rule, wanted, command)
    {
        return None;
    }
    if has_effects(rule) && !command.effects.iter().any(|effect| effects::of_command(rule, command, effect)) {
        return None;
    }
    if rule.regex.as_ref().is_some_and(|regex| !regex.is_match(seen.facts.normal(at))) {
        return None;
    }
    let mut files = Vec::new();
    if let Some(wanted) = &rule.files {
        let own = seen.facts.files.iter().filter(|file| file.command == Some(at));
        files = matching_files(wanted, own, seen.places);
        if files.is_empty() {
            return None;
        }
    }
    let quoted = quoted(rule, seen, at, command, &files);
    Some(quoted.into_iter().chain(files.iter().filter_map(|file| led_to(file))).collect())
}

/// The command as it is written, with the words that made the rule match.
fn quoted(
    rule: &CompiledRule,
    seen: &Seen<'_>,
    at: usize,
    command: &Command,
    files: &[&FileFact],
) -> Option<Evidence> {
    let wanted = rule.rule.matches.command.as_ref();
    let named = wanted.into_iter().flat_map(|wanted| wanted.flags.iter().chain(wanted.all_flags.iter()));
    let flags = named.filter_map(|flag| flag_of(command, flag)).map(|flag| flag.span);
    let variables = wanted.into_iter().flat_map(|wanted| wanted.env.iter());
    let variables = variables.filter_map(|item| variable_of(command, item)).map(|one| one.value.span);
    let targets = command.effects.iter().filter_map(|effect| Some((effect, effect.target.as_ref()?)));
    let meant = |(effect, word): &(&Effect, &Word)| {
        effects::of_command(rule, command, effect) || files.iter().any(|file| file.written == word.text)
    };
    let targets = targets.filter(meant).map(|(_, word)| word.span);
    let args = command.usage.operands.iter();
    let args =
        args.filter(|word| rule.args.iter().any(|glob| glob.is_match(&word.text))).map(|word| word.span);
    let marks = flags.chain(variables).chain(targets).chain(args);
    let call = &seen.event.call;
    match call.kind {
        Kind::Shell { .. } => {
            Evidence::elsewhere(call, command).or_else(|| Evidence::of_span(call, command.span, marks))
        }
        _ => Evidence::of_command(
            call,
            seen.facts,
            at,
            command.effects.iter().filter_map(|one| one.target.as_ref()),
        ),
    }
}

/// Where a file really is, if the call does not say so.
fn led_to(file: &FileFact) -> Option<Evidence> {
    file.real.as_ref().map(|real| Evidence::remark(format!("`{}` leads to `{real}`", file.written)))
}

fn words_match(rule: &CompiledRule, wanted: &CommandMatch, command: &Command) -> bool {
    let operands = &command.usage.operands;
    is_told(rule, wanted, command)
        && (wanted.flags.is_empty() || wanted.flags.iter().any(|flag| has_flag(command, flag)))
        && wanted.all_flags.iter().all(|flag| has_flag(command, flag))
        && (rule.args.is_empty()
            || operands.iter().any(|word| rule.args.iter().any(|glob| glob.is_match(&word.text))))
        && (wanted.via.is_empty() || wanted.via.iter().any(|name| command.via.iter().any(|via| via == name)))
        && (wanted.env.is_empty() || wanted.env.iter().any(|item| has_variable(command, item)))
}

/// Whether it is the program, under any of its names, and told to do what the rule says.
fn is_told(rule: &CompiledRule, wanted: &CommandMatch, command: &Command) -> bool {
    let subs = &wanted.subcommand;
    // What a rule lets through must be it in every reading of the words.
    let is_it = if rule.rule.kind == RuleKind::Approve { is_surely_subcommand } else { is_subcommand };
    // `[s3, rb]` is `s3 rb`, as there is no `aws rb`.
    let listed: Vec<&str> = subs.iter().collect();
    let in_order =
        (listed.len() > 1 && is_path(identity(&command.program).0, &listed)).then(|| listed.join(" "));
    let does = |within: Option<&str>| match &in_order {
        Some(path) => is_it(command, within, path),
        None => listed.iter().any(|sub| is_it(command, within, sub)),
    };
    if rule.programs.is_empty() {
        return subs.is_empty() || does(None);
    }
    rule.programs.iter().zip(wanted.program.iter()).any(|(glob, name)| {
        let (program, within) = identity(name);
        if identity(&command.program).0 == program {
            return match within {
                Some(group) if subs.is_empty() => is_subcommand(command, None, group),
                within => subs.is_empty() || does(within),
            };
        }
        glob.is_match(&command.program) && (subs.is_empty() || does(None))
    })
}

/// Whether a command has an option, whatever the spelling on either side.
pub(crate) fn has_flag(command: &Command, flag: &str) -> bool {
    flag_of(command, flag).is_some()
}

fn flag_of<'a>(command: &'a Command, flag: &str) -> Option<&'a Flag> {
    let fits = |wanted: &str, given: &str| {
        wanted == given || Pattern::word(wanted).is_ok_and(|pattern| pattern.is_match(given))
    };
    find_flag(command, flag, &fits)
}

fn has_variable(command: &Command, item: &str) -> bool {
    variable_of(command, item).is_some()
}

fn variable_of<'a>(command: &'a Command, item: &str) -> Option<&'a Assignment> {
    match item.split_once('=') {
        Some((name, value)) => command.assignments.iter().find(|a| a.name == name && a.value.text == value),
        None => command.assignments.iter().find(|a| a.name == item),
    }
}

pub(crate) fn param_matches(input: &Value, name: &str, regex: &LazyRegex) -> bool {
    let found = name.split('.').try_fold(input, |value, key| value.get(key));
    match found {
        Some(Value::String(text)) => regex.is_match(text),
        Some(Value::Null) | None => false,
        Some(other) => regex.is_match(&other.to_string()),
    }
}

fn matching_files<'a>(
    files: &Files,
    facts: impl Iterator<Item = &'a FileFact>,
    places: &Places,
) -> Vec<&'a FileFact> {
    let found: Vec<&FileFact> = facts.filter(|fact| file_matches(files, fact, places)).collect();
    // `cp a b` may write `b` or `b/a`; where both count, the first says enough.
    let says = |fact: &&&FileFact| {
        let parent = fact.path.rsplit_once('/').map_or("", |(parent, _)| parent);
        !found.iter().any(|other| other.path == parent && other.access == fact.access)
    };
    found.iter().filter(says).copied().collect()
}

fn file_matches(files: &Files, fact: &FileFact, places: &Places) -> bool {
    let targets: Vec<&str> = fact.targets().collect();
    // A path that cannot be known is neither inside nor outside of anything;
    // its written form can still match a pattern.
    let placed = fact.exact;
    (files.access.is_empty() || fact.access.words().iter().any(|word| files.access.contains(word)))
        && (files.path.is_empty()
            || files.path.iter().any(|glob| {
                targets.iter().any(|path| is_like(glob, path, places))
                    || could_be(glob, fact, places)
                    || can_hold(glob, fact, places)
            }))
        && !files.except.iter().any(|glob| targets.iter().all(|path| spares(glob, fact, path, places)))
        && (files.inside.is_empty()
            || placed
                && files.inside.iter().any(|place| targets.iter().any(|path| places.holds(*place, path))))
        && (files.outside.is_empty()
            || placed
                && fact.locations().any(|path| files.outside.iter().all(|place| !places.holds(*place, path))))
        && !(placed
            && !files.except_inside.is_empty()
            && fact
                .locations()
                .all(|path| files.except_inside.iter().any(|place| places.holds(*place, path))))
        && (!files.unsaved || fact.unsaved.is_some())
        && (files.covers.is_empty()
            || placed && covers(files, fact, &targets, places)
            || !placed && could_cover(files, fact, places))
}

/// Whether a pattern spares a file, or all that lies below it.
fn spares(glob: &Pattern, fact: &FileFact, path: &str, places: &Places) -> bool {
    let whole = || glob.is_all_below() && is_like(glob, &format!("{path}/{ANY_FILE}"), places);
    // `cp a x/docs/`: what arrives there is in the folder.
    is_like(glob, path, places) || (fact.below != Reach::Itself || fact.written.ends_with('/')) && whole()
}

/// The name of some file below a folder.
const ANY_FILE: &str = "\u{1}";

/// Could the pattern of the call (`cat .e*v`) mean a file the rule names in
/// full? Only where it says at least how that name begins: `*` means no secret.
fn could_be(glob: &Pattern, fact: &FileFact, places: &Places) -> bool {
    let Some((folder, last, begin)) = beginning(fact) else { return false };
    glob.names().iter().any(|name| {
        let fits = begin == name || Pattern::word(last).is_ok_and(|pattern| pattern.is_match(name));
        fits && is_like(glob, &format!("{folder}/{name}"), places)
    })
}

/// The folder, the last part, and what that says before its first pattern
/// character, for a call's pattern that says enough.
pub(crate) fn beginning(fact: &FileFact) -> Option<(&str, &str, &str)> {
    let (folder, last) = fact.glob.then(|| fact.path.rsplit_once('/')).flatten()?;
    let begin = last.split(['*', '?', '[', '{', '(']).next().unwrap_or_default();
    // `.?nv` says little before, but enough with what follows; and who reads
    // `.*` reads every hidden file, `.env` among them.
    let said = last.chars().filter(|found| found.is_alphanumeric()).count();
    let every = last.strip_prefix(".[").and_then(|rest| rest.split_once(']')).map_or(last, |(_, rest)| rest);
    let unsaid = !every.chars().any(char::is_alphanumeric);
    let dotted = fact.access == Access::Read && unsaid || said >= 2 && !last.contains('*');
    let enough = begin.chars().count() >= 2 || begin == "." && dotted;
    (enough && begin.len() < last.len()).then_some((folder, last, begin))
}

/// A pattern may speak of `~`; then a path is tried as seen from home too. One
/// without a start is about the project where the file lies in it: what the
/// folders around the project are called says nothing.
pub(crate) fn is_like(glob: &Pattern, path: &str, places: &Places) -> bool {
    if !glob.is_from_home() {
        let inside = glob.is_at_any_depth().then(|| places.below_workspace(path)).flatten();
        return glob.is_match(inside.unwrap_or(path));
    }
    let from_home = places
        .home
        .as_ref()
        .and_then(|home| path.strip_prefix(home.as_str()))
        .filter(|rest| rest.starts_with('/'));
    from_home.is_some_and(|rest| glob.is_match(&format!("~{rest}"))) || glob.is_match(path)
}

fn covers(files: &Files, fact: &FileFact, targets: &[&str], places: &Places) -> bool {
    targets.iter().any(|path| {
        let folder = whole_folder(fact, path);
        files.covers.iter().any(|place| places.covers(folder, *place) && !is_scratch(places, folder, *place))
    })
}

/// Whether a deletion of something unknown in a known folder may be all of it:
/// `for f in /*; do rm -rf "$f"; done`, and `rm -rf "$HOME/$X"` when `X` is
/// empty. In the workspace one unknown name is ordinary work.
fn could_cover(files: &Files, fact: &FileFact, places: &Places) -> bool {
    let Some((folder, last)) = fact.path.rsplit_once('/') else { return false };
    if fact.access != Access::DeleteTree || folder.contains(['$', '`', '*', '?', '(', '[', '{']) {
        return false;
    }
    let folder = if folder.is_empty() { "/" } else { folder };
    let every = matches!(last, "*" | ".*" | "**");
    let unknown = last.starts_with('$') && fact.written.contains('/');
    let counts = |place: Place| every || matches!(place, Place::Root | Place::Home);
    (every || unknown)
        && files.covers.iter().any(|place| {
            counts(*place) && places.covers(folder, *place) && !is_scratch(places, folder, *place)
        })
}

/// `/x/*` means all of `/x` when a tree is deleted.
fn whole_folder<'a>(fact: &FileFact, path: &'a str) -> &'a str {
    let mut rest = path;
    while let Some((folder, last)) = rest.rsplit_once('/')
        && (last == ".*" || is_broad(last))
    {
        rest = folder;
    }
    match Some(rest).filter(|rest| rest.len() < path.len()) {
        Some("") if fact.glob => "/",
        Some(folder) if fact.glob && fact.access == Access::DeleteTree => folder,
        _ => path,
    }
}

/// Does a pattern say nothing of the names it means: `*`, `?*`, `[!.]*`?
fn is_broad(part: &str) -> bool {
    let mut class = false;
    let mut says = false;
    for found in part.chars() {
        match found {
            '[' => class = true,
            ']' => class = false,
            '*' | '?' => {}
            _ => says |= !class,
        }
    }
    part.contains('*') && !says && !class
}

/// A workspace below a temporary folder does not make that folder sacred.
fn is_scratch(places: &Places, folder: &str, place: Place) -> bool {
    place == Place::Workspace
        && places.temp.iter().any(|temp| temp == folder)
        && !places.workspace.iter().any(|own| own == folder)
}

/// Whether everything a call would do is what the rule speaks of: every simple
/// command matched, nothing unreadable, and no file changed unless the rule is
/// about files. `ls; rm -rf build` is not `ls`.
pub(crate) fn covers_call(rule: &CompiledRule, seen: &Seen<'_>, hit: &Hit) -> bool {
    let reading = &seen.facts.reading;
    let whole = hit.commands.len() == reading.commands.len();
    let readable = reading.opaque.is_empty() && reading.fault.is_none();
    let changes = seen.facts.files.iter().any(|file| file.access != Access::Read);
    whole && readable && (!changes || rule.files.is_some())
}
