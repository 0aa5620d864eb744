"""`belfry worker run` with a real server: what its commands get and give, and what happens when workers or commands
misbehave."""

import json
import os
import signal
import socket
import sys
import tempfile
import unittest

from server import Server, belfry, eventually
from worker import Worker, is_alive

STARTS = "/api/tenants/default/task-executions"
RUNS = "/api/tenants/default/runs"


class WorkerTest(unittest.TestCase):
    """With a server and a folder in which commands leave traces."""

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.__exit__)
        self.server.wait_until_ready()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        """What a command has written to a file, once it has."""

        def look():
            try:
                with open(self.path(name), encoding="utf-8") as file:
                    return file.read()
            except FileNotFoundError:
                return ""

        return eventually(f"the file {name}", look)

    def write(self, name):
        with open(self.path(name), "w", encoding="utf-8"):
            pass

    def start(self, task_input=None, **more):
        """The id of a run of one task."""
        status, run = self.server.ask("POST", STARTS, {"taskKind": "greet", "input": task_input, **more})
        self.assertEqual(status, 201, run)
        return run["id"]

    def run_of(self, run_id):
        return self.server.ask("GET", f"{RUNS}/{run_id}")[1]

    def ended(self, run_id):
        """The run, once it is over."""

        def look():
            run = self.run_of(run_id)
            return run if run["status"] not in ("queued", "running") else None

        return eventually(f"the end of {run_id}", look)

    def worker(self, command, *flags, **environment):
        worker = Worker(self.server.url, flags, command, **environment)
        self.addCleanup(worker.__exit__)
        return worker

    def shell(self, script, *flags, **environment):
        return self.worker(["sh", "-c", script, "sh", self.folder], *flags, **environment)

    # Says where it is and waits for a file; its own process id goes to `pid`. Without children: `read` on a pipe that
    # nobody writes to would not end either, so it looks again and again.
    WAITING = 'echo $$ > "$1/pid.part"; mv "$1/pid.part" "$1/pid"; while ! [ -e "$1/go" ]; do sleep 0.05; done; '


