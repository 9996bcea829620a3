//! What is played

mod blocked;
mod callbacks;
mod crowd;
mod growth;
mod idle;
mod killed;
mod limits;
mod panics;
mod rush;
mod shutdown;
mod storm;
mod wall;

use std::sync::Arc;

use tickwheel_tests::random::Random;

use crate::{scene::Scene, world::World};

/// Plays one that the numbers choose
pub(crate) fn play(world: &Arc<World>, random: &mut Random) {
    let chosen = usize::try_from(random.below(SCENES.len() as u64)).expect("a place in a list");
    let (name, scene) = SCENES[chosen];
    let fault = world.faults.begin();
    world.tally.played(name);
    scene(&mut Scene { world, name, random });
    drop(fault);
}

const SCENES: [(&str, fn(&mut Scene<'_>)); 11] = [
    ("blocked workers", blocked::play),
    ("callbacks called off", callbacks::play),
    ("growth", growth::play),
    ("idle", idle::play),
    ("killed runtime", killed::play),
    ("limits", limits::play),
    ("panics", panics::play),
    ("rush", rush::play),
    ("shutdown", shutdown::play),
    ("storm", storm::play),
    ("wall clock set", wall::play),
];
