//! A stream that fails when its peer exceeds a time limit.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::timeouts::ConnectionTimeouts;
use super::{Limits, Traffic};

/// `stream` with three time limits: the deadline of [`ConnectionTimeouts`] for the next byte of the peer, the time in
/// which a peer accepts no byte that we write, and the time to read on after we have closed our side.
pub(super) struct TimeoutIo<S> {
    stream: S,
    timeouts: Arc<ConnectionTimeouts>,
    alarm: Pin<Box<Sleep>>,
    write_timeout: Duration,
    /// Runs while a write makes no progress.
    stall: Option<Pin<Box<Sleep>>>,
    linger: Duration,
    /// Runs from closing our side until the peer closes its side.
    lingering: Option<Pin<Box<Sleep>>>,
    timed_out: Counter,
}

impl<S> TimeoutIo<S> {
    pub(super) fn new(stream: S, timeouts: Arc<ConnectionTimeouts>, limits: &Limits, traffic: &Traffic) -> Self {
        Self {
            stream,
            alarm: Box::pin(sleep_until(timeouts.deadline().unwrap_or_else(Instant::now))),
            timeouts,
            write_timeout: limits.write_timeout,
            stall: None,
            linger: limits.linger,
            lingering: None,
            timed_out: traffic.timed_out.clone(),
        }
    }

    /// Called while the peer sends nothing. Ready with an error after the current deadline.
    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let Some(deadline) = self.timeouts.deadline() else { return Poll::Pending };
        if self.alarm.deadline() != deadline {
            self.alarm.as_mut().reset(deadline);
        }
        ready!(self.alarm.as_mut().poll(cx));
        Poll::Ready(self.give_up())
    }

    /// Returns the result of a write, or an error if it has made no progress for too long.
    fn or_stalled<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stall = None;
            return written;
        }
        let write_timeout = self.write_timeout;
        ready!(self.stall.get_or_insert_with(|| Box::pin(sleep(write_timeout))).as_mut().poll(cx));
        Poll::Ready(Err(self.give_up()))
    }

    fn give_up(&self) -> io::Error {
        self.timed_out.inc();
        io::ErrorKind::TimedOut.into()
    }
}

impl<S: AsyncRead + Unpin> TimeoutIo<S> {
    /// Discards what the peer still sends until it closes its side or the time limit ends. Closing a socket with unread
    /// bytes resets the connection, and the reset may arrive before the response that the peer should read, such as a
    /// 413.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(limit) = self.lingering.as_mut() else { return Poll::Ready(()) };
        if limit.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let mut waste = [0; 4096];
        loop {
            let mut waste = ReadBuf::new(&mut waste);
            let read = ready!(Pin::new(&mut self.stream).poll_read(cx, &mut waste));
            if read.is_err() || waste.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimeoutIo<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if read.is_pending() {
            return self.poll_deadline(cx).map(Err);
        }
        if buf.filled().len() > before {
            self.timeouts.bytes_came(Instant::now());
        }
        read
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TimeoutIo<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.or_stalled(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        if matches!(flushed, Poll::Ready(Ok(()))) {
            self.timeouts.written(Instant::now());
        }
        self.or_stalled(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            let closed = Pin::new(&mut self.stream).poll_shutdown(cx);
            ready!(self.or_stalled(cx, closed))?;
            self.lingering = Some(Box::pin(sleep(self.linger)));
        }
        self.poll_linger(cx).map(Ok)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.or_stalled(cx, written)
    }
}
