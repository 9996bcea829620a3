use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use pin_project_lite::pin_project;

pin_project! {
    /// What a stream is made of, not to be polled after its end
    #[derive(Debug)]
    pub(super) struct Source<S> {
        #[pin]
        pub(super) stream: S,
        pub(super) has_ended: bool,
    }
}

impl<S> Source<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, has_ended: false }
    }
}

impl<S: Stream> Stream for Source<S> {
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let this = self.project();
        if *this.has_ended {
            return Poll::Ready(None);
        }
        let item = ready!(this.stream.poll_next(cx));
        *this.has_ended = item.is_none();
        Poll::Ready(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.has_ended { (0, Some(0)) } else { self.stream.size_hint() }
    }
}

/// The way to what a stream is made of
macro_rules! access_to_the_source {
    ($stream:ident$(: $bound:ident)?) => {
        impl<S$(: $bound)?> $stream<S> {
            /// The source
            pub fn get_ref(&self) -> &S {
                &self.source.stream
            }

            /// The source
            ///
            /// An item taken from it here is one that this stream does not see.
            pub fn get_mut(&mut self) -> &mut S {
                &mut self.source.stream
            }

            /// The source, pinned
            pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut S> {
                self.project().source.project().stream
            }

            /// The source alone; an item that is held back is dropped
            pub fn into_inner(self) -> S {
                self.source.stream
            }
        }
    };
}

pub(super) use access_to_the_source;
