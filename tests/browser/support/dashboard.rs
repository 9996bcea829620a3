//! The program under test.

use std::{env, fmt, path::PathBuf, process::Command, sync::OnceLock};

use serde_json::Value;

use crate::process::Process;

/// A running dashboard, which ends by itself if all else fails
pub struct Dashboard {
    process: Process,
    url: String,
}

impl Dashboard {
    pub(crate) async fn start() -> Self {
        let mut process = Process::start(program(), &["--port", "0", "--seconds", "120"]);
        let url = format!("http://{}", process.said_after("http://").await);
        Self { process, url }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// As by Ctrl-C; whether it ended well
    pub async fn interrupt(self) -> bool {
        self.process.ends_by("-INT").await
    }
}

impl fmt::Debug for Dashboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dashboard").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Whether the picture in the documentation is to be made
pub fn is_for_picture() -> bool {
    env::var_os("DASHBOARD_PICTURE").is_some()
}

/// The program's file, built if need be
fn program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let cargo = env::var_os("CARGO").expect("cargo runs the tests");
        let mut cargo = Command::new(cargo);
        // From the root, so that what was built there for a run of the example is not built again.
        cargo.current_dir(ROOT).args(["build", "--locked", "--example", "dashboard"]);
        cargo.args(["--message-format", "json"]);
        if is_for_picture() {
            // What a reader sees are its figures.
            cargo.arg("--release");
        }
        let built = cargo.output().expect("cargo can be run");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let messages = String::from_utf8(built.stdout).expect("JSON is UTF-8");
        let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        messages
            .filter(|message| message["target"]["name"] == "dashboard")
            .find_map(|message| Some(message["executable"].as_str()?.into()))
            .expect("cargo names the file that it has built")
    })
}

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