class Results(WorkerTest):
    def test_the_input_comes_as_json_and_json_is_the_result(self):
        run_id = self.start({"name": "Ada", "total": 12.5})
        worker = self.worker(["cat"], "--once")
        self.assertEqual(worker.wait(), 0, worker.log)
        run = self.run_of(run_id)
        self.assertEqual((run["status"], run["result"]), ("succeeded", {"name": "Ada", "total": 12.5}))
        self.assertRegex(worker.log, rf"info  claimed run {run_id} \(attempt 1\) kind=greet")
        self.assertRegex(worker.log, rf"info  run {run_id} succeeded in \d+ ms")

    def test_other_output_is_a_text_and_none_is_null(self):
        for script, result in (("echo hello", {"output": "hello\n"}), ("true", None),
                               ("printf '\\377\\0'", {"output": "\ufffd\ufffd"})):
            run_id = self.start()
            self.assertEqual(self.shell(script, "--once").wait(), 0)
            run = self.run_of(run_id)
            self.assertEqual((run["status"], run["result"]), ("succeeded", result))

    def test_the_environment_tells_about_the_task(self):
        run_id = self.start()
        script = ('echo "$BELFRY_RUN_ID/$BELFRY_TASK_KIND/$BELFRY_ATTEMPT/$BELFRY_TENANT/$OWN"; '
                  '[ -n "$BELFRY_IDEMPOTENCY_KEY" ]')
        worker = self.shell(script, "--once", OWN="mine")
        self.assertEqual(worker.wait(), 0, worker.log)
        run = self.run_of(run_id)
        self.assertEqual((run["status"], run["result"]), ("succeeded", {"output": f"{run_id}/greet/1/default/mine\n"}))

    def test_arguments_arrive_as_they_are(self):
        run_id = self.start()
        words = ["[a,b]", "--once", "", "--", "$HOME", "two words"]
        self.assertEqual(self.worker([sys.executable, "-c", "import json, sys; print(json.dumps(sys.argv[1:]))",
                                      *words], "--once").wait(), 0)
        self.assertEqual(self.run_of(run_id)["result"], words)

    def test_a_failure_is_tried_again_and_says_why(self):
        run_id = self.start(retryPolicy={"maxRetries": 2, "backoffMs": 1})
        worker = self.shell('echo "attempt $BELFRY_ATTEMPT is no good" >&2; [ $BELFRY_ATTEMPT = 3 ] && exit 3; exit 75',
                            "--max", "3")
        self.assertEqual(worker.wait(), 0, worker.log)
        run = self.run_of(run_id)
        self.assertEqual((run["status"], run["attempts"], run["error"]),
                         ("failed", 3, "exit code 3: attempt 3 is no good"))
        self.assertIn(f"[{run_id}] attempt 1 is no good\n", worker.log)
        self.assertRegex(worker.log, rf"run {run_id}: the server will retry it at=\S+Z")

    def test_the_exit_code_says_whether_another_attempt_is_worth_it(self):
        retry = {"maxRetries": 1, "backoffMs": 1, "retryOn": ["provider_error"]}
        for code, attempts in ((75, 2), (65, 1), (1, 1)):
            run_id = self.start(retryPolicy=retry)
            worker = self.shell(f"exit {code}", "--max", str(attempts))
            self.assertEqual(worker.wait(), 0, worker.log)
            run = self.ended(run_id)
            self.assertEqual((run["status"], run["attempts"], run["error"]), ("failed", attempts, f"exit code {code}"))

    def test_a_command_that_takes_too_long_is_ended(self):
        run_id = self.start(retryPolicy={"maxRetries": 0, "timeoutMs": 300})
        worker = self.shell(self.WAITING)
        self.assertEqual(self.ended(run_id)["status"], "timed_out")
        pid = int(self.read("pid"))
        eventually("the end of the command", lambda: not is_alive(pid))

    def test_a_flood_of_output_is_cut_and_takes_no_memory(self):
        run_id = self.start()
        other = self.start()
        # As one line without an end, and as many short ones.
        flood = "head -c 100000000 /dev/zero | tr '\\0' x; yes 'the same line again and again' | head -c 20000000 >&2"
        worker = self.worker(["sh", "-c", f'[ "$BELFRY_RUN_ID" = {other} ] && exit 0; {flood}'])
        run = self.ended(run_id)
        self.assertEqual((run["status"], run["result"]["cut"]), ("succeeded", True))
        self.assertRegex(run["result"]["output"], r"^x{100000,}$")
        self.assertEqual(self.ended(other)["status"], "succeeded")
        if os.environ.get("BELFRY_SLOW") != "1":  # a sanitizer keeps what was freed
            self.assertLess(worker.peak_kib(), 200 * 1024)

    def test_the_log_is_json_when_asked(self):
        self.start()
        worker = self.shell("echo oh >&2", "--once", "--log-format", "json")
        self.assertEqual(worker.wait(), 0, worker.log)
        messages = [json.loads(line)["message"] for line in worker.log.splitlines()]
        self.assertEqual((messages[0], messages[2], messages[-1]), ("working", "oh", "ended"))


class Leases(WorkerTest):
    def test_a_cancelled_run_ends_its_command(self):
        run_id = self.start()
        worker = self.shell(self.WAITING, "--lease", "1s")
        pid = int(self.read("pid"))
        self.assertEqual(self.server.ask("POST", f"{RUNS}/{run_id}/cancel", {})[0], 200)
        eventually("the end of the command", lambda: not is_alive(pid))
        worker.said(rf"lost run {run_id}: ")
        worker.said(rf"run {run_id} was ended after \S+ m?s; reporting no result")
        self.assertEqual(self.run_of(run_id)["status"], "cancelled")

    def test_heartbeats_keep_a_task_for_longer_than_its_lease(self):
        run_id = self.start()
        worker = self.shell("sleep 2", "--lease", "600ms", "--once")
        self.assertEqual(worker.wait(), 0, worker.log)
        run = self.run_of(run_id)
        self.assertEqual((run["status"], run["attempts"]), ("succeeded", 1), worker.log)

    def test_the_task_of_a_killed_worker_is_finished_by_another(self):
        run_id = self.start(retryPolicy={"maxRetries": 1, "backoffMs": 1})
        first = self.shell(self.WAITING, "--lease", "1s")
        pid = int(self.read("pid"))
        first.send(signal.SIGKILL)
        eventually("the end of the dead worker's command", lambda: not is_alive(pid))
        second = self.worker(["printenv", "BELFRY_ATTEMPT"], "--lease", "1s")
        run = self.ended(run_id)
        self.assertEqual((run["status"], run["result"], run["attempts"]), ("succeeded", 2, 2), second.log)

    def test_a_worker_that_was_frozen_beyond_its_lease_is_refused(self):
        run_id = self.start(retryPolicy={"maxRetries": 1, "backoffMs": 1})
        frozen = self.shell(self.WAITING + "echo late", "--lease", "1s")
        pid = int(self.read("pid"))
        frozen.send(signal.SIGSTOP)
        self.write("go")  # the command ends, and its worker does not see it
        eventually("the end of the command", lambda: not is_alive(pid))
        second = self.shell("echo second", "--lease", "1s", "--max", "1")
        self.assertEqual(self.ended(run_id)["result"], {"output": "second\n"})
        frozen.send(signal.SIGCONT)
        frozen.said(rf"run {run_id}: the lease was lost; the server rejected the result")
        self.assertEqual(second.wait(), 0)
        run = self.run_of(run_id)
        self.assertEqual((run["status"], run["result"], run["attempts"]), ("succeeded", {"output": "second\n"}, 2))


