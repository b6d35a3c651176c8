//! Policies with something wrong in them, one thing each, as data for `policy`.

/// Names and policies, each with one mistake.
pub const MISTAKES: &[(&str, &str)] = &[
    ("a key almost right", "version: 1\nruels: []\n"),
    ("a key that does not exist", "version: 1\nfrobnicate: yes\n"),
    (
        "a key of a rule almost right",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { programm: make }\n    reason: r\n",
    ),
    (
        "a kind that is none",
        "version: 1\nrules:\n  - id: a\n    kind: forbid\n    match: { regex: x }\n    reason: r\n",
    ),
    (
        "a kind almost right",
        "version: 1\nrules:\n  - id: a\n    kind: prohibitt\n    match: { regex: x }\n    reason: r\n",
    ),
    (
        "a pattern that is none",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: \"git (commit\" }\n    reason: r\n",
    ),
    (
        "the wrong type",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason: r\n    priority: high\n",
    ),
    ("a list where a map belongs", "version: 1\nreview: [ticket]\n"),
    (
        "the same id twice",
        "version: 1\nrules:\n  - { id: a, kind: warn, match: { regex: x }, reason: r }\n  - { id: a, kind: warn, match: { regex: y }, reason: r }\n",
    ),
    (
        "a kind that does not exist",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { effect: skips-hooks }\n    reason: r\n",
    ),
    (
        "a priority of the built-ins",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason: r\n    priority: 7\n",
    ),
    ("no reason", "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n"),
    (
        "an id that is none",
        "version: 1\nrules:\n  - id: No Spaces\n    kind: block\n    match: { regex: x }\n    reason: r\n",
    ),
    ("tabs", "version: 1\nrules:\n\t- id: a\n"),
    ("another version", "version: 2\n"),
    ("no version", "rules: []\n"),
    ("a hold too long", "version: 1\nreview:\n  hold_seconds: 5000\n"),
    ("a request without an end", "version: 1\nreview:\n  expires_minutes: 0\n"),
    ("a list that is not closed", "version: 1\nrules: [\n"),
    ("a key twice", "version: 1\nmode: enforce\nmode: observe\n"),
    ("a pack that does not exist", "version: 1\npacks: [defualt]\n"),
    (
        "an access that does not exist",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { files: { access: touch, path: x } }\n    reason: r\n",
    ),
    (
        "a glob that is none",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { files: { path: \"[a\" } }\n    reason: r\n",
    ),
    (
        "require without a requirement",
        "version: 1\nrules:\n  - id: a\n    kind: require\n    match: { regex: x }\n    reason: r\n",
    ),
    (
        "a field that does not exist",
        "version: 1\nguardrails:\n  - id: custom-scope-001\n    type: pre_execution\n    condition:\n      expression: \"agent.rol == 'implementer'\"\n    validation: { check: \"true\" }\n",
    ),
    (
        "a check that is not an expression",
        "version: 1\nguardrails:\n  - id: custom-safety-001\n    type: pre_execution\n    validation:\n      check: >\n        action.program != 'rm' AND\n        action.target is not protected\n",
    ),
    (
        "a guardrail before the built-ins",
        "version: 1\nguardrails:\n  - { id: custom-safety-001, type: pre_execution, priority: 10, validation: { check: \"true\" } }\n",
    ),
    (
        "a moment that does not exist",
        "version: 1\nguardrails:\n  - { id: custom-safety-001, type: pre_exec, validation: { check: \"true\" } }\n",
    ),
    ("nothing at all", ""),
    (
        "the reason almost right",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reson: r\n",
    ),
    (
        "a key of examples almost right",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason: r\n    examples: { mesage: [x] }\n",
    ),
    ("a mode almost right", "version: 1\nmode: enforced\n"),
    (
        "a day that is unknown",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason: r\n    when: { days: [monday] }\n",
    ),
    (
        "an effect almost right",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { effect: rewrite-remote }\n    reason: r\n",
    ),
    ("every call", "version: 1\nrules:\n  - id: a\n    kind: block\n    match: {}\n    reason: r\n"),
    (
        "an id of the gate",
        "version: 1\nrules:\n  - { id: gate-own, kind: block, match: { regex: x }, reason: r }\n",
    ),
    (
        "looking around",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: 'git push(?!.*--dry-run)' }\n    reason: r\n",
    ),
    (
        "a glob as a regular expression",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: '*.pem' }\n    reason: r\n",
    ),
    (
        "an escaped pattern",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: \"git\\\\s+(push\" }\n    reason: r\n",
    ),
    (
        "a pattern on lines of its own",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match:\n      regex: >-\n        git\n        (push\n    reason: r\n",
    ),
    (
        "a text for a match",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: git push\n    reason: r\n",
    ),
    (
        "a text for a command",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { command: git push }\n    reason: r\n",
    ),
    (
        "a number for a name",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { command: { program: 7 } }\n    reason: r\n",
    ),
    (
        "a number too small",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason: r\n    priority: -1\n",
    ),
    ("no value", "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason:\n"),
    (
        "a pattern that begins with a star",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { files: { path: *.pem } }\n    reason: r\n",
    ),
    (
        "a star in a list",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match:\n      files:\n        path:\n          - *.pem\n    reason: r\n",
    ),
    (
        "a star alone",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match:\n      tool: *\n    reason: r\n",
    ),
    (
        "an exclamation mark",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { files: { path: !secret } }\n    reason: r\n",
    ),
    (
        "an at sign",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason: @team says so\n",
    ),
    (
        "a colon in a text",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason: keys: never\n",
    ),
    (
        "a list without dashes",
        "version: 1\nrules:\n  id: a\n  kind: block\n  match: { regex: x }\n  reason: r\n",
    ),
    (
        "a line too deep",
        "version: 1\nrules:\n  - id: a\n     kind: block\n    match: { regex: x }\n    reason: r\n",
    ),
    (
        "a line not deep enough",
        "version: 1\nrules:\n  - id: a\n   kind: block\n    match: { regex: x }\n    reason: r\n",
    ),
    (
        "a tab further in",
        "version: 1\nrules:\n  - id: a\n\tkind: block\n    match: { regex: x }\n    reason: r\n",
    ),
    (
        "a quote that is not closed",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    reason: \"never\n    match: { regex: x }\n  - id: b\n    knd: warn\n",
    ),
    (
        "text behind a quote",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x }\n    reason: \"never\" they said\n",
    ),
    (
        "an escape that is none",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: \"git\\s+push\" }\n    reason: r\n",
    ),
    (
        "an anchor that is not there",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: *shared\n    reason: r\n",
    ),
    (
        "a merge of no map",
        "version: 1\nx-text: &text hello\nrules:\n  - <<: *text\n    id: a\n    kind: block\n    match: { regex: x }\n    reason: r\n",
    ),
    (
        "a bracket in a line that is not closed",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { files: { path: [a, b } }\n    reason: r\n",
    ),
    (
        "a brace that is not closed",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { regex: x\n    reason: r\n  - { id: b, kind: block, match: { regex: y }, reason: r }\n",
    ),
    ("no comma", "version: 1\nrules:\n  - { id: a kind: block, match: { regex: x }, reason: r }\n"),
    ("no colon", "version: 1\nmode enforce\n"),
    ("no space after the colon", "version:1\n"),
    ("two documents", "version: 1\n---\nversion: 1\n"),
    ("a list for a policy", "- version: 1\n"),
    ("only remarks", "# nothing yet\n"),
    ("a mark of the encoding and line ends of Windows", "\u{feff}version: 1\r\nruels: []\r\n"),
    (
        "an example that does not match",
        "version: 1\nrules:\n  - id: a\n    kind: block\n    match: { command: { program: git, subcommand: push, flags: [--force] } }\n    reason: r\n    examples: { match: [git push -v], pass: [git push -f] }\n",
    ),
];

/// Names and policies that hold, each with something in it that does nothing.
pub const REMARKS: &[(&str, &str)] = &[
    ("a rule that is turned off and is not there", "version: 1\ndisable: [sudoo]\n"),
    (
        "a program of two words",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { command: { program: \"git commit\" } }, reason: r }\n",
    ),
    (
        "a program with its folder",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { command: { program: /usr/bin/git } }, reason: r }\n",
    ),
    (
        "a subcommand almost right",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { command: { program: npm, subcommand: nistall } }, reason: r }\n",
    ),
    (
        "an option without dashes",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { command: { program: git, subcommand: commit, flags: [amend] } }, reason: r }\n",
    ),
    (
        "an option almost right",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { command: { program: git, subcommand: commit, flags: [--no-verfy] } }, reason: r }\n",
    ),
    (
        "several options in one",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { command: { program: rm, flags: [-rf] } }, reason: r }\n",
    ),
    (
        "a pattern over another form",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { regex: '^rm -rf' }, reason: r }\n",
    ),
    (
        "a pattern over an option behind a gap",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { regex: 'git push.* -f' }, reason: r }\n",
    ),
    (
        "a pattern over a short name",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { regex: '^npm i ' }, reason: r }\n",
    ),
    (
        "a path with dots",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { files: { path: [./src/x] } }, reason: r }\n",
    ),
    (
        "a path with a variable",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { files: { path: [\"$HOME/.ssh/**\"] } }, reason: r }\n",
    ),
    (
        "a path of no folder there is",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { files: { path: [/no-such-folder/**] } }, reason: r }\n",
    ),
    (
        "everything taken out again",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { files: { path: [a], except: [\"**\"] } }, reason: r }\n",
    ),
    (
        "an effect without a target",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { effect: skips-commit-hooks, target: main }, reason: r }\n",
    ),
    (
        "a target without an effect",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { command: { program: git }, target: main }, reason: r }\n",
    ),
    (
        "an empty list",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { command: { program: [], subcommand: push } }, reason: r }\n",
    ),
    (
        "a rule in the shadow of another",
        "version: 1\nrules:\n  - { id: a, kind: warn, match: { command: { program: zig } }, reason: r }\n  - { id: b, kind: block, match: { command: { program: zig } }, reason: r }\n",
    ),
    (
        "a rule in the shadow of a wider one",
        "version: 1\nrules:\n  - { id: a, kind: ask, match: { command: { program: zig, subcommand: build } }, reason: r }\n  - { id: b, kind: block, match: { command: { program: [zig, cc] } }, reason: r }\n",
    ),
    (
        "the same rule twice",
        "version: 1\nrules:\n  - { id: a, kind: block, match: { regex: x }, reason: r }\n  - { id: b, kind: block, match: { regex: x }, reason: r }\n",
    ),
    ("an empty budget", "version: 1\nagents:\n  main: { budget: {} }\n"),
    ("limits of nothing", "version: 1\nagents:\n  main: { budget: { calls: 0 }, deadline_minutes: 0 }\n"),
    (
        "two providers of one name",
        "version: 1\nagents:\n  main:\n    feedback:\n      - { name: time, text: a, every_calls: 5 }\n      - { name: time, text: b, every_calls: 9 }\n",
    ),
    (
        "a provider that never speaks",
        "version: 1\nagents:\n  main: { feedback: [{ name: time, text: a }] }\n",
    ),
];
