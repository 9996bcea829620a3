use std::time::Duration;

use super::*;

/// Timers come and go, and the alarm is the process's
#[test]
fn the_alarm_keeps_nothing_of_what_was_removed() {
    let bell = Arc::new(Bell::new());
    let handle = AlarmHandle::new(Arc::clone(&bell)).unwrap();
    handle.ring_by(machine_now() + Duration::from_secs(3600));
    handle.remove();
    assert_eq!(Arc::strong_count(&bell), 1);
    let plan = handle.alarm.plan.lock();
    assert!(plan.order.iter().all(|&(_, id)| id != handle.id));
}
