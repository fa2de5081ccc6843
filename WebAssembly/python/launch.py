"""Starts Linkspan: its program where this package has it, else its WebAssembly module by Node or by wasmtime."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
# The first release of Node that runs the package.
NODE = 18


def node() -> "str | None":
    """Node, where it is recent enough."""
    path = shutil.which("node")
    if path is None:
        return None
    try:
        version = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=True).stdout
        return path if int(version.strip().lstrip("v").split(".")[0]) >= NODE else None
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def program(binary: Path) -> None:
    """Replaces this process by the program. Libraries of the system go before those of the package, so that they get the
    system's security updates; the package's are for systems that have none of that name."""
    environment = dict(os.environ)
    folder = binary.parent / "libraries"
    if folder.is_dir():
        # The loader lists what it finds and starts nothing. Most libraries are loaded later, so they are named to it.
        asked = {**environment, "LD_TRACE_LOADED_OBJECTS": "1", "LD_PRELOAD": " ".join(os.listdir(folder))}
        listed = subprocess.run([binary], env=asked, capture_output=True, text=True, check=False)
        if "cannot be preloaded" in listed.stderr or "not found" in listed.stdout:
            before = environment.get("LD_LIBRARY_PATH")
            environment["LD_LIBRARY_PATH"] = f"{before}:{folder}" if before else str(folder)
    os.execve(binary, [str(binary), *sys.argv[1:]], environment)


def main() -> int:
    binary = HERE / "linkspan"
    if binary.exists():
        program(binary)
    try:
        from . import host
    except ImportError:
        host = None
    if host is not None:
        return host.run(sys.argv[1:])
    path = node()
    if path is not None:
        command = [path, str(HERE / "cli.mjs"), *sys.argv[1:]]
        if os.name == "posix":
            os.execv(path, command)
        return subprocess.run(command, check=False).returncode
    print(
        f"linkspan: error: this package runs by Node {NODE} or later, or by the package 'wasmtime', and neither is here.\n"
        "  Install one: https://nodejs.org, or pip install 'linkspan[wasmtime]'; with pipx: pipx inject linkspan wasmtime, or\n"
        "  pipx run --spec 'linkspan[wasmtime]' linkspan check FILE", file=sys.stderr)
    return 2
