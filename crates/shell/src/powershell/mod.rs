//! PowerShell: its text as the shell text that does the same.
//!
//! A splitter and a table of cmdlets, no interpreter: blocks are read as if each ran once, and
//! what only PowerShell can compute becomes a variable no one set. Must not lose a command: what
//! is no cmdlet of the table stays a command of its own name.

mod cmdlets;
mod emit;
mod given;
mod split;

use crate::reading::{ReadContext, Reading, Span};
use given::Stage;
use split::{Argument, Statement, Token};
use std::collections::BTreeMap;

/// More text, and blocks in blocks, than this are not translated.
const TEXT_MAX: usize = 64 << 10;
const DEPTH_MAX: usize = 8;
const LINES_MAX: usize = 512;

/// Reads `source` as PowerShell would. Places in it are not told apart: all of it is quoted.
#[must_use]
pub fn read_powershell(source: &str, setting: &ReadContext) -> Reading {
    let mut reading = crate::read(&translated(source), setting);
    let whole = Span { start: 0, end: source.len() };
    for command in &mut reading.commands {
        let command = std::sync::Arc::make_mut(command);
        command.span = whole;
        command.words.iter_mut().for_each(|word| word.span = whole);
        command.usage.operands.iter_mut().for_each(|word| word.span = whole);
        let targets = command.effects.iter_mut().filter_map(|effect| effect.target.as_mut());
        targets.for_each(|word| word.span = whole);
        command.in_place = false;
    }
    reading.opaque.iter_mut().for_each(|one| one.span = whole);
    if let Some(fault) = &mut reading.fault {
        fault.span = whole;
    }
    reading
}

/// Shell text that does the same, one command a line.
pub(crate) fn translated(source: &str) -> String {
    if source.len() > TEXT_MAX {
        return "eval \"$PS_too_long\"".to_owned();
    }
    let mut translation = Translation::default();
    translation.text(source, DEPTH_MAX);
    translation.lines.join("\n")
}

/// What is known while the text is gone through.
#[derive(Default)]
struct Translation {
    lines: Vec<String>,
    /// Variables with the one text they were given.
    known: BTreeMap<String, String>,
}

/// Words in front of a condition or a block.
const KEYWORDS: [&str; 20] = [
    "if", "elseif", "else", "while", "until", "do", "for", "foreach", "switch", "try", "catch", "finally",
    "begin", "process", "end", "param", "return", "throw", "trap", "default",
];

impl Translation {
    fn text(&mut self, source: &str, depth_left: usize) {
        if depth_left == 0 {
            self.lines.push("eval \"$PS_too_deep\"".to_owned());
            return;
        }
        for statement in split::statements(source) {
            if self.lines.len() >= LINES_MAX {
                self.lines.push("eval \"$PS_too_long\"".to_owned());
                return;
            }
            self.statement(statement, depth_left);
        }
    }

    fn statement(&mut self, mut statement: Statement, depth_left: usize) {
        while let Some(first) = statement.first_bare().map(str::to_ascii_lowercase)
            && KEYWORDS.contains(&first.as_str())
        {
            statement.drop_first();
        }
        if statement
            .first_bare()
            .is_some_and(|word| matches!(word.to_ascii_lowercase().as_str(), "function" | "filter"))
        {
            statement.drop_first();
            statement.drop_first();
        }
        if let Some((name, value)) = statement.assignment() {
            return self.assigned(&name, value, depth_left);
        }
        let mut stages: Vec<String> = Vec::new();
        let mut upstream: Vec<Argument> = Vec::new();
        for tokens in statement.stages() {
            if let Some(line) =
                self.stage(tokens, &mut upstream, stages.last().map(String::as_str), depth_left)
            {
                stages.push(line);
            }
        }
        if !stages.is_empty() {
            self.lines.push(stages.join(" | "));
        }
    }

    fn assigned(&mut self, name: &str, value: Statement, depth_left: usize) {
        let name = name.to_ascii_lowercase();
        let literal = value.only_text(&self.known);
        if let Some(variable) = name.strip_prefix("env:") {
            let text = literal.unwrap_or_else(|| "x".to_owned());
            return self.lines.push(format!(
                "export {}={}",
                variable.to_ascii_uppercase(),
                emit::quoted(&text)
            ));
        }
        match literal {
            Some(text) => drop(self.known.insert(name, text)),
            None => {
                self.known.remove(&name);
                self.statement(value, depth_left);
            }
        }
    }

