#!/usr/bin/env python3
"""Private brokers for tests: each in a temporary folder of its own, on free ports of loopback, gone with whoever
started it.

In Python:            with Broker("redis") as broker: … broker.url …
As a program:         brokers.py redis|rabbitmq|nats [--tls]
    prints the broker's URL and, with --tls, the PEM file of its authority; then obeys one order in a line each and
    answers `ok`, or why not: kill (as a crash does), start (again, where it was), freeze, thaw; for RabbitMQ also
    starve (short of memory) and feed. The end of its input ends the broker, too.

Never the system's: no order here reaches a process that this module did not start.
"""

import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

START_S = 120  # RabbitMQ on a busy machine; only a fault takes as long
USER, PASSWORD = "belfry", "a-secret-of-the-tests"
NATS_PAYLOAD_MAX = 65536
RABBITMQ_MESSAGE_MAX = 262144


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(condition, complaint):
    end = time.monotonic() + START_S
    while not condition():
        if time.monotonic() > end:
            raise RuntimeError(complaint)
        time.sleep(0.01)


def thread_states(pid):
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/stat", encoding="ascii", errors="replace") as file:
            yield file.read().rpartition(")")[2].split()[0]


class _Identity:
    """A certificate for the name `localhost` and no address, which is its own authority."""

    def __init__(self, folder):
        self.certificate, self.key = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", self.key, "-out",
                        self.certificate],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class _Redis:
    scheme = "redis"

    def __init__(self, folder, port, tls):
        assert not tls, "our client of Redis has no TLS"
        self.command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", folder, "--save", "",
                        "--appendonly", "no",
                        "--requirepass", PASSWORD, "--user", USER, "on", f">{PASSWORD}", "~*", "&*", "+@all"]
        self.environment = {}

    @staticmethod
    def is_ready(connection):
        connection.sendall(b"PING\r\n")
        return connection.recv(64).startswith(b"-NOAUTH")


class _Nats:
    def __init__(self, folder, port, tls):
        path = os.path.join(folder, "nats.conf")
        self.scheme = "tls" if tls else "nats"
        with open(path, "w", encoding="ascii") as file:
            file.write(f'listen: "127.0.0.1:{port}"\nmax_payload: {NATS_PAYLOAD_MAX}\n'
                       f'jetstream {{ store_dir: "{folder}/jetstream" }}\n'
                       f'authorization {{ user: "{USER}", password: "{PASSWORD}" }}\n')
            if tls:
                file.write(f'tls {{ cert_file: "{tls.certificate}", key_file: "{tls.key}" }}\n')
        self.command = ["nats-server", "-c", path]
        self.environment = {}

    @staticmethod
    def is_ready(connection):
        return b'"jetstream":true' in connection.recv(4096)


