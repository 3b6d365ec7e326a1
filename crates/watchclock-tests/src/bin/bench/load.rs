//! The client: connections that each send start and end of one run after the other, and wait for every answer.
//!
//! HTTP is written by hand, so that the client costs little, and the same for both servers.

use std::{
    io::{BufRead as _, Write as _},
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use uuid::Uuid;

/// Not counted at the beginning: connections are made, caches filled.
const WARM_UP: Duration = Duration::from_secs(1);

/// What the client is told on stdin.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) address: String,
    pub(crate) seconds: u64,
    pub(crate) connections: usize,
    pub(crate) shared: bool,
    /// Part of the run ids, so that rounds differ.
    pub(crate) round: String,
    pub(crate) monitors: Vec<Uuid>,
}

/// What the client tells on stdout.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Heard {
    /// How many pings were answered with 200 while it was measured.
    pub(crate) counted: u64,
    /// In microseconds, of those that were counted.
    pub(crate) p50: u32,
    pub(crate) p99: u32,
    pub(crate) max: u32,
    /// How many runs each connection started and ended with 200, from the first on.
    pub(crate) runs: Vec<u64>,
}

impl Order {
    /// The monitor and the run id of a connection's run.
    pub(crate) fn run(&self, connection: usize, run: u64) -> (Uuid, String) {
        let (monitors, connections) = (self.monitors.len(), self.connections);
        let run_at = usize::try_from(run).unwrap_or(usize::MAX);
        let at = if self.shared {
            // A large odd step scatters connections over all monitors.
            connection.wrapping_mul(7_919).wrapping_add(run_at.wrapping_mul(104_729)) % monitors
        } else {
            // Monitors of its own, one after the other.
            let own = (monitors - connection).div_ceil(connections);
            connection + run_at % own * connections
        };
        (self.monitors[at], format!("{}-{connection}-{run}", self.round))
    }
}

pub(crate) async fn run() -> anyhow::Result<()> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let order: Arc<Order> = Arc::new(serde_json::from_str(&line).context("the order cannot be read")?);
    let begin = Instant::now() + WARM_UP;
    let end = begin + Duration::from_secs(order.seconds);
    let clients: Vec<_> =
        (0..order.connections).map(|at| tokio::spawn(client(Arc::clone(&order), at, begin, end))).collect();
    let mut took = Vec::new();
    let mut runs = Vec::new();
    for client in clients {
        let (mine, done) = client.await??;
        took.extend(mine);
        runs.push(done);
    }
    took.sort_unstable();
    let at = |share: usize| took.get(took.len() * share / 100).or(took.last()).copied().unwrap_or_default();
    let heard = Heard {
        counted: took.len() as u64,
        p50: at(50),
        p99: at(99),
        max: took.last().copied().unwrap_or(0),
        runs,
    };
    println!("{}", serde_json::to_string(&heard)?);
    std::io::stdout().flush()?;
    Ok(())
}

/// One connection until the end; the times of what is counted, and how many runs it did.
async fn client(
    order: Arc<Order>,
    at: usize,
    begin: Instant,
    end: Instant,
) -> anyhow::Result<(Vec<u32>, u64)> {
    let mut stream = TcpStream::connect(&order.address).await?;
    stream.set_nodelay(true)?;
    let mut took = Vec::new();
    let mut runs = 0;
    let mut buffer = Vec::with_capacity(1_024);
    while Instant::now() < end {
        let (monitor, rid) = order.run(at, runs);
        for signal in ["/start", ""] {
            let sent = Instant::now();
            let request =
                format!("GET /ping/{monitor}{signal}?rid={rid} HTTP/1.1\r\nhost: {}\r\n\r\n", order.address);
            stream.write_all(request.as_bytes()).await?;
            answer(&mut stream, &mut buffer).await.with_context(|| format!("{monitor}{signal}?rid={rid}"))?;
            let now = Instant::now();
            if (begin..end).contains(&now) {
                took.push(u32::try_from((now - sent).as_micros()).unwrap_or(u32::MAX));
            }
        }
        runs += 1;
    }
    Ok((took, runs))
}

/// Reads one answer, which must be 200 with the body OK.
async fn answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> anyhow::Result<()> {
    buffer.clear();
    loop {
        ensure!(stream.read_buf(buffer).await? > 0, "the server closed the connection");
        if let Some(head) = buffer.windows(4).position(|four| four == b"\r\n\r\n")
            && buffer.len() >= head + 4 + b"OK".len()
        {
            break;
        }
    }
    if !buffer.starts_with(b"HTTP/1.1 200 ") || !buffer.ends_with(b"\r\n\r\nOK") {
        bail!("answered {:?}", String::from_utf8_lossy(buffer));
    }
    Ok(())
}
