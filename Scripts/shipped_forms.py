"""The forms in which Linkspan is shipped, each as its file says, without the programs that those files are for (Scripts/shipped).

A form starts servers whose folder of sites is read-only to them, and is then asked for what they serve. Containers and pods run in
the root filesystem of the image, in namespaces, each with an address of its own on one bridge; the unit runs under systemd, which
is process 1 of namespaces. A field of a file that this runner does not know is an error, so that no line is only read.
"""
import ctypes, http.client, importlib.machinery, importlib.util, json, os, pathlib, re, shlex, shutil, signal, socket, ssl, subprocess
import sys, threading, time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
HOST, PATH = "example.com", "/.well-known/apple-app-site-association"
KEY = ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out"]
PROMISED_S = 1.0


class Problem(Exception):
    """What does not hold."""


class Unable(Exception):
    """Why this machine cannot run a form."""


def script(name):
    """Another script of this folder, as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


console_soak = script("soak-console")


def run(*words, **more):
    outcome = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if outcome.returncode:
        raise Problem(f"{shlex.join(map(str, words))} ended with {outcome.returncode}: {(outcome.stdout + outcome.stderr)[-600:]}")
    return outcome.stdout


def until(what, holds, seconds=30):
    """Asks again and again; an answer of None or False, or a refused connection, is not there yet."""
    end = time.monotonic() + seconds
    while True:
        try:
            if found := holds():
                return found
            problem = None
        except (OSError, http.client.HTTPException) as error:
            problem = error
        if time.monotonic() > end:
            raise Problem(f"{what}: not within {seconds} s" + (f" ({problem})" if problem else ""))
        time.sleep(0.01)


def only(fields, known, place):
    """Refuses fields that nothing here obeys."""
    if unknown := set(fields) - set(known.split()):
        raise Problem(f"{place}: this runner does not know {', '.join(sorted(unknown))}")


def child(pid):
    """The program that `unshare --fork` runs."""
    return int(until("the program has started", lambda: pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())[0])


def connected(pid, address):
    """A connection in the network of a process."""
    made = []
    def inside():
        try:
            with open(f"/proc/{pid}/ns/net") as place:
                if ctypes.CDLL(None, use_errno=True).setns(place.fileno(), 0):
                    raise OSError(ctypes.get_errno(), "setns")
            made.append(socket.create_connection(address, timeout=10))
        except OSError as error:
            made.append(error)
    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    if isinstance(made[0], OSError):
        raise made[0]
    return made[0]


class Inside(http.client.HTTPConnection):
    """A connection to a listener of a process, also to one that only its own loopback reaches."""

    def __init__(self, pid, port, secure=False):
        super().__init__("127.0.0.1", port, timeout=10)
        self.pid, self.secure = pid, secure

    def connect(self):
        self.sock = connected(self.pid, ("127.0.0.1", self.port))
        if self.secure:
            trusting = ssl._create_unverified_context()
            self.sock = trusting.wrap_socket(self.sock, server_hostname=HOST)


class Server:
    """One running server: its process, its ports, and how a command is run beside it."""

    def __init__(self, pid, command, files=8443, admin=9464, console=9465, secure=False):
        self.pid, self.command, self.files, self.admin, self.console, self.secure = pid, command, files, admin, console, secure

    def served(self):
        connection = Inside(self.pid, self.files, self.secure)
        try:
            connection.request("GET", PATH, headers={"Host": HOST})
            answer = connection.getresponse()
            body = answer.read().decode()
            return body if answer.status == 200 else f"{answer.status}"
        finally:
            connection.close()

    def healthy(self):
        connection = Inside(self.pid, self.admin)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status == 200
        finally:
            connection.close()

    def is_read_only(self, place):
        """Whether the process may not write into this folder: by its mount, or by the folder's owner and mode."""
        def mounted():
            best = ("", "")
            for line in pathlib.Path(f"/proc/{self.pid}/mountinfo").read_text().splitlines():
                words = line.split()
                if (place + "/").startswith(words[4].rstrip("/") + "/") and len(words[4]) >= len(best[0]):
                    best = (words[4], words[5])
            return "ro" in best[1].split(",")
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
        user = int(re.search(r"^Uid:\s+\d+\s+(\d+)", status, re.M).group(1))
        folder = os.stat(f"/proc/{self.pid}/root{place}")
        return mounted() or user not in (0, folder.st_uid) and not folder.st_mode & 0o022

    def browser(self):
        """A person at the console."""
        browser = console_soak.Browser(f"http://127.0.0.1:{self.console}")
        browser.connection = Inside(self.pid, self.console)
        browser.log_in()
        return browser


