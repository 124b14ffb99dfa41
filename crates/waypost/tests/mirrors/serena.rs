//! Serena's memories.

use crate::servers::{project, sync};

const CONFIG: &str = "[project]\nprotocol = \"builtin\"\nmirrors = [\"serena\"]\n";

#[test]
fn x() {
    let t = std::time::Instant::now();
    let env = project(CONFIG);
    println!("{:?}", t.elapsed());
    let id = env.start("Design Session State MCP");
    println!("{:?}", t.elapsed());
    println!("{}", sync(&env));
    println!("{:?}", t.elapsed());
    println!("{}", sync(&env));
    println!("{:?}", t.elapsed());
    println!("{}", env.ok(&["mirror", "status"]));
}
