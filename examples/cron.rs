//! Schedules by the clock on the wall: daily, hourly and cron, what comes next, and the real
//! thing twice.

use std::{error::Error, iter, time::SystemTime};

use futures::StreamExt;
use jiff::{Timestamp, civil::time, tz::TimeZone};
use tickwheel::{Cron, DailyAt, DaylightSaving, HourlyAt, Schedule, Timer, time_zone};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let new_york = time_zone("America/New_York")?;
    let kathmandu = time_zone("Asia/Kathmandu")?;
    let berlin = time_zone("Europe/Berlin")?;

    // In the night to 8 March the clocks of New York go from 02:00 to 03:00.
    let before: Timestamp = "2026-03-06T12:00:00-05".parse()?;
    let backup = DailyAt::new(time(2, 30, 0, 0), new_york.clone(), DaylightSaving::Compatible);
    print_next(
        "daily at 02:30 in New York, where 8 March 2026 has no such time",
        backup,
        before.try_into()?,
        &new_york,
    )?;

    let now = SystemTime::now();
    let chime = HourlyAt::new(0, 0, kathmandu.clone())?;
    print_next("every full hour in Kathmandu", chime, now, &kathmandu)?;

    let report = Cron::new("*/20 9-17 * * MON-FRI", berlin.clone())?;
    print_next("`*/20 9-17 * * MON-FRI` in Berlin", report, now, &berlin)?;

    match Cron::new("0 25 * * *", berlin) {
        Ok(_) => unreachable!("a day has 24 hours"),
        Err(error) => println!("a line that is none: {error}\n"),
    }

    println!("`* * * * * *`, the next two as they come:");
    let timer = Timer::new();
    let mut every_second = timer.schedule(Cron::new("* * * * * *", TimeZone::UTC)?).take(2);
    while let Some(scheduled) = every_second.next().await {
        let late = scheduled.elapsed()?;
        println!("  {} came {late:?} late", Timestamp::try_from(scheduled)?);
    }
    Ok(())
}

/// The next five occurrences, by the clocks of the zone
fn print_next(
    name: &str,
    mut schedule: impl Schedule,
    start: SystemTime,
    zone: &TimeZone,
) -> Result<(), jiff::Error> {
    println!("{name}:");
    let occurrences = iter::successors(Some(start), |after| schedule.next_after(*after));
    for occurrence in occurrences.skip(1).take(5) {
        let shown = Timestamp::try_from(occurrence)?.to_zoned_datetime(zone.clone());
        println!("  {}", shown.strftime("%a %F %T %:z"));
    }
    println!();
    Ok(())
}
