"""The faults of Scripts/soak-alerts: what prepares a world for one, and what breaks it."""
import contextlib, glob, json, os, shutil, signal, socket, sqlite3, ssl, subprocess, time

from alerts_world import HOST, SCRAPE_S, TOPIC

DAY_S = 86_400


# -- The process

def die(world):
    world.server.kill()


def die_again(world):
    for _ in range(4):
        world.server.kill()
        world.server.wait()
        world.ended.wait(1)
        world.serve()
        world.ended.wait(SCRAPE_S + 1)


def without_key(world):
    """No sender is left: the server starts again, without its key."""
    world.server.terminate()
    world.server.wait()
    world.serve(has_key=False)


# -- Files and certificates

def refuse_file(world):
    (world.folder / f"sites/{HOST}/.well-known/apple-app-site-association").write_text('{"applinks": 7')


def hide_sites(world):
    (world.folder / "sites").rename(world.folder / "elsewhere")


def certificate(world, days, name="tls"):
    world.made("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", days, "-subj",
               f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}", "-keyout", world.folder / f"{name}.key", "-out",
               world.folder / f"{name}.pem")


def with_certificate(world):
    """Serves TLS, and nothing is sent."""
    world.plain, world.has_sender, world.tokens = False, False, 0
    certificate(world, 90)
    world.flags += ["--certificate", world.folder / "tls.pem", "--key", world.folder / "tls.key"]


def renew(world, days):
    certificate(world, days)
    world.server.send_signal(signal.SIGHUP)


def break_certificate(world):
    (world.folder / "tls.pem").write_text("no certificate")
    world.server.send_signal(signal.SIGHUP)


def signer(world, days):
    certificate(world, days, "signer")
    world.made("openssl", "pkcs12", "-export", "-inkey", world.folder / "signer.key", "-in", world.folder / "signer.pem", "-out",
               world.folder / "new.p12", "-passout", f"file:{world.folder}/passphrase")
    (world.folder / "new.p12").chmod(0o600)
    (world.folder / "new.p12").rename(world.folder / "signer.p12")


def with_signer(world):
    """Also serves the signed form of iOS 8."""
    (world.folder / "passphrase").write_text("a passphrase\n")
    (world.folder / "passphrase").chmod(0o600)
    signer(world, 90)
    signed = {HOST: {"p12": str(world.folder / "signer.p12"), "passphrase_file": str(world.folder / "passphrase")}}
    (world.folder / "linkspan.json5").write_text(json.dumps({"server": {"signed": signed}}))
    world.flags += ["--config", world.folder / "linkspan.json5"]


# -- Connections

def shake_hands(world, context, pause):
    def once():
        with socket.create_connection(("127.0.0.1", world.public), timeout=5) as one:
            context.wrap_socket(one, server_hostname=HOST).close()
    world.again(pause, once)


def refuse_handshakes(world):
    """Clients that do not trust the certificate go away in the middle of the handshake."""
    shake_hands(world, ssl.create_default_context(), 0.5)


def refuse_some_handshakes(world):
    """One client of two does."""
    refuse_handshakes(world)
    shake_hands(world, ssl._create_unverified_context(), 0.5)


def open_silently(world, count):
    """Clients that say nothing; each comes again before the server closes its connection, one after the other."""
    held = [None] * count
    places = iter(range(10**9))
    def once():
        place = next(places) % count
        if held[place]:
            held[place].close()
            held[place] = None
        held[place] = socket.create_connection(("127.0.0.1", world.public), timeout=5)
    world.again(8 / count, once)


def keep_asking(world, count):
    """Clients that keep their connection and ask for the file every ten seconds."""
    held = [None] * count
    places = iter(range(10**9))
    request = f"GET /.well-known/apple-app-site-association HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
    def once():
        place = next(places) % count
        try:
            held[place] = held[place] or socket.create_connection(("127.0.0.1", world.public), timeout=5)
            held[place].sendall(request)
            if not held[place].recv(65_536):
                held[place] = None
        except OSError:
            held[place] = None
    world.again(10 / count, once)


def hold_bodies(world, is_brief=False):
    """Uploads that never end take all the room for bodies, so other requests are answered 503; a brief one is only one time."""
    def upload(size):
        one = socket.create_connection(("127.0.0.1", world.public), timeout=60)
        with contextlib.suppress(OSError):
            one.sendall(b"POST /v1/notifications HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + world.sending.encode()
                        + f"\r\nContent-Type: application/json\r\nContent-Length: {size + 9}\r\n\r\n".encode() + b" " * size)
        return one
    def once():
        if not (is_brief and world.held):
            world.held = [upload(1_000_000) for _ in range(24)]
    world.again(5, once)


# -- Disks

def small_disk(world, name):
    """A file system of sixteen megabytes."""
    place = world.folder / name
    place.mkdir()
    world.made("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", place)
    world.disks.append(place)
    return place


