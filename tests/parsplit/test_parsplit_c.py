"""ParSplit from C: the header, both libraries, the example, and the shared library as a plugin."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from Crypto.Cipher import AES, ChaCha20_Poly1305
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from aeadlab import ParSplit
from aeadlab.catalogue import native
from tests.fixtures.examples import find

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "native/parsplit-c"
Program = Callable[[str], Path]
KEY, NONCE = bytes(range(32)), b"7 bytes"
SIZES = [0, 1, 65536, 65537, 3_000_001]


@pytest.fixture(scope="session")
def installed() -> Path:
    """Install header and libraries with the Makefile, which rebuilds only outdated files, and return the prefix."""
    profile = os.environ.get("CAPI_PROFILE", "release")
    subprocess.run(["make", "--silent", "-C", ROOT, "capi", f"CAPI_PROFILE={profile}"], check=True)
    return ROOT / "build/parsplit"


@pytest.fixture(scope="session", params=["shared", "static"])
def program(request: pytest.FixtureRequest, installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """``program("examples/seal_file.c")`` compiles a source without warnings and links it to one of the libraries."""
    compiler = shutil.which("cc")
    assert compiler, "there is no C compiler"
    folder = tmp_path_factory.mktemp(request.param)
    library = {
        "shared": [f"-L{installed}/lib", "-lparsplit", f"-Wl,-rpath,{installed}/lib"],
        "static": [installed / "lib/libparsplit.a", "-ldl", "-lm"],
    }[request.param]

    def compile(source: str) -> Path:
        made = folder / Path(source).stem
        warnings = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
        command = [compiler, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-O1", *warnings, f"-I{installed}/include"]
        subprocess.run([*command, SOURCES / source, "-o", made, "-pthread", *library], check=True)
        return made

    return compile


def text(length: int) -> bytes:
    return b"".join(i.to_bytes(4, "big") for i in range(length // 4 + 1))[:length]


def test_every_function_follows_the_header(program: Program) -> None:
    done = subprocess.run([program("tests/calls.c")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_function_for_one_message_follows_the_header(program: Program) -> None:
    done = subprocess.run([program("tests/messages.c")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize(
    ("name", "key_bytes", "nonce_bytes", "plugin"),
    [
        ("aes-gcm", 16, 12, ()),
        ("aes-gcm", 24, 1, ()),
        ("aes-gcm", 32, 33, ()),
        ("chacha20-poly1305", 32, 12, ()),
        ("aes-gcm", 32, 12, ("openssl-system", "aes-256-gcm")),
    ],
)
def test_one_message_equals_that_of_pycryptodome(
    program: Program, name: str, key_bytes: int, nonce_bytes: int, plugin: tuple[str, str] | tuple[()], threads: int
) -> None:
    made, key, nonce = program("tests/messages.c"), KEY[:key_bytes], bytes(range(1, nonce_bytes + 1))
    files = [str(ROOT / f"aeadlab/plugins/{plugin[0]}.so"), plugin[1]] if plugin else []
    if files and not Path(files[0]).exists():
        pytest.skip(f"the plugin {plugin[0]} is not built")
    # PyCryptodome takes nonces of any length, pyca those of at least 8 bytes.
    gcm = name == "aes-gcm"
    for length in (0, 1, 15, 16, 17, 4095, 4096, 4097, 8191, 20_000):
        command = [made, "seal", name, key.hex(), nonce.hex(), b"order".hex(), str(length), str(threads), *files]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        message = AES.new(key, AES.MODE_GCM, nonce) if gcm else ChaCha20_Poly1305.new(key=key, nonce=nonce)
        message.update(b"order")
        sealed, tag = message.encrypt_and_digest(bytes(i * 7 % 256 for i in range(length)))
        assert bytes.fromhex(done.stdout) == sealed + tag, length


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("size", SIZES)
def test_the_example_for_one_message_seals_as_cryptography(
    program: Program, tmp_path: Path, size: int, threads: int
) -> None:
    (tmp_path / "in").write_bytes(text(size))
    nonce = bytes(range(12))
    command = [program("examples/seal_message.c"), KEY.hex(), nonce.hex(), tmp_path / "in", tmp_path / "out", threads]
    subprocess.run([str(part) for part in command], check=True)
    assert (tmp_path / "out").read_bytes() == AESGCM(KEY).encrypt(nonce, text(size), None)
    command[1] = KEY.hex()[2:]
    failed = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert failed.returncode == 2 and "31 bytes" in failed.stderr


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("size", SIZES)
def test_example_and_python_seal_the_same_bytes(program: Program, tmp_path: Path, size: int, threads: int) -> None:
    python = ParSplit("rustcrypto/aes-256-gcm", threads=2)
    (tmp_path / "in").write_bytes(text(size))
    seal_file = program("examples/seal_file.c")

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [seal_file, arguments[0], KEY.hex(), NONCE.hex(), *arguments[1:], threads]
        return subprocess.run([str(part) for part in command], capture_output=True, text=True)

    assert run("seal", tmp_path / "in", tmp_path / "sealed").returncode == 0
    sealed = (tmp_path / "sealed").read_bytes()
    assert sealed == python.encrypt(KEY, NONCE, text(size), b"seal_file")
    assert run("open", tmp_path / "sealed", tmp_path / "out").returncode == 0
    assert (tmp_path / "out").read_bytes() == text(size)
    (tmp_path / "sealed").write_bytes(sealed[:-1] + bytes([sealed[-1] ^ 1]))
    (tmp_path / "out").unlink()
    rejected = run("open", tmp_path / "sealed", tmp_path / "out")
    assert rejected.returncode == 1
    assert "tag does not match" in rejected.stderr
    assert not (tmp_path / "out").exists()


def test_example_accepts_algorithms_of_plugins(program: Program, compiled: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(text(200_000))
    command = [
        program("examples/seal_file.c"),
        "seal",
        KEY.hex(),
        NONCE.hex(),
        tmp_path / "in",
        tmp_path / "sealed",
        "2",
    ]
    plugin = compiled("toy")
    subprocess.run([*command, plugin, "xor-tag"], check=True)
    (toy,) = native.plugin(str(plugin))
    blocks = [text(200_000)[i : i + 65536] for i in range(0, 200_000, 65536)]
    nonces = [NONCE + i.to_bytes(4, "big") + bytes([i == len(blocks) - 1]) for i in range(len(blocks))]
    sealed = [
        toy.seal(KEY, n, b, b"" if i else b"seal_file") for i, (n, b) in enumerate(zip(nonces, blocks, strict=True))
    ]
    assert (tmp_path / "sealed").read_bytes() == b"".join(s[:-16] for s in sealed) + b"".join(s[-16:] for s in sealed)
    failed = subprocess.run([*command, plugin, "nothing"], capture_output=True, text=True)
    assert failed.returncode == 2
    assert "it has xor-tag" in failed.stderr


def test_shown_program_runs_as_printed(installed: Path, tmp_path: Path) -> None:
    if shutil.which("pkg-config") is None:
        pytest.skip("the shown commands require pkg-config")
    source, lines, printed = (find("docs/PARSPLIT-C.md", "", info)[-1] for info in ("c", "sh", "text output"))
    (tmp_path / "build").symlink_to(installed.parent)
    (tmp_path / "program.c").write_text(source)
    strict = ["cc", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{installed}/include", "program.c"]
    subprocess.run(strict, cwd=tmp_path, check=True)
    done = subprocess.run(["bash", "-euc", lines], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")


def test_header_compiles_as_cpp_with_pkg_config(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "main.cpp").write_text(
        "#include <parsplit.h>\n#include <cstdio>\nint main() {\n    parsplit_options options = PARSPLIT_DEFAULTS;\n"
        "    std::puts(parsplit_version());\n    return options.threads != 0;\n}\n"
    )
    version = tomllib.loads((ROOT / "native/Cargo.toml").read_text())["workspace"]["package"]["version"]
    flags = [f"-I{installed}/include", f"-L{installed}/lib", "-lparsplit"]
    if shutil.which("pkg-config"):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(installed / "lib/pkgconfig")}

        def pkg_config(*options: str) -> list[str]:
            return subprocess.check_output(["pkg-config", *options, "parsplit"], env=environment, text=True).split()

        flags = pkg_config("--cflags", "--libs")
        assert pkg_config("--modversion") == [version]
    command = ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", tmp_path / "main.cpp", "-o", tmp_path / "main"]
    subprocess.run([*command, *flags, f"-Wl,-rpath,{installed}/lib"], check=True)
    printed = subprocess.check_output([tmp_path / "main"], text=True).split()
    assert printed == [version]


def test_exports_exactly_the_declared_functions(installed: Path) -> None:
    listed = subprocess.check_output(["nm", "-D", "--defined-only", installed / "lib/libparsplit.so"], text=True)
    exported = {line.split()[-1] for line in listed.splitlines()}
    words = (SOURCES / "include/parsplit.h").read_text().replace("*", " ").replace("(", " (").split()
    declared = {
        name
        for name, following in zip(words, words[1:], strict=False)
        if name.startswith("parsplit_") and following[0] == "("
    }
    assert exported == declared | {"aeadlab_library_v1", "aeadlab_set_threads", "aeadlab_set_block_size"}


class TestAsPlugin:
    """The shared library as a plugin; the number of blocks is limited by a tag of 64 bytes."""

    @staticmethod
    def block_size(size: int, parts: int = 4) -> int:
        """Return the block size that docs/PARSPLIT-C.md specifies."""
        part = -(-size // parts)
        return max(65536, -(-part // 64) * 64)

    @pytest.mark.parametrize("size", [0, 1, 65536, 65537, 262_144, 262_145, 1_000_003])
    def test_seals_with_the_specified_block_size(self, installed: Path, size: int) -> None:
        (plugin,) = native.plugin(str(installed / "lib/libparsplit.so"))
        d = plugin.description
        assert (plugin.name, d.nonce_bytes, d.tag_bytes) == ("parsplit/aes-256-gcm+parsplit", 7, 64)
        assert {"parallel", "thread-safe", "research"} <= set(d.flags)
        sealed = plugin.seal(KEY, NONCE, text(size), b"ad")
        python = ParSplit("rustcrypto/aes-256-gcm", block_size=self.block_size(size), threads=2)
        assert sealed == python.encrypt(KEY, NONCE, text(size), b"ad").ljust(size + 64, b"\0")
        assert plugin.open(KEY, NONCE, sealed, b"ad") == text(size)

    def test_sets_threads_and_the_minimum_block_size(self, installed: Path) -> None:
        path = installed / "lib/libparsplit.so"
        (plugin,), library = native.plugin(str(path)), ctypes.CDLL(str(path))
        python = ParSplit("rustcrypto/aes-256-gcm", block_size=1000)
        message = text(3500)
        expected = python.encrypt(KEY, NONCE, message).ljust(3500 + 64, b"\0")
        try:
            assert plugin.seal(KEY, NONCE, message) != expected
            assert library.aeadlab_set_block_size(1000) == 0
            for threads in (1, 2, 9, 0):
                assert library.aeadlab_set_threads(threads) == 0
                assert plugin.seal(KEY, NONCE, message) == expected
            assert library.aeadlab_set_threads(257) == 2
        finally:
            assert library.aeadlab_set_block_size(0) == library.aeadlab_set_threads(0) == 0

    @pytest.mark.parametrize("inner", ["toy", None])
    def test_passes_verification_over_each_inner_algorithm(
        self, installed: Path, compiled: Callable[..., Path], own_folders: Path, inner: str | None
    ) -> None:
        environment = {**os.environ, "AEADLAB_PLUGINS": str(installed / "lib"), "PYTHONPATH": str(ROOT)}
        name = "parsplit/aes-256-gcm+parsplit"
        if inner:
            environment["PARSPLIT_PLUGIN"] = str(compiled(inner))
            name = "parsplit/xor-tag+parsplit"
        verb = f"from aeadlab.cli import main; raise SystemExit(main(['verify', {name!r}]))"
        done = subprocess.run([sys.executable, "-c", verb], env=environment, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr
        assert name in done.stdout

    def test_rejects_itself_as_its_inner_plugin(self, installed: Path) -> None:
        library = installed / "lib/libparsplit.so"
        code = (
            f"import ctypes; library = ctypes.CDLL({str(library)!r}); library.parsplit_last_error.restype = "
            "ctypes.c_char_p; print(library.aeadlab_library_v1(), library.parsplit_last_error().decode())"
        )
        for plugin, reason in [(library, "cannot be used on this machine"), ("/no/such.so", "not a plugin")]:
            environment = {**os.environ, "PARSPLIT_PLUGIN": str(plugin)}
            printed = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True, timeout=30)
            assert printed.startswith("0 ")
            assert reason in printed
