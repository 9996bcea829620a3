//! The page of `examples/dashboard.rs`, in headless Chromium.
//!
//! Ignored unless asked for, as it needs the programs `chromium` and `chromedriver`:
//!
//! ```text
//! cargo test -p tickwheel-browser-tests -- --ignored --test-threads 1
//! ```
//!
//! The storm's test makes the picture in `docs/` anew, of a release build, when it is told to:
//!
//! ```text
//! DASHBOARD_PICTURE=1 cargo test -p tickwheel-browser-tests -- --ignored a_storm
//! ```

use std::{path::Path, time::Duration};

use serde_json::Value;
use tickwheel_browser_tests::{Page, View, is_for_picture, tell};
use tokio::time::sleep;

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn the_rings_are_drawn_and_turn_on_every_screen() {
    tell(async |page, _dashboard| {
        for view in [View::DESKTOP, View::DESKTOP.dark(), View::PHONE, View::PHONE.dark()] {
            page.look(view).await;
            shows_the_wheel(&page, view).await;
            assert_eq!(page.complaints().await, Vec::<String>::new(), "{view:?}");
        }
    })
    .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn whoever_prefers_little_motion_is_shown_little() {
    tell(async |page, _dashboard| {
        page.look(View::DESKTOP).await;
        page.until("document.getElementById('state').textContent === 'live'").await;
        assert!(pictures_in_two_seconds(&page).await > 6);
        page.look(View::DESKTOP.with_reduced_motion()).await;
        assert!(pictures_in_two_seconds(&page).await <= 4);
    })
    .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_storm_raises_what_is_pending_and_passes() {
    tell(async |page, _dashboard| {
        page.look(View::DESKTOP).await;
        page.until("Number(document.querySelector('[data-line=p50]').value) > 0").await;
        if is_for_picture() {
            fill_the_charts(&page).await;
        }
        let before = page.number("#pending").await;
        page.press("#storm").await;
        page.until(&format!("{PENDING} > {before} + 10000")).await;
        if is_for_picture() {
            // Of a moment in which it has all of the near ring to rage in.
            page.until(&format!("{IN_NEAR_RING} > 35000")).await;
        }
        page.until("document.getElementById('answer').textContent.includes('storm')").await;
        let picture = if is_for_picture() { DOCS } else { env!("CARGO_TARGET_TMPDIR") };
        page.save_picture(&Path::new(picture).join("dashboard.png"), View::PICTURE).await;
        page.until(&format!("{PENDING} < {before} * 2")).await;
        assert_eq!(page.complaints().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_stop_of_the_world_shows_as_lateness() {
    tell(async |page, _dashboard| {
        let max = "Number(document.querySelector('[data-line=max]').value)";
        page.until(&format!("{max} > 0")).await;
        page.press("#stop").await;
        page.until(&format!("{max} > 0.5")).await;
        page.until(&format!("{max} < 0.5")).await;
        assert_eq!(page.complaints().await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
#[ignore = "needs chromium and chromedriver"]
async fn a_shutdown_says_what_had_not_fired_and_the_program_ends_when_told() {
    tell(async |page, dashboard| {
        page.until(&format!("{PENDING} > 1000")).await;
        page.press("#shutdown").await;
        page.until("document.getElementById('state').textContent === 'shut down'").await;
        let answer = page.text("#answer").await;
        assert!(answer.starts_with("Shut down. Not fired were "), "{answer}");
        assert!(!answer.contains(" 0 sleeps") && !answer.contains(" 0 callbacks"), "{answer}");
        page.until(&format!("{PENDING} === 0")).await;
        page.until("[...document.querySelectorAll('button')].every((it) => it.disabled)").await;

        // Who comes later is told as well.
        page.reload().await;
        page.until("document.getElementById('state').textContent === 'shut down'").await;
        assert_eq!(page.text("#answer").await, answer);

        assert!(dashboard.interrupt().await, "it ends well");
        page.until("document.getElementById('state').textContent === 'ended'").await;
        assert_eq!(page.complaints().await, Vec::<String>::new());
    })
    .await;
}

async fn shows_the_wheel(page: &Page, view: View) {
    let rows = "[...document.querySelectorAll('#levels tr')]";
    page.until(&format!(
        "{rows}.length === 6 && {rows}.every((row) => parseInt(row.cells[5].textContent) > 0)"
    ))
    .await;

    // Some slots of each ring are filled and some are not, and its hand is drawn.
    let rings = page.eval(COLOURS_OF_RINGS).await;
    let rings = rings.as_array().unwrap_or_else(|| panic!("{rings}")).clone();
    assert_eq!(rings.len(), 5);
    for (number, ring) in rings.iter().enumerate() {
        assert!(ring["slots"].as_u64() >= Some(2), "ring {number} of {view:?}: {ring}");
        assert!(ring["hands"].as_u64() >= Some(1), "ring {number} of {view:?}: {ring}");
    }

    for moving in ["#wake", "#fired", "#metrics pre", "#levels tr td:nth-of-type(4)"] {
        let before = page.text(moving).await;
        let query = format!("document.querySelector({moving:?}).textContent.trim()");
        page.until(&format!("{query} !== {before:?}")).await;
    }

    let fits = "document.documentElement.scrollWidth <= innerWidth";
    assert_eq!(page.eval(fits).await, Value::Bool(true), "{view:?}");
    let sharp = "document.getElementById('slots').width
        === Math.round(document.getElementById('slots').clientWidth * devicePixelRatio)";
    assert_eq!(page.eval(sharp).await, Value::Bool(true), "{view:?}");
    let name = format!("dashboard-{}-{}.png", view.name, view.scheme.name());
    page.save_picture(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(name), view).await;
}

/// How many different pictures of the hands there are
async fn pictures_in_two_seconds(page: &Page) -> u64 {
    let pictures = page
        .eval(
            "(async () => {
                const pictures = new Set();
                const end = performance.now() + 2000;
                while (performance.now() < end) {
                    pictures.add(document.getElementById('hands').toDataURL());
                    await new Promise((then) => setTimeout(then, 50));
                }
                return pictures.size;
            })()",
        )
        .await;
    pictures.as_u64().unwrap_or_else(|| panic!("{pictures}"))
}

/// With most of a minute, a storm and a stop of the world in it
async fn fill_the_charts(page: &Page) {
    for (button, seconds) in [("#storm", 20), ("#stop", 15)] {
        sleep(Duration::from_secs(10)).await;
        page.press(button).await;
        sleep(Duration::from_secs(seconds)).await;
    }
}

/// Where the picture of the documentation is
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");

const PENDING: &str =
    "Number(document.getElementById('pending').textContent.replaceAll(/[^0-9]/g, ''))";

const IN_NEAR_RING: &str =
    "Number(document.querySelector('#levels tr').cells[5].textContent.replaceAll(/[^0-9]/g, ''))";

/// How many colours each ring has along its middle, by the page's own geometry
const COLOURS_OF_RINGS: &str = "(async () => {
    const { LEVELS, ringOf } = await import('/rings.js');
    const colours = (id, number) => {
        const canvas = document.getElementById(id);
        const copy = new OffscreenCanvas(canvas.width, canvas.height);
        const context = copy.getContext('2d', { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        const { x, y, inner, outer } = ringOf(number, canvas.clientWidth, canvas.clientHeight);
        const middle = (inner + outer) / 2;
        const seen = new Set();
        for (let part = 0; part < 1024; part++) {
            const angle = (part / 1024) * 2 * Math.PI;
            const [across, down] = [x + middle * Math.cos(angle), y + middle * Math.sin(angle)];
            const at = [across, down].map((place) => Math.round(place * devicePixelRatio));
            const pixel = context.getImageData(...at, 1, 1).data;
            if (pixel[3] > 127) seen.add(pixel.join());
        }
        return seen.size;
    };
    return LEVELS.map((_, number) => ({ slots: colours('slots', number), hands: colours('hands', number) }));
})()";
