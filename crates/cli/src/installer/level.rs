//! Whose settings the hook goes into: the user's, the user's for one project,
//! or the project's, which a team shares.

use crate::installer::{Manner, Place, short_name};
use crate::screen::{BOLD, DIM, YELLOW, answer, can_ask, styled, talk};
use crate::verbs::Failure;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use toolgate_adapters::{Host, Level};
use toolgate_runtime::Setup;

/// The level on the command line.
#[derive(Debug, Clone, Copy, clap::Args)]
#[group(multiple = false)]
pub struct LevelArgs {
    /// Your own settings, for everything you run in any folder (the default)
    #[arg(long)]
    pub user: bool,
    /// Your settings for this project, not shared
    #[arg(long)]
    pub local: bool,
    /// The project's settings, shared with everyone who works on it
    #[arg(long)]
    pub project: bool,
}

impl LevelArgs {
    /// The level, if one is given.
    pub fn given(self) -> Option<Level> {
        let named = [(self.user, Level::User), (self.local, Level::Local), (self.project, Level::Project)];
        named.into_iter().find_map(|(is_given, level)| is_given.then_some(level))
    }
}

/// The settings file of a level.
pub fn settings_file(host: &dyn Host, setup: &Setup, level: Level) -> Result<PathBuf, Failure> {
    let Some(home) = &setup.dirs.home else {
        return Err(Failure::new("`HOME` is not set", "set it to your home folder"));
    };
    Ok(host.settings_file(level, home, &setup.project))
}

/// The levels whose settings hold the hook.
pub fn guarded_levels(host: &dyn Host, setup: &Setup) -> Vec<Level> {
    let holds = |level: &Level| {
        let bytes = settings_file(host, setup, *level).ok().and_then(|file| std::fs::read(file).ok());
        bytes.is_some_and(|bytes| !host.events(&bytes).is_empty())
    };
    let mut levels: Vec<Level> = host.levels().iter().copied().filter(holds).collect();
    // Where the project is the home folder, two levels are one file.
    let mut files = Vec::new();
    levels.retain(|level| {
        let file = settings_file(host, setup, *level).ok();
        let is_new = !files.contains(&file);
        files.push(file);
        is_new
    });
    levels
}

/// The level to install at: as given, where the hook is already, or as the
/// person chooses. `None` if they choose none.
pub fn chosen(
    host: &dyn Host,
    setup: &Setup,
    given: Option<Level>,
    manner: Manner,
) -> Result<Option<Level>, Failure> {
    if let Some(level) = given.or_else(|| guarded_levels(host, setup).first().copied()) {
        return Ok(Some(level));
    }
    if manner.yes || manner.quiet || !can_ask() {
        return Ok(Some(Level::default()));
    }
    let name = |level| settings_file(host, setup, level).map(|file| short_name(setup, &file));
    let title = host.title();
    talk(&styled(BOLD, &format!("Where should {title} be guarded?")));
    let offers = [
        (Level::User, "everything you run, in any folder (recommended)".to_owned()),
        (Level::Local, "sessions you start in this folder".to_owned()),
        (Level::Project, "sessions anyone starts in this folder; shared with your team".to_owned()),
    ];
    for (number, (level, what)) in (1..).zip(&offers) {
        talk(&format!("  {number}  {:<28} {}", name(*level)?, styled(DIM, what)));
    }
    loop {
        let said = answer("Choose 1, 2 or 3, or q to quit [1]:");
        let Some(said) = said else { return Ok(None) };
        match said.as_str() {
            "" | "1" => return Ok(Some(Level::User)),
            "2" => return Ok(Some(Level::Local)),
            "3" => return Ok(Some(Level::Project)),
            "q" | "n" | "N" | "no" | "No" => return Ok(None),
            _ => {}
        }
    }
}

/// What a person should know about a level before they agree to it.
pub fn warn(place: &Place<'_>, setup: &Setup, manner: Manner) {
    if manner.quiet || place.level == Level::User || !is_shared(&setup.project, &place.file) {
        return;
    }
    let (name, title) = (short_name(setup, &place.file), place.host.title());
    let mark = styled(YELLOW, "warning:");
    if place.level == Level::Local {
        talk(&format!("{mark} git does not ignore {name}; add it to .gitignore to keep it to yourself."));
        return;
    }
    talk(&format!("{mark} {name} is shared with everyone who works on this repository."));
    talk(&format!("  The hook fails closed: until a colleague installs Toolgate, {title} blocks every"));
    talk("  tool call they make here. To guard only yourself, use `--user` or `--local`.");
}

/// Whether git would take the file along.
fn is_shared(project: &Path, file: &Path) -> bool {
    let mut git = Command::new("git");
    git.arg("-C").arg(project).args(["check-ignore", "--quiet", "--"]).arg(file);
    let ended = git.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    // 0: ignored. 1: not. Anything else: no repository, or no git.
    ended.is_ok_and(|status| status.code() == Some(1))
}
