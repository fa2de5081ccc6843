"""Packaging's linkspan.service under a systemd of its own (Scripts/shipped): process 1 of namespaces, in a copy of this machine's
root that is thrown away, with its own cgroups and network. Only the journal runs beside the unit."""
import os, pathlib, re, shutil, signal, ssl, subprocess, time

import shipped_forms as forms
from shipped_forms import Problem, Unable, run, until

SYSTEMD = "/lib/systemd/systemd"
# What systemd-analyze says of the unit is 1.7 of 10; less is better.
EXPOSURE = 18
# What a unit of a server never needs, and what would reach the machine's kernel.
NEVER = "sys_module,sys_time,sys_boot,sys_rawio,syslog,mac_admin,mac_override,wake_alarm,audit_control"
START = f"""
echo $$ >"$CGROUP/cgroup.procs"
exec unshare --cgroup --mount --pid --fork --kill-child --uts --ipc sh -eu -c '
  cd "$ROOT"
  mount -t proc proc proc
  mount --bind proc/sys proc/sys && mount -o remount,bind,ro proc/sys
  mount -t sysfs -o ro sysfs sys
  mount -t cgroup2 cgroup2 sys/fs/cgroup
  mount -t tmpfs -o mode=755 tmpfs dev
  for pair in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "dev/${{pair%:*}}" c 1 "${{pair#*:}}"; done
  mknod -m 666 dev/tty c 5 0
  mkdir dev/shm dev/pts
  mount -t tmpfs tmpfs dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
  ln -s pts/ptmx dev/ptmx
  mount -t tmpfs -o mode=755 tmpfs run
  mount -t tmpfs tmpfs tmp
  mkdir -p run/before
  pivot_root . run/before
  umount -l /run/before
  exec env -i container=linkspan PATH=/usr/sbin:/usr/bin:/sbin:/bin setpriv --bounding-set=-{NEVER.replace(",", ",-")} \\
    {SYSTEMD} --system --unit=basic.target --log-target=console --show-status=no'
"""


def obstacle():
    """Why systemd cannot run here; None where it can, as far as that can be told before."""
    if not os.path.exists(SYSTEMD):
        return "systemd is missing"
    if shutil.which("adduser") is None:
        return "adduser is missing, which the package's script calls"
    if "cgroup2" not in pathlib.Path("/proc/filesystems").read_text():
        return "there is no cgroup2"
    return None


