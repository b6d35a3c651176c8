//! Finds functions and their length by the manners of rustfmt: a function
//! ends at the first line that closes at the indentation it began with.

/// One function.
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub line: usize,
    /// How many lines it has.
    pub lines: usize,
}

/// The functions of a file.
pub fn of(text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = name(line) else { continue };
        let indent = line.len() - line.trim_start().len();
        let end = lines.iter().skip(at).position(|later| closes(later, indent));
        // A declaration without a body ends in `;` and has no length.
        let declared = lines
            .iter()
            .skip(at)
            .take(8)
            .find(|later| later.ends_with('{') || later.ends_with(';') || later.ends_with('}'));
        if declared.is_some_and(|later| later.ends_with(';')) {
            continue;
        }
        if let Some(end) = end {
            found.push(Function { name, line: at + 1, lines: end + 1 });
        }
    }
    found
}

fn closes(line: &str, indent: usize) -> bool {
    let own = line.len() - line.trim_start().len();
    own == indent && line.trim_end().ends_with('}') && (line.trim() == "}" || line.contains("fn "))
}

fn name(line: &str) -> Option<String> {
    let code = line.trim_start();
    let rest = ["pub(crate) ", "pub(super) ", "pub "]
        .iter()
        .find_map(|lead| code.strip_prefix(lead))
        .unwrap_or(code);
    let rest = ["const ", "async "].iter().fold(rest, |rest, lead| rest.strip_prefix(lead).unwrap_or(rest));
    let name = rest.strip_prefix("fn ")?;
    Some(name.split(['(', '<']).next()?.to_owned())
}

#[test]
fn the_length_of_a_function_is_read_right() {
    let text = "impl A {\n    fn one() { 1 }\n\n    pub fn two(\n        a: u8,\n    ) -> u8 {\n        if a > 1 {\n            2\n        }\n    }\n}\ntrait B {\n    fn none(&self);\n}\n";
    let lengths: Vec<(String, usize)> = of(text).into_iter().map(|f| (f.name, f.lines)).collect();
    assert_eq!(lengths, [("one".to_owned(), 1), ("two".to_owned(), 7)]);
}
