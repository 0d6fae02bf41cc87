//! A minimal HTTP/1.1 client that sends requests over persistent connections, one at a time on each.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::Result;

const PATIENCE: Duration = Duration::from_secs(60);
const PIECE: usize = 64 << 10;

/// Response times of a period of load.
#[derive(Default, Clone)]
pub struct Sample {
    pub micros: Vec<u64>,
    pub seconds: f64,
}

impl Sample {
    pub fn add(&mut self, other: Sample) {
        self.micros.extend(other.micros);
        self.seconds += other.seconds;
    }

    pub fn rate(&self) -> f64 {
        self.micros.len() as f64 / self.seconds
    }

    /// Returns this percentile of the response times, in milliseconds.
    pub fn percentile(&mut self, percent: usize) -> f64 {
        self.micros.sort_unstable();
        let at = (self.micros.len() * percent / 100).min(self.micros.len().saturating_sub(1));
        self.micros.get(at).map_or(0.0, |micros| *micros as f64 / 1_000.0)
    }
}

pub struct Answer {
    pub status: u16,
    pub headers: Vec<String>,
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns the body of a successful response. GraphQL errors have status 200, too.
    pub fn good(self) -> Result<String> {
        let body = String::from_utf8_lossy(&self.body).into_owned();
        if self.status != 200 || body.contains("\"errors\":[") {
            return Err(format!("{}: {body}", self.status).into());
        }
        Ok(body)
    }
}

pub struct Connection {
    stream: BufReader<TcpStream>,
    address: String,
}

impl Connection {
    pub fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream: BufReader::with_capacity(64 << 10, stream), address: address.to_owned() })
    }

    /// Returns a request's bytes; `headers` include line ends.
    pub fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
        let (host, length) = (&self.address, body.len());
        format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
            .into_bytes()
    }

    pub fn send(&mut self, request: &[u8]) -> Result<Answer> {
        let mut body = Vec::new();
        let answer = self.read(request, |piece| body.extend_from_slice(piece))?;
        Ok(Answer { body, ..answer })
    }

    /// Passes the body on as it arrives, without keeping it.
    pub fn read(&mut self, request: &[u8], mut take: impl FnMut(&[u8])) -> Result<Answer> {
        self.stream.get_mut().write_all(request)?;
        let status = self.line()?;
        let status = status.split(' ').nth(1).and_then(|it| it.parse().ok()).ok_or("no HTTP")?;
        let (mut headers, mut length, mut chunked) = (Vec::new(), 0, false);
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or("no header")?;
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse()?,
                "transfer-encoding" => chunked = true,
                _ => headers.push(line),
            }
        }
        let mut piece = vec![0; PIECE];
        loop {
            let mut left = if chunked { usize::from_str_radix(self.line()?.trim(), 16)? } else { length };
            let last = !chunked || left == 0;
            while left > 0 {
                let some = &mut piece[..left.min(PIECE)];
                self.stream.read_exact(some)?;
                take(some);
                left -= some.len();
            }
            if chunked {
                self.line()?;
            }
            if last {
                return Ok(Answer { status, headers, body: Vec::new() });
            }
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err("the connection ended".into());
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }
}

/// Sends one request on its own connection.
pub fn once(address: &str, method: &str, path: &str, headers: &str, body: &str) -> Result<Answer> {
    let mut connection = Connection::open(address)?;
    let request = connection.request(method, path, headers, body);
    connection.send(&request)
}

/// A placeholder for a number that differs in each request, so that no response comes from a cache.
pub const NUMBER: &str = "#####";
/// The first number that replaces [`NUMBER`]. All have five digits, and each connection has its own range.
const FIRST_NUMBER: usize = 10_000;
const NUMBERS: usize = 2_400;

/// The repeated requests.
pub struct Load<'a> {
    pub address: &'a str,
    pub path: &'a str,
    pub token: &'a str,
    pub bodies: &'a [String],
    pub gzip: bool,
}

