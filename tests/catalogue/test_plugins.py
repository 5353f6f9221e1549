from __future__ import annotations

import os
import re
import resource
import shutil
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import psutil
import pytest

from aeadlab.catalogue import Catalogue, load, plugins
from aeadlab.errors import PluginError, UnknownNameError
from aeadlab.host import limits

pytestmark = pytest.mark.usefixtures("own_folders")

Compiled = Callable[..., Path]


def reason_of_absence(path: Path) -> str:
    """Return the reason why `path` is absent from an otherwise complete catalogue."""
    catalogue = load([path])
    assert "openssl/aes-256-gcm" in {i.name for i in catalogue}
    assert "toy" not in {i.description.library for i in catalogue}
    return catalogue.absent[str(path)]


def test_a_plugin_is_listed_and_computes(compiled: Compiled) -> None:
    path = compiled("toy")
    catalogue = load([path])
    toy = catalogue.find("toy/xor-tag")
    assert toy.description.origin == str(path)
    assert str(path) not in catalogue.absent
    d = toy.description
    assert (d.kind, d.version, d.build, d.kernel) == ("aead", "1.2.3", "for tests", "portable C")
    assert (d.key_bytes, d.nonce_bytes, d.tag_bytes, d.block_bytes) == (32, 12, 16, 1)
    assert d.flags == {"in-place", "thread-safe", "research"}
    sealed = toy.seal(bytes(32), bytes(12), b"message", b"aad")
    assert sealed[:7] != b"message"
    assert toy.open(bytes(32), bytes(12), sealed, b"aad") == b"message"


@pytest.mark.parametrize("size", ["136", "140"])
def test_an_entry_of_the_first_header_is_complete(compiled: Compiled, size: str) -> None:
    """Fields behind its end are not read, and `key_new` receives the plugin's own entry and not a copy."""
    beyond = "((aeadlab_many_fn)1)"
    toy = load([compiled("toy", STRUCT_SIZE=size, SEAL_MANY=beyond, OPEN_MANY=beyond)]).find("toy/xor-tag")
    assert "many" not in toy.description.flags
    sealed = toy.seal(bytes(32), bytes(12), b"message", b"aad")
    assert toy.open(bytes(32), bytes(12), sealed, b"aad") == b"message"


DESCRIPTORS = {
    "another version of the ABI": (
        {"ABI": "7u"},
        "it has ABI version 7, expected 1: rebuild it with this lab's aeadlab.h",
    ),
    "an entry of an older header": (
        {"STRUCT_SIZE": "96"},
        "its algorithm 0 has 96 bytes, expected at least 136: rebuild",
    ),
    "NULL": ({"ON_LOAD": "return NULL"}, "it cannot run on this machine: aeadlab_library_v1 returned NULL"),
    "an unknown kind": ({"KIND": "9u"}, "its xor-tag has kind 9, expected 1 to 5"),
    "functions of another kind": ({"KIND": "AEADLAB_HASH"}, "its xor-tag has no function digest"),
    "no tag": ({"TAG_BYTES": "0"}, "its xor-tag is an AEAD with tags of 0 bytes"),
    "a huge tag": ({"TAG_BYTES": "65"}, "its xor-tag has tags of 65 bytes, expected at most 64"),
    "blocks of no bytes": ({"BLOCK_BYTES": "0"}, "its xor-tag has blocks of 0 bytes, expected at least 1"),
    "a name that is no slug": ({"ALGORITHM": '"XOR tag"'}, 'its algorithm\'s name "XOR tag" must consist of'),
    "no name": ({"LIBRARY": "NULL"}, "its name is NULL"),
    "text that is no UTF-8": ({"LIBRARY": '"\\xff"'}, "its name is not UTF-8"),
    "a library of an older header": (
        {"LIBRARY_SIZE": "8"},
        "its descriptor has 8 bytes, expected at least 56: rebuild",
    ),
    "no algorithm": ({"COUNT": "0"}, "it lists 0 algorithms, expected 1 to 4096"),
    "a wild number of algorithms": ({"COUNT": "1000000"}, "it lists 1000000 algorithms, expected 1 to 4096"),
    "no array": ({"ALGORITHMS": "(0 ? algorithms : NULL)"}, "its array of 1 algorithms is NULL"),
    "an entry that is NULL": ({"ENTRY": "NULL,&toy"}, "its algorithm 0 is NULL"),
    "an algorithm twice": ({"COUNT": "2"}, "it lists xor-tag twice"),
    "no key_new": ({"KEY_NEW": "(0 ? key_new : NULL)"}, "its xor-tag has no function key_new"),
    "a function of runs without the flag": (
        {"OPEN_MANY": "open_many"},
        "its xor-tag has a function open_many, but not the flag AEADLAB_MANY",
    ),
    "the flag of runs without its functions": (
        {"FLAGS": "AEADLAB_MANY", "SEAL_MANY": "seal_many"},
        "its xor-tag has the flag AEADLAB_MANY, but no function open_many",
    ),
    "the flag of runs in an entry of the first header": (
        {"FLAGS": "AEADLAB_MANY", "STRUCT_SIZE": "136", "SEAL_MANY": "seal_many", "OPEN_MANY": "open_many"},
        "its xor-tag has the flag AEADLAB_MANY, but no function seal_many",
    ),
    "the flag of runs with nonces that have no index": (
        {"FLAGS": "AEADLAB_MANY", "NONCE_BYTES": "8", "SEAL_MANY": "seal_many", "OPEN_MANY": "open_many"},
        "its xor-tag has the flag AEADLAB_MANY and nonces of 8 bytes, expected at least 12",
    ),
    "no seal": ({"SEAL": "(0 ? seal : NULL)"}, "its xor-tag has no function seal"),
    "a function too many": (
        {"DIGEST": "(aeadlab_digest_fn)(void *)open_"},
        "its xor-tag has a function digest, which its kind does not allow",
    ),
    "a huge key": (
        {"DESCRIBED_KEY_BYTES": "4000000000u"},
        "its xor-tag has keys of 4000000000 bytes, expected at most 1024",
    ),
    "a huge nonce": ({"NONCE_BYTES": "1025"}, "its xor-tag has nonces of 1025 bytes, expected at most 1024"),
    "a huge block": ({"BLOCK_BYTES": "1u << 20"}, "its xor-tag has blocks of 1048576 bytes, expected at most 4096"),
    "flags of tomorrow": ({"FLAGS": "(1ull << 40)"}, "its xor-tag has the unknown flags 0x10000000000: rebuild"),
}


