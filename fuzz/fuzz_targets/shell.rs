//! Reads any text as a shell command: it must end, never panic, and every
//! span must lie in the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use toolgate_shell::{Setting, Span, read};

fuzz_target!(|source: &str| {
    let setting = Setting { home: Some("/home/u".to_string()), pwd: Some("/work".to_string()) };
    let reading = read(source, &setting);
    let check = |span: Span| assert!(source.get(span.start..span.end).is_some());
    for command in &reading.commands {
        check(command.span);
        command.words.iter().for_each(|word| check(word.span));
        assert!(!command.normal().contains('\n'));
    }
    reading.opaque.iter().for_each(|opaque| check(opaque.span));
    reading.fault.iter().for_each(|fault| check(fault.span));
});
