//! The listening side.

use std::{io, net::Ipv4Addr, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    sync::oneshot,
    task::JoinSet,
    time,
};

use super::{clock::Clock, connection, tally::Tally};

/// Opens a port of our own choice, with room for all clients to knock at once
///
/// With less, Linux answers some with a cookie and forgets them, and they look as if we had
/// dropped them.
pub(crate) fn listen(connections: u32) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    socket.listen(connections.max(LEAST_BACKLOG))
}

/// Accepts connections until told to stop, then waits for all of them to end
///
/// Returns how many of their tasks panicked.
pub(crate) async fn serve(
    listener: TcpListener,
    clock: Clock,
    tally: Arc<Tally>,
    mut stop: oneshot::Receiver<()>,
) -> usize {
    let mut connections = JoinSet::new();
    let mut panicked = 0;
    loop {
        tokio::select! {
            stream = accept(&listener, &tally) => {
                connections.spawn(connection::serve(stream, clock.clone(), tally.clone()));
            }
            Some(ended) = connections.join_next() => panicked += usize::from(ended.is_err()),
            _ = &mut stop => break,
        }
    }
    while let Some(ended) = connections.join_next().await {
        panicked += usize::from(ended.is_err());
    }
    panicked
}

async fn accept(listener: &TcpListener, tally: &Tally) -> TcpStream {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            tally.server.accepted.add();
            return stream;
        }
        // Most likely out of file descriptors; a connection that ends frees one.
        tally.server.not_accepted.add();
        time::sleep(ACCEPT_AGAIN).await;
    }
}

const LEAST_BACKLOG: u32 = 1024;
const ACCEPT_AGAIN: Duration = Duration::from_millis(10);
