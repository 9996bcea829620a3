//! A child process that ends with its handle.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

/// A program that says on its standard output where it can be reached
pub(crate) struct Process {
    child: Child,
    /// Kept, since a program whose output nobody takes fails
    output: Lines<BufReader<ChildStdout>>,
}

impl Process {
    pub(crate) fn start(program: &Path, args: &[&str]) -> Self {
        let child = Command::new(program)
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn();
        let mut child = child.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let output = child.stdout.take().expect("it is piped");
        Self { child, output: BufReader::new(output).lines() }
    }

    /// What follows `mark` in the first line that has it
    pub(crate) async fn said_after(&mut self, mark: &str) -> String {
        let said = async {
            while let Some(line) = self.output.next_line().await.expect("it is text") {
                if let Some((_, rest)) = line.split_once(mark) {
                    return rest.to_owned();
                }
            }
            panic!("it ended without saying {mark:?}");
        };
        timeout(PATIENCE, said).await.unwrap_or_else(|_| panic!("it does not say {mark:?}"))
    }

    /// Asks it to end, by this signal; whether it did so with success
    pub(crate) async fn ends_by(mut self, signal: &str) -> bool {
        if let Some(id) = self.child.id() {
            kill(signal, id).await;
        }
        let end = async {
            while let Ok(Some(_)) = self.output.next_line().await {}
            self.child.wait().await.expect("it is our child")
        };
        timeout(PATIENCE, end).await.is_ok_and(|status| status.success())
    }
}

/// By the shell, which every system has: without `unsafe` there is no call for it
pub(crate) async fn kill(signal: &str, id: u32) {
    let kill = format!("kill {signal} {id}");
    let sent = Command::new("sh").args(["-c", &kill]).status().await;
    sent.expect("there is a shell");
}

const PATIENCE: Duration = Duration::from_secs(20);
