//! Where all do a work, turn by turn

use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime::{Builder, Runtime};

use crate::{
    args::Args,
    entrants,
    measure::{Row, Table},
    scale::Scale,
    work::{Measure, Round, Work},
};

/// Runs works one after the other, and keeps what came out
pub(crate) struct Arena {
    pub(crate) scale: Scale,
    only: Option<String>,
    runtime: Runtime,
    tables: Vec<Table>,
}

impl Arena {
    pub(crate) fn new(args: &Args) -> Self {
        let scale = if args.quick { Scale::QUICK } else { Scale::FULL };
        Self { scale, only: args.only.clone(), runtime: two_workers(), tables: Vec::new() }
    }

    /// Lets all do a work, if it is asked for
    pub(crate) fn run<W: Work>(&mut self, work: &W) {
        if !self.wants(&work.name()) {
            return;
        }
        let table = {
            // The futures polled here by hand find their timers by the current runtime.
            let _context = self.runtime.enter();
            let staged = entrants::staged(work, &self.runtime, None);
            let rounds = work.rounds(&self.scale);
            turns(work.name(), work.about(), W::MEASURES, staged, rounds)
        };
        self.tables.push(table);
    }

    /// Takes up the table of a work that has a field of its own
    pub(crate) fn run_staged(
        &mut self,
        name: &str,
        about: &'static str,
        measures: &'static [Measure],
        rounds: usize,
        stage: impl FnOnce() -> Vec<(String, Round<'static>)>,
    ) {
        if self.wants(name) {
            self.tables.push(turns(name.into(), about, measures, stage(), rounds));
        }
    }

    pub(crate) fn into_tables(self) -> Vec<Table> {
        self.tables
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }
}

fn turns(
    name: String,
    about: &'static str,
    measures: &'static [Measure],
    staged: Vec<(String, Round<'_>)>,
    rounds: usize,
) -> Table {
    let bar = ProgressBar::new((rounds * staged.len()) as u64).with_style(style());
    bar.set_prefix(name.clone());
    let (mut rows, mut all): (Vec<_>, Vec<_>) = staged
        .into_iter()
        .map(|(name, round)| (Row { name, rounds: Vec::with_capacity(rounds) }, round))
        .unzip();
    // One round warms up allocator and wheel where rounds are cheap, and does not count.
    if rounds > 5 {
        for round in &mut all {
            round();
        }
    }
    for number in 0..rounds {
        // Another one begins each time, so that nobody always comes after the same one.
        for turn in 0..rows.len() {
            let turn = (turn + number) % rows.len();
            bar.set_message(rows[turn].name.clone());
            rows[turn].rounds.push(all[turn]());
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let table = Table { name, about, measures, rows };
    println!("{}", crate::report::markdown::table(&table));
    table
}

pub(crate) fn two_workers() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).enable_all();
    #[cfg(tokio_unstable)]
    builder.enable_alt_timer();
    builder.build().expect("the machine has two threads")
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {msg}")
        .expect("the template is valid")
        .progress_chars("=> ")
}
