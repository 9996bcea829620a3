//! What `docs/cases.md` and `docs/proof.md` say is true of the tests

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

#[test]
fn the_tests_that_the_cases_name_exist() {
    let rows = rows_that_name_tests("docs/cases.md");
    let ids: BTreeSet<_> = rows.iter().map(|row| row.split_whitespace().nth(1)).collect();
    assert_eq!((ids.len(), rows.len()), (63, 63), "each case is there once");
}

#[test]
fn the_tests_that_the_proof_names_exist() {
    assert!(!rows_that_name_tests("docs/proof.md").is_empty());
}

/// The rows of a document's tables, in whose last column there are tests, all of which exist
fn rows_that_name_tests(document: &str) -> Vec<String> {
    let mut sources = String::new();
    for directory in
        ["tests/core", "tests/service", "crates/tickwheel/src", "crates/tickwheel-core/src"]
    {
        read_all(&root().join(directory), &mut sources);
    }
    let document = fs::read_to_string(root().join(document)).unwrap();
    let mut rows: Vec<String> = Vec::new();
    for line in document.lines().filter(|line| line.starts_with('|')) {
        if line.starts_with("|---") {
            // What is above it is a table's head.
            rows.pop();
        } else {
            rows.push(line.into());
        }
    }
    for row in &rows {
        let tests = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap();
        let names: Vec<_> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test for {row}");
        for name in names {
            assert!(sources.contains(&format!("fn {name}(")), "no test {name} for {row}");
        }
    }
    rows
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read_all(directory: &Path, sources: &mut String) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push_str(&fs::read_to_string(path).unwrap());
        }
    }
}
