//! What the system itself does and says: reading a file without waiting, and what its errors mean.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::seen;

/// Reads a file of at most `max` bytes; `None` if it is not there. A pipe that somebody put in a file's place must not hang the hook.
pub(crate) fn read_without_waiting(path: &Path, max: u64) -> io::Result<Option<Vec<u8>>> {
    read_with(path, max, OFlags::NONBLOCK).map(|found| found.map(|(content, _)| content))
}

/// The same, opened with `flags`; also its mode.
pub(crate) fn read_with(
    path: &Path,
    max: u64,
    flags: OFlags,
) -> io::Result<Option<(Vec<u8>, u32)>> {
    seen::read(path);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | flags;
    let file = match rustix::fs::open(path, flags, Mode::empty()).map_err(io::Error::from) {
        Ok(file) => File::from(file),
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if metadata.len() > max {
        let why = format!("it is larger than {max} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    // Room for one byte more, so that a single read also sees the end.
    let size = usize::try_from(metadata.len()).unwrap_or(0);
    let mut content = Vec::with_capacity(size + 1);
    file.take(max).read_to_end(&mut content)?;
    Ok(Some((content, metadata.mode() & 0o777)))
}

/// The first bytes of a file, at most `max`; `None` if it is not there.
pub(crate) fn read_beginning(path: &Path, max: u64) -> io::Result<Option<Vec<u8>>> {
    seen::read(path);
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = match rustix::fs::open(path, flags, Mode::empty()).map_err(io::Error::from) {
        Ok(file) => File::from(file),
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut content = Vec::new();
    file.take(max).read_to_end(&mut content)?;
    Ok(Some(content))
}

/// Whether an error tells that something else lies there than the file that is meant, rather than that
/// it is out of reach for now: what is only out of reach must not be replaced.
pub(crate) fn is_about_what_lies_there(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, IsADirectory, NotADirectory, NotSeekable, PermissionDenied};
    let kind = error.kind();
    matches!(kind, FileTooLarge | IsADirectory | NotADirectory | NotSeekable | PermissionDenied)
        || error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

/// Whether an error only says that something is not there.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
