//! Requests over kept connections, one after the other on each.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper::{Request, header};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// What a stretch of load took.
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

    /// In milliseconds.
    pub fn percentile(&mut self, percent: usize) -> f64 {
        self.micros.sort_unstable();
        let at = (self.micros.len() * percent / 100).min(self.micros.len().saturating_sub(1));
        self.micros.get(at).map_or(0.0, |micros| *micros as f64 / 1_000.0)
    }
}

/// What is asked, over and over.
pub struct Load<'a> {
    pub address: &'a str,
    pub token: &'a str,
    pub bodies: &'a [String],
    pub gzip: bool,
}

impl Load<'_> {
    /// As many requests as come back in that time over so many connections.
    pub async fn run(&self, connections: usize, seconds: u64) -> Result<Sample> {
        let begun = Instant::now();
        let until = begun + Duration::from_secs(seconds);
        let each = futures::future::try_join_all((0..connections).map(|seed| self.one(seed, until))).await?;
        Ok(Sample { micros: each.concat(), seconds: begun.elapsed().as_secs_f64() })
    }

    async fn one(&self, seed: usize, until: Instant) -> Result<Vec<u64>> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        let connection = tokio::spawn(connection);
        let mut micros = Vec::new();
        let mut drawn = seed as u64;
        while Instant::now() < until {
            drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let body = &self.bodies[(drawn >> 33) as usize % self.bodies.len()];
            let mut request = Request::post("/graphql")
                .header(header::HOST, self.address)
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::AUTHORIZATION, format!("Bearer {}", self.token));
            if self.gzip {
                request = request.header(header::ACCEPT_ENCODING, "gzip");
            }
            let request = request.body(body.clone())?;
            let begun = Instant::now();
            let answer = sender.send_request(request).await?;
            let status = answer.status();
            let body = answer.into_body().collect().await?.to_bytes();
            micros.push(begun.elapsed().as_micros() as u64);
            // Errors of the graph come with status 200, and are short.
            if !status.is_success()
                || body.starts_with(br#"{"data":null"#)
                || body.starts_with(br#"{"errors"#)
            {
                bail!("{status}: {}", String::from_utf8_lossy(&body));
            }
        }
        drop(sender);
        connection.await.context("the connection ends")??;
        Ok(micros)
    }
}
