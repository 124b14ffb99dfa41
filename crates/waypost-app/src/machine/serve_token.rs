//! The token that `waypost serve` asks for: one small file, for its owner only.

use waypost_core::key::hex;
use waypost_store::files;

use crate::error::AppError;
use crate::machine::host::Host;

/// The longest token file that is read.
const MAX_FILE: u64 = 1024;
/// The fewest characters that somebody's own token may have.
const MIN_LENGTH: usize = 32;

/// The token, made now if there is none yet. It stays the same from start to start, so that clients
/// can be configured once.
pub fn load_or_create(host: &Host) -> Result<String, AppError> {
    let path = host.serve_token_file();
    if let Some(content) = files::read_own(&path, MAX_FILE)? {
        let token = String::from_utf8_lossy(&content).trim().to_owned();
        if token.len() >= MIN_LENGTH && token.chars().all(|c| c.is_ascii_graphic()) {
            return Ok(token);
        }
        let problem = format!("{} holds no token", path.display());
        return Err(AppError::configuration(problem)
            .hint("remove the file; the next start makes a new token"));
    }
    let token = hex(&host.random::<32>()?);
    if files::create_own(&path, format!("{token}\n").as_bytes())? {
        return Ok(token);
    }
    // Another server was quicker: its token is the one.
    load_or_create(host)
}
