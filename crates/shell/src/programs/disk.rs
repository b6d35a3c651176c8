//! Disks and file systems.

use super::{Effects, Model, is_stream, plain};
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Word};

pub(super) const MODELS: &[Model] = &[
    plain(&["dd", "dcfldd", "dc3dd"], "", dd),
    plain(
        &[
            "mkfs",
            "mkswap",
            "wipefs",
            "mke2fs",
            "newfs",
            "blkdiscard",
            "sgdisk",
            "cryptsetup",
            "pvcreate",
            "mkdosfs",
            "badblocks",
            "hdparm",
        ],
        "t,type= a,all f,force L,label= U,uuid= n= o,offset= Z,zap-all q,quiet F b= c= i= m= N= O= w",
        wipe,
    ),
    plain(&["fdisk", "parted", "gdisk", "cfdisk", "sfdisk"], "l,list s,script", partition),
    plain(&["diskutil"], "", diskutil),
];

fn dd(command: &Command, _: Option<&str>) -> Effects {
    let mut effects = Effects::none();
    for word in &command.usage.operands {
        let value = |text: &str| Word { text: text.into(), ..word.clone() };
        if let Some(path) =
            word.text.strip_prefix("if=").filter(|path| !is_stream(path) && !path.starts_with("/dev/"))
        {
            effects.on(EffectKind::ReadsFile, &value(path));
        }
        if let Some(path) = word.text.strip_prefix("of=").filter(|path| !is_stream(path)) {
            let kind =
                if path.starts_with("/dev/") { EffectKind::WipesDevice } else { EffectKind::WritesFile };
            effects.on(kind, &value(path));
        }
    }
    effects
}

fn wipe(command: &Command, _: Option<&str>) -> Effects {
    let only_looks = match command.program.as_str() {
        "wipefs" => !command.usage.has("--all") && !command.usage.has("--offset"),
        "cryptsetup" => !command
            .usage
            .operands
            .first()
            .is_some_and(|word| matches!(word.text.as_str(), "luksFormat" | "erase")),
        "badblocks" => !command.usage.has("-w"),
        "hdparm" => !command.words.iter().any(|word| word.text.contains("erase")),
        "sgdisk" => !command.usage.has("--zap-all"),
        _ => false,
    };
    if only_looks {
        return Effects::none();
    }
    // The image of a disk is a plain file.
    let mut effects = Effects::none();
    for word in command.usage.operands.iter().filter(|word| word.text.contains('/')) {
        let is_file = word.exact && !word.text.starts_with("/dev/") && !word.text.contains("../dev/");
        effects.on(if is_file { EffectKind::WritesFile } else { EffectKind::WipesDevice }, word);
    }
    effects
}

fn partition(command: &Command, _: Option<&str>) -> Effects {
    if command.usage.has("--list") || command.usage.operands.iter().any(|word| word.text == "print") {
        return Effects::none();
    }
    Effects::of(EffectKind::WipesDevice, command.usage.operands.iter().take(1))
}

fn diskutil(command: &Command, _: Option<&str>) -> Effects {
    let verb = command.usage.operands.first().map_or("", |word| word.text.as_str());
    let wipes =
        verb.starts_with("erase") || verb == "partitionDisk" || verb == "zeroDisk" || verb == "reformat";
    if wipes { Effects::of(EffectKind::WipesDevice, command.usage.operands.last()) } else { Effects::none() }
}
