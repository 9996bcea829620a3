//! A run from the first scene to the last

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use tickwheel_tests::random::Random;

use crate::{args::Args, child, load, memory, report, scenes, world::World};

/// Whether everything held
pub(crate) fn run(args: &Args) -> bool {
    let seed = args.seed();
    println!("torture for {:?}, seed {seed}, {} actors", args.length(), args.actors);
    let world = World::begin(seed);
    let mut seeds = Random::new(seed);
    let mut memory = Memory::default();
    let began = Instant::now();
    thread::scope(|threads| {
        let (world, mut seed) = (&world, || seeds.below(u64::MAX));
        let (load_seed, child_seed) = (seed(), seed());
        threads.spawn(move || load::run(world, load_seed));
        threads.spawn(move || child::torment(world, child_seed));
        for _ in 0..args.actors {
            let random = Random::new(seed());
            threads.spawn(move || act(world, random, began));
        }
        while began.elapsed() < args.length() && !world.is_over() {
            for _ in 0..20 {
                thread::sleep(Duration::from_millis(50));
                memory.look();
            }
            report::line(world, began.elapsed(), &memory);
        }
        world.end();
    });
    memory.look();
    let is_well = !world.verdict.has_failed();
    report::table(&world, began.elapsed(), &memory, is_well);
    is_well
}

/// Scene after scene, with a rest for all actors at the same time now and then
fn act(world: &Arc<World>, mut random: Random, began: Instant) {
    while !world.is_over() {
        let in_cycle = began.elapsed().as_millis() % (ACTION + REST).as_millis();
        if in_cycle < ACTION.as_millis() {
            scenes::play(world, &mut random);
        } else {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Resident memory over time, where the system tells
#[derive(Debug, Default)]
pub(crate) struct Memory {
    pub(crate) start: Option<u64>,
    pub(crate) most: Option<u64>,
    pub(crate) now: Option<u64>,
}

impl Memory {
    fn look(&mut self) {
        self.now = memory::resident();
        self.start = self.start.or(self.now);
        self.most = self.most.max(self.now);
    }
}

const ACTION: Duration = Duration::from_millis(2_800);

/// In which lateness is told of: the machine has nothing else to do
const REST: Duration = Duration::from_millis(1_200);
