//! `toolgate install` and `uninstall`: the hook in a host's settings. The
//! change is shown first; nothing of others is touched; taking it out again
//! restores the bytes.

use crate::installs::{self, Install};
use crate::project;
use crate::screen::{GREEN, confirm, json, out, styled, talk};
use crate::verbs::{Failure, Outcome};
use serde_json::json;
use similar::TextDiff;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate_adapters::{HOSTS, Host, Level, Ours, host};
use toolgate_runtime::{Setup, agent_above, askers};

/// Adds the hook to a host's settings.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  toolgate install claude-code             every session you start, in any folder\n  toolgate install claude-code --project   sessions started in this folder, also your colleagues'"
)]
pub struct Args {
    /// The host: claude-code
    pub host: String,
    /// Which settings
    #[command(flatten)]
    pub level: LevelArgs,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Takes the hook out again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  toolgate uninstall claude-code --yes")]
pub struct RemoveArgs {
    /// The host: claude-code
    pub host: String,
    /// Which settings; without one, all that hold the hook
    #[command(flatten)]
    pub level: LevelArgs,
    /// Do not ask
    #[arg(long, short)]
    pub yes: bool,
    /// Answer as JSON
    #[arg(long)]
    pub json: bool,
}

/// Whose settings file to change.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
#[group(multiple = false)]
pub struct LevelArgs {
    /// Your own settings: every session you start, in any folder (default)
    #[arg(long)]
    pub user: bool,
    /// The project's shared settings: sessions started in this very folder, also your colleagues'
    #[arg(long)]
    pub project: bool,
    /// The project's local settings: your sessions in this folder and below it in the repository
    #[arg(long)]
    pub local: bool,
}

impl LevelArgs {
    /// The level the person named, if they named one.
    pub fn chosen(self) -> Option<Level> {
        let named = [(self.user, Level::User), (self.project, Level::Project), (self.local, Level::Local)];
        named.into_iter().find_map(|(is_named, level)| is_named.then_some(level))
    }
}

/// The host of that name, or what there is.
pub fn known_host(name: &str) -> Result<&'static dyn Host, Failure> {
    let known: Vec<&str> = HOSTS.iter().map(|host| host.name()).collect();
    host(name).ok_or_else(|| {
        Failure::new(format!("there is no host `{name}`"), format!("known hosts: {}", known.join(", ")))
    })
}

/// How hosts call this program. Below the home folder it is written as
/// `"$HOME/…"`, so that shared settings fit every member of a team.
fn program(setup: &Setup) -> Result<String, Failure> {
    let path = std::env::current_exe()?;
    let below_home = setup.dirs.home.as_ref().and_then(|home| path.strip_prefix(home).ok());
    let text = match below_home {
        Some(rest) => format!("$HOME/{}", rest.display()),
        None => path.display().to_string(),
    };
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-$ ".contains(c));
    if !plain {
        return Err(Failure::new(
            format!("`{}` cannot be written into a hook command safely", path.display()),
            "install toolgate below a folder with a plain name",
        ));
    }
    Ok(format!("\"{text}\""))
}

/// The settings file of a level.
pub fn settings_file(host: &dyn Host, setup: &Setup, level: Level) -> Result<PathBuf, Failure> {
    let home = setup
        .dirs
        .home
        .clone()
        .ok_or_else(|| Failure::new("HOME is not set", "set it to your home folder"))?;
    Ok(host.settings_file(level, &home, &setup.project))
}

fn read(file: &Path) -> Result<Option<Vec<u8>>, Failure> {
    match std::fs::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::new(
            format!("`{}` cannot be read: {error}", file.display()),
            "make it readable for you",
        )),
    }
}

/// Changing the gate's own place is for the person.
pub fn refuse_agent() -> Result<(), Failure> {
    match agent_above(&|name| std::env::var(name).ok(), &askers(&project::dirs())) {
        Some(mark) => Err(Failure::new(
            format!("this runs inside an agent ({mark})"),
            "run it in a terminal of your own",
        )),
        None => Ok(()),
    }
}

/// `install`.
pub fn run(args: &Args) -> Outcome {
    let setup = project::here();
    let host = known_host(&args.host)?;
    let file = settings_file(host, &setup, args.level.chosen().unwrap_or_default())?;
    let changed = install(host, &setup, &file, args.yes)?;
    if args.json {
        json(&json!({ "host": host.name(), "file": file, "changed": changed }));
    }
    Ok(ExitCode::SUCCESS)
}

