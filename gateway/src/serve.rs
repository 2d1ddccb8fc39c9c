//! Listening, and coming to an end.

use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;

use crate::routes::{Gateway, router};

/// Serves until `stop` comes. Then new requests are refused, and open answers have until the deadline of the options.
pub async fn serve(listener: TcpListener, gateway: Arc<Gateway>, stop: impl Future<Output = ()>) {
    let limits = gateway.config.limits;
    let (service, graceful) = (router(gateway), GracefulShutdown::new());
    let places = Arc::new(Semaphore::new(limits.connections));
    tokio::pin!(stop);
    loop {
        let accepted = async {
            // The semaphore is never closed. Who finds no place waits in the system's queue.
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        let Ok((socket, _)) = accepted else {
            // Too many open files, for example: another answer has to end first.
            sleep(Duration::from_millis(50)).await;
            continue;
        };
        let _ = socket.set_nodelay(true);
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(limits.sending);
        let service = TowerToHyperService::new(service.clone());
        // A client that reads no more, but does not leave, holds its place and the model's.
        let mut socket = TimeoutStream::new(socket);
        socket.set_write_timeout(Some(limits.client));
        let socket = TokioIo::new(Box::pin(socket));
        let connection = graceful.watch(http.serve_connection(socket, service));
        tokio::spawn(async move {
            // A client may leave before the end.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    tracing::info!("stopping");
    if timeout(limits.shutdown, graceful.shutdown()).await.is_err() {
        tracing::warn!("answers were broken off; see --shutdown-timeout");
    }
}

/// Ctrl-C, or SIGTERM.
pub async fn told_to_stop() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut terminated) = signal(SignalKind::terminate()) else { return interrupted.await };
        tokio::select! {
            () = interrupted => {}
            _ = terminated.recv() => {}
        }
    }
    #[cfg(not(unix))]
    interrupted.await;
}
