"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from vnlp_colab.atomic import write_atomically


@pytest.fixture
def strict_umask():
    before = os.umask(0o077)
    yield
    os.umask(before)


def test_bytes_and_what_writes_to_a_stream(tmp_path):
    write_atomically(tmp_path / "new" / "a", b"one")
    write_atomically(tmp_path / "b", lambda stream: stream.write(b"two"))
    assert (tmp_path / "new" / "a").read_bytes() == b"one"
    assert (tmp_path / "b").read_bytes() == b"two"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "b", "new"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path, failure):
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def half(stream):
        stream.write(b"ne")
        stream.flush()
        assert path.read_bytes() == b"old"
        raise failure

    with pytest.raises(failure):
        write_atomically(path, half)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_meanwhile_it_lies_in_the_folder_that_was_named(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    seen = []
    write_atomically(tmp_path / "a", lambda _: seen.extend(tmp_path.rglob("*")), folder)
    assert [path.parent for path in sorted(seen)] == [tmp_path, folder]
    assert not list(folder.iterdir())


def test_a_folder_that_was_named_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "a", b"", tmp_path / "gone")


def failed(path, content=b"", folder=None):
    with pytest.raises(OSError) as caught:  # noqa: PT011 - which one is the test's question
        write_atomically(path, content, folder)
    return caught.value.filename, caught.value.filename2


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "folder", tmp_path / ("a" * 300)):
        assert failed(path) == (str(path), None)
    assert failed(tmp_path / "a", folder=tmp_path / "gone") == (str(tmp_path / "a"), None)
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_errors_of_writing_are_named_and_those_of_other_files_keep_their_name(tmp_path):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    assert failed(tmp_path / "a", full) == (str(tmp_path / "a"), None)
    assert failed(tmp_path / "a", lambda _: (tmp_path / "part").read_bytes()) == (str(tmp_path / "part"), None)


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_who_may_read_it(tmp_path, strict_umask):
    write_atomically(tmp_path / "private", b"")
    write_atomically(tmp_path / "everybody's", b"", shared=True)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"private": 0o600, "everybody's": 0o644}
