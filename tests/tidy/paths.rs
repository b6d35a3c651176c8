//! The maps of the project name files that exist.

use crate::files::text_files;
use crate::nothing_wrong;

const MAPS: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Paths in these pages that are placeholders or not of this project.
const PLACEHOLDERS: &[&str] = &["/bin/true", "HOST", "NAME"];

/// What a page says in backticks, with the line it is on.
fn quoted(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .flat_map(|(at, line)| line.split('`').skip(1).step_by(2).map(move |one| (at + 1, one)))
}

/// Whether it is written like a file or a folder of the project.
fn is_path(text: &str) -> bool {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let ends = [".rs", ".yaml", ".md", ".toml", ".html", "/"].iter().any(|end| text.ends_with(end));
    plain && ends && !PLACEHOLDERS.iter().any(|name| text.contains(name))
}

/// A name without a folder is in the folder of the path before it on the line.
#[test]
fn the_maps_name_files_that_exist() {
    let files: Vec<String> = text_files().into_iter().map(|file| file.path).collect();
    let exists =
        |path: &str| files.iter().any(|file| file == path || path.ends_with('/') && file.starts_with(path));
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for map in MAPS {
        let text = text_files().into_iter().find(|file| file.path == *map).unwrap().text;
        let (mut here, mut folder) = (0, String::new());
        for (line, name) in quoted(&text).filter(|(_, name)| is_path(name)) {
            seen += 1;
            if line != here {
                (here, folder) = (line, String::new());
            }
            let path = if name.contains('/') || folder.is_empty() {
                name.to_owned()
            } else {
                format!("{folder}{name}")
            };
            folder = path.rfind('/').map_or(String::new(), |end| path[..=end].to_owned());
            if !exists(&path) {
                wrong.push(format!("{map}:{line} `{name}`"));
            }
        }
    }
    assert!(seen > 100, "only {seen} paths were seen");
    nothing_wrong("paths that do not exist", &wrong);
}
