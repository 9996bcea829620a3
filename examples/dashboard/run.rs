//! One run, from the first timer to the last connection.

use std::{error::Error, future, sync::Arc, time::Duration};

use tickwheel::Timer;
use tokio::{net::TcpListener, signal, time};

use super::{args::Args, board::Board, sampler, server};

/// Serves the page until the time is over or Ctrl-C is pressed
pub(crate) async fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let timer = Timer::builder().tick(args.tick()).name("dashboard").build()?;
    let listener = TcpListener::bind((args.address, args.port)).await?;
    println!("http://{}/", listener.local_addr()?);

    let board = Arc::new(Board::new(timer, args));
    let sampler = tokio::spawn(sampler::sample(board.timer.clone(), Arc::clone(&board.feed)));
    let end = {
        let (board, length) = (Arc::clone(&board), args.length());
        async move {
            over(length).await;
            println!("{}", board.shut_down().await);
            // The pages' connections stay open until they are told.
            board.feed.end();
        }
    };
    axum::serve(listener, server::router(&board)).with_graceful_shutdown(end).await?;
    sampler.await?;
    println!("{}", board.timer.metrics());
    Ok(())
}

/// By tokio's clock: the timer may be shut down from the page
async fn over(length: Option<Duration>) {
    let time_is_up = async {
        match length {
            Some(length) => time::sleep(length).await,
            None => future::pending().await,
        }
    };
    tokio::select! {
        () = time_is_up => {}
        pressed = signal::ctrl_c() => {
            if let Err(error) = pressed {
                eprintln!("Ctrl-C cannot be heard: {error}");
            }
        }
    }
}