/// Installs a host's hook in `file`; says whether anything changed.
pub fn install(host: &dyn Host, setup: &Setup, file: &Path, yes: bool) -> Result<bool, Failure> {
    let before = read(file)?;
    let after = host.install(before.as_deref(), &program(setup)?).map_err(|fault| {
        Failure::new(
            format!("`{}` cannot be edited: {fault}", file.display()),
            "mend the file, then run this again",
        )
    })?;
    if before.as_deref() == Some(after.as_slice()) {
        match host.objection(Some(&after), Ours::Yes) {
            Some(why) => tell_unguarded(host, file, &why),
            None => talk(&format!("{} is already guarded in {}", host.name(), file.display())),
        }
        return Ok(false);
    }
    show_change(file, before.as_deref().unwrap_or_default(), &after);
    if !yes && !confirm("Write this?") {
        return Err(Failure::new("nothing was changed", "answer y, or give --yes"));
    }
    let made = missing_folders(file);
    write(file, &after)?;
    let seen = before.clone().unwrap_or_default();
    let before = before.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let install = Install {
        host: host.name().to_owned(),
        file: file.to_path_buf(),
        before,
        after: installs::mark(&after),
        made,
    };
    installs::remember(&setup.dirs, install, &seen)?;
    match host.objection(Some(&after), Ours::Yes) {
        Some(why) => tell_unguarded(host, file, &why),
        None => {
            talk(&format!("{} guards {} through {}", styled(GREEN, "toolgate"), host.name(), file.display()))
        }
    }
    Ok(true)
}

/// The hook is there and something else in the settings keeps it from running.
fn tell_unguarded(host: &dyn Host, file: &Path, why: &str) {
    talk(&format!(
        "{} is NOT guarded through {}: {why}; take that out of the settings",
        host.name(),
        file.display()
    ));
}

fn missing_folders(file: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        file.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_path_buf).collect();
    folders.reverse();
    folders
}

fn show_change(file: &Path, before: &[u8], after: &[u8]) {
    let before = String::from_utf8_lossy(before);
    let after = String::from_utf8_lossy(after);
    let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
    let name = file.display().to_string();
    talk(diff.unified_diff().context_radius(2).header(&name, &name).to_string().trim_end());
}

/// Whole or not at all, keeping the file's own rights.
fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    // A settings file may be a link into a dotfiles folder: write where it leads.
    let target = behind(file);
    let temporary = target.with_extension("toolgate-new");
    std::fs::write(&temporary, bytes)?;
    if let Ok(about) = std::fs::metadata(&target) {
        std::fs::set_permissions(&temporary, about.permissions())?;
    }
    std::fs::rename(&temporary, &target)?;
    Ok(())
}

/// The file a link leads to, even if it is not there yet.
fn behind(file: &Path) -> PathBuf {
    let link = || Some(file.parent()?.join(std::fs::read_link(file).ok()?));
    std::fs::canonicalize(file).ok().or_else(link).unwrap_or_else(|| file.to_path_buf())
}

/// `uninstall`.
pub fn remove(args: &RemoveArgs) -> Outcome {
    refuse_agent()?;
    let setup = project::here();
    let host = known_host(&args.host)?;
    let levels = args.level.chosen().map_or_else(|| Level::ALL.to_vec(), |level| vec![level]);
    let mut files = Vec::new();
    for level in levels {
        let file = settings_file(host, &setup, level)?;
        // Where the project is the home folder, two levels are one file.
        if !files.contains(&file) && read(&file)?.is_some_and(|bytes| host.installed(&bytes).is_some()) {
            files.push(file);
        }
    }
    if files.is_empty() {
        let file = settings_file(host, &setup, args.level.chosen().unwrap_or_default())?;
        talk(&format!("the hook is not in {}", file.display()));
    }
    // The last put in first, so that a folder made for several files goes with the last of them.
    for file in files.iter().rev() {
        take_out(host, &setup, file, args.yes)?;
        if args.json {
            json(&json!({ "host": host.name(), "file": file, "changed": true }));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Takes a host's hook out of `file`.
fn take_out(host: &dyn Host, setup: &Setup, file: &Path, yes: bool) -> Result<(), Failure> {
    let now = read(file)?.unwrap_or_default();
    let known = installs::find(&setup.dirs, file);
    let restored = restored(host, &now, known.as_ref(), file)?;
    show_change(file, &now, restored.as_deref().unwrap_or_default());
    if !yes && !confirm("Write this?") {
        return Err(Failure::new("nothing was changed", "answer y, or give --yes"));
    }
    match &restored {
        Some(bytes) => write(file, bytes)?,
        None => {
            std::fs::remove_file(behind(file))?;
            remove_made(known.as_ref());
        }
    }
    installs::forget(&setup.dirs, file)?;
    talk(&format!("toolgate no longer guards {} through {}", host.name(), file.display()));
    Ok(())
}

/// The exact bytes from before if nobody changed the file since; otherwise
/// the file as it is now without our hook. `None`: there was no file.
fn restored(
    host: &dyn Host,
    now: &[u8],
    known: Option<&Install>,
    file: &Path,
) -> Result<Option<Vec<u8>>, Failure> {
    match known {
        Some(install) if install.after == installs::mark(now) => {
            Ok(install.before.clone().map(String::into_bytes))
        }
        _ => {
            if known.is_some() {
                out("the file was changed since the hook was put in; only the hook is taken out");
            }
            host.uninstall(now).map_err(|fault| {
                Failure::new(
                    format!("`{}` cannot be edited: {fault}", file.display()),
                    "mend the file, then run this again",
                )
            })
        }
    }
}

/// Folders made for the install go too, if nothing else is in them.
fn remove_made(known: Option<&Install>) {
    for folder in known.into_iter().flat_map(|install| install.made.iter().rev()) {
        let _ = std::fs::remove_dir(folder);
    }
}