class Namespaces:
    """Programs in namespaces; what is started here ends with the script, which is process 1 of a namespace itself."""

    def __init__(self, work):
        self.work, self.count, self.has_bridge = work, 0, False
        run("ip", "link", "set", "lo", "up")

    def bridge(self):
        if not self.has_bridge:
            os.makedirs("/run/netns", exist_ok=True)
            run("mount", "-t", "tmpfs", "tmpfs", "/run/netns")
            try:
                run("ip", "link", "add", "shipped", "type", "bridge")
                run("ip", "link", "add", "left", "type", "veth", "peer", "name", "right")
            except Problem as problem:
                raise Unable(f"this kernel has no bridge or no veth: {problem}") from None
            run("ip", "address", "add", "10.200.0.1/24", "dev", "shipped")
            run("ip", "link", "set", "shipped", "up")
            run("ip", "link", "delete", "left")
            self.has_bridge = True

    def network(self):
        """A network with an address of its own."""
        self.bridge()
        self.count += 1
        name = f"c{self.count}"
        run("ip", "netns", "add", name)
        run("ip", "link", "add", f"v{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", f"v{name}", "master", "shipped", "up")
        for words in (["link", "set", "lo", "up"], ["address", "add", f"10.200.0.{self.count + 1}/24", "dev", "eth0"],
                      ["link", "set", "eth0", "up"]):
            run("ip", "-n", name, *words)
        return name

    def postgres(self):
        """A PostgreSQL at 10.200.0.1, with a user and a database of the name linkspan."""
        places = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
        if not places:
            return None
        self.bridge()
        folder = self.work / "postgres"
        folder.mkdir(exist_ok=True)
        shutil.chown(folder, "postgres")
        password = self.work / "password"
        password.write_text("of a database\n")
        shutil.chown(password, "postgres")
        def database(*words, **more):
            return run("setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", *words, cwd=folder, **more)
        data = folder / f"data-{self.count}"
        database(places[-1] / "initdb", "-D", data, "-U", "linkspan", f"--pwfile={password}", "--auth=scram-sha-256", "--no-sync")
        with (data / "pg_hba.conf").open("a") as file:
            file.write("host all all 10.200.0.0/24 scram-sha-256\n")
        database(places[-1] / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o",
                 f"-c listen_addresses=10.200.0.1 -c unix_socket_directories={folder} -c fsync=off", "start")
        database(places[-1] / "createdb", "-h", "10.200.0.1", "-U", "linkspan", "linkspan", env={"PGPASSWORD": "of a database"})
        def stop():
            database(places[-1] / "pg_ctl", "-D", data, "-m", "immediate", "stop")
        return stop


class Container:
    """A container of the image: its root filesystem, its user, these volumes and nothing else of this machine."""

    def __init__(self, room, image, words, volumes, read_only=False, user=None, environment=(), hosts=""):
        self.room, self.network = room, room.network()
        names = room.work / f"hosts-{self.network}"
        names.write_text("127.0.0.1 localhost\n" + hosts)
        root, config = image
        self.user = user or config["User"]
        self.variables = dict(environment, PATH="/usr/bin")
        self.facts = {"root": str(root), "user": self.user, "place": config["WorkingDir"], "read_only": read_only,
                      "volumes": [*volumes, [str(names), "/etc/hosts", "ro"]], "environment": self.variables,
                      "words": config["Entrypoint"] + words}
        self.log = room.work / f"log-{self.network}"
        self.start()

    def start(self):
        file = self.room.work / f"{self.network}.json"
        file.write_text(json.dumps(self.facts))
        words = ["ip", "netns", "exec", self.network, "unshare", "--mount", "--pid", "--fork", sys.executable,
                 str(HERE / "shipped"), "--container", str(file)]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log, env=dict(os.environ, GETTING_IT=str(self.room.work)))
        self.pid = child(self.process.pid)

    def command(self, *words, stdin=None):
        """What `docker exec` and `kubectl exec` do."""
        user, group = self.user.split(":")
        return run("nsenter", f"--target={self.pid}", "--mount", "--pid", "--net", "--root",
                   f"--setuid={user}", f"--setgid={group}", "/usr/bin/linkspan", *words, input=stdin, env=self.variables)

    def stop(self):
        os.kill(self.pid, signal.SIGTERM)
        status = self.process.wait(30)
        if status:
            raise Problem(f"the server ended with {status}: {self.log.read_text()[-600:]}")

    def server(self, **ports):
        server = Server(self.pid, self.command, **ports)
        try:
            until("the server answers", lambda: self.process.poll() is not None or server.healthy())
        except Problem as problem:
            raise Problem(f"{problem}: {self.log.read_text()[-600:]}") from None
        if self.process.poll() is not None:
            raise Problem(f"the server ended with {self.process.returncode}: {self.log.read_text()[-600:]}")
        return server