class Concurrency(WorkerTest):
    def test_as_many_commands_run_at_a_time_as_asked_for_and_no_more(self):
        runs = [self.start() for _ in range(5)]
        # Each says that it is here, waits until three are, and stays until it is let go.
        script = 'mkdir "$1/$BELFRY_RUN_ID"; while ! [ -e "$1/go" ]; do sleep 0.05; done'
        self.shell(script, "--concurrency", "3")
        eventually("three commands", lambda: len(os.listdir(self.folder)) == 3)
        states = [self.run_of(run)["status"] for run in runs]
        self.assertEqual(sorted(states), ["queued", "queued", "running", "running", "running"])
        self.write("go")
        self.assertEqual([self.ended(run)["status"] for run in runs], ["succeeded"] * 5)

    def test_a_task_is_taken_as_soon_as_it_is_there(self):
        worker = self.worker(["cat"])
        worker.said("working")
        self.assertEqual(self.ended(self.start("first"))["result"], "first")
        self.assertEqual(self.ended(self.start("second"))["result"], "second")


class Ending(WorkerTest):
    def test_a_signal_lets_commands_finish(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            run_id, waiting = self.start(), self.start()
            worker = self.shell(self.WAITING)
            self.read("pid")
            worker.send(number)
            worker.said("shutting down: running commands may finish")
            self.write("go")
            self.assertEqual(worker.wait(), 0, worker.log)
            self.assertEqual((self.run_of(run_id)["status"], self.run_of(waiting)["status"]), ("succeeded", "queued"))
            self.assertEqual(self.shell("true", "--once").wait(), 0)
            os.remove(self.path("go"))
            os.remove(self.path("pid"))

    def test_a_second_signal_ends_them_and_tells_nothing(self):
        run_id = self.start()
        worker = self.shell(self.WAITING)
        pid = int(self.read("pid"))
        worker.send(signal.SIGTERM)
        worker.said("shutting down: running commands may finish")
        worker.send(signal.SIGTERM)
        self.assertEqual(worker.wait(), 0, worker.log)
        self.assertFalse(is_alive(pid))
        self.assertEqual(self.run_of(run_id)["status"], "running")

    def test_an_idle_worker_ends_at_once(self):
        worker = self.worker(["cat"])
        worker.said("working")
        worker.send(signal.SIGTERM)
        self.assertEqual(worker.wait(), 0, worker.log)
        self.assertRegex(worker.log, r"ended\n$")

    def test_once_ends_when_there_is_nothing_to_do(self):
        self.assertEqual(self.worker(["cat"], "--once").wait(), 0)


class Servers(unittest.TestCase):
    def test_one_that_is_away_is_waited_for(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        with Worker(f"http://127.0.0.1:{port}", [], ["cat"]) as worker:
            worker.said("warn  the server is unavailable; retrying")
            with Server(listen=f"127.0.0.1:{port}") as server:
                server.wait_until_ready()
                run = server.ask("POST", STARTS, {"taskKind": "greet", "input": 7})[1]
                eventually("the end of the run",
                           lambda: server.ask("GET", f"{RUNS}/{run['id']}")[1]["status"] == "succeeded")
                worker.said("the server is reachable again")
                self.assertEqual(worker.log.count("the server is unavailable; retrying"), 1)

    def test_a_result_outlives_a_restart_of_the_server(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as traces:
            with Server(folder=folder) as server:
                server.wait_until_ready()
                run = server.ask("POST", STARTS, {"taskKind": "greet"})[1]["id"]
                port = server.url.rsplit(":", 1)[1]
                worker = Worker(server.url, [], ["sh", "-c", 'mkdir "$1/here"; while ! [ -e "$1/go" ]; do sleep 0.05; '
                                                 'done; echo done', "sh", traces])
                self.addCleanup(worker.__exit__)
                eventually("the command", lambda: os.path.exists(f"{traces}/here"))
            with open(f"{traces}/go", "w", encoding="ascii"):
                pass
            worker.said("the server is unavailable")
            with Server(folder=folder, listen=f"127.0.0.1:{port}") as server:
                server.wait_until_ready()
                eventually("the end of the run",
                           lambda: server.ask("GET", f"{RUNS}/{run}")[1]["result"] == {"output": "done\n"})
                self.assertEqual(server.ask("GET", f"{RUNS}/{run}")[1]["attempts"], 1)
            worker.__exit__()

    def test_one_that_is_never_there_is_said_with_once(self):
        result = belfry("worker", "run", "--url", "http://127.0.0.1:1", "--once", "--", "cat")
        self.assertEqual((result.returncode, result.stderr.splitlines()[-1]),
                         (10, "error: http://127.0.0.1:1/: the host does not accept connections"))

    def test_a_token_that_may_not_work_ends_the_worker(self):
        with tempfile.TemporaryDirectory() as folder:
            viewer = belfry("token", "create", "viewer", "--role", "viewer", "--data-dir", folder).stdout.strip()
            worker = belfry("token", "create", "worker", "--role", "worker", "--data-dir", folder).stdout.strip()
            with Server(folder=folder) as server:
                server.wait_until_ready()
                for token, code in (("", 4), ("bfk_wrong", 4), (viewer, 4), (worker, 0)):
                    result = belfry("worker", "run", "--once", "--", "cat", BELFRY_URL=server.url, BELFRY_TOKEN=token)
                    self.assertEqual(result.returncode, code, result.stderr)
                    self.assertEqual("error: " in result.stderr, code != 0)
                    self.assertNotIn(token or "bfk_", result.stderr)

    def test_the_token_is_not_for_the_command(self):
        with tempfile.TemporaryDirectory() as folder, Server(folder=folder) as server:
            server.wait_until_ready()
            run = server.ask("POST", STARTS, {"taskKind": "greet"})[1]["id"]
            token = belfry("token", "create", "worker", "--role", "worker", "--data-dir", folder).stdout.strip()
            command = 'echo "token:$BELFRY_TOKEN url:$BELFRY_URL run:$BELFRY_RUN_ID" >&2'
            result = belfry("worker", "run", "--once", "--", "sh", "-c", command, BELFRY_URL=server.url,
                            BELFRY_TOKEN=token)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"[{run}] token: url:{server.url} run:{run}\n", result.stderr)


class Usage(unittest.TestCase):
    def refusal(self, *arguments):
        result = belfry("worker", "run", *arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        return result.stderr

    def test_mistakes_say_what_to_write(self):
        self.assertIn("error: add the command after --, such as belfry worker run --queue mail",
                      self.refusal("--queue", "mail"))
        self.assertIn("no folder in PATH has a program of that name", self.refusal("--", "no-such-program"))
        self.assertIn("cannot start /no/such: the program does not exist", self.refusal("--", "/no/such"))
        self.assertIn("error: --lease 1ms: use 100ms to 24h", self.refusal("--lease", "1ms", "--", "cat"))
        self.assertIn("error: the server's URL", self.refusal("--url", "localhost", "--", "cat"))
        self.assertIn("unknown option \"--concurency\": did you mean --concurrency?",
                      self.refusal("--concurency", "2", "--", "cat"))
        self.assertIn("--once excludes --max", self.refusal("--max", "2", "--once", "--", "cat"))

    def test_help_begins_with_examples(self):
        result = belfry("worker", "run", "--help")
        self.assertEqual(result.returncode, 0)
        self.assertLess(result.stdout.index("Examples:\n  belfry worker run --queue mail"),
                        result.stdout.index("--concurrency N"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
