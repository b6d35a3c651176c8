//! Programs that talk to other machines.

use super::{Effects, Model, is_stream, plain, requests};
use crate::effect_kind::EffectKind;
use crate::reading::{Command, Usage, Word};

const CURL: &str = "A,user-agent= b,cookie= c,cookie-jar= C,continue-at= d,data=~ data-ascii=~ data-binary=~ data-raw=~ data-urlencode=~ \
     json=~ url-query=~ D,dump-header= e,referer= E,cert= F,form=~ form-string=~ G,get H,header=~ I,head K,config= k,insecure L,location \
     m,max-time= M n,netrc netrc-file= N,no-buffer o,output= O,remote-name output-dir= p,proxytunnel P,ftp-port= q Q,quote= r,range= R \
     s,silent S,show-error f,fail fail-with-body t,telnet-option= T,upload-file= u,user= U,proxy-user= v,verbose w,write-out= \
     x,proxy= X,request= y= Y= z,time-cond= Z,parallel retry= retry-delay= retry-max-time= connect-timeout= cacert= capath= key= \
     resolve= connect-to= url= interface= socks5= socks5-hostname= http1.1 http2 compressed create-dirs J,remote-header-name \
     unix-socket= abstract-unix-socket= trace= trace-ascii= stderr= max-redirs= max-filesize= limit-rate= ciphers= tlsv1.2 \
     noproxy= preproxy= socks4= socks4a= proxy-header=~ doh-url= dns-servers= aws-sigv4= proxy-user= cert-type= key-type= pass= \
     4,ipv4 6,ipv6 0 1 2 3 i,include g,globoff a,append B l,list-only j";

const WGET: &str = "O,output-document= P,directory-prefix= o,output-file= a,append-output= q,quiet v,verbose nv c,continue N,timestamping \
     t,tries= T,timeout= w,wait= U,user-agent= e,execute= i,input-file= B,base= r,recursive l,level= k,convert-links p,page-requisites \
     m,mirror np,no-parent A,accept= R,reject= D,domains= user= password= http-user= http-password= header=~ post-data=~ post-file= \
     body-data=~ body-file= method= load-cookies= save-cookies= no-check-certificate S,server-response x nc,no-clobber nd nH b";

pub(super) const MODELS: &[Model] = &[
    plain(
        &["tcpdump", "tshark"],
        "r,read-file= D,list-interfaces w= i,interface= c= h,help version L n v A X s= G= C= f=",
        watch,
    ),
    plain(&["curl", "curlie"], CURL, curl),
    plain(&["wget", "wget2"], WGET, wget),
    plain(
        &["http", "https", "httpie", "xh", "xhs", "fetch", "lynx", "w3m", "links"],
        "o,output= d,download dir= a,auth= f,form j,json b,body v,verbose A= out= i=",
        web,
    ),
    plain(
        &["aria2c", "axel"],
        "o,out= d,dir= s,split= x,max-connection-per-server= n,num-connections= j= i,input-file= c,continue q,quiet a,alternate \
         U,user-agent= H,header=~ header=~ l,log= k,min-split-size= max-speed= allow-overwrite? auto-file-renaming? console-log-level=",
        fetched,
    ),
    plain(
        &["autossh"],
        "M= b= B= c= D= E= e= F= I= i= J= L= l= m= O= o= p= Q= R= S= W= w= 4 6 A a C f G g K k N n q s T t V v X x Y y P=",
        ssh,
    ),
    plain(
        &["ssh", "mosh", "sftp", "telnet", "ssh-copy-id"],
        "b= B= c= D= E= e= F= I= i= J= L= l= m= O= o= p= Q= R= S= W= w= 4 6 A a C f G g K k M N n q s T t V v X x Y y P=",
        ssh,
    ),
    plain(&["nmap"], "p= o= T= e= S= D= iL= s", first_host),
    plain(
        &["ping", "ping6", "dig", "nslookup", "host", "traceroute", "whois", "drill", "mtr"],
        "c= i= w= W= t= s= p= q=",
        looked_up,
    ),
    plain(&["scp", "rcp"], "3 4 6 A B C p q r T v c= D= F= i= J= l= o= P= S= X=", copy_over),
    plain(
        &["rsync"],
        "a,archive v,verbose r,recursive R,relative u,update l,links L,copy-links p,perms o,owner g,group t,times D n,dry-run e,rsh= \
         z,compress P progress partial delete delete-before delete-during delete-after delete-excluded remove-source-files exclude= \
         include= exclude-from= include-from= files-from= f,filter= stats h,human-readable i,itemize-changes rsync-path= bwlimit= \
         port= password-file= log-file= backup-dir= suffix= b,backup c,checksum x,one-file-system A,acls X,xattrs S,sparse timeout= \
         link-dest= compare-dest= copy-dest= chmod= chown= info= out-format= W,whole-file H,hard-links q,quiet m,prune-empty-dirs",
        copy_over,
    ),
    plain(&["pastebinit", "wgetpaste"], "i= b= a= f= t= u= p= m= j= l= s= n= E P v", paste),
    plain(&["ftp", "lftp", "mail", "mailx", "sendmail", "mutt"], "e= c= u= s= a= f= A= r= S=", first_sends),
];

