//! A service that is written for `tokio::time`, and the same service on this timer.
//!
//! It is a short form of the example `service`. What was done to it is
//!
//! ```text
//! diff examples/adopt/before.rs examples/adopt/after.rs
//! cargo run --example adopt
//! ```

#[path = "adopt/after.rs"]
mod after;
#[path = "adopt/before.rs"]
mod before;

use std::io;

use tickwheel::Timer;

#[tokio::main]
async fn main() -> io::Result<()> {
    println!("on tokio::time:");
    let answers = before::run().await?;
    println!("  {answers} answers came in time");
    assert_eq!(Timer::current().metrics().registered, 0, "nothing has used our timer yet");

    println!("on tickwheel::time:");
    let answers = after::run().await?;
    println!("  {answers} answers came in time");
    let timer = Timer::current();
    println!("\n{}", timer.metrics());
    assert!(timer.metrics().registered > 0, "it was our timer");
    assert_eq!(timer.pending(), 0, "and nothing is left in it");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::iter::zip;

    const BEFORE: &str = include_str!("adopt/before.rs");
    const AFTER: &str = include_str!("adopt/after.rs");
    const README: &str = include_str!("../README.md");

    #[test]
    fn the_service_runs_before_and_after() {
        super::main().unwrap();
    }

    #[test]
    fn one_line_was_changed_and_the_readme_shows_it() {
        assert_eq!(BEFORE.lines().count(), AFTER.lines().count());
        let changed: Vec<_> =
            zip(BEFORE.lines(), AFTER.lines()).filter(|(before, after)| before != after).collect();
        assert_eq!(changed, [("use tokio::time;", "use tickwheel::time;")]);
        assert!(README.contains("```diff\n-use tokio::time;\n+use tickwheel::time;\n```"));
    }
}