class Unit:
    name, place, state = "Packaging/linkspan.service under systemd", "/etc/linkspan/sites", "/var/lib/linkspan"

    def __init__(self, room, binary):
        self.room, self.binary, self.init = room, binary, None
        self.work = room.work / "unit"
        self.work.mkdir()
        run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", self.work)
        for name in ("upper", "scratch", "root", "cgroups"):
            (self.work / name).mkdir()
        self.root = self.work / "root"
        own = re.search(r"^0::/(.*)$", pathlib.Path("/proc/self/cgroup").read_text(), re.M)
        self.cgroup = self.work / "cgroups" / (own.group(1) if own else "") / room.work.name
        try:
            run("mount", "-t", "overlay", "overlay", "-o",
                f"lowerdir=/,upperdir={self.work}/upper,workdir={self.work}/scratch", self.root)
            run("mount", "-t", "cgroup2", "cgroup2", self.work / "cgroups")
        except Problem as problem:
            raise Unable(f"no root for a systemd can be made here: {problem}") from None
        self.install()

    def install(self):
        """What the package installs, on a machine whose other services are left out."""
        system = self.root / "lib/systemd/system"
        for folder in [self.root / "etc/systemd/system", self.root / "lib/systemd/system-generators", *system.glob("*.wants")]:
            shutil.rmtree(folder, ignore_errors=True)
        (system / "sysinit.target.wants").mkdir()
        (system / "sysinit.target.wants/systemd-journald.service").symlink_to("../systemd-journald.service")
        (self.root / "etc/fstab").write_text("")
        for folder in ("etc/linkspan", "var/lib/linkspan", "var/log/linkspan"):
            shutil.rmtree(self.root / folder, ignore_errors=True)
        run(forms.ROOT / "Packaging/install", self.binary, self.root / "usr")
        shutil.copy(forms.ROOT / "Packaging/linkspan.service", system)
        shutil.copy(forms.ROOT / "Packaging/deb/postinst", self.root / "postinst")
        run("chroot", self.root, "/bin/sh", "/postinst", "configure")
        text = run(forms.ROOT / "Packaging/example-configuration", self.binary)
        (self.root / "etc/linkspan").mkdir()
        # As an operator edits it.
        (self.root / "etc/linkspan/linkspan.json5").write_text(text.replace("// console: ", "console: "))
        self.put = forms.Folder(self.root / "etc/linkspan/sites").put

    def manager(self, *words, **more):
        return run("nsenter", f"--target={self.init}", "--all", "--root", *words,
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, **more)

    def start(self):
        run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", forms.ROOT / "Packaging/linkspan.service")
        try:
            self.cgroup.mkdir()
        except OSError as problem:
            raise Unable(f"no cgroup for a systemd can be made here: {problem}") from None
        log = (self.work / "log").open("w")
        self.process = subprocess.Popen(["sh", "-eu", "-c", START], stdout=log, stderr=log,
                                        env=dict(os.environ, ROOT=str(self.root), CGROUP=str(self.cgroup)))
        self.init = forms.child(self.process.pid)
        def is_up():
            if self.process.poll() is not None:
                raise Problem(f"systemd ended: {(self.work / 'log').read_text()[-600:]}")
            outcome = subprocess.run(["nsenter", f"--target={self.init}", "--all", "--root", "systemctl", "is-active", "basic.target"],
                                     capture_output=True, text=True)
            return outcome.stdout.strip() == "active"
        until("systemd is up", is_up)
        self.manager("systemd-analyze", "verify", "linkspan.service")
        # Returns when the server has told systemd that it is ready.
        try:
            self.manager("systemctl", "enable", "--now", "linkspan.service")
        except Problem as problem:
            raise Problem(f"{problem}\n{self.journal()}\n{self.status()}") from None
        self.look()

    def journal(self):
        return self.manager("journalctl", "--no-pager", "--quiet", "--unit=linkspan.service", "--lines=20", "--output=cat")

    def property(self, name):
        return self.manager("systemctl", "show", "linkspan.service", f"--property={name}", "--value").strip()

    def main_pid(self):
        """The server's process as this script sees it."""
        number = self.property("MainPID")
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                words = re.search(r"^NSpid:\t(.*)$", status.read_text(), re.M).group(1).split()
            except OSError:
                continue
            if len(words) == 2 and words[1] == number and number != "0":
                return int(words[0])
        raise Problem(f"the unit has no process {number}: {self.journal()}")

    def look(self):
        if (self.property("Type"), self.property("ActiveState")) != ("notify", "active"):
            raise Problem(f"the unit is {self.property('ActiveState')}: {self.journal()}")
        self.servers = [forms.Server(self.main_pid(), self.command, secure=True)]
        until("the server answers", self.servers[0].healthy)

    def command(self, *words, stdin=None):
        return self.manager("/usr/bin/linkspan", *words, input=stdin)

    def where(self):
        return ["--config", "/etc/linkspan/linkspan.json5"]

    def restart(self):
        self.manager("systemctl", "restart", "linkspan.service")
        self.look()

    def more(self):
        """What the unit promises beside: a confined process, a reload, a restart after a crash, a stop that drains."""
        pid = self.servers[0].pid
        facts = dict(re.findall(r"^(\w+):\t(.*)$", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M))
        expected = {"CapEff": f"{1 << 10:016x}", "CapBnd": f"{1 << 10:016x}", "NoNewPrivs": "1", "Seccomp": "2"}
        found = {name: facts[name] for name in expected}
        if found != expected or facts["Uid"].split()[0] == "0":
            raise Problem(f"the process is not confined: {found}, user {facts['Uid']}")
        for place in ("/etc/linkspan/sites/new", "/usr/new"):
            outcome = subprocess.run(["nsenter", f"--target={pid}", "--mount", "--root", "touch", place], capture_output=True, text=True)
            if "Read-only file system" not in outcome.stderr:
                raise Problem(f"{place} is not on a read-only file system: {outcome.stderr}")

        served = self.servers[0].served()
        access = self.root / "var/log/linkspan/access.log"
        access.rename(access.with_suffix(".old"))
        self.manager("systemctl", "reload", "linkspan.service")
        until("the access log is opened anew after a reload", access.exists)

        os.kill(pid, signal.SIGKILL)
        until("systemd starts it again", lambda: self.property("NRestarts") == "1" and self.property("ActiveState") == "active")
        self.look()
        if self.servers[0].served() != served:
            raise Problem("another file is served after a crash")

        drained = self.stopped_while_asked()
        return f"; ready by its notification, confined, reloaded, restarted after SIGKILL, {drained}"

    def stopped_while_asked(self):
        """Stops the unit while a request is half sent, and sends the rest."""
        trusting = ssl._create_unverified_context()
        connection = trusting.wrap_socket(forms.connected(self.servers[0].pid, ("127.0.0.1", 8443)), server_hostname=forms.HOST)
        connection.sendall(f"GET {forms.PATH} HTTP/1.1\r\nHost: {forms.HOST}\r\n".encode())
        stopping = subprocess.Popen(["nsenter", f"--target={self.init}", "--all", "--root", "systemctl", "stop", "linkspan.service"])
        until("the unit is told to stop", lambda: self.property("ActiveState") in ("deactivating", "inactive"))
        connection.sendall(b"\r\n")
        answer = connection.recv(65_536)
        stopping.wait(30)
        if not answer.startswith(b"HTTP/1.1 200"):
            raise Problem(f"a request that was under way got {answer[:80]!r}")
        outcome = self.property("ActiveState"), self.property("Result"), self.property("ExecMainStatus")
        if outcome != ("inactive", "success", "0"):
            raise Problem(f"the unit ended as {outcome}: {self.journal()}")
        return "stopped with status 0 after the request under way"

    def stop(self):
        if self.init is not None:
            os.kill(self.init, signal.SIGKILL)
            self.process.wait(30)
            self.init = None
        if not self.cgroup.exists():
            return
        for folder in sorted(self.cgroup.rglob("*/"), reverse=True):
            if folder.is_dir():
                until("a cgroup is empty", lambda: "populated 0" in (folder / "cgroup.events").read_text())
                folder.rmdir()
        self.cgroup.rmdir()
