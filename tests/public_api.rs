//! Lists the public API of a crate from its rustdoc pages, to be kept in the repository
//!
//! `public-api target/doc/tickwheel` prints one block for each public item: its declaration,
//! its methods, the traits it has with their associated types. It reads what `cargo doc`
//! writes on a stable toolchain, so it knows what macros have made. Traits that a type has
//! by itself (`Send`) or by being of any type (`Into`) are left out; `service_auto_traits`
//! pins the first.

#[path = "public_api/page.rs"]
mod page;

use std::{
    collections::BTreeSet,
    env,
    error::Error,
    ffi::OsStr,
    fs,
    io::{self, Write},
    iter,
    path::Path,
};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = env::args().nth(1).ok_or("which directory, as in target/doc/tickwheel?")?;
    let directory = Path::new(&directory);
    let name = directory.file_name().ok_or("a directory has a name")?.to_string_lossy();
    let mut blocks = Vec::new();
    let mut modules = BTreeSet::new();

    // What is there but not in the list of all items belongs to another run of rustdoc.
    for (path, item) in page::items(&fs::read_to_string(directory.join("all.html"))?) {
        let text = fs::read_to_string(directory.join(&path))?;
        let mut lines = page::lines(&text, path.contains("trait."));
        if lines.is_empty() {
            return Err(format!("nothing was found on {path}: has rustdoc changed?").into());
        }
        lines.insert(0, format!("{name}::{item}"));
        blocks.push(lines.join("\n"));
        modules.extend(Path::new(&path).parent().map(Path::to_owned));
    }
    for module in modules {
        let index = fs::read_to_string(directory.join(&module).join("index.html"))?;
        let path = iter::once(&*name).chain(module.iter().filter_map(OsStr::to_str));
        let path = path.collect::<Vec<_>>().join("::");
        blocks.extend(page::re_exports(&index).iter().map(|line| format!("{path}\n    {line}")));
    }
    if blocks.is_empty() {
        return Err("no items were found: has rustdoc changed?".into());
    }

    blocks.sort();
    let mut out = io::stdout().lock();
    for block in blocks {
        writeln!(out, "{block}\n")?;
    }
    Ok(())
}