/// Options of curl that send something.
const SENDING: [&str; 10] = [
    "--url-query",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--json",
    "--form",
    "--form-string",
    "--upload-file",
];

fn curl(command: &Command, input: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::none();
    let configured = config_urls(usage, input);
    let spread: Vec<Word> = if usage.has("--globoff") {
        Vec::new()
    } else {
        usage.operands.iter().flat_map(alternatives).collect()
    };
    let urls: Vec<&Word> =
        usage.operands.iter().chain(usage.values("--url")).chain(&configured).chain(&spread).collect();
    effects.on_each(EffectKind::ReachesHost, urls.iter().copied());
    relayed(usage, &mut effects);
    let bodies = usage.flags.iter().filter(|flag| SENDING.contains(&flag.name.as_str()));
    let body: String =
        bodies.filter_map(|flag| flag.value.as_ref()).map(|value| value.text.as_str()).collect();
    by_hand(usage.value("--request"), &urls, &body, &mut effects);
    let sends = usage.flags.iter().any(|flag| SENDING.contains(&flag.name.as_str()));
    if sends {
        effects.on_each(EffectKind::SendsData, urls.iter().copied());
    }
    for flag in usage.flags.iter().filter(|flag| SENDING.contains(&flag.name.as_str())) {
        let Some(value) = &flag.value else { continue };
        let path = match flag.name.as_str() {
            "--upload-file" => Some(value.text.as_str()),
            "--data-raw" | "--form-string" => None,
            "--form" | "--data-urlencode" | "--url-query" => {
                value.text.split_once(['@', '<']).map(|(_, path)| path)
            }
            _ => value.text.strip_prefix('@'),
        };
        if let Some(path) =
            path.map(|path| path.split(';').next().unwrap_or(path)).filter(|path| !is_stream(path))
        {
            effects.on(EffectKind::ReadsFile, &Word { text: path.into(), ..value.clone() });
        }
    }
    // `-H @file` puts each line of the file into the request.
    for value in usage.values("--header").chain(usage.values("--write-out")) {
        if let Some(path) = value.text.strip_prefix('@').filter(|path| !is_stream(path)) {
            effects.on(EffectKind::ReadsFile, &Word { text: path.into(), ..value.clone() });
        }
    }
    saved(
        usage,
        &urls,
        &["--output", "--dump-header", "--cookie-jar", "--trace", "--trace-ascii"],
        "--remote-name",
        &mut effects,
    );
    effects.on_each(EffectKind::ReadsFile, usage.value("--config"));
    for url in urls.iter().filter(|url| url.text.starts_with("file://")) {
        effects.on(
            EffectKind::ReadsFile,
            &Word { text: url.text.replacen("file://", "", 1).into(), ..(*url).clone() },
        );
    }
    effects
}