class _Rabbitmq:
    """A node of its own, with an epmd of its own: the names of nodes are the machine's otherwise."""

    def __init__(self, folder, port, tls):
        self.scheme = "amqps" if tls else "amqp"
        listeners = f"listeners.tcp.1 = 127.0.0.1:{port}\n"
        if tls:
            listeners = (f"listeners.tcp = none\nlisteners.ssl.1 = 127.0.0.1:{port}\n"
                         f"ssl_options.certfile = {tls.certificate}\n"
                         f"ssl_options.keyfile = {tls.key}\nssl_options.verify = verify_none\n")
        epmd_port, dist_port = free_port(), free_port()
        self._write(folder, "rabbitmq.conf",
                    f"{listeners}default_user = {USER}\ndefault_pass = {PASSWORD}\n"
                    f"disk_free_limit.absolute = 1MB\nmax_message_size = {RABBITMQ_MESSAGE_MAX}\n")
        self._write(folder, "enabled_plugins", "[].\n")
        self._write(folder, "advanced.config", "[].\n")
        self.environment = {
            "HOME": folder,  # the cookie
            "ERL_EPMD_PORT": str(epmd_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"belfry-{port}@localhost",
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": os.path.join(folder, "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": os.path.join(folder, "advanced.config"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": os.path.join(folder, "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": os.path.join(folder, "mnesia"),
            "RABBITMQ_LOG_BASE": os.path.join(folder, "log"),
            "RABBITMQ_PID_FILE": os.path.join(folder, "pid"),
            "RABBITMQ_DIST_PORT": str(dist_port),
            "RABBITMQ_ALLOW_INPUT": "1",  # so that the script becomes the node, which then is our child
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS":
                "-noinput -kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +sbwt none",
        }
        self.companion = ["epmd", "-port", str(epmd_port), "-address", "127.0.0.1"]
        self.control = ["/usr/lib/rabbitmq/bin/rabbitmqctl"]
        self.command = ["/usr/lib/rabbitmq/bin/rabbitmq-server"]  # not /usr/sbin's, which insists on root

    @staticmethod
    def _write(folder, name, text):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)

    @staticmethod
    def is_ready(connection):
        connection.sendall(b"AMQP\x00\x00\x09\x01")
        return connection.recv(64).startswith(b"\x01\x00\x00")


KINDS = {"redis": _Redis, "nats": _Nats, "rabbitmq": _Rabbitmq}


class Broker:
    def __init__(self, kind, tls=False):
        self.kind = kind
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix=f"belfry-{kind}-")
        self._tls = _Identity(self.folder) if tls else None
        self._how = KINDS[kind](self.folder, self.port, self._tls)
        self._process = None
        self._companion = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.kill()
        if self._companion:
            self._end(self._companion)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self):
        return f"{self._how.scheme}://{USER}:{PASSWORD}@{'localhost' if self._tls else '127.0.0.1'}:{self.port}"

    @property
    def authority(self):
        return self._tls.certificate

    def start(self):
        """Where it was, with what it keeps. Comes back when it answers."""
        companion = getattr(self._how, "companion", None)
        if companion and not self._companion:
            self._companion = self._spawn(companion)
        self._process = self._spawn(self._how.command)
        self._wait_until_ready()

    def kill(self):
        """As a crash does; also a frozen one."""
        if self._process:
            self._end(self._process)
            self._process = None

    def freeze(self):
        """Comes back when it stands still: the signal takes its time to reach every thread."""
        os.killpg(self._process.pid, signal.SIGSTOP)
        wait_until(lambda: all(state == "T" for state in thread_states(self._process.pid)),
                   f"{self.kind} does not stop")

    def thaw(self):
        os.killpg(self._process.pid, signal.SIGCONT)

    def starve(self):
        self._control("set_vm_memory_high_watermark", "absolute", "1")

    def feed(self):
        self._control("set_vm_memory_high_watermark", "0.4")

    def _control(self, *arguments):
        subprocess.run([*self._how.control, *arguments], env={**os.environ, **self._how.environment}, cwd=self.folder,
                       check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=START_S)

    def log(self):
        with open(os.path.join(self.folder, "output"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def _spawn(self, command):
        with open(os.path.join(self.folder, "output"), "ab") as output:
            # A group of its own, so that what it starts goes with it; and it goes when we are killed.
            return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.DEVNULL,
                                    stdout=output, stderr=output,
                                    env={**os.environ, **self._how.environment}, cwd=self.folder,
                                    start_new_session=True)

    @staticmethod
    def _end(process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()

    def _wait_until_ready(self):
        wait_until(lambda: self._process.poll() is not None or self._answers(), f"{self.kind} does not start")
        if self._process.poll() is not None:
            raise RuntimeError(f"{self.kind} does not start:\n{self.log()}")

    def _answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
                if self._tls and self.kind == "rabbitmq":  # NATS speaks first, and then begins with TLS
                    connection = self._encrypted(connection)
                return self._how.is_ready(connection)
        except OSError:
            return False


    def _encrypted(self, connection):
        context = ssl.create_default_context(cafile=self.authority)
        return context.wrap_socket(connection, server_hostname="localhost")


def obey(broker, order):
    orders = {"kill": broker.kill, "start": broker.start, "freeze": broker.freeze, "thaw": broker.thaw,
              "starve": broker.starve,
              "feed": broker.feed}
    if order not in orders:
        return "no such order: use " + ", ".join(orders)
    orders[order]()
    return "ok"


def main(arguments):
    kind, options = arguments[:1], arguments[1:]
    if not kind or kind[0] not in KINDS or options not in ([], ["--tls"]):
        print(f"usage: brokers.py {'|'.join(KINDS)} [--tls]", file=sys.stderr)
        return 2
    for deadly in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(deadly, lambda *_: sys.exit(1))
    with Broker(kind[0], tls=bool(options)) as broker:
        print(broker.url, flush=True)
        if options:
            print(broker.authority, flush=True)
        for line in sys.stdin:
            print(obey(broker, line.strip()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
