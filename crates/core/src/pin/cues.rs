//! Cues in the text of a tool's definition that act on the agent instead of
//! describing the tool: instructions, concealment, destinations, other tools.
//!
//! Text alone proves nothing, so cues are compared as sets between two versions
//! of the same text, and only concealment counts at first sight.

/// Longer texts are cut for this.
const TEXT_MAX: usize = 64 << 10;

/// One cue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cue {
    /// What sort.
    pub class: CueClass,
    /// The text that is the cue.
    pub text: String,
}

/// What a cue does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CueClass {
    /// It tells the agent what to do.
    Instruction,
    /// It hides something from the person.
    Concealment,
    /// It names a place to send things to or take them from.
    Destination,
    /// It speaks of another tool.
    OtherTool,
}

impl Cue {
    /// The end of a sentence that begins with "its description".
    pub(super) fn words(&self) -> String {
        let does = match self.class {
            CueClass::Instruction => "instructs the agent",
            CueClass::Concealment => "tells the agent to hide something",
            CueClass::Destination => "names a destination",
            CueClass::OtherTool => "refers to another tool",
        };
        format!("{does} (`{}`)", self.text)
    }
}

const INSTRUCTIONS: &[&str] = &[
    "always",
    "must",
    "never",
    "before using",
    "before calling",
    "before any",
    "after calling",
    "after using",
    "first call",
    "first read",
    "important",
    "instruction",
    "ignore",
    "disregard",
    "override",
    "system prompt",
    "system:",
    "you should",
    "you need to",
    "make sure",
    "ensure that",
    "as a parameter",
    "pass its content",
    "pass the content",
    "in order to use",
    "required step",
    "mandatory",
    "otherwise this tool",
    "bcc",
    "silently",
    "forward to",
    "send to",
    "copy to",
];

const CONCEALMENT: &[&str] = &[
    "do not tell",
    "don't tell",
    "do not mention",
    "don't mention",
    "do not inform",
    "don't inform",
    "do not reveal",
    "do not show",
    "do not notify",
    "without telling",
    "without informing",
    "without mentioning",
    "without the user",
    "not visible to the user",
    "hide this",
    "hidden from the user",
    "secretly",
    "keep this secret",
    "<important>",
    "<secret>",
    "<system>",
    "<hidden>",
];

/// What no description needs and an attacker wants read.
const PLACES: &[&str] = &["~/", ".ssh", ".env", "id_rsa", ".aws", "/etc/", "mcp.json", ".netrc", ".kube"];

/// The cues of a text.
pub(super) fn cues(text: &str, others: &[&str]) -> Vec<Cue> {
    let text = text.get(..text.floor_char_boundary(TEXT_MAX)).unwrap_or(text);
    let mut found = Vec::new();
    let mut add = |class: CueClass, text: &str| {
        let cue = Cue { class, text: text.to_owned() };
        if !found.contains(&cue) {
            found.push(cue);
        }
    };
    if text.chars().any(is_invisible) {
        add(CueClass::Concealment, "invisible characters");
    }
    let lower = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
    let says = |words: &str| holds_words(&lower, words);
    CONCEALMENT.iter().filter(|words| says(words)).for_each(|words| add(CueClass::Concealment, words));
    INSTRUCTIONS.iter().filter(|words| says(words)).for_each(|words| add(CueClass::Instruction, words));
    let plain = |word: &str| {
        word.trim_matches(|c: char| matches!(c, '(' | ')' | '<' | '>' | '"' | '\'' | '`' | ',' | '.' | ';'))
            .to_owned()
    };
    for word in lower.split(' ').map(plain) {
        let is_address =
            word.contains("://") || word.contains('@') && word.contains('.') || word.starts_with("www.");
        if is_address || PLACES.iter().any(|place| word.contains(place)) {
            add(CueClass::Destination, &word);
        }
    }
    for name in others.iter().filter(|name| name.len() > 3 && says(&name.to_lowercase())) {
        // A name that is an everyday word is no reference.
        if name.contains(['_', '-', '.']) || name.chars().any(char::is_uppercase) {
            add(CueClass::OtherTool, name);
        }
    }
    if says("mcp__") || says("other tools") || says("instead of the") {
        add(CueClass::OtherTool, "other tools");
    }
    found
}

/// Whether words occur in a text, not inside of longer words.
fn holds_words(text: &str, words: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let open = words.ends_with(|c: char| !is_word(c)) || words.ends_with('_');
    text.match_indices(words).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|text| text.chars().next());
        let begins = !words.starts_with(is_word) || !before.is_some_and(is_word);
        begins && (open || !after.is_some_and(is_word))
    })
}

/// Characters that take no room on a screen, or turn around what is shown.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        || c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}