class Folder:
    """A folder of sites on this machine; servers see it read-only, and a deployment renames a file into it."""

    def __init__(self, place):
        self.place = place / HOST / ".well-known"
        self.place.mkdir(parents=True)
        for folder in (place, self.place.parent, self.place):
            folder.chmod(0o755)

    def put(self, text):
        new = self.place / ".new"
        new.write_text(text)
        new.chmod(0o644)
        new.rename(self.place / "apple-app-site-association")


class Links:
    """A volume of a ConfigMap as kubelet writes it: a folder of its own for each version, reached by the link ..data."""

    def __init__(self, place, items, group):
        self.place, self.items, self.group, self.count = place, items, group, 0
        place.mkdir(parents=True)
        os.chown(place, 0, group)
        place.chmod(0o2777)

    def put(self, data):
        self.count += 1
        new = self.place / f"..2026_11_01_00_00_{self.count:02}.{self.count}"
        new.mkdir(mode=0o755)
        for key, path in self.items:
            file = new / path
            file.write_text(data[key])
            file.chmod(0o644)
            os.chown(file, 0, self.group)
        data_link = self.place / "..data"
        old = data_link.resolve() if data_link.is_symlink() else None
        (self.place / "..data_tmp").symlink_to(new.name)
        (self.place / "..data_tmp").rename(data_link)
        if not old:
            for _, path in self.items:
                (self.place / path).symlink_to(f"..data/{path}")
        else:
            shutil.rmtree(old)


# The forms. Each has servers, the folder as they see it, how its files are put there, and how it is restarted.

class Plain:
    """`linkspan serve FOLDER`, by this user."""

    def __init__(self, room, binary, user):
        self.name = "a plain folder, as " + ("root" if user is None else "an ordinary user")
        work = room.work / ("plain-" + str(user))
        work.mkdir()
        work.chmod(0o755)
        self.folder = Folder(work / "written")
        self.put, self.place, self.state = self.folder.put, str(work / "sites"), work / "state"
        os.mkdir(self.place)
        run("mount", "--bind", work / "written", self.place)
        if user is None:
            run("mount", "-o", "remount,bind,ro", self.place)
        self.state.mkdir()
        if user is not None:
            os.chown(self.state, user, user)
        self.become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user is not None else []
        self.binary, self.log = binary, work / "log"

    def start(self):
        words = [*self.become, self.binary, "serve", self.place, "--plain", "--listen=127.0.0.1:8443", "--admin=127.0.0.1:9464",
                 "--console=127.0.0.1:9465", f"--state={self.state}"]
        self.process = subprocess.Popen(words, stdout=self.log.open("a"), stderr=subprocess.STDOUT)
        server = Server(self.process.pid, lambda *words, stdin=None: run(*self.become, self.binary, *words, input=stdin))
        until("the server answers", server.healthy)
        self.servers = [server]

    def where(self):
        return ["--state", str(self.state)]

    def stop(self):
        self.process.terminate()
        if self.process.wait(30):
            raise Problem(f"the server ended with {self.process.returncode}: {self.log.read_text()[-600:]}")

    def restart(self):
        self.stop()
        self.start()


