//! What the fuzzers have found so far, again and without them

use std::{fs, path::Path};

use tickwheel_tests::fuzz;

#[test]
fn the_corpus_of_wheels_is_replayed() {
    replay("wheel", fuzz::wheel);
}

#[test]
fn the_corpus_of_cron_lines_is_replayed() {
    replay("cron", fuzz::cron);
}

#[test]
fn the_corpus_of_builders_is_replayed() {
    replay("builder", fuzz::builder);
}

fn replay(target: &str, body: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let mut files: Vec<_> =
        fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty());
    files.sort();
    for file in files {
        println!("{}", file.display());
        body(&fs::read(&file).unwrap());
    }
}
