//! A server whose one page is empty, with the same web framework: the floor that `scripts/bench --web` puts Waypost's pages
//! beside.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("http://{}/?token=none", listener.local_addr()?);
        let routes = Router::new().fallback(|| async { "" });
        loop {
            let (stream, _) = listener.accept().await?;
            let service = TowerToHyperService::new(routes.clone());
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    })
}
