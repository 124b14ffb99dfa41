"""Archives that come out the same, byte for byte, wherever they are made."""

import gzip
import io
import tarfile
import zipfile

# Nothing in a package tells when it was made. Zip archives know no earlier time than this.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)


def tar_gz(files: dict[str, tuple[bytes, int]], folders: bool = False, lead: str = "") -> bytes:
    """A compressed archive of files by path, each with its content and mode.

    With `folders`, the folders that they are in stand before them; `lead` stands before each path."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name in folders_of(files) if folders else []:
            entry = tarfile.TarInfo(f"{lead}{name}")
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(entry)
        for name, (content, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(f"{lead}{name}")
            entry.size, entry.mode = len(content), mode
            tar.addfile(entry, io.BytesIO(content))
    return packed(raw.getvalue())


def packed(content: bytes) -> bytes:
    """Compressed, without a name or a time."""
    return gzip.compress(content, compresslevel=6, mtime=0)


def folders_of(files: dict[str, tuple[bytes, int]]) -> list[str]:
    """Every folder that a file is in, outer ones first."""
    found = set()
    for name in files:
        parts = name.split("/")[:-1]
        found.update("/".join(parts[: length + 1]) for length in range(len(parts)))
    return sorted(found)


def zipped(files: dict[str, tuple[bytes, int]]) -> bytes:
    """A zip archive of files, in the order given."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for name, (content, mode) in files.items():
            entry = zipfile.ZipInfo(name, ZIP_TIME)
            entry.create_system = 3  # Unix: only then do modes count
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=6)
    return raw.getvalue()
