//! The folder of the shell: `cd`, `cd -`, and the stack of `pushd` and `popd`.
//! Text only; whether a folder is there no one looks.

use smol_str::SmolStr;

use super::{Walker, join_path};
use crate::one_or_many::OneOrMany;
use crate::reading::Word;
use crate::scope::{DIR, OPTIONS_MAX, Options, Text, Value};

/// Longer folders than this are not followed.
const PATH_MAX: usize = 1024;

/// What a byte of a folder counts for: it is cut and joined again.
const PATH_COST: usize = 8;

/// Folders that are kept on the stack.
const STACK_MAX: usize = 16;

/// Where the folder of before and the stack are kept: no variable has such a name.
const BEFORE: &str = "=folder before";
const STACK: &str = "=folders";

impl Walker<'_> {
    pub(super) fn change_dir(&mut self, arguments: &[Word]) {
        let target = arguments.iter().find(|word| word.text == "-" || !word.text.starts_with('-'));
        let new = match target {
            None => match &self.setting.home {
                Some(home) => Text::exact(home.clone()),
                None => Text::unknown("~"),
            },
            Some(word) if matches!(word.text.as_str(), "-" | "~-") => self.folder_before(),
            Some(word) => self.folder_named(word),
        };
        let others = target.map(|word| self.folders_in_path(word)).unwrap_or_default();
        self.enter_folder(new, others);
    }

    /// `pushd x` goes there and keeps where it was; alone, it goes back and forth.
    pub(super) fn push_dir(&mut self, arguments: &[Word]) {
        let here = self.folder_now();
        if arguments.is_empty() {
            let top = self.take_folder();
            self.keep_folder(here);
            return self.enter_folder(top, Vec::new());
        }
        let stays = arguments.iter().any(|word| word.text == "-n");
        let turns = arguments.iter().any(|word| is_turn(&word.text));
        if turns || stays {
            self.scope.set_one(STACK, Text::unknown("pushd"));
        } else {
            self.keep_folder(here);
        }
        match turns {
            true => self.enter_folder(Text::unknown("pushd"), Vec::new()),
            false if stays => {}
            false => self.change_dir(arguments),
        }
    }

    /// `popd` goes back to where `pushd` was.
    pub(super) fn pop_dir(&mut self, arguments: &[Word]) {
        let top = self.take_folder();
        if arguments.is_empty() {
            return self.enter_folder(top, Vec::new());
        }
        self.scope.set_one(STACK, Text::unknown("popd"));
        self.enter_folder(Text::unknown("popd"), Vec::new());
    }

    fn enter_folder(&mut self, new: Text, others: Vec<Text>) {
        let here = self.folder_now();
        self.scope.set_one(BEFORE, here);
        let mut options: Options = OneOrMany::One(OneOrMany::One(new));
        options.extend(others.into_iter().take(OPTIONS_MAX - 1).map(OneOrMany::One));
        self.scope.set(DIR, options);
        if self.scope.get("OLDPWD").is_some() {
            self.scope.set_one("OLDPWD", Text::unknown("$OLDPWD"));
        }
        if self.scope.get("PWD").is_some() {
            // Whatever it was set to, it is the folder again.
            let here = self.here().unwrap_or_else(|| Text::unknown("$PWD"));
            self.scope.set_one("PWD", here);
        }
    }

    fn folder_now(&self) -> Text {
        let now = self.dir_now();
        now.map_or_else(|| Text::exact(""), |dir| Text { text: dir.text, exact: dir.exact })
    }

    fn folder_named(&mut self, word: &Word) -> Text {
        let here = self.folder_now();
        let absolute = word.text.starts_with('/');
        self.grow((here.text.len() + word.text.len()) * PATH_COST);
        let text = join_path(&here.text, &word.text);
        let text: SmolStr = if text.len() > PATH_MAX { "…".into() } else { text };
        let known = word.exact && !word.glob && !word.text.starts_with('~') && text != "…";
        Text { text, exact: known && (absolute || here.exact) }
    }

    /// `OLDPWD`, if it was set here, or where the shell was before.
    fn folder_before(&mut self) -> Text {
        let set = self.scope.get("OLDPWD").and_then(|options| options.first()?.first()).cloned();
        let before = self.scope.get(BEFORE).and_then(|options| only(options)).cloned();
        set.filter(|text| text.exact).or(before).unwrap_or_else(|| Text::unknown("-"))
    }

    /// With `CDPATH`, a plain name may lie elsewhere.
    fn folders_in_path(&self, word: &Word) -> Vec<Text> {
        let Some(path) = self.scope.get("CDPATH").and_then(|options| only(options)) else {
            return Vec::new();
        };
        if word.text.starts_with(['/', '.', '-', '~']) {
            return Vec::new();
        }
        let exact = path.exact && word.exact && !word.glob;
        let folders = path.text.split(':').filter(|folder| folder.starts_with('/'));
        folders.map(|folder| Text { text: join_path(folder, &word.text), exact }).collect()
    }

    fn keep_folder(&mut self, here: Text) {
        let mut stack: Value =
            self.scope.get(STACK).and_then(|options| options.first()).cloned().unwrap_or_default();
        if stack.len() < STACK_MAX {
            stack.push(here);
        } else {
            stack = OneOrMany::One(Text::unknown("pushd"));
        }
        self.scope.set(STACK, OneOrMany::One(stack));
    }

    /// The folder on top, which is taken off.
    fn take_folder(&mut self) -> Text {
        let Some([stack]) = self.scope.get(STACK).map(OneOrMany::as_slice) else {
            return Text::unknown("popd");
        };
        let Some((top, rest)) = stack.as_slice().split_last() else { return Text::unknown("popd") };
        let (top, rest): (Text, Value) = (top.clone(), rest.iter().cloned().collect());
        self.scope.set(STACK, OneOrMany::One(rest));
        top
    }
}

/// `+1` and `-0` turn the stack.
fn is_turn(text: &str) -> bool {
    let number = text.strip_prefix(['+', '-']).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The text of a variable that has one value.
fn only(options: &Options) -> Option<&Text> {
    match options.as_slice() {
        [value] => value.first(),
        _ => None,
    }
}
