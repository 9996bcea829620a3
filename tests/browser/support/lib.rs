//! A dashboard, a browser that looks at it, and their ends.

mod browser;
mod dashboard;
mod page;
mod process;
mod view;

use std::{panic, time::Duration};

use tokio::time::timeout;

pub use dashboard::{Dashboard, is_for_picture};
pub use page::Page;
pub use view::{Scheme, View};

use browser::Browser;

/// Tells a story of the page, and ends all processes whatever becomes of it
pub async fn tell<S>(story: impl FnOnce(Page, Dashboard) -> S)
where
    S: Future<Output = ()> + Send + 'static,
{
    let dashboard = Dashboard::start().await;
    let browser = Browser::start().await;
    let page = browser.page(dashboard.url()).await;
    // In a task of its own, so that a failed assertion does not keep the browser from ending.
    let mut story = tokio::spawn(story(page, dashboard));
    let told = timeout(PATIENCE, &mut story).await;
    story.abort();
    browser.end().await;
    match told {
        Ok(Ok(())) => {}
        Ok(Err(error)) => panic::resume_unwind(error.into_panic()),
        Err(late) => panic!("the story is not over after {PATIENCE:?}: {late}"),
    }
}

const PATIENCE: Duration = Duration::from_secs(90);
