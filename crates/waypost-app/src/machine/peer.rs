//! Which process is at the other end of a connection on this machine, as the kernel tells. Only processes of the same user
//! can be found; nothing is found of one that is behind a tunnel, in another container or somebody else's.

use std::fs::DirEntry;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use waypost_store::look;

/// What the kernel lists connections in.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];

/// The process that connected from `theirs` to `ours`.
pub fn process(theirs: SocketAddr, ours: SocketAddr) -> Option<u32> {
    let inode = TABLES.iter().find_map(|table| socket(table, theirs, ours))?;
    let wanted = format!("socket:[{inode}]");
    let own = look::at("/proc/self").ok()?.uid();
    let mut processes = look::folder("/proc").ok()?.flatten().filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        entry.metadata().is_ok_and(|found| found.uid() == own).then_some(pid)
    });
    processes.find(|pid| {
        let files = look::folder(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let leads =
            |file: DirEntry| look::target(file.path()).is_ok_and(|to| to == Path::new(&wanted));
        files.into_iter().any(leads)
    })
}

/// The socket at the other end, by the number of its file.
fn socket(table: &str, theirs: SocketAddr, ours: SocketAddr) -> Option<u64> {
    let (from, to) = (written(theirs), written(ours));
    let text = look::text(table).ok()?;
    text.lines().find_map(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let ends = (fields.next()?, fields.next()?);
        let is_it = |(one, other): (&str, &str)| {
            from.iter().any(|from| from == one) && to.iter().any(|to| to == other)
        };
        is_it(ends).then(|| fields.nth(6)?.parse().ok()).flatten()
    })
}

/// An address as the kernel writes it: by words of the machine's own order of bytes; one of version 4 also as a part of
/// version 6.
fn written(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let words = |bytes: &[u8]| {
        bytes.chunks(4).fold(String::new(), |text, part| {
            let word = <[u8; 4]>::try_from(part).map_or(0, u32::from_ne_bytes);
            text + &format!("{word:08X}")
        })
    };
    let texts = match address.ip() {
        IpAddr::V4(four) => vec![words(&four.octets()), words(&four.to_ipv6_mapped().octets())],
        IpAddr::V6(six) => vec![words(&six.octets())],
    };
    texts.into_iter().map(|text| format!("{text}:{port:04X}")).collect()
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_process_at_the_other_end_is_found() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(address).unwrap();
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (theirs, ours) = (client.local_addr().unwrap(), client.peer_addr().unwrap());
            assert_eq!(process(theirs, ours), Some(std::process::id()), "{address}");
        }
    }

    #[test]
    fn addresses_are_written_as_the_kernel_does() {
        let four = written("127.0.0.1:4646".parse().unwrap());
        if cfg!(target_endian = "little") {
            assert_eq!(four[0], "0100007F:1226");
            assert_eq!(four[1], "0000000000000000FFFF00000100007F:1226");
        }
    }
}
