//! Headless Chromium and the driver that steers it.

use std::{fs, path::Path, time::Duration};

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::{
    page::Page,
    process::{Process, kill},
};

pub(crate) struct Browser {
    client: Client,
    /// The id of the browser's main process
    id: Option<u32>,
    driver: Process,
    /// What it would keep under the user's home, and must not find there either
    _profile: TempDir,
}

impl Browser {
    pub(crate) async fn start() -> Self {
        let mut driver = Process::start(Path::new("chromedriver"), &["--port=0"]);
        let port = driver.said_after("was started successfully on port ").await;
        let profile = TempDir::new().expect("there is room for a profile");
        let Value::Object(capabilities) = json!({
            "goog:chromeOptions": { "args": flags(profile.path()) },
            "goog:loggingPrefs": { "browser": "ALL" },
        }) else {
            unreachable!("it is written as an object");
        };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{}", port.trim_end_matches('.')))
            .await
            .expect("the driver starts a browser");
        let id = client.capabilities().and_then(|given| given["goog:processID"].as_u64());
        let id = id.and_then(|id| u32::try_from(id).ok());
        Self { client, id, driver, _profile: profile }
    }

    pub(crate) async fn page(&self, url: &str) -> Page {
        Page::open(self.client.clone(), url).await
    }

    pub(crate) async fn end(self) {
        // The driver ends the browser; where it does not, the browser's id is known.
        let closed = timeout(PATIENCE, self.client.close()).await;
        if let Some(id) = self.id {
            let mut waits = 50;
            while fs::exists(format!("/proc/{id}")).unwrap_or(false) && waits > 0 {
                sleep(PATIENCE / 500).await;
                waits -= 1;
            }
            if waits == 0 {
                kill("-KILL", id).await;
            }
        }
        self.driver.ends_by("-TERM").await;
        closed.expect("the driver answers").expect("the browser ends");
    }
}

fn flags(profile: &Path) -> [String; 10] {
    [
        "--headless",
        // The tests may run as root, in a container that has no sandbox to give.
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        // Nothing but the page under test is asked for.
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        &format!("--user-data-dir={}", profile.display()),
    ]
    .map(String::from)
}

const PATIENCE: Duration = Duration::from_secs(10);
