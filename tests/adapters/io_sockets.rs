//! Deadlines on real sockets on loopback, with peers that stop (real)

use std::{io, time::Duration};

use tickwheel::{
    Timer,
    io::{Deadlines, Missed},
};
use tickwheel_tests::{
    durations::{MS, SECOND},
    runtimes::within,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    runtime::{Builder, Runtime},
};

const PATIENCE: Duration = Duration::from_millis(100);

/// On both kinds of runtimes, with a socket and its peer
fn with_sockets<F>(story: impl Fn(Timer, TcpStream, TcpStream) -> F + Copy + Send + 'static)
where
    F: Future<Output = io::Result<()>>,
{
    let with = move |runtime: Runtime| {
        within(30 * SECOND, move || {
            let timer = Timer::builder().build_on(runtime.handle()).unwrap();
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                let (ours, theirs) =
                    tokio::try_join!(TcpStream::connect(address), listener.accept()).unwrap();
                story(timer.clone(), ours, theirs.0).await.unwrap();
            });
            assert_eq!(timer.pending(), 0);
        });
    };
    with(Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap());
    with(Builder::new_current_thread().enable_all().build().unwrap());
}

fn missed<T>(result: io::Result<T>) -> Option<Missed> {
    Missed::of(&result.err()?)
}

#[test]
fn a_peer_that_stops_writing() {
    with_sockets(async |timer, ours, mut theirs| {
        let mut ours = Deadlines::new(ours, &timer).with_read_timeout(PATIENCE);
        theirs.write_all(b"half a wo").await?;
        let start = timer.now();
        assert_eq!(missed(ours.read_exact(&mut [0; 16]).await), Some(Missed::Read));
        assert!(timer.now() - start >= PATIENCE);
        theirs.write_all(b"rd").await?;
        let mut rest = [0; 2];
        ours.read_exact(&mut rest).await?;
        assert_eq!(&rest, b"rd", "it can be used on");
        Ok(())
    });
}

#[test]
fn a_peer_that_stops_reading() {
    with_sockets(async |timer, ours, theirs| {
        let mut ours = Deadlines::new(ours, &timer).with_write_timeout(PATIENCE);
        let much = vec![0; 64 << 20];
        let start = timer.now();
        assert_eq!(missed(ours.write_all(&much).await), Some(Missed::Write));
        assert!(timer.now() - start >= PATIENCE);
        drop(theirs);
        Ok(())
    });
}

#[test]
fn a_peer_that_closes_its_half() {
    with_sockets(async |timer, ours, mut theirs| {
        let mut ours =
            Deadlines::new(ours, &timer).with_read_timeout(PATIENCE).with_write_timeout(PATIENCE);
        theirs.shutdown().await?;
        assert_eq!(ours.read(&mut [0; 16]).await?, 0, "the end is no lack of progress");
        timer.sleep(2 * PATIENCE).await;
        ours.write_all(b"but we go on").await?;
        ours.shutdown().await?;
        let mut heard = String::new();
        theirs.read_to_string(&mut heard).await?;
        assert_eq!(heard, "but we go on");
        assert_eq!(ours.read(&mut [0; 16]).await?, 0);
        Ok(())
    });
}

#[test]
fn a_peer_that_does_nothing_while_both_halves_wait() {
    with_sockets(async |timer, ours, theirs| {
        let ours = Deadlines::new(ours, &timer).with_idle_timeout(PATIENCE);
        let (mut reader, mut writer) = tokio::io::split(ours);
        let much = vec![0; 64 << 20];
        let mut byte = [0];
        let (reading, writing) =
            tokio::join!(reader.read_exact(&mut byte), writer.write_all(&much));
        assert_eq!(missed(reading), Some(Missed::Idle));
        assert_eq!(missed(writing), Some(Missed::Idle));
        drop(theirs);
        Ok(())
    });
}

#[test]
fn a_slow_peer_is_not_an_idle_one() {
    with_sockets(async |timer, ours, mut theirs| {
        let mut ours = Deadlines::new(ours, &timer)
            .with_read_timeout(10 * SECOND)
            .with_idle_timeout(10 * SECOND);
        let slowly = async {
            for byte in 0..20 {
                timer.sleep(5 * MS).await;
                theirs.write_u8(byte).await?;
            }
            io::Result::Ok(())
        };
        let mut bytes = [0; 20];
        let (read, written) = tokio::join!(ours.read_exact(&mut bytes), slowly);
        written?;
        assert_eq!(read?, 20);
        Ok(())
    });
}
