//! What `docs/cases.md` says is true of the tests

use std::{collections::BTreeSet, fs, path::Path};

/// Each test that is named there exists
#[test]
fn the_tests_that_the_cases_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = String::new();
    for directory in
        ["tests/core", "tests/service", "crates/tickwheel/src", "crates/tickwheel-core/src"]
    {
        read_all(&root.join(directory), &mut sources);
    }
    let cases = fs::read_to_string(root.join("docs/cases.md")).unwrap();
    let rows: Vec<_> = cases.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    for row in &rows {
        let tests = row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap();
        let names: Vec<_> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test for {row}");
        for name in names {
            assert!(sources.contains(&format!("fn {name}(")), "no test {name} for {row}");
        }
    }
    let ids: BTreeSet<_> = rows.iter().map(|row| row.split_whitespace().nth(1)).collect();
    assert_eq!((ids.len(), rows.len()), (63, 63), "each case is there once");
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
