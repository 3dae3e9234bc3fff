//! Reads one HTTP/1.1 message into a buffer. Supports only the part of the protocol that the programs of this bench
//! use.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// The maximum size of a TLS record, and so of one read.
const ONE_READ: usize = 16 << 10;

/// The positions of the parts of a message in a buffer.
#[derive(Clone, Copy)]
pub struct Message {
    head: usize,
    body: usize,
}

impl Message {
    /// The message at the beginning of the buffer, if its head is complete.
    fn begun(buffer: &[u8]) -> Option<Self> {
        let head = buffer.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
        Some(Self { head, body: content_length(&buffer[..head]) })
    }

    /// The first line and the headers.
    pub fn head<'a>(&self, buffer: &'a [u8]) -> &'a [u8] {
        &buffer[..self.head]
    }

    /// The body.
    pub fn body<'a>(&self, buffer: &'a [u8]) -> &'a [u8] {
        &buffer[self.head..self.head + self.body]
    }
}

/// Reads one complete message into an empty buffer; `None` if the peer has closed the connection.
pub async fn read(stream: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> io::Result<Option<Message>> {
    let message = loop {
        match Message::begun(buffer) {
            Some(message) => break message,
            None if more(stream, buffer).await? == 0 => return Ok(None),
            None => {}
        }
    };
    while buffer.len() < message.head + message.body {
        if more(stream, buffer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(Some(message))
}

async fn more(stream: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> io::Result<usize> {
    buffer.reserve(ONE_READ);
    stream.read_buf(buffer).await
}

fn content_length(head: &[u8]) -> usize {
    let mut lines = head.split(|byte| *byte == b'\n');
    let value = lines.find_map(|line| {
        let (name, value) = line.split_at_checked("content-length:".len())?;
        name.eq_ignore_ascii_case(b"content-length:").then(|| value.trim_ascii())
    });
    value.and_then(|digits| str::from_utf8(digits).ok()?.parse().ok()).unwrap_or(0)
}
