//! The clock that files are stamped with.

use rustix::time::{ClockId, clock_gettime};

use crate::TestEnv;

impl TestEnv {
    /// Waits until the clock that files are stamped with has come past this moment: it ticks only so often, and what
    /// happens within one tick cannot be told apart.
    ///
    /// It is the clock itself that is waited for, not the stamp of a file: kernels that stamp more finely a file that
    /// somebody looked at would let that one move on at once, and others not. One change of it is not enough either:
    /// where ticks come late, the next one may still lie before what was stamped finely.
    pub fn tick(&self) {
        let moment = |clock| {
            let time = clock_gettime(clock);
            (time.tv_sec, time.tv_nsec)
        };
        let now = moment(ClockId::Realtime);
        while moment(ClockId::RealtimeCoarse) <= now {
            std::hint::spin_loop();
        }
    }
}
