//! An MCP server that offers nothing: the floor that `scripts/bench --mcp` puts Waypost's beside.

use rmcp::transport::stdio_pipes;
use rmcp::{ServerHandler, ServiceExt};

/// Offers nothing.
struct Empty;

impl ServerHandler for Empty {}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        Empty.serve(stdio_pipes()).await?.waiting().await?;
        Ok::<_, Box<dyn std::error::Error>>(())
    })?;
    runtime.shutdown_background();
    Ok(())
}