impl Load<'_> {
    /// Sends as many requests as complete within `seconds` over this number of connections.
    pub fn run(&self, connections: usize, seconds: u64) -> Result<Sample> {
        let begun = Instant::now();
        let until = begun + Duration::from_secs(seconds);
        let each: Vec<Result<Vec<u64>>> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..connections).map(|seed| scope.spawn(move || self.one(seed, until))).collect();
            threads
                .into_iter()
                .map(|it| it.join().unwrap_or_else(|_| Err("a thread failed".into())))
                .collect()
        });
        let each = each.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(Sample { micros: each.concat(), seconds: begun.elapsed().as_secs_f64() })
    }

    /// Sends requests at a fixed rate. A response time counts from the moment when the request was due, so a
    /// slow response does not hide the delay of later requests.
    pub fn paced(&self, connections: usize, seconds: u64, rate: f64) -> Result<Sample> {
        let begun = Instant::now();
        let until = begun + Duration::from_secs(seconds);
        let each: Vec<Result<Vec<u64>>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..connections)
                .map(|seed| {
                    scope.spawn(move || {
                        let mut asking = self.open(seed)?;
                        for turn in 0_u32.. {
                            let number = f64::from(turn) * connections as f64 + seed as f64;
                            let due = begun + Duration::from_secs_f64(number / rate);
                            if due >= until {
                                break;
                            }
                            if let Some(wait) = due.checked_duration_since(Instant::now()) {
                                std::thread::sleep(wait);
                            }
                            asking.ask(due)?;
                        }
                        Ok(asking.micros)
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|it| it.join().unwrap_or_else(|_| Err("a thread failed".into())))
                .collect()
        });
        let each = each.into_iter().collect::<Result<Vec<_>>>()?;
        Ok(Sample { micros: each.concat(), seconds: begun.elapsed().as_secs_f64() })
    }

    fn one(&self, seed: usize, until: Instant) -> Result<Vec<u64>> {
        let mut asking = self.open(seed)?;
        while Instant::now() < until {
            asking.ask(Instant::now())?;
        }
        Ok(asking.micros)
    }

    fn open(&self, seed: usize) -> Result<Asking> {
        let connection = Connection::open(self.address)?;
        let gzip = if self.gzip { "accept-encoding: gzip\r\n" } else { "" };
        let headers =
            format!("content-type: application/json\r\nauthorization: Bearer {}\r\n{gzip}", self.token);
        let requests =
            self.bodies.iter().map(|body| connection.request("POST", self.path, &headers, body)).collect();
        Ok(Asking { connection, requests, seed, drawn: seed as u64, micros: Vec::new() })
    }
}

/// One connection with its requests and their response times.
struct Asking {
    connection: Connection,
    requests: Vec<Vec<u8>>,
    seed: usize,
    drawn: u64,
    micros: Vec<u64>,
}

impl Asking {
    /// Sends a randomly chosen request. Its response time counts from `since`.
    fn ask(&mut self, since: Instant) -> Result<()> {
        self.drawn =
            self.drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let request = &self.requests[(self.drawn >> 33) as usize % self.requests.len()];
        let place = request.windows(NUMBER.len()).position(|part| part == NUMBER.as_bytes());
        let answer = match place {
            None => self.connection.send(request)?,
            Some(at) => {
                let number = FIRST_NUMBER + self.seed * NUMBERS + self.micros.len() % NUMBERS;
                let mut request = request.clone();
                request[at..at + NUMBER.len()].copy_from_slice(number.to_string().as_bytes());
                self.connection.send(&request)?
            }
        };
        self.micros.push(since.elapsed().as_micros() as u64);
        let failed =
            ["{\"data\":null", "{\"error\":"].iter().any(|it| answer.body.starts_with(it.as_bytes()));
        if answer.status != 200 || failed {
            answer.good()?;
            return Err("an answer without data".into());
        }
        Ok(())
    }
}
