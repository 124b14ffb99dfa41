//! A hermetic home, project and clock for tests of the real binary.
