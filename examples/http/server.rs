use std::io;

use axum::Router;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::{conn::auto, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use tickwheel::{Timer, io::Deadlines};
use tokio::net::TcpListener;

use crate::{GRACE, HEADER, IDLE, PING, PONG};

/// Serves until it is told to stop, and says how many connections did not end in time then
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    timer: Timer,
    stop: impl Future<Output = ()>,
) -> io::Result<usize> {
    let mut server = auto::Builder::new(TokioExecutor::new());
    server.http1().timer(timer.clone()).header_read_timeout(HEADER);
    server.http2().timer(timer.clone()).keep_alive_interval(PING).keep_alive_timeout(PONG);

    let connections = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let (socket, peer) = tokio::select! {
            accepted = listener.accept() => accepted?,
            () = &mut stop => break,
        };
        // hyper's own deadlines begin when it knows which HTTP it is; this one is for who
        // says nothing at all.
        let socket = Deadlines::new(socket, &timer).with_idle_timeout(IDLE);
        let service = TowerToHyperService::new(app.clone());
        let connection = server.serve_connection(TokioIo::new(socket), service).into_owned();
        let connection = connections.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                println!("  server: the connection of {peer} ended: {}", causes(&*error));
            }
        });
    }

    drop(listener);
    let left = connections.count();
    println!("  server: stopping; connections still open: {left}");
    match timer.timeout(GRACE, connections.shutdown()).await {
        Ok(()) => Ok(0),
        Err(_) => Ok(left),
    }
}

fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
