//! Disks and file systems.

use super::{Deeds, Model, is_stream, plain};
use crate::deed::Deed;
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

fn dd(command: &Command, _: Option<&str>) -> Deeds {
    let mut deeds = Deeds::none();
    for word in &command.usage.operands {
        let value = |text: &str| Word { text: text.into(), ..word.clone() };
        if let Some(path) =
            word.text.strip_prefix("if=").filter(|path| !is_stream(path) && !path.starts_with("/dev/"))
        {
            deeds.on(Deed::ReadsFile, &value(path));
        }
        if let Some(path) = word.text.strip_prefix("of=").filter(|path| !is_stream(path)) {
            let deed = if path.starts_with("/dev/") { Deed::WipesDevice } else { Deed::WritesFile };
            deeds.on(deed, &value(path));
        }
    }
    deeds
}

fn wipe(command: &Command, _: Option<&str>) -> Deeds {
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
        return Deeds::none();
    }
    // The image of a disk is a plain file.
    let mut deeds = Deeds::none();
    for word in command.usage.operands.iter().filter(|word| word.text.contains('/')) {
        let is_file = word.exact && !word.text.starts_with("/dev/") && !word.text.contains("../dev/");
        deeds.on(if is_file { Deed::WritesFile } else { Deed::WipesDevice }, word);
    }
    deeds
}

fn partition(command: &Command, _: Option<&str>) -> Deeds {
    if command.usage.has("--list") || command.usage.operands.iter().any(|word| word.text == "print") {
        return Deeds::none();
    }
    Deeds::of(Deed::WipesDevice, command.usage.operands.iter().take(1))
}

fn diskutil(command: &Command, _: Option<&str>) -> Deeds {
    let verb = command.usage.operands.first().map_or("", |word| word.text.as_str());
    let wipes =
        verb.starts_with("erase") || verb == "partitionDisk" || verb == "zeroDisk" || verb == "reformat";
    if wipes { Deeds::of(Deed::WipesDevice, command.usage.operands.last()) } else { Deeds::none() }
}
