//! Every subcommand of programs whose subcommands are known in full.
//!
//! Only for telling a slip from a name: nothing here says what a subcommand
//! does. A program is listed only if nothing is missing from its list, plugins
//! and aliases of one's own aside; those resemble no name of the list.

use super::base_name;

/// Programs, and the names of their subcommands.
const SUBCOMMANDS: &[(&[&str], &str)] = &[
    (
        &["git"],
        "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap \
         check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit commit-graph \
         commit-tree config count-objects credential daemon describe diagnose diff diff-files diff-index diff-pairs \
         diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch filter-repo fmt-merge-msg \
         for-each-ref for-each-repo format-patch fsck gc gitk grep gui hash-object help hook http-backend http-fetch http-push \
         imap-send index-pack init instaweb interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit \
         maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv \
         name-rev notes p4 pack-objects pack-redundant pack-refs patch-id prune prune-packed pull push quiltimport \
         range-diff read-tree rebase receive-pack reflog refs remote repack replace replay request-pull rerere reset \
         restore rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-index show-ref \
         sparse-checkout stage stash status stripspace submodule subtree svn switch symbolic-ref tag unpack-file \
         unpack-objects update-index update-ref update-server-info upload-archive upload-pack var verify-commit \
         verify-pack verify-tag version whatchanged worktree write-tree",
    ),
    (
        &["npm"],
        "access adduser audit bugs cache ci completion config dedupe deprecate diff dist-tag docs doctor edit exec \
         explain explore find-dupes fund get help help-search hook init install install-ci-test install-test link ll \
         list login logout ls org outdated owner pack ping pkg prefix profile prune publish query rebuild repo restart \
         root run sbom search set shrinkwrap star stars start stop team test token undeprecate uninstall unpublish \
         unstar update version view whoami",
    ),
    (
        &["pnpm"],
        "add approve-builds audit bin cache cat-file cat-index catalog config create dedupe deploy dlx doctor env exec \
         fetch find-hash help ignored-builds import init install install-test licenses link list login logout ls \
         outdated pack patch patch-commit patch-remove prune publish rebuild recursive remove restart root run \
         self-update server setup start stop store test unlink uninstall update upgrade version view why x",
    ),
    (
        &["yarn"],
        "access add audit autoclean bin cache check config constraints create dedupe dlx exec explain generate-lock-entry \
         global help import info init install licenses link list login logout node npm outdated owner pack patch \
         patch-commit plugin policies publish rebuild remove run search set stage start stop tag team test unlink unplug \
         up upgrade upgrade-interactive version versions why workspace workspaces",
    ),
    (
        &["bun"],
        "add audit build completions create exec help info init install link outdated patch patch-commit pm publish \
         remove repl run test unlink update upgrade why x",
    ),
    (
        &["lerna"],
        "add add-caching bootstrap changed clean create diff exec import info init link list publish repair run version \
         watch",
    ),
    (
        &["cargo"],
        "add audit bench binstall build check clean clippy config deny doc expand fetch fix flamegraph fmt \
         generate-lockfile help hack info init install llvm-cov locate-project login logout machete make metadata miri \
         new nextest outdated owner package pkgid publish read-manifest remove report run rustc rustdoc search sqlx \
         test tree udeps uninstall update vendor verify-project version watch yank zigbuild",
    ),
    (
        &["docker", "podman"],
        "attach build builder buildx checkpoint commit compose config container context cp create debug desktop diff \
         events exec export generate healthcheck help history image images import info init inspect kill load login \
         logout logs machine manifest model mount network node offload pause play plugin pod port ps pull push rename \
         restart rm rmi run save scout search secret service stack start stats stop swarm system tag top trust umount \
         unmount unpause unshare untag update version volume wait",
    ),
    (
        &["kubectl", "oc"],
        "adm alpha annotate api-resources api-versions apply apps attach auth autoscale certificate cluster-info \
         completion config cordon cp create debug delete describe diff drain edit events exec explain expose get help \
         kustomize label logs login logout logout new-app new-project options patch plugin policy port-forward project \
         projects proxy replace rollout rsh rsync run scale secrets set start-build status taint top uncordon version \
         wait whoami",
    ),
    (
        &["terraform", "tofu"],
        "apply console destroy env fmt force-unlock get graph help import init login logout metadata modules output \
         plan providers push query refresh show stacks state taint test untaint validate version workspace",
    ),
    (
        &["helm"],
        "completion create dependency env get help history install lint list package plugin pull push registry repo \
         rollback search show status template test uninstall upgrade verify version",
    ),
    (
        &["pip", "pip3"],
        "cache check completion config debug download freeze hash help index inspect install list lock search show \
         uninstall wheel",
    ),
    (
        &["gh"],
        "agent-task alias api attestation auth browse cache co codespace completion config copilot extension gist \
         gpg-key help issue label licenses org pr preview project release repo ruleset run search secret ssh-key \
         status variable version workflow",
    ),
    (
        &["systemctl"],
        "add-requires add-wants bind cancel cat clean condrestart condstop daemon-reexec daemon-reload default disable edit \
         emergency enable exit force-reload freeze get-default halt help hibernate hybrid-sleep import-environment \
         is-active is-enabled is-failed is-system-running isolate kexec kill link list-automounts \
         list-dependencies list-jobs list-machines list-paths list-sockets list-timers list-unit-files list-units \
         log-level log-target mask mount-image poweroff preset preset-all reboot reenable reload reload-or-restart \
         rescue reset-failed restart revert service-log-level service-log-target service-watchdogs set-default \
         set-environment set-property show show-environment sleep soft-reboot start status stop suspend \
         suspend-then-hibernate switch-root thaw try-reload-or-restart try-restart unmask unset-environment whoami",
    ),
    (
        &["apt", "apt-get"],
        "autoclean autopurge autoremove build-dep changelog check clean depends dist-upgrade distclean download \
         dselect-upgrade edit-sources full-upgrade help history-info history-list history-redo history-rollback \
         history-undo indextargets install list markauto moo policy purge rdepends reinstall remove satisfy search show \
         showsrc source update upgrade upgrade-system why why-not",
    ),
];

/// The subcommands of a program, if all of them are known; else none.
pub fn known_subcommands(program: &str) -> impl Iterator<Item = &'static str> {
    let name = base_name(program);
    let found = SUBCOMMANDS.iter().find(|(programs, _)| programs.contains(&name));
    found.map_or("", |(_, names)| *names).split_ascii_whitespace()
}

/// Is it one of them? Of a program that is in no list nothing is.
pub(super) fn is_own(program: &str, word: &str) -> bool {
    known_subcommands(program).any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::{SUBCOMMANDS, known_subcommands};
    use crate::programs::known_commands;

    /// What the option tables and effects speak of is no slip.
    #[test]
    fn the_lists_hold_what_is_known_elsewhere() {
        let mut missing = Vec::new();
        for command in known_commands() {
            let mut words = command.split(' ');
            let (program, Some(sub)) = (words.next().unwrap_or_default(), words.next()) else { continue };
            if SUBCOMMANDS.iter().any(|(programs, _)| programs.contains(&program)) {
                let full = crate::programs::canonical_sub(program, sub);
                if !known_subcommands(program).any(|known| known == full || known == sub) {
                    missing.push(command);
                }
            }
        }
        // Families share a table of options: `dlx` is yarn's and pnpm's, `run` is pipx's.
        let shared = ["npm dlx", "pip run", "pip3 run", "yarn x", "bun dlx", "bun start"];
        missing.retain(|command| !shared.contains(&command.as_ref()));
        assert!(missing.is_empty(), "not in the lists: {missing:?}");
    }
}