@pytest.mark.parametrize("what", DESCRIPTORS)
def test_rejects_invalid_descriptors_with_the_fault(compiled: Compiled, what: str) -> None:
    macros, why = DESCRIPTORS[what]
    path = compiled("toy", **macros)
    assert reason_of_absence(path).startswith(f"{path} is not a plugin: {why}")


class Probes:
    """Count the child processes that load a plugin."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._real = plugins._fault_in_child
        monkeypatch.setattr(plugins, "_fault_in_child", self)

    def __call__(self, path: Path) -> str:
        self.count += 1
        return self._real(path)


@pytest.fixture
def probes(monkeypatch: pytest.MonkeyPatch) -> Probes:
    return Probes(monkeypatch)


CRASHES = {
    "aborts": ({"ON_LOAD": "abort()"}, "SIGABRT"),
    "writes at NULL": ({"ON_LOAD": "*(volatile int *)NULL = 1"}, "SIGSEGV"),
    "points anywhere": ({"ALGORITHMS": "(0 ? algorithms : (const aeadlab_algorithm *const *)16)"}, "SIGSEGV"),
    **{
        f"ends by {signal}": ({"ON_LOAD": f"raise({signal})"}, signal)
        for signal in ("SIGBUS", "SIGFPE", "SIGILL", "SIGSYS")
    },
}


@pytest.mark.parametrize("what", CRASHES)
def test_a_plugin_that_crashes_is_absent(compiled: Compiled, probes: Probes, what: str) -> None:
    macros, signal = CRASHES[what]
    path = compiled("toy", **macros)
    # The probe is called first, because a fault that it misses would end the test process.
    with pytest.raises(PluginError):
        plugins.probe(path)
    assert (
        reason_of_absence(path)
        == f"{path} is not a plugin: it crashes ({signal}) when loaded; touch the file to try again"
    )
    assert probes.count == 1


OTHER_ENDINGS = {
    "is killed": ({"ON_LOAD": "raise(SIGKILL)"}, "SIGKILL (no reason given)"),
    "is terminated": ({"ON_LOAD": "raise(SIGTERM)"}, "SIGTERM (no reason given)"),
    "exceeds a limit": ({"ON_LOAD": "raise(SIGXCPU)"}, "SIGXCPU (no reason given)"),
    "ends by a signal without a name": ({"ON_LOAD": "raise(40)"}, "signal 40 (no reason given)"),
    "calls exit": ({"ON_LOAD": "exit(0)"}, "status 0 (no reason given)"),
    "calls _exit": ({"ON_LOAD": "_exit(9)"}, "status 9 (no reason given)"),
    "says why it calls exit": (
        {"ON_LOAD": '(write(2,"no \\033[31mlicence\\n",16)==16?exit(3):abort())'},
        "status 3 (no \N{REPLACEMENT CHARACTER}[31mlicence)",
    ),
}


@pytest.mark.parametrize("what", OTHER_ENDINGS)
def test_an_ending_that_may_have_another_cause_is_not_cached(compiled: Compiled, probes: Probes, what: str) -> None:
    macros, cause = OTHER_ENDINGS[what]
    path = compiled("toy", **macros)
    with pytest.raises(PluginError):
        plugins.probe(path)
    assert reason_of_absence(path) == (
        f"{path} is not a plugin: its process ended with {cause} when it was loaded; the next command loads it again"
    )
    assert probes.count == 2


def test_a_crash_under_limits_from_outside_is_not_cached(
    compiled: Compiled, probes: Probes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = compiled("toy", ON_LOAD="abort()")
    monkeypatch.setattr(plugins, "is_limited", lambda: True)
    for count in (1, 2):
        with pytest.raises(PluginError, match="ended with SIGABRT .*; the next command loads it again"):
            plugins.probe(path)
        assert probes.count == count


def running(path: Path) -> list[int]:
    """Return the processes that load a plugin, or that it started."""
    found = (p for p in psutil.process_iter(["cmdline", "status"]) if p.info["status"] != psutil.STATUS_ZOMBIE)
    return [p.pid for p in found if str(path) in (p.info["cmdline"] or ())]


SLEEPERS = {
    "a child": "if(fork()==0)for(;;)pause()",
    "a daemon": "if(fork()==0){setsid();if(fork()==0)for(;;)pause();_exit(0);}",
    "a daemon, and crashes": "if(fork()==0){setsid();if(fork()==0)for(;;)pause();_exit(0);}abort()",
    "a spinning child": "if(fork()==0)for(volatile int i=0;;i++){}",
    "a child that ignores signals": "if(fork()==0){for(int i=1;i<64;i++)signal(i,SIG_IGN);for(;;)pause();}",
}


@pytest.mark.parametrize("what", SLEEPERS)
def test_no_process_that_a_plugin_starts_survives_the_probe(compiled: Compiled, what: str) -> None:
    path = compiled("toy", ON_LOAD=SLEEPERS[what])
    began = time.monotonic()
    with pytest.raises(PluginError) if "crashes" in what else nullcontext():
        plugins.probe(path)
    assert time.monotonic() - began < plugins.TIME_LIMIT / 2, "the end is noticed"
    assert running(path) == []


TAKERS = {
    "at once": "volatile char*p=malloc(50ul<<30);if(p==NULL)abort();for(size_t i=0;i<50ul<<30;i+=4096)p[i]=1",
    "in pieces": "for(;;){char*p=malloc(1<<20);if(p==NULL)abort();memset(p,1,1<<20);}",
    "in a mapping": "memset(mmap(NULL,50ul<<30,PROT_READ|PROT_WRITE,MAP_PRIVATE|MAP_ANONYMOUS,-1,0),1,50ul<<30)",
}


@pytest.mark.parametrize("what", TAKERS)
def test_a_plugin_cannot_take_all_memory(compiled: Compiled, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setattr(limits, "memory_limit", lambda: 1 << 30)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    path = compiled("toy", ON_LOAD=TAKERS[what])
    with pytest.raises(PluginError, match=r"it crashes \((SIGABRT|SIGSEGV)\) when loaded"):
        plugins.probe(path)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(before, 5 << 18), "KiB"


@pytest.mark.parametrize("forks", [0, 4])
def test_a_plugin_that_keeps_the_cpu_busy_hangs(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch, forks: int
) -> None:
    loop = f"for(int i=0;i<{forks};i++)(void)!fork();for(volatile int i=0;;i++){{}}"
    monkeypatch.setattr(plugins, "TIME_LIMIT", 1.0)
    path = compiled("toy", ON_LOAD=loop)
    with pytest.raises(PluginError, match=r"it hangs \(over 1 s\) when loaded"):
        plugins.probe(path)
    assert running(path) == []


def test_a_plugin_that_writes_to_every_descriptor_is_absent(compiled: Compiled) -> None:
    path = compiled("toy", ON_LOAD='for(int i=0;i<64;i++)(void)!write(i,"\\033[2J{}\\n",7)')
    with pytest.raises(PluginError, match=r"its process ended with the text '\\x1b\[2J\{\}' in place of a reply"):
        plugins.probe(path)


def test_texts_of_a_plugin_are_printable(compiled: Compiled) -> None:
    path = compiled("toy", VERSION='"1.0\\033[31m\\n"')
    catalogue = load([path])
    assert catalogue.find("toy/xor-tag").description.version == "1.0\N{REPLACEMENT CHARACTER}[31m "


def test_a_plugin_that_hangs_is_absent(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugins, "TIME_LIMIT", 1.0)
    path = compiled("toy", ON_LOAD="for(;;)pause()")
    assert f"{path} is not a plugin: it hangs (over 1 s) when loaded" in reason_of_absence(path)


def test_a_plugin_cannot_read_standard_input(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    # Reading from a terminal would block for ever.
    monkeypatch.setattr(plugins, "TIME_LIMIT", 20.0)
    ours, theirs = os.pipe()
    saved = os.dup(0)
    os.dup2(ours, 0)
    try:
        plugins.probe(compiled("toy", ON_LOAD="char c;if(read(0,&c,1)>0)abort()"))
    finally:
        os.dup2(saved, 0)
        for descriptor in (ours, theirs, saved):
            os.close(descriptor)


def test_printed_text_does_not_disturb_the_probe(compiled: Compiled) -> None:
    path = compiled("toy", ON_LOAD='(void)!write(1,"loaded",6);(void)!write(2,"warning\\n",8)')
    assert "toy/xor-tag" in {i.name for i in load([path])}


def test_rejects_a_library_without_the_symbol(compiled: Compiled) -> None:
    path = compiled("other")
    assert reason_of_absence(path) == f"{path} is not a plugin: it does not export aeadlab_library_v1"


@pytest.mark.parametrize("bytes", [0, 3, 100, 2000, -4000])
def test_rejects_a_truncated_file(compiled: Compiled, tmp_path: Path, bytes: int) -> None:
    path = tmp_path / "cut.so"
    path.write_bytes(compiled("toy").read_bytes()[:bytes])
    assert reason_of_absence(path).startswith(f"{path} is not a plugin: ")


def test_rejects_files_that_are_not_libraries(tmp_path: Path) -> None:
    text, folder, missing = tmp_path / "text.so", tmp_path / "folder.so", tmp_path / "missing.so"
    text.write_text(
        "#!/bin/sh\necho a script of some length, so that it is no question of the length of the file\n" * 9
    )
    folder.mkdir()
    assert "invalid ELF header" in reason_of_absence(text)
    assert reason_of_absence(missing) == f"{missing} is not a plugin: No such file or directory"
    catalogue = load([tmp_path])
    assert catalogue.absent[str(folder)] == f"{folder} is not a plugin: Is a directory"
    assert catalogue.absent[str(text)] == reason_of_absence(text)


def test_rejects_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe.so"
    os.mkfifo(path)
    assert reason_of_absence(path) == f"{path} is not a plugin: it is not a regular file"


@pytest.mark.parametrize(
    ("library", "algorithm", "why"),
    [
        ("openssl", "aes-256-gcm", "openssl/aes-256-gcm is already in the catalogue (linked)"),
        ("pyca", "aes-256-gcm", "a library called from Python has the name pyca"),
        ("blake3-py", "new", "a library called from Python has the name blake3-py"),
    ],
)
def test_rejects_a_name_in_use(compiled: Compiled, library: str, algorithm: str, why: str) -> None:
    path = compiled("toy", LIBRARY=f'"{library}"', ALGORITHM=f'"{algorithm}"')
    catalogue = load([path])
    reason = f"{path} cannot be used as a plugin: {why}"
    assert catalogue.absent[str(path)].startswith(reason)
    assert "give its library another name" in catalogue.absent[str(path)]
    assert str(path) not in {i.description.origin for i in catalogue}
    assert len({i.name for i in catalogue}) == len(catalogue)


def test_of_two_plugins_with_one_name_the_first_is_kept(compiled: Compiled, tmp_path: Path) -> None:
    first = compiled("toy")
    second = Path(shutil.copy(first, tmp_path / "second.so"))
    catalogue = load([first, second])
    assert catalogue.find("toy/xor-tag").description.origin == str(first)
    assert f"toy/xor-tag is already in the catalogue ({first})" in catalogue.absent[str(second)]


def test_a_plugin_may_add_an_algorithm_to_a_linked_library(compiled: Compiled) -> None:
    catalogue = load([compiled("toy", LIBRARY='"openssl"')])
    assert {"openssl/xor-tag", "openssl/aes-256-gcm"} <= {i.name for i in catalogue}


def test_find_explains_an_absent_plugin(compiled: Compiled) -> None:
    with pytest.raises(UnknownNameError, match=r"toy/xor-tag is absent: .*ABI version 7"):
        load([compiled("toy", ABI="7u")]).find("toy/xor-tag")


def test_find_explains_absent_plugins_whose_file_has_another_name(compiled: Compiled, tmp_path: Path) -> None:
    for number in range(5):
        shutil.copy(compiled("toy", ABI="7u"), tmp_path / f"file{number}.so")
    with pytest.raises(UnknownNameError, match=r"no implementation is called 'mine/xor-tag'; .*absent plugins: ") as e:
        load([tmp_path]).find("mine/xor-tag")
    assert str(e.value).count("ABI version 7") == 3 and str(e.value).endswith(" and 2 more")
    assert "absent plugins" not in str(pytest.raises(UnknownNameError, load().find, "mine/xor-tag").value)


@pytest.mark.parametrize("given", ["file", "folder"])
def test_plugins_come_from_the_environment(
    compiled: Compiled, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: str
) -> None:
    path = compiled("toy")
    place = path if given == "file" else path.parent
    # An empty entry does not stand for the current folder.
    shutil.copy(path, tmp_path / "here.so")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(plugins.VARIABLE, f"{tmp_path / 'no-such'}{os.pathsep}{os.pathsep}{place}")
    catalogue = Catalogue()
    assert catalogue.find("toy/xor-tag").description.origin == str(path)
    assert "No such file" in catalogue.absent[str(tmp_path / "no-such")]
    assert str(tmp_path / "here.so") not in catalogue.absent


def test_a_plugin_named_twice_is_loaded_once(compiled: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    path = compiled("toy")
    monkeypatch.setenv(plugins.VARIABLE, str(path.parent))
    monkeypatch.chdir(path.parent)
    assert [p for p in plugins.candidates([path, Path(path.name)]) if p.name == path.name] == [path]
    assert str(path) not in load([path]).absent


def test_only_shared_libraries_of_a_folder_are_plugins(compiled: Compiled, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("about these plugins")
    shutil.copy(compiled("toy"), tmp_path / "toy.so")
    assert set(plugins.candidates([tmp_path])) - set(plugins.candidates()) == {tmp_path / "toy.so"}


def test_plugins_that_failed_to_build_are_absent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "botan.absent").write_text("found no header: install libbotan-dev\n")
    monkeypatch.setattr(plugins, "BUILT", tmp_path)
    catalogue = load()
    assert catalogue.absent == {"botan": "found no header: install libbotan-dev"}
    with pytest.raises(UnknownNameError, match="botan/aes-256-gcm is absent: found no header: install libbotan-dev"):
        catalogue.find("botan/aes-256-gcm")


@pytest.mark.parametrize("ending", ["return &library", "abort()"])
def test_the_outcome_is_cached_until_the_file_is_touched(
    compiled: Compiled, probes: Probes, tmp_path: Path, ending: str
) -> None:
    path = Path(shutil.copy(compiled("toy", ON_LOAD=ending), tmp_path))

    def probe() -> str:
        try:
            plugins.probe(path)
        except PluginError as error:
            return str(error)
        return ""

    message = probe()
    assert ("SIGABRT" in message) == (ending == "abort()")
    assert probe() == message
    assert probes.count == 1
    os.utime(path, (1, 1))
    assert probe() == message
    assert probes.count == 2


def test_a_rejection_is_not_cached(compiled: Compiled, probes: Probes, tmp_path: Path) -> None:
    path = compiled("other")
    for count in (1, 2):
        with pytest.raises(PluginError):
            plugins.probe(path)
        assert probes.count == count


def test_the_message_names_the_file_that_was_given(compiled: Compiled, tmp_path: Path) -> None:
    first = compiled("toy", ON_LOAD="abort()")
    second = Path(shutil.copy2(first, tmp_path / "copy.so"))
    for path in (first, second):
        with pytest.raises(PluginError, match=f"^{re.escape(str(path))} is not a plugin: it crashes"):
            plugins.probe(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"identity": "", "content": {}}', '{"content": 3}'])
def test_a_damaged_cache_file_is_ignored(compiled: Compiled, probes: Probes, own_folders: Path, text: str) -> None:
    path = compiled("toy")
    before = set((own_folders / "cache").iterdir())
    plugins.probe(path)
    (remembered,) = {*(own_folders / "cache").iterdir()} - before
    remembered.write_text(text)
    plugins.probe(path)
    assert probes.count == 2


def test_an_unwritable_cache_is_ignored(
    compiled: Compiled, probes: Probes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("AEADLAB_CACHE", str(tmp_path / "file"))
    plugins.probe(compiled("toy"))
    plugins.probe(compiled("toy"))
    assert probes.count == 2
