//! The loop: what comes from either side is read, passed to the proxy, and what it
//! sends is written, without either side waiting for the other.

use super::{Options, Proxy};
use crate::screen::talk;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use toolgate_runtime::mcp::{Lines, Piece, ServerProcess, read_some, write_some};
use toolgate_runtime::{Broken, Gate, Setup};

/// Longer lines are dropped as they come.
const LINE_MAX: usize = 32 << 20;
/// While so much waits to be written to one side, the other is not read.
const QUEUE_MAX: usize = 64 << 20;
/// What is read at once.
const PIECE: usize = 64 << 10;
/// How long a server may take to end once its input is closed, and again once it is told to.
const PATIENCE: Duration = Duration::from_secs(3);

/// The log is tidied up once both sides are quiet for so long, or after so many rounds without rest.
const REST: Duration = Duration::from_millis(50);
const BUSY_MAX: u32 = 1000;

/// Which streams have something.
struct Ready {
    client: bool,
    server: bool,
    woken: bool,
}

impl Ready {
    /// Whether only time has passed.
    fn is_nothing(&self) -> bool {
        !(self.client || self.server || self.woken)
    }
}

/// Runs the proxy until both sides are done; the exit code of the server.
///
/// # Errors
/// If the gate cannot be opened.
pub fn run(options: Options, gate: Gate, setup: Setup, mut server: ServerProcess) -> Result<u8, Broken> {
    let wake = |error: std::io::Error| Broken::new(format!("no socket: {error}"), "run `toolgate doctor`");
    let (mut woken, waker) = UnixStream::pair().map_err(wake)?;
    woken.set_nonblocking(true).map_err(wake)?;
    waker.set_nonblocking(true).map_err(wake)?;
    let mut proxy = Proxy::new(options, gate, setup, waker);
    let (mut on_client_line, mut on_server_line) = (Lines::new(LINE_MAX), Lines::new(LINE_MAX));
    let mut room = vec![0; PIECE];
    let (mut client_there, mut deadline, mut busy) = (true, None::<Instant>, 0_u32);
    loop {
        let rest = proxy.is_untidy().then(|| Instant::now() + REST);
        let next = [proxy.look_at_time(), deadline, rest].into_iter().flatten().min();
        let ready = wait(&proxy, &server, &woken, client_there, next);
        if ready.woken {
            let _ = woken.read(&mut room);
            proxy.take_outcomes();
        }
        if ready.client && !read_client(&mut proxy, &mut on_client_line, &mut room) {
            client_there = false;
            proxy.abandon();
            deadline = Some(Instant::now() + PATIENCE);
        }
        if ready.server && !read_server(&mut proxy, &mut on_server_line, &server, &mut room) {
            break;
        }
        if let Some(input) = server.input()
            && write_some(input, &mut proxy.to_server, false).is_err()
        {
            // Its output says what became of it.
            server.close_input();
        }
        if server.input().is_none() {
            proxy.to_server.clear();
        } else if !client_there && proxy.to_server.is_empty() && !proxy.waits_for_list() {
            server.close_input();
        }
        if write_client(&mut proxy).is_err() {
            // No one reads any more; what runs is recorded as it is.
            break;
        }
        // It waits for the disk, so it waits itself until there is nothing else to do.
        busy = if rest.is_some() { busy.saturating_add(1) } else { 0 };
        if rest.is_some() && (ready.is_nothing() || busy > BUSY_MAX) {
            proxy.tidy();
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
    }
    proxy.tidy();
    let status = server.end(PATIENCE);
    let how = status.map_or_else(|| "it did not end".to_owned(), |status| status.to_string());
    proxy.server_ended(&how);
    // The client may still read why.
    let until = Instant::now() + PATIENCE;
    while client_there && !proxy.to_client.is_empty() && Instant::now() < until {
        let Ok(()) = write_client(&mut proxy) else { break };
        wait_to_write();
    }
    if client_there {
        talk(&format!("toolgate: the MCP server ended ({how})"));
    }
    // A server that has to be stopped after the client is gone did nothing wrong.
    let otherwise = u8::from(client_there);
    Ok(status.and_then(|status| status.code()).and_then(|code| u8::try_from(code).ok()).unwrap_or(otherwise))
}

fn write_client(proxy: &mut Proxy) -> std::io::Result<()> {
    if proxy.to_client.is_empty() {
        return Ok(());
    }
    write_some(rustix::stdio::stdout(), &mut proxy.to_client, true)
}

fn wait_to_write() {
    let mut fds = [PollFd::from_borrowed_fd(rustix::stdio::stdout(), PollFlags::OUT)];
    let _ = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 100_000_000 }));
}

/// Waits until anything can be done. A side is only read while the other one takes what is written.
fn wait(
    proxy: &Proxy,
    server: &ServerProcess,
    woken: &UnixStream,
    client_there: bool,
    until: Option<Instant>,
) -> Ready {
    let (stdin, stdout) = (rustix::stdio::stdin(), rustix::stdio::stdout());
    let mut fds = vec![PollFd::from_borrowed_fd(woken.as_fd(), PollFlags::IN)];
    let client_at = (client_there && proxy.to_server.len() < QUEUE_MAX).then(|| {
        fds.push(PollFd::from_borrowed_fd(stdin, PollFlags::IN));
        fds.len() - 1
    });
    let server_at = (proxy.to_client.len() < QUEUE_MAX).then(|| {
        fds.push(PollFd::from_borrowed_fd(server.output(), PollFlags::IN));
        fds.len() - 1
    });
    if let Some(input) = server.input().filter(|_| !proxy.to_server.is_empty()) {
        fds.push(PollFd::from_borrowed_fd(input, PollFlags::OUT));
    }
    if !proxy.to_client.is_empty() {
        fds.push(PollFd::from_borrowed_fd(stdout, PollFlags::OUT));
    }
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    let left = left.map(|left| Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(left.subsec_nanos()),
    });
    match poll(&mut fds, left.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        // Cannot be told: everything is tried.
        Err(_) => return Ready { client: client_there, server: true, woken: true },
    }
    let has = |at: Option<usize>| at.and_then(|at| fds.get(at)).is_some_and(|fd| !fd.revents().is_empty());
    Ready { client: has(client_at), server: has(server_at), woken: has(Some(0)) }
}

/// Reads the client; false once it is gone.
fn read_client(proxy: &mut Proxy, lines: &mut Lines, room: &mut [u8]) -> bool {
    let there = match read_some(rustix::stdio::stdin(), room) {
        Ok(None) => return true,
        Ok(Some(bytes)) => {
            lines.push(bytes);
            !bytes.is_empty()
        }
        Err(_) => false,
    };
    while let Some(piece) = lines.next_piece() {
        match piece {
            Piece::Line(line) => proxy.on_client_line(&line),
            Piece::TooLong => proxy.client_line_too_long(),
        }
    }
    if !there && let Some(line) = lines.last() {
        proxy.on_client_line(&line);
    }
    there
}

/// Reads the server; false once it is gone.
fn read_server(proxy: &mut Proxy, lines: &mut Lines, server: &ServerProcess, room: &mut [u8]) -> bool {
    let there = match read_some(server.output(), room) {
        Ok(None) => return true,
        Ok(Some(bytes)) => {
            lines.push(bytes);
            !bytes.is_empty()
        }
        Err(_) => false,
    };
    while let Some(piece) = lines.next_piece() {
        match piece {
            Piece::Line(line) => proxy.on_server_line(&line),
            Piece::TooLong => proxy.server_line_too_long(),
        }
    }
    if !there && let Some(line) = lines.last() {
        proxy.on_server_line(&line);
    }
    there
}
