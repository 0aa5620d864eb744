"""Commands, as a server that is root runs them and as one that is not: they end with all they started, and reach
nothing of the server."""

import os
import pwd
import shutil
import signal
import tempfile
import unittest

import server as servers
from server import Server, eventually

# As lines "what value": how many bytes of each file it can read, and what it is. No Python: another user may not be
# let in to ours.
PROBE = r"""
for file in $1; do echo "$file $(cat $file 2>/dev/null | wc -c)"; done
echo uid $(id -u)
echo groups $(id -G)
echo environment $(env | cut -d= -f1 | grep -v -e ^BELFRY_ -e ^PWD$ -e ^OLDPWD$ -e ^SHLVL$ -e ^_$)
echo descriptors $(ls /proc/self/fd)
echo privileges $(grep -e NoNewPrivs -e CapEff /proc/self/status | cut -f2)
"""

# In a session of its own, twice forked; it says that it lives by a pipe, which has an end when the last of them is
# gone.
DAEMON = "exec 7>{life}; (setsid sh -c 'sleep 600 & echo begun >&7') & wait; "

COMMANDS = """
[[command]]
name = "probe"
argv = ["/bin/sh", "-c", '''{probe}''', "probe", "${{input/files}}"]
environment = ["PATH"]

[[command]]
name = "daemon"
argv = ["/bin/sh", "-c", "{daemon} echo done"]

[[command]]
name = "lasting"
argv = ["/bin/sh", "-c", "{daemon} sleep 600"]

[[command]]
name = "storm"
argv = ["/bin/sh", "-c", "i=0; while [ $i -lt 200 ]; do sleep 600 & i=$((i + 1)); done; echo all"]
processes = 50
"""


class Life:
    """Whether anything that holds the named pipe open for writing is left."""

    def __init__(self, path):
        os.mkfifo(path)
        os.chmod(path, 0o666)
        self.path = path
        self._end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def begun(self):
        try:
            return os.read(self._end, 100)
        except BlockingIOError:
            return b""

    def over(self):
        try:
            return os.read(self._end, 100) == b""
        except BlockingIOError:
            return False

    def close(self):
        os.close(self._end)


class Commands:
    """What holds for every server."""

    user = None

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "data")
        os.mkdir(self.data, 0o700)
        self.life = Life(os.path.join(self.folder, "life"))
        self.addCleanup(self.life.close)
        os.chmod(self.folder, 0o755)
        commands = self.write("commands.toml", COMMANDS.format(probe=PROBE, daemon=DAEMON.format(life=self.life.path)))
        config = self.write("belfry.toml", f'commands_file = "{commands}"\nauth = "off"\n')
        if self.user:
            shutil.chown(self.data, self.user)
        self.server = Server("--config", config, folder=self.data, user=self.user, SECRET_OF_TESTS="hush",
                             program=self.program())
        self.addCleanup(self.server.__exit__)
        self.server.wait_until_ready()
        self.private = [os.path.join(self.data, name)
                        for name in ("secret.key", "belfry.db", "belfry.db-wal")] + [commands, config]

    def program(self):
        """One that the user may run."""
        if not self.user:
            return servers.PROGRAM
        copy = os.path.join(self.folder, "belfry")
        shutil.copy(servers.PROGRAM, copy)
        return copy

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o600)
        if self.user:
            shutil.chown(path, self.user)
        return path

    def start(self, command, **more):
        status, run = self.server.ask("POST", "/api/tenants/default/task-executions",
                                      {"taskKind": "command", "input": {"command": command, **more}})
        self.assertEqual(status, 201, run)
        return run["id"]

    def ended(self, run):
        def look():
            found = self.server.ask("GET", f"/api/tenants/default/runs/{run}")[1]
            return found if found["status"] in ("succeeded", "failed", "timed_out", "cancelled") else None
        return eventually("the end of the command", look)

    def probe(self, *files):
        ended = self.ended(self.start("probe", files=" ".join(files)))
        self.assertEqual(ended["status"], "succeeded", ended)
        return dict(line.split(" ", 1) for line in ended["result"]["stdout"].splitlines())

    def test_it_reaches_nothing_of_the_server(self):
        environ = f"/proc/{self.server.process.pid}/environ"
        memory = f"/proc/{self.server.process.pid}/mem"
        seen = self.probe(environ, memory, *self.private)
        for path in (environ, memory, *self.private):
            self.assertTrue(os.path.exists(path), path)
            self.assertEqual(seen[path], "0", path)
        self.assertEqual(seen["environment"], "PATH")
        self.assertEqual(seen["descriptors"], "0 1 2 3", "3 is how ls reads them")
        self.assertEqual(seen["privileges"], "0000000000000000 1")

    def test_what_left_its_session_ends_with_it(self):
        self.assertEqual(self.ended(self.start("daemon"))["result"]["stdout"], "done\n")
        self.assertTrue(self.life.begun())
        self.assertTrue(self.life.over())

    def test_what_left_its_session_ends_when_the_run_is_cancelled(self):
        run = self.start("lasting")
        eventually("the daemon", self.life.begun)
        self.server.ask("POST", f"/api/tenants/default/runs/{run}/cancel", {})
        eventually("its end", self.life.over)

    def test_what_left_its_session_ends_when_the_server_is_killed(self):
        self.start("lasting")
        eventually("the daemon", self.life.begun)
        self.assertFalse(self.life.over())
        self.server.send(signal.SIGKILL)
        eventually("its end", self.life.over)

    def test_its_number_of_processes_is_limited(self):
        ended = self.ended(self.start("storm"))
        self.assertEqual((ended["status"], ended["result"]["stdout"]), ("failed", ""), ended)
        self.assertIn("fork", ended["result"]["stderr"])


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class AsRoot(Commands, unittest.TestCase):
    def test_it_is_another_user(self):
        nobody = pwd.getpwnam("nobody")
        seen = self.probe()
        self.assertEqual((seen["uid"], seen["groups"]), (str(nobody.pw_uid), str(nobody.pw_gid)))


class AsAnotherUser(Commands, unittest.TestCase):
    user = "nobody" if os.geteuid() == 0 else None

    def test_it_is_the_same_user(self):
        self.assertEqual(self.probe()["uid"], str(pwd.getpwnam(self.user).pw_uid if self.user else os.geteuid()))


if __name__ == "__main__":
    unittest.main()