def fill(place):
    with contextlib.suppress(OSError), open(place / "ballast", "wb", buffering=0) as file:
        while file.write(bytes(4_096)):
            pass


def store_on_small_disk(world):
    world.store = f"sqlite:{small_disk(world, 'store')}/registry.db"


def log_on_small_disk(world):
    world.flags += ["--access-log", small_disk(world, "log") / "access.log"]


def exports_on_small_disk(world):
    world.flags += ["--journal-export", small_disk(world, "exports")]


# -- The registry's store

def base(world):
    return sqlite3.connect(world.database, timeout=20, isolation_level=None, check_same_thread=False)


def lock(world):
    """Another program holds the store."""
    one = base(world)
    one.execute("BEGIN IMMEDIATE")
    world.heal = one.rollback


def lock_mostly(world):
    """Another program holds the store for four seconds of each four and a half."""
    one = base(world)
    def once():
        one.execute("BEGIN IMMEDIATE")
        world.ended.wait(4)
        one.execute("COMMIT")
    world.again(4.5, once)


def flood(world, waiting):
    """A slow store, and an import that keeps this many registrations waiting."""
    lock_mostly(world)
    paths = world.folder / "paths"
    paths.write_text("".join(f"http://127.0.0.1:{world.public}/v1/devices/{number:064x}\n" for number in range(10_000)))
    body = world.folder / "device.json"
    body.write_text(json.dumps({"topic": TOPIC, "environment": "production"}))
    streams = 128
    def once():
        count = waiting - world.metric("linkspan_registry_waiting")
        if count >= 1_000:
            world.beside("h2load", "-t", "1", "-c", count // streams + 1, "-m", streams, "-n", count, "-i", paths, "-d", body, "-H",
                         ":method: PUT", "-H", "content-type: application/json", "-H",
                         f"authorization: Bearer {world.registering}")
    world.again(5, once)


def without_traffic(world):
    world.has_sender, world.tokens = False, 0


def large_store(world):
    """Takes more than a gigabyte before the server starts, and nothing is sent."""
    world.has_sender = False
    world.credential("devices:read")
    one = base(world)
    one.execute("CREATE TABLE ballast (bytes BLOB)")
    for _ in range(3):
        one.execute("INSERT INTO ballast VALUES (zeroblob(340000000))")
    one.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    one.close()


def send_much(world):
    """Every push leaves its lines."""
    world.send()


def age(world, days):
    """The messages that are stored were stored so many days before."""
    one = base(world)
    one.execute("UPDATE messages SET created_at = created_at - ?", [days * DAY_S * 1_000])
    one.close()


def forget_campaign(world):
    """A campaign has been paused for longer than its day is kept."""
    world.campaign(paused=True)
    age(world, 34)


def keep_days(world):
    """A day is over, and there is no room for its file."""
    fill(world.folder / "exports")
    age(world, 2)


# -- PostgreSQL

def postgres_programs():
    return sorted(glob.glob("/usr/lib/postgresql/*/bin")) + [os.path.dirname(shutil.which("initdb") or "")]


def with_postgres(world):
    """The registry is on a PostgreSQL of its own, which this user or, for root, nobody runs."""
    place = world.folder / "postgres"
    place.mkdir()
    other = []
    if os.geteuid() == 0:
        other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        os.chown(place, 65534, 65534)
    programs = postgres_programs()[0]
    world.made(*other, f"{programs}/initdb", "-D", place / "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale")
    world.beside(*other, f"{programs}/postgres", "-D", place / "data", "-c", "listen_addresses=", "-c",
                 f"unix_socket_directories={place}")
    world.psql = [f"{programs}/psql", "-qAt", "-h", place, "-U", "postgres", "-v", "ON_ERROR_STOP=1", "-c"]
    for _ in range(100):
        with contextlib.suppress(subprocess.CalledProcessError):
            world.made(*world.psql, "CREATE ROLE linkspan LOGIN")
            break
        time.sleep(0.2)
    world.made(*world.psql, "CREATE DATABASE linkspan OWNER linkspan")
    world.store = f"postgres:///linkspan?host={place}&user=linkspan"


def lock_senders(world):
    """Maintenance holds the table in which senders renew their lease."""
    world.beside(*world.psql[:-1], "-d", "linkspan", "-c",
                 "BEGIN; LOCK TABLE senders IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(1000)")


# -- APNs

def dead_tokens(world):
    world.break_apns({"share": 0.5, "answer": {
        "status": 410, "reason": "Unregistered", "timestamp": int(time.time() * 1_000) + 1_000}})


def throttle_one(world):
    """APNs takes nothing for one device."""
    world.break_apns({"token": f"{7:064x}", "answer": {"status": 429, "reason": "TooManyRequests"}})
    world.notify(7)


def grow_campaign(world):
    """A quarter more devices than there were when the campaign was made."""
    starts = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 30))
    world.campaign(starts_at=starts)
    world.register(range(world.tokens, world.tokens * 5 // 4))
