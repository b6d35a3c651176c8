//! A whole loop: ask, run, tell, ask to stop.
//!
//!   cargo run -p toolgate --example agent_loop

#![allow(clippy::print_stdout)] // an example talks

use toolgate::{Answer, Broken, Gate, Tool};

/// The whole example.
pub fn main() -> Result<(), Broken> {
    let mut gate = Gate::open(".")?;
    let mut agent = gate.agent("example");
    let plan = [Tool::read("README.md"), Tool::shell("git commit --no-verify -m x"), Tool::shell("ls")];
    for tool in &plan {
        match agent.ask(tool)? {
            Answer::Run { told, .. } => {
                println!("run   {}", told.unwrap_or_default());
                // Your agent runs the tool here.
                if let Some(heard) = agent.succeeded(tool)? {
                    println!("heard {heard}");
                }
            }
            Answer::RunInstead { input, told, .. } => println!("run   {input} instead: {told}"),
            Answer::No { why, .. } => println!("no    {why}"),
        }
    }
    match agent.ask_to_stop()? {
        Answer::No { why, .. } => println!("go on {why}"),
        _ => println!("done"),
    }
    Ok(())
}
