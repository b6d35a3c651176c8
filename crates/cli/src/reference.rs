//! The whole command line as one Markdown page, `docs/cli.md`.

use crate::args::Cli;
use clap::CommandFactory;

/// The page, from the same source as `--help`.
pub fn page() -> String {
    let mut command = Cli::command().term_width(100).color(clap::ColorChoice::Never);
    command.build();
    let mut text = "# The command line\n\nMade from the program itself by `toolgate man --reference`; a test compares the two.\n".to_owned();
    add(&mut command, "toolgate", &mut text);
    text
}

fn add(command: &mut clap::Command, path: &str, text: &mut String) {
    let help = command.render_long_help().to_string();
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    text.push_str(&format!("\n## {path}\n\n```text\n{}\n```\n", lines.join("\n").trim_end()));
    for sub in command.get_subcommands_mut().filter(|sub| sub.get_name() != "help") {
        let path = format!("{path} {}", sub.get_name());
        add(sub, &path, text);
    }
}
