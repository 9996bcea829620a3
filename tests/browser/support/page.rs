//! The page, as its user and its developer see it.

use std::{fmt, fs, path::Path, time::Duration};

use fantoccini::{Client, Locator, error::CmdError, wd::WebDriverCompatibleCommand};
use http::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::view::View;

/// A page in a browser
pub struct Page {
    client: Client,
}

impl Page {
    pub(crate) async fn open(client: Client, url: &str) -> Self {
        client.goto(url).await.expect("the dashboard serves its page");
        Self { client }
    }

    /// Looks at it on another screen
    pub async fn look(&self, view: View) {
        self.tell(
            "Emulation.setDeviceMetricsOverride",
            &json!({
                "width": view.width,
                "height": view.height,
                "deviceScaleFactor": view.ratio,
                "mobile": view.ratio > 1,
            }),
        )
        .await;
        let motion = if view.reduced_motion { "reduce" } else { "no-preference" };
        self.tell(
            "Emulation.setEmulatedMedia",
            &json!({
                "features": [
                    { "name": "prefers-color-scheme", "value": view.scheme.name() },
                    { "name": "prefers-reduced-motion", "value": motion },
                ],
            }),
        )
        .await;
    }

    /// The value of an expression in the page, a promise's included
    pub async fn eval(&self, expression: &str) -> Value {
        let script = format!(
            "const done = arguments[0]; (async () => ({expression}))()
                .then(done, (error) => done(`failed: ${{error}}`));"
        );
        self.client.execute_async(&script, Vec::new()).await.expect("the page runs scripts")
    }

    /// What an element says
    pub async fn text(&self, selector: &str) -> String {
        let element = self.client.find(Locator::Css(selector)).await;
        let element = element.unwrap_or_else(|error| panic!("{selector}: {error}"));
        element.text().await.expect("it is still there")
    }

    /// The number that an element says
    pub async fn number(&self, selector: &str) -> f64 {
        let text = self.text(selector).await;
        let digits: String = text.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
        digits.parse().unwrap_or_else(|_| panic!("{selector} says {text:?}, no number"))
    }

    pub async fn press(&self, selector: &str) {
        let button = self.client.find(Locator::Css(selector)).await.expect("there is the button");
        button.click().await.expect("it can be pressed");
    }

    pub async fn reload(&self) {
        self.client.refresh().await.expect("the dashboard serves its page");
    }

    /// Waits until an expression is true in the page
    pub async fn until(&self, expression: &str) {
        let start = Instant::now();
        while self.eval(expression).await != json!(true) {
            assert!(start.elapsed() < PATIENCE, "not so in {PATIENCE:?}: {expression}");
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Errors and warnings that a developer would see, scripts that cannot be had included
    pub async fn complaints(&self) -> Vec<String> {
        let entries = self.issue(Command::Log, &json!({ "type": "browser" })).await;
        let entries = entries.as_array().expect("the log is a list").iter();
        let bad =
            entries.filter(|entry| ["SEVERE", "WARNING"].iter().any(|l| entry["level"] == *l));
        bad.map(ToString::to_string).collect()
    }

    /// A picture of the page from its top to its bottom, as PNG
    pub async fn save_picture(&self, file: &Path, view: View) {
        self.look(view).await;
        let height = self.eval("document.documentElement.scrollHeight").await.as_u64();
        let height = height.and_then(|height| u32::try_from(height).ok());
        let whole = View { height: height.expect("a page is not that long"), ..view };
        self.look(whole).await;
        let picture = self.client.screenshot().await.expect("the browser draws");
        fs::write(file, picture).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.look(view).await;
    }

    async fn tell(&self, command: &str, params: &Value) {
        self.issue(Command::DevTools, &json!({ "cmd": command, "params": params })).await;
    }

    async fn issue(&self, command: Command, body: &Value) -> Value {
        let issued: Result<_, CmdError> =
            self.client.issue_cmd(Issued { command, body: body.to_string() }).await;
        issued.unwrap_or_else(|error| panic!("{command:?} {body}: {error}"))
    }
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").finish_non_exhaustive()
    }
}

/// What Chromium's driver understands beside the standard
#[derive(Clone, Copy, Debug)]
enum Command {
    DevTools,
    Log,
}

#[derive(Debug)]
struct Issued {
    command: Command,
    body: String,
}

impl WebDriverCompatibleCommand for Issued {
    fn endpoint(
        &self,
        base_url: &url::Url,
        session_id: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        let session = session_id.expect("there is a session");
        let name = match self.command {
            Command::DevTools => "goog/cdp/execute",
            Command::Log => "se/log",
        };
        base_url.join(&format!("session/{session}/{name}"))
    }

    fn method_and_body(&self, _: &url::Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.clone()))
    }
}

const PATIENCE: Duration = Duration::from_secs(20);
