//! The ways in which a hook must not end. A panic's exit status, or a harness that gives up
//! waiting, would let the tool run: so both end with the answer for what cannot be decided.

use std::io::Write;
use std::panic::PanicHookInfo;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use waypost_app::harness::Output;

/// Tells how to end if the work fails or takes too long.
pub type Otherwise = Box<dyn Fn() -> Output + Send + Sync>;

/// How long the work may take, in milliseconds.
static LIMIT: AtomicU64 = AtomicU64::new(0);
static OTHERWISE: OnceLock<Otherwise> = OnceLock::new();

/// Sees to it that the process ends with `otherwise` if it panics or is not done in time.
pub fn guard(limit: Duration, otherwise: Otherwise) {
    // Only the first event of a process is guarded; a hook process has only one.
    let _ = OTHERWISE.set(otherwise);
    LIMIT.store(in_millis(limit), Ordering::Relaxed);
    let watch = std::thread::Builder::new().stack_size(64 * 1024).spawn(|| {
        let mut waited = 0;
        loop {
            // It may have grown in the meantime.
            let left = LIMIT.load(Ordering::Relaxed).saturating_sub(waited);
            if left == 0 {
                finish_otherwise("it took too long");
            }
            std::thread::sleep(Duration::from_millis(left));
            waited += left;
        }
    });
    // Without a second thread the harness' own timeout still holds: it is registered to block.
    drop(watch);
}

/// Allows what is guarded more time in all.
pub fn expect(limit: Duration) {
    LIMIT.fetch_max(in_millis(limit), Ordering::Relaxed);
}

fn in_millis(limit: Duration) -> u64 {
    u64::try_from(limit.as_millis()).unwrap_or(u64::MAX)
}

/// Makes every panic end the process as [`guard`] said, and before that with status 2: denied.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let place = info.location().map_or_else(String::new, |place| format!(" at {place}"));
        finish_otherwise(&format!("it failed{place}"));
    }));
}

fn finish_otherwise(why: &str) -> ! {
    let unknown = Output { stdout: String::new(), stderr: String::new(), status: 2 };
    let output = OTHERWISE.get().map_or(unknown, |otherwise| otherwise());
    // Whether or not anybody still listens, the status has to be right.
    let _ = std::io::stdout().write_all(output.stdout.as_bytes());
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().write_all(output.stderr.as_bytes());
    if output.stderr.is_empty() {
        let _ = writeln!(
            std::io::stderr(),
            "Waypost cannot tell whether this is allowed: {why}.\nNext: run `waypost doctor`."
        );
    }
    std::process::exit(i32::from(output.status))
}
