//! An axum server whose every deadline is on our timer, and a client that provokes each.
//!
//! Served through hyper-util, since `axum::serve` takes no timer. It ends by itself within a
//! few seconds, and checks what came back.

#[path = "http/app.rs"]
mod app;
#[path = "http/client.rs"]
mod client;
#[path = "http/server.rs"]
mod server;

use std::{error::Error, time::Duration};

use tickwheel::Timer;
use tokio::{net::TcpListener, sync::oneshot};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let timer = Timer::new();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    println!("listening on {address}");

    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(server::serve(listener, app::app(&timer), timer.clone(), async {
        // Dropping the other end counts as well.
        let _ = stopped.await;
    }));

    client::provoke(&timer, address).await?;
    client::ask_while_it_stops(&timer, address, stop).await?;
    let left = server.await??;
    assert_eq!(left, 0, "every connection was closed in good order");

    let metrics = timer.metrics();
    println!("\n{metrics}");
    assert!(metrics.registered > 0 && metrics.fired > 0, "it was our timer");
    // The tasks behind the client's pools end when they get round to it.
    for _ in 0..100 {
        if timer.pending() == 0 {
            break;
        }
        timer.sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(timer.pending(), 0, "and nothing is left in it");
    Ok(())
}

/// How long a client may take to send the head of a request, idle between two requests included
const HEADER: Duration = Duration::from_millis(300);
/// After how much silence an HTTP/2 client is asked whether it is there, and how long it may
/// take to answer
const PING: Duration = Duration::from_millis(200);
const PONG: Duration = Duration::from_millis(200);
/// How long no byte may go in either direction
const IDLE: Duration = Duration::from_millis(800);
/// How long the route `/slow` may take, and how long it would
const SLOW_ROUTE: Duration = Duration::from_millis(150);
const SLOW_WORK: Duration = Duration::from_mins(1);
/// The same of `/report`, which is in time
const REPORT_ROUTE: Duration = Duration::from_secs(5);
const REPORT_WORK: Duration = Duration::from_millis(400);
/// How long requests may take to end when the server stops
const GRACE: Duration = Duration::from_secs(5);