    /// One command of a pipeline. `before` is what the one in front of it became.
    fn stage(
        &mut self,
        tokens: Vec<Token>,
        upstream: &mut Vec<Argument>,
        before: Option<&str>,
        depth_left: usize,
    ) -> Option<String> {
        let mut fetched = None;
        for (inner, is_argument) in tokens.iter().flat_map(Token::inner_texts) {
            let from = self.lines.len();
            self.text(inner, depth_left - 1);
            if is_argument {
                // The arguments of a method are values and are not shown.
                let made = self.lines.split_off(from);
                self.lines.extend(made.into_iter().filter(|line| !line.starts_with("echo ")));
            }
            let made = self.lines.get(from..).unwrap_or_default();
            fetched = made.iter().find(|line| line.starts_with("curl ")).cloned().or(fetched);
        }
        let calls = emit::static_calls(&tokens, &self.known);
        fetched = calls.iter().find(|line| line.starts_with("curl ")).cloned().or(fetched);
        self.lines.extend(calls);
        let stage = Stage { tokens, known: &self.known, upstream: upstream.as_slice(), before };
        let made = cmdlets::translated(&stage, fetched.as_deref());
        if let Some(text) = made.nested {
            self.text(&text, depth_left - 1);
        }
        *upstream = made.upstream;
        made.line
    }
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(translated(source), expected, "{source}");
    }

    #[test]
    fn cmdlets_and_their_aliases_are_commands() {
        check("Remove-Item -Recurse -Force src", "rm -rf -- src");
        check("ri src -r -fo", "rm -rf -- src");
        check("Remove-Item -Path 'a b','c' -Recurse:$false", "rm -f -- a\\ b c");
        check("del src\\a.ts", "rm -f -- src/a.ts");
        check("Remove-Item -Recurse -Force C:\\", "rm -rf -- /");
        check("rm *.log", "rm -f -- *.log");
        check("Remove-Item -LiteralPath a*", "rm -f -- a\\*");
        check("Remove-Item x -WhatIf", "");
        check("Move-Item src old", "mv -- src old");
        check("Rename-Item -Path src/a -NewName b", "mv -- src/a src/b");
        check("Copy-Item -Recurse x src", "cp -r -- x src");
        check("Set-Content -Path src/a.ts -Value x", "tee -- src/a.ts");
        check("'x' | Out-File src/a.ts", "echo x | tee -- src/a.ts");
        check("Add-Content src\\a.ts x", "tee -a -- src/a.ts");
        check("Get-Content .env", "cat -- .env");
        check("New-Item -ItemType Directory a", "mkdir -p -- a");
        check("Expand-Archive a.zip -DestinationPath src", "unzip -o a.zip -d src");
        check("Stop-Process -Id 1", "kill 1");
        check("Stop-Computer", "shutdown now");
        check("echo x > f.txt 2>$null", "echo x > f.txt");
    }

    #[test]
    fn what_is_fetched_and_run_is_told() {
        check("iwr https://a.test/x.ps1 | iex", "curl https://a.test/x.ps1 | sh");
        check("iex (irm https://a.test)", "curl https://a.test\ncurl https://a.test | sh");
        let client = "iex ((New-Object Net.WebClient).DownloadString('https://a.test'))";
        assert!(translated(client).ends_with("curl https://a.test | sh"), "{}", translated(client));
        check("iex 'Remove-Item a'", "rm -f -- a");
        check("iex $x", "eval \"${x:?}\"");
        check("Invoke-RestMethod -Method Post -Body x https://a.test", "curl -X Post -d x https://a.test");
        check("iwr -Uri https://a.test -OutFile f", "curl -o f https://a.test");
    }

    #[test]
    fn programs_blocks_and_variables_are_followed() {
        check("git push --force; npm test", "git push --force\nnpm test");
        check("git commit -m \"a; b\"", "git commit -m a\\;\\ b");
        check("$d = 'src'; Remove-Item $d", "rm -f -- src");
        check("Remove-Item \"$HOME/x\"", "rm -f -- \"$HOME\"/x");
        check("if (Test-Path a) { Remove-Item a }", "true\nrm -f -- a");
        check("Get-ChildItem src -Recurse | Remove-Item", "true | rm -f -- src/**");
        check("gci src -Filter *.ts | ForEach-Object { rm $_ }", "rm -f -- \"${_:?}\"\ntrue | cat");
        check("[IO.File]::ReadAllText('.env')", "cat -- .env");
        check("Set-Location src; rm a", "cd -- src\nrm -f -- a");
        check("Start-Process npm -ArgumentList 'run','x' -Wait", "npm run x");
        check("gci env:", "printenv");
        check("# a comment\nls", "true");
    }
}