class DockerRun:
    """The line of getting-it.md that serves a folder with `:ro`, and with what it lacks for a rollback: a volume and the console."""
    name, state = "docker run -v …:ro", "/var/lib/linkspan/state"

    def __init__(self, room, image, line):
        words = shlex.split(line)
        if words[:2] != ["docker", "run"]:
            raise Problem(f"not a line of docker: {line}")
        words, volumes = words[2:], []
        work = room.work / "docker"
        self.folder = Folder(work / "site")
        (work / "state").mkdir()
        os.chown(work / "state", 65532, 65532)
        while words[0].startswith("-"):
            flag = words.pop(0)
            if flag in ("-v", "-p"):
                value = words.pop(0)
                if flag == "-v":
                    outside, inside, mode = (value.split(":") + ["rw"])[:3]
                    if outside.startswith("$PWD/"):
                        outside = str(work / outside.removeprefix("$PWD/"))
                    else:
                        outside = str(work / "state")
                    volumes.append([outside, inside, mode])
            elif flag.split("=")[0] not in ("--rm", "--name"):
                raise Problem(f"docker run: this runner does not know {flag}")
        self.put, self.place = self.folder.put, "/etc/linkspan/sites"
        self.room, self.image, self.volumes, self.words = room, image, volumes, words[1:] or image[1]["Cmd"]

    def start(self):
        self.container = Container(self.room, self.image, self.words, self.volumes)
        self.servers = [self.container.server()]

    def where(self):
        return ["--state", "/var/lib/linkspan/state"]

    def stop(self):
        self.container.stop()

    def restart(self):
        self.container.stop()
        self.container.start()
        self.servers = [self.container.server()]


class BesideDatabase:
    """A form of several containers beside a PostgreSQL."""

    def stop(self):
        try:
            for container in self.containers:
                container.stop()
        finally:
            self.stop_database()


class Compose(BesideDatabase):
    """Packaging/compose/compose.yml, with a PostgreSQL of this machine in place of the image."""
    name, state = "Packaging/compose/compose.yml", "/var/lib/linkspan/state"
    service_fields = "image command depends_on env_file volumes ports restart stop_grace_period"

    def __init__(self, room, image):
        import yaml
        source = ROOT / "Packaging/compose"
        self.document = yaml.safe_load((source / "compose.yml").read_text())
        only(self.document, "services secrets volumes", "compose.yml")
        work = room.work / "compose"
        work.mkdir()
        shutil.copy(source / "linkspan.json5", work)
        (work / "linkspan.json5").chmod(0o644)
        run(*KEY, work / "AuthKey.p8")
        os.chown(work / "AuthKey.p8", 65532, 65532)
        (work / "AuthKey.p8").chmod(0o400)
        self.folder = Folder(work / "sites")
        self.put, self.place = self.folder.put, "/etc/linkspan/sites"
        self.room, self.image, self.work = room, image, work

    def start(self):
        self.stop_database = self.room.postgres()
        environment = {"PGPASSWORD": "of a database"}
        self.containers, self.servers = [], []
        for name, service in self.document["services"].items():
            if name == "postgres":
                only(service, "image environment secrets volumes healthcheck restart", name)
                continue
            only(service, self.service_fields, name)
            default = re.fullmatch(r"\$\{LINKSPAN_IMAGE:-(.*)\}", service["image"]).group(1)
            if default not in self.image[0].parent.joinpath("tags").read_text():
                raise Problem(f"compose.yml: there is no image {default}")
            volumes = []
            for volume in service["volumes"]:
                outside, inside, mode = (volume.split(":") + ["rw"])[:3]
                if outside.startswith("./"):
                    outside = self.work / outside
                else:
                    if outside not in self.document["volumes"]:
                        raise Problem(f"compose.yml: there is no volume {outside}")
                    outside = self.work / ("volume-" + outside)
                    # A new volume has the owner of the image's folder.
                    outside.mkdir()
                    os.chown(outside, 65532, 65532)
                volumes.append([str(outside), inside, mode])
            container = Container(self.room, self.image, service["command"], volumes, environment=environment,
                                  hosts="10.200.0.1 postgres\n")
            self.containers.append(container)
            self.servers.append(container.server(files=8080))

    def where(self):
        return ["--config", "/etc/linkspan/linkspan.json5"]

    def restart(self):
        self.servers = []
        for container in self.containers:
            container.stop()
            container.start()
            self.servers.append(container.server(files=8080))