/// The hosts a request passes on its way, and those it goes to in the place of its own.
fn relayed(usage: &Usage, effects: &mut Effects) {
    for flag in &usage.flags {
        let Some(value) = &flag.value else { continue };
        match flag.name.as_str() {
            "--proxy" | "--preproxy" | "--socks4" | "--socks4a" | "--socks5" | "--socks5-hostname"
            | "--doh-url" => effects.on(EffectKind::ReachesHost, value),
            // `HOST1:PORT1:HOST2:PORT2` and `HOST:PORT:ADDRESS`.
            "--connect-to" | "--resolve" => {
                let to = value.text.split_once(':').and_then(|(_, rest)| rest.split_once(':'));
                if let Some((_, to)) = to {
                    effects.on(EffectKind::ReachesHost, &Word { text: to.into(), ..value.clone() });
                }
            }
            _ => {}
        }
    }
}

/// The addresses of a config that comes in: `curl -K -`.
fn config_urls(usage: &Usage, input: Option<&str>) -> Vec<Word> {
    let Some(config) = usage.values("--config").find(|word| word.text == "-") else { return Vec::new() };
    let value = |line: &str| {
        let (name, value) = line.trim().split_once(['=', ' ', ':'])?;
        let is_url = matches!(name.trim().trim_start_matches('-'), "url" | "proxy");
        is_url.then(|| value.trim_matches([' ', '=', '"', '\'']).to_string())
    };
    let texts = input.unwrap_or_default().lines().filter_map(value);
    texts.map(|text| Word { text: text.into(), ..config.clone() }).collect()
}

/// More addresses than this in one word are not told apart.
const ALTERNATIVES_MAX: usize = 32;

/// Each address of `https://{a,b}.example`, which curl takes apart itself.
fn alternatives(url: &Word) -> Vec<Word> {
    let Some((head, rest)) = url.text.split_once('{') else { return Vec::new() };
    let Some((list, tail)) = rest.split_once('}').filter(|(list, _)| list.contains(',')) else {
        return Vec::new();
    };
    let each = list.split(',').take(ALTERNATIVES_MAX);
    each.map(|one| Word { text: format!("{head}{one}{tail}").into(), ..url.clone() }).collect()
}

/// What a request does at a service, by its method and body.
fn by_hand(method: Option<&Word>, urls: &[&Word], body: &str, effects: &mut Effects) {
    let method = method.map_or("", |word| word.text.as_str());
    for url in urls {
        if let Some(kind) = requests::effect_of(method, &url.text, body) {
            effects.on(kind, url);
        }
    }
}

/// Files put where anybody can read them.
fn paste(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let usual = Word { text: "pastebin".into(), exact: false, glob: false, span: command.span };
    let host = usage.value("-b").unwrap_or(&usual);
    let mut effects = Effects::of(EffectKind::ReachesHost, [host]);
    effects.on(EffectKind::SendsData, host);
    effects.on_each(EffectKind::ReadsFile, usage.operands.iter().chain(usage.values("-i")));
    effects
}

fn wget(command: &Command, input: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::of(EffectKind::ReachesHost, &usage.operands);
    for list in usage.values("--input-file").filter(|word| word.text == "-") {
        let lines = input.unwrap_or_default().split_whitespace();
        let urls: Vec<Word> = lines.map(|url| Word { text: url.into(), ..list.clone() }).collect();
        effects.on_each(EffectKind::ReachesHost, &urls);
    }
    for setting in usage.values("--execute") {
        let proxy = setting.text.split_once('=').filter(|(name, _)| name.trim().ends_with("_proxy"));
        let host = proxy.map(|(_, host)| Word { text: host.trim().into(), ..setting.clone() });
        effects.on_each(EffectKind::ReachesHost, &host);
    }
    by_hand(usage.value("--method"), &usage.operands.iter().collect::<Vec<_>>(), "", &mut effects);
    let sends =
        ["--post-data", "--post-file", "--body-data", "--body-file"].iter().any(|name| usage.has(name));
    if sends {
        effects.on_each(EffectKind::SendsData, &usage.operands);
    }
    effects.on_each(
        EffectKind::ReadsFile,
        usage.value("--post-file").into_iter().chain(usage.value("--body-file")),
    );
    effects.on_each(EffectKind::ReadsFile, usage.value("--input-file"));
    let urls: Vec<&Word> = usage.operands.iter().collect();
    saved(usage, &urls, &["--output-document", "--output-file", "--append-output"], "", &mut effects);
    if !usage.has("--output-document") && !usage.has("--spider") {
        for url in urls {
            effects.on(EffectKind::WritesFile, &below(usage.value("--directory-prefix"), file_of(url)));
        }
    }
    effects
}

