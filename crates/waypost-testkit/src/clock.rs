//! The clock that files are stamped with.

use rustix::time::{ClockId, clock_gettime};

use crate::TestEnv;

impl TestEnv {
    /// Waits until the clock that files are stamped with has moved on: it ticks only so often, and what happens within
    /// one tick cannot be told apart.
    ///
    /// It is the clock itself that is waited for, not the stamp of a file: kernels that stamp more finely a file that
    /// somebody looks at would let that one move on at once, and others not.
    pub fn tick(&self) {
        let first = clock_gettime(ClockId::RealtimeCoarse);
        while clock_gettime(ClockId::RealtimeCoarse) == first {
            std::hint::spin_loop();
        }
    }
}
