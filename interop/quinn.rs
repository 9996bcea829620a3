//! quinn waits by a runtime that makes its timers

use std::{
    error::Error,
    future::Future,
    io,
    net::{Ipv4Addr, SocketAddr, UdpSocket},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use quinn::{
    AsyncTimer, AsyncUdpSocket, ClientConfig, Connection, ConnectionError, Endpoint,
    EndpointConfig, Runtime, ServerConfig, TokioRuntime, TransportConfig,
    rustls::{RootCertStore, pki_types::PrivatePkcs8KeyDer},
};
use tickwheel::Timer;
use tickwheel_interop::Counted;

/// tokio's tasks and sockets, our timer
#[derive(Debug)]
struct OnTimer(Timer);

impl Runtime for OnTimer {
    fn new_timer(&self, deadline: Instant) -> Pin<Box<dyn AsyncTimer>> {
        Box::pin(Sleep(self.0.sleep_until(deadline.into())))
    }

    fn spawn(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        TokioRuntime.spawn(future);
    }

    fn wrap_udp_socket(&self, socket: UdpSocket) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        TokioRuntime.wrap_udp_socket(socket)
    }

    fn now(&self) -> Instant {
        self.0.now().into_std()
    }
}

#[derive(Debug)]
struct Sleep(tickwheel::Sleep);

impl AsyncTimer for Sleep {
    fn reset(mut self: Pin<&mut Self>, deadline: Instant) {
        self.0.reset(deadline.into());
    }

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        // Ready stays ready, as it must here.
        Pin::new(&mut self.0).poll(cx)
    }
}

const IDLE: Duration = Duration::from_millis(300);

fn transport() -> Arc<TransportConfig> {
    let mut transport = TransportConfig::default();
    transport.max_idle_timeout(Some(IDLE.try_into().expect("it fits")));
    Arc::new(transport)
}

fn endpoint(server: Option<ServerConfig>, timer: &Timer) -> io::Result<Endpoint> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    Endpoint::new(EndpointConfig::default(), server, socket, Arc::new(OnTimer(timer.clone())))
}

fn configs() -> Result<(ServerConfig, ClientConfig), Box<dyn Error>> {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
    let certificate = certified.cert.der().clone();
    let mut server = ServerConfig::with_single_cert(vec![certificate.clone()], key.into())?;
    server.transport_config(transport());
    let mut roots = RootCertStore::empty();
    roots.add(certificate)?;
    let mut client = ClientConfig::with_root_certificates(Arc::new(roots))?;
    client.transport_config(transport());
    Ok((server, client))
}

async fn closed(timer: &Timer, connection: &Connection) -> ConnectionError {
    timer.timeout(Duration::from_secs(20), connection.closed()).await.expect("it closes in time")
}

#[tokio::test]
async fn a_connection_on_which_nothing_happens_times_out_at_both_ends() -> Result<(), Box<dyn Error>>
{
    let timer = Timer::new();
    let before = Counted::now(&timer);
    let (server_config, client_config) = configs()?;
    let server = endpoint(Some(server_config), &timer)?;
    let client = endpoint(None, &timer)?;

    let address = server.local_addr()?;
    let connecting = client.connect_with(client_config, address, "localhost")?;
    let accepting = async { server.accept().await.expect("somebody comes").await };
    let (ours, theirs) = tokio::try_join!(connecting, accepting)?;

    // Bytes go through, so that it is an ordinary connection.
    let mut stream = ours.open_uni().await?;
    stream.write_all(b"hello").await?;
    stream.finish()?;
    let heard = theirs.accept_uni().await?.read_to_end(16).await?;
    assert_eq!(heard, b"hello");

    let start = timer.now();
    let ends = tokio::join!(closed(&timer, &ours), closed(&timer, &theirs));
    assert_eq!(ends, (ConnectionError::TimedOut, ConnectionError::TimedOut));
    // Acknowledgements after the last word may have begun the silence a little before.
    assert!(timer.now() - start >= IDLE / 2);
    before.assert_moved(&timer);
    Ok(())
}

#[tokio::test]
async fn a_handshake_with_nobody_times_out() -> Result<(), Box<dyn Error>> {
    let timer = Timer::new();
    let before = Counted::now(&timer);
    let (_, client_config) = configs()?;
    let client = endpoint(None, &timer)?;
    // It takes what comes, and never answers.
    let silent = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address: SocketAddr = silent.local_addr()?;

    let start = timer.now();
    let connecting = client.connect_with(client_config, address, "localhost")?;
    let error = timer.timeout(Duration::from_secs(20), connecting).await?.unwrap_err();
    assert_eq!(error, ConnectionError::TimedOut);
    assert!(timer.now() - start >= IDLE);
    before.assert_moved(&timer);
    Ok(())
}