fn saved(usage: &Usage, urls: &[&Word], names: &[&str], by_name: &str, effects: &mut Effects) {
    for name in names {
        effects.on_each(EffectKind::WritesFile, usage.values(name).filter(|word| !is_stream(&word.text)));
    }
    if !by_name.is_empty() && usage.has(by_name) {
        for url in urls {
            effects.on(EffectKind::WritesFile, &below(usage.value("--output-dir"), file_of(url)));
        }
    }
}

/// The file in the folder the command names, if it names one.
fn below(folder: Option<&Word>, file: Word) -> Word {
    let Some(folder) = folder else { return file };
    let text = format!("{}/{}", folder.text.trim_end_matches('/'), file.text);
    Word { text: text.into(), exact: folder.exact && file.exact, glob: folder.glob, span: file.span }
}

/// The file a download of `url` lands in.
fn file_of(url: &Word) -> Word {
    let path = url.text.split(['?', '#']).next().unwrap_or(&url.text);
    let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("index.html");
    Word { text: name.into(), ..url.clone() }
}

/// Each address lands in a file of its own name, or of the name given.
fn fetched(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::of(EffectKind::ReachesHost, &usage.operands);
    for url in &usage.operands {
        let file = usage.value("--out").cloned().unwrap_or_else(|| file_of(url));
        effects.on(EffectKind::WritesFile, &below(usage.value("--dir"), file));
    }
    effects.on_each(EffectKind::ReadsFile, usage.value("--input-file"));
    effects
}

fn web(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let methods = ["get", "post", "put", "patch", "delete", "head", "options"];
    let method = |word: &&Word| {
        word.text.bytes().all(|byte| byte.is_ascii_uppercase()) || methods.contains(&word.text.as_str())
    };
    let skip = usize::from(usage.operands.first().as_ref().is_some_and(method));
    let mut effects = Effects::of(EffectKind::ReachesHost, usage.operands.get(skip));
    let named = usage.operands.first().filter(|_| skip == 1);
    by_hand(named, &usage.operands.get(skip).into_iter().collect::<Vec<_>>(), "", &mut effects);
    if skip == 1 || usage.operands.len() > 1 || command.piped_from.is_some() {
        effects.on_each(EffectKind::SendsData, usage.operands.get(skip));
    }
    effects.on_each(EffectKind::WritesFile, usage.value("--output"));
    // httpie: `@file`, `name@file`, `name=@file`, `name:=@file`.
    for item in usage.operands.iter().skip(skip + 1) {
        let named = item.text.split_once("=@").or_else(|| item.text.split_once('@'));
        let path = named.filter(|(name, _)| !name.contains([':', '=', '/']) || name.ends_with(':'));
        if let Some((_, path)) = path.filter(|(_, path)| !path.is_empty()) {
            effects.on(EffectKind::ReadsFile, &Word { text: path.into(), ..item.clone() });
        }
    }
    effects
}

/// `… | ssh host 'cat > x'` sends what comes in.
fn ssh(command: &Command, input: Option<&str>) -> Effects {
    let mut effects = first_host(command, input);
    effects.on_each(EffectKind::ReachesHost, command.usage.values("-J"));
    for option in command.usage.values("-o") {
        let named = option.text.split_once(['=', ' ']).filter(|(name, _)| {
            name.eq_ignore_ascii_case("proxyjump") || name.eq_ignore_ascii_case("hostname")
        });
        let host = named.map(|(_, host)| Word { text: host.trim().into(), ..option.clone() });
        effects.on_each(EffectKind::ReachesHost, &host);
    }
    if command.piped_from.is_some() && matches!(command.program.as_str(), "ssh" | "telnet") {
        effects.on_each(EffectKind::SendsData, command.usage.operands.first());
    }
    if let (Some(host), Some(orders), "sftp") =
        (command.usage.operands.first(), input, command.program.as_str())
    {
        let put = |line: &str| {
            let mut words = line.split_whitespace();
            let sends = matches!(words.next(), Some("put" | "mput" | "reput"));
            words.find(|word| sends && !word.starts_with('-')).map(str::to_owned)
        };
        let files = orders.lines().filter_map(put).map(|text| Word { text: text.into(), ..host.clone() });
        for file in files {
            effects.on(EffectKind::ReadsFile, &file);
            effects.on(EffectKind::SendsFile, &file);
        }
    }
    effects
}

