"""A server with its stand-ins, its load and a Prometheus of its own: what Scripts/soak-alerts breaks."""
import contextlib, itertools, json, os, pathlib, re, signal, socket, subprocess, threading, time
import urllib.error, urllib.parse, urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = ROOT / "Packaging/prometheus/alerts.yml"
HOST, TOPIC, SCRAPE_S = "example.com", "com.example.shop", 30
KEY = ["--auth-key-id", "A1B2C3D4E5", "--team-id", "F6G7H8I9J0"]
FILE = {"applinks": {"details": [{"appIDs": [f"ABCDE12345.{TOPIC}"], "components": [{"/": "/buy/*"}]}]}}


# Below those that the system gives to clients, of which one might take a port before its server does.
PORTS = itertools.count(20_000 + os.getpid() % 10_000)


def free_port():
    for port in PORTS:
        with contextlib.suppress(OSError), socket.socket() as one:
            one.bind(("127.0.0.1", port))
            return port


def ask(method, url, body=None, headers=(), seconds=20):
    request = urllib.request.Request(url, method=method, data=None if body is None else json.dumps(body).encode(),
                                     headers={"Content-Type": "application/json", **dict(headers)})
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as problem:
        return problem.code, problem.read()
    except OSError:
        return None, b""


class World:
    """A server that sends five notifications a second through a stand-in for APNs, and Prometheus, which scrapes it."""

    def __init__(self, name, binary, folder, rules):
        self.name, self.binary, self.folder, self.alert_rules = name, binary, folder, rules
        self.processes, self.disks, self.ended, self.held, self.heal = [], [], threading.Event(), None, None
        # What a fault may set before the server starts.
        self.plain, self.flags, self.wrapper, self.has_sender, self.per_second, self.tokens = True, [], [], True, 5, 400
        folder.mkdir()
        self.store = f"sqlite:{folder}/registry.db"
        self.errors = open(folder / "errors.log", "a")
        (folder / f"sites/{HOST}/.well-known").mkdir(parents=True)
        (folder / f"sites/{HOST}/.well-known/apple-app-site-association").write_text(json.dumps(FILE))
        self.key = folder / "key.p8"
        self.made("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self.key)
        self.key.chmod(0o600)
        self.public, self.admin, self.watch = free_port(), free_port(), free_port()

    @property
    def database(self):
        """The file of a registry on SQLite."""
        return self.store.removeprefix("sqlite:")

    def made(self, *words):
        return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, stderr=self.errors,
                              text=True).stdout.strip()

    def fail(self, text):
        raise SystemExit(f"soak-alerts: {self.name}: {text}")

    # -- What runs

    def beside(self, *words, **more):
        """Starts a program that ends with this world."""
        process = subprocess.Popen([str(word) for word in words], **{"stdout": subprocess.DEVNULL, "stderr": self.errors, **more})
        self.processes.append(process)
        return process

    def start(self, *words):
        process = self.beside(*words, stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            facts = json.loads(line)
            if facts.get("type") not in ("publication", None):
                threading.Thread(target=lambda: [None for _ in process.stdout], daemon=True).start()
                return process, facts
        self.fail(f"{words[0]} did not start: see {self.folder}/errors.log")

    def serve(self, has_key=True):
        sender = ["--auth-key", self.key, *KEY, "--apns", self.apns_url, "--apns-ca", self.folder / "apns.pem"]
        self.server, _ = self.start(
            *self.wrapper, self.binary, "serve", self.folder / "sites", "--json", "--listen", f"127.0.0.1:{self.public}",
            "--admin", f"127.0.0.1:{self.admin}", "--registry", self.store, *(["--plain"] if self.plain else []), *self.flags,
            *(sender if has_key else []))

    def credential(self, scope):
        return self.made(self.binary, "token", "create", "--registry", self.store, "--scope", scope)

    def begin(self):
        rules = self.folder / "rules.json5"
        rules.write_text(json.dumps({"rules": [], "limits": {"errors": 1_000_000}}))
        self.apns, facts = self.start(
            self.binary, "stand-in", "apns", "--json", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--auth-key", self.key,
            *KEY, "--topic", TOPIC, "--environment", "production", "--write-certificate", self.folder / "apns.pem",
            "--rules", rules)
        self.apns_url, self.apns_admin = facts["url"], facts.get("admin_url")
        self.registering, self.sending = self.credential("devices:write"), self.credential("notifications:write")
        self.serve()
        self.register(range(self.tokens))
        settings = self.folder / "prometheus.yml"
        settings.write_text(json.dumps({
            "global": {"scrape_interval": f"{SCRAPE_S}s", "evaluation_interval": f"{SCRAPE_S}s"},
            "rule_files": [str(self.alert_rules)],
            "scrape_configs": [{"job_name": "linkspan", "static_configs": [{"targets": [f"127.0.0.1:{self.admin}"]}]}]}))
        self.beside("prometheus", f"--config.file={settings}", f"--storage.tsdb.path={self.folder}/tsdb",
                    f"--web.listen-address=127.0.0.1:{self.watch}")
        if self.has_sender:
            self.send()

    def stop(self):
        self.ended.set()
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        for disk in self.disks:
            self.made("umount", disk)

    # -- What its clients do

    def again(self, pause, what):
        """Does something again and again, at the side, until the world ends; a connection that fails is part of it."""
        def go_on():
            while not self.ended.is_set():
                begun = time.monotonic()
                with contextlib.suppress(OSError):
                    what()
                self.ended.wait(max(0.0, pause - (time.monotonic() - begun)))
        threading.Thread(target=go_on, daemon=True).start()

    def api(self, method, path, body, credential, seconds=20):
        scheme = "http" if self.plain else "https"
        return ask(method, f"{scheme}://127.0.0.1:{self.public}{path}", body, {"Authorization": f"Bearer {credential}"}, seconds)

    def metric(self, name):
        """The value of a metric without labels."""
        status, text = ask("GET", f"http://127.0.0.1:{self.admin}/metrics")
        if status != 200:
            raise OSError("there are no metrics")
        return int(re.search(rf"^{name} (\d+)$", text.decode(), re.M)[1])

    def register(self, numbers):
        for number in numbers:
            status, text = self.api("PUT", f"/v1/devices/{number:064x}", {"topic": TOPIC, "environment": "production"},
                                    self.registering)
            if status not in (200, 201):
                self.fail(f"a device was not registered: {status} {text[:200]}")

    def notify(self, number):
        return self.api("POST", "/v1/notifications", {
            "tokens": [f"{number:064x}"], "topic": TOPIC, "environment": "production", "payload": {"aps": {"alert": "Hi"}}},
            self.sending, 2)

    def campaign(self, **more):
        """A campaign to every device."""
        status, text = self.api("POST", "/v1/campaigns", {
            "name": "News", "audience": "all", "topic": TOPIC, "environment": "production",
            "payload": {"aps": {"alert": "Hi"}}, **more}, self.credential("campaigns:write"))
        if status != 201:
            self.fail(f"a campaign was not stored: {status} {text[:200]}")

    def send(self):
        """Begins to send to one device after the other."""
        numbers = iter(range(10**9))
        self.again(1 / self.per_second, lambda: self.notify(next(numbers) % self.tokens))

    def break_apns(self, *rules):
        status, text = ask("POST", self.apns_admin.rstrip("/") + "/rules", {"rules": list(rules)})
        if status != 200:
            self.fail(f"the stand-in took no rules: {status} {text[:200]}")

    # -- What Prometheus saw

    def firing(self, ticket):
        """The pages that fired, and this ticket: name -> the moments at which each was seen to fire."""
        seconds = int(time.time() - self.begun) + 1
        query = urllib.parse.urlencode({"query": f'ALERTS{{alertstate="firing"}}[{seconds}s]'})
        status, text = ask("GET", f"http://127.0.0.1:{self.watch}/api/v1/query?{query}")
        if status != 200:
            self.fail(f"Prometheus does not answer: {text[:200]}")
        found = {}
        for series in json.loads(text)["data"]["result"]:
            name, severity = series["metric"]["alertname"], series["metric"]["severity"]
            if severity == "page" or name == ticket:
                found.setdefault(name, []).extend(float(moment) for moment, _ in series["values"])
        return {name: sorted(set(moments)) for name, moments in found.items()}