class Kubernetes(BesideDatabase):
    """A file for `kubectl apply`: its pods, with their volumes, arguments and probes."""
    state = "/var/lib/linkspan/state"
    pod_fields = ("automountServiceAccountToken securityContext containers volumes terminationGracePeriodSeconds"
                  " topologySpreadConstraints")
    container_fields = "name image args ports env startupProbe readinessProbe livenessProbe resources securityContext volumeMounts"

    def __init__(self, room, image, file):
        import yaml
        self.name = file
        self.documents = list(yaml.safe_load_all((ROOT / file).read_text()))
        self.maps = {one["metadata"]["name"]: one["data"] for one in self.documents if one["kind"] == "ConfigMap"}
        self.spec, = [one["spec"] for one in self.documents if one["kind"] in ("Deployment", "StatefulSet")]
        self.pod = self.spec["template"]["spec"]
        only(self.pod, self.pod_fields, file)
        self.container, = self.pod["containers"]
        only(self.container, self.container_fields, file)
        self.room, self.image = room, image
        self.work = room.work / file.replace("/", "-")
        self.work.mkdir()
        self.group = self.pod["securityContext"]["fsGroup"]
        self.place = f"/etc/linkspan/sites/{HOST}/.well-known"
        self.has_database = "PGPASSWORD" in str(self.container)
        self.files, self.sites = {}, []
        security = self.container["securityContext"]
        only(security, "allowPrivilegeEscalation readOnlyRootFilesystem capabilities", file)

    def volumes(self, number):
        """The volumes of one pod, as kubelet makes them."""
        volumes = {one["name"]: one for one in self.pod["volumes"]}
        claims = {one["metadata"]["name"] for one in self.spec.get("volumeClaimTemplates", [])}
        mounts = []
        for mount in self.container["volumeMounts"]:
            only(mount, "name mountPath readOnly", self.name)
            folder = self.work / f"{mount['name']}-{number}"
            volume = volumes.get(mount["name"], {})
            is_read_only = mount.get("readOnly", False)
            if "configMap" in volume:
                name = volume["configMap"]["name"]
                items = [(one["key"], one["path"]) for one in volume["configMap"].get("items", [])]
                links = Links(folder, items or [(key, key) for key in self.maps[name]], self.group)
                links.put(self.maps[name])
                if mount["mountPath"] == self.place:
                    self.sites.append((links, self.maps[name]))
                is_read_only = True
            elif "secret" in volume:
                links = Links(folder, [("AuthKey.p8", "AuthKey.p8")], self.group)
                run(*KEY, self.work / "key")
                links.put({"AuthKey.p8": (self.work / "key").read_text()})
                (folder / "..data/AuthKey.p8").chmod(volume["secret"]["defaultMode"])
                is_read_only = True
            elif "emptyDir" in volume or "persistentVolumeClaim" in volume or mount["name"] in claims:
                folder.mkdir()
                os.chown(folder, 0, self.group)
                folder.chmod(0o2777 if "emptyDir" in volume else 0o2775)
            else:
                raise Problem(f"{self.name}: there is no volume {mount['name']}")
            mounts.append([str(folder), mount["mountPath"], "ro" if is_read_only else "rw"])
        return mounts

    def put(self, text):
        """Every pod gets a changed ConfigMap; here at once, from kubelet within a minute."""
        self.maps = {name: {key: text if key == HOST else value for key, value in data.items()} for name, data in self.maps.items()}
        for links, data in self.sites:
            links.put({key: text if key == HOST else value for key, value in data.items()})

    def start(self):
        self.stop_database = self.room.postgres() if self.has_database else lambda: None
        environment = {"PGPASSWORD": "of a database"} if self.has_database else {}
        security = self.pod["securityContext"]
        self.containers = [
            Container(self.room, self.image, self.container["args"], self.volumes(number),
                      read_only=self.container["securityContext"]["readOnlyRootFilesystem"], environment=environment,
                      user=f"{security['runAsUser']}:{security['runAsGroup']}", hosts="10.200.0.1 postgres\n")
            for number in range(self.spec["replicas"])]
        self.ask()

    def ask(self):
        ports = {one["name"]: one["containerPort"] for one in self.container["ports"]}
        self.servers = [one.server(files=ports["http"], admin=ports["admin"]) for one in self.containers]
        for server in self.servers:
            for probe in ("readinessProbe", "livenessProbe"):
                path = self.container[probe]["httpGet"]["path"]
                def answers():
                    connection = Inside(server.pid, ports[self.container[probe]["httpGet"]["port"]])
                    connection.request("GET", path)
                    return connection.getresponse().status == 200
                until(f"{probe} {path}", answers)

    def where(self):
        words = self.container["args"]
        if "--config" in words:
            return words[words.index("--config"):][:2]
        return [word for word in words if word.startswith("--state")]

    def restart(self):
        for container in self.containers:
            container.stop()
            container.start()
        self.ask()