fn first_host(command: &Command, _: Option<&str>) -> Effects {
    Effects::of(
        EffectKind::ReachesHost,
        command.usage.operands.iter().find(|word| !word.text.starts_with(['+', '@'])),
    )
}

/// Who is asked: `dig @server name`, `nslookup name server`. Without one the servers
/// of the name itself are.
fn looked_up(command: &Command, input: Option<&str>) -> Effects {
    let operands = &command.usage.operands;
    let server = match command.program.as_str() {
        "dig" | "drill" => operands
            .iter()
            .find_map(|word| Some(Word { text: word.text.strip_prefix('@')?.into(), ..word.clone() })),
        "nslookup" | "host" => operands.get(1).cloned(),
        _ => None,
    };
    match server {
        Some(server) => Effects::of(EffectKind::ReachesHost, [&server]),
        None => first_host(command, input),
    }
}

fn first_sends(command: &Command, input: Option<&str>) -> Effects {
    let mut effects = first_host(command, input);
    effects.on_each(EffectKind::SendsData, command.usage.operands.first());
    for setting in command.usage.values("-S") {
        let server = setting.text.split_once('=').filter(|(name, _)| matches!(*name, "smtp" | "mta"));
        let server = server.map(|(_, host)| Word { text: host.into(), ..setting.clone() });
        effects.on_each(EffectKind::ReachesHost, &server);
    }
    let attached = command.usage.values("-a").chain(command.usage.values("-A"));
    effects.on_each(EffectKind::ReadsFile, attached.filter(|word| !word.text.contains(' ')));
    effects
}

/// Is this `host:path`?
fn is_remote(word: &Word) -> bool {
    word.text.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
        || word.text.starts_with("rsync://")
}

fn copy_over(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::none();
    let Some((to, from)) = usage.operands.split_last() else { return effects };
    if usage.has("--dry-run") {
        return effects;
    }
    // `[::1]:path` and `rsync://host/path` have colons of their own.
    let host = |word: &Word| {
        let text = word.text.as_str();
        let end = match text.split_once("]:") {
            Some((head, _)) => head.len() + 1,
            None if text.contains("://") => text.len(),
            None => text.find(':').unwrap_or(text.len()),
        };
        Word { text: text.get(..end).unwrap_or(text).into(), ..word.clone() }
    };
    for word in from {
        if is_remote(word) {
            effects.on(EffectKind::ReachesHost, &host(word));
        } else {
            effects.on(EffectKind::ReadsFile, word);
            if usage.has("--remove-source-files") {
                effects.on(EffectKind::DeletesFile, word);
            }
        }
    }
    if is_remote(to) {
        effects.on(EffectKind::ReachesHost, &host(to));
        effects.on(EffectKind::SendsData, &host(to));
    } else {
        effects.on(EffectKind::WritesFile, to);
        let path = |word: &Word| match word.text.split_once(':').filter(|_| is_remote(word)) {
            Some((_, path)) => Word { text: path.into(), ..word.clone() },
            None => word.clone(),
        };
        let from: Vec<Word> = from.iter().map(path).collect();
        effects.on_each(EffectKind::WritesFile, &super::files::inside(&from, to));
        if ["--archive", "--recursive", "-r"].iter().any(|name| usage.has(name)) {
            super::files::arrives_whole(&mut effects, EffectKind::WritesFile, command, &from, Some(to));
        }
        if usage.flags.iter().any(|flag| flag.name.starts_with("--delete")) {
            effects.on(EffectKind::DeletesTree, to);
        }
    }
    effects
}

/// What goes over the network is recorded; what was recorded before is only read.
fn watch(command: &Command, _: Option<&str>) -> Effects {
    let usage = &command.usage;
    let mut effects = Effects::of(EffectKind::ReadsFile, usage.value("--read-file"));
    let looks = ["--read-file", "--list-interfaces", "--help", "--version", "-L"];
    if !looks.iter().any(|name| usage.has(name)) {
        effects.add(EffectKind::WatchesTraffic);
    }
    effects
}
