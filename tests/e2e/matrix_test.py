"""Who may call what: every operation of the API's own description × whose key it is, and × every role."""

import json
import time
import unittest

from client import Client, send
from document import TENANT_HEADER, filled, is_dialect, paths_of
from place import running_server
from server import belfry

# What the documentation says; the server has its own copy of this table.
PERMITTED = {
    "viewer": {"read"},
    "operator": {"read", "write", "operate"},
    "approver": {"read", "approve"},
    "worker": {"work"},
    "admin": {"read", "write", "operate", "approve", "work", "administer"},
}
HIDDEN, ALMOST = "zebrafinch", "zebrafinhc"
NOWHERE = "00000000-0000-4000-8000-000000000000"  # no schedule, run or webhook has it


def bearer(secret):
    return {"Authorization": f"Bearer {secret}"}


class Matrix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Authentication is asked for from the start: the first key is made beside the server, as an operator does it.
        cls.context = running_server("--auth", "required")
        cls.server = cls.context.__enter__()
        cls.store = cls.server.store_flags
        cls.admin = Client(cls.server.url, headers=bearer(cls.key("root", "admin", "*")))
        for tenant in ("own", "other"):
            cls.admin.call("createTenant", {"name": tenant}, 201)
        cls.document = cls.admin.document

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)

    @classmethod
    def key(cls, name, role, tenant):
        made = belfry("token", "create", name, "--role", role, "--tenant", tenant, "-o", "json", *cls.store)
        if made.returncode != 0:
            raise AssertionError(made.stderr)
        return json.loads(made.stdout)["secret"]

    def ask(self, operation, tenant, headers):
        method, pattern, described = self.document.operations[operation]
        if is_dialect(described):
            headers = {TENANT_HEADER: tenant, **headers}
        target = filled(pattern, {name: tenant if name == "tenant" else NOWHERE for name in paths_of(pattern)})
        while True:
            answer = send(self.server.url, method, target, None, headers)
            if answer.status != 429:  # whoever fails to show who they are too often has to wait
                return answer
            time.sleep(0.1)

    def operations(self):
        """(name, permission, whether it is inside a tenant) of all that are not open."""
        for name, (_, _, operation) in sorted(self.document.operations.items()):
            if operation["x-permission"] != "open" and name != "streamEvents":
                yield name, operation["x-permission"], operation["x-scope"] == "tenant"

    def test_every_operation_says_which_permission_it_needs(self):
        for name, (_, _, operation) in self.document.operations.items():
            self.assertIn(operation["x-permission"], PERMITTED["admin"] | {"open"}, name)

    def test_tenants(self):
        own = bearer(self.key("own-admin", "admin", "own"))
        gone = self.key("gone", "admin", "own")
        revoked = next(line for line in json.loads(belfry("token", "list", "-o", "json", *self.store).stdout)
                       if line["name"] == "gone")
        self.assertEqual(belfry("token", "revoke", revoked["id"], *self.store).returncode, 0)
        for name, _, inside in self.operations():
            with self.subTest(name):
                self.assertEqual(self.ask(name, "own", {}).status, 401, "nobody")
                self.assertEqual(self.ask(name, "own", bearer("bfk_nobody_knows")).status, 401, "a key that never was")
                self.assertEqual(self.ask(name, "own", bearer(gone)).status, 401, "a key that was revoked")
                if not inside:
                    self.assertIn(self.ask(name, "own", own).status, (403, 404), "a key of one tenant")
                    continue
                self.assertNotIn(self.ask(name, "own", own).status, (401, 403), "one's own")
                foreign, absent = self.ask(name, "other", own), self.ask(name, "never-was", own)
                # SQL has one code for what is not there and what is not yours
                hidden = 403 if name.startswith("fn_") else 404
                self.assertEqual((foreign.status, absent.status), (hidden, hidden),
                                 "another's, and one that does not exist")
                self.assertEqual(foreign.body.replace(b"other", b"never-was"), absent.body, "and nobody can tell which")

    def test_roles(self):
        for role, permitted in PERMITTED.items():
            headers = bearer(self.key(f"role-{role}", role, "own"))
            for name, permission, inside in self.operations():
                if not inside:
                    continue
                with self.subTest(role=role, operation=name):
                    answer = self.ask(name, "own", headers)
                    if permission in permitted:
                        self.assertNotIn(answer.status, (401, 403), answer)
                    else:
                        self.assertEqual(answer.status, 403, answer)
                        if not is_dialect(self.document.operations[name][2]):
                            self.assertEqual(answer.json["code"], "forbidden")

    def loosening(self, name):
        """Requests that ask for fewer approvals: what an administrator has made strict, and what is new and for an
        agent. (operation, body, path)"""
        free, asks, agent = {"requiresApproval": False}, {"requiresApproval": True}, {"type": "agent", "id": "bo"}
        schedule = {"spec": {"cron": ["0 0 1 1 *"]}, "target": {"taskKind": "t"}}
        admin = Client(self.server.url, "own", self.admin.headers)
        admin.json("createSchedule", {"name": name, "approvalPolicy": asks, **schedule}, 201)
        assigned = {"workflow": name, "assignee": agent}
        assignment = admin.json("createAssignment", assigned, 201)["id"]
        nodes = {"nodes": [{"id": "send", "action": "publish"}]}
        admin.call("deployWorkflow", nodes, 201, workflow=name)
        admin.json("deployWorkflow", {**nodes, "approvalPolicy": asks}, workflow=name)
        rpc = {"p_workflow_id": name, "p_cron_expr": "0 0 1 1 *", "p_timezone": "UTC", "p_is_active": False,
               "p_assignee_id": "bo", "p_approval_policy": free}
        # What starts an older version comes before a newer one is as loose.
        return [("createSchedule", {"name": name + "-new", "assignee": agent, "approvalPolicy": free, **schedule}, {}),
                ("patchSchedule", {"approvalPolicy": free}, {"schedule": name}),
                ("replaceSchedule", schedule, {"schedule": name}),
                ("createAssignment", {**assigned, "approvalPolicy": free}, {}),
                ("replaceAssignment", {**assigned, "approvalPolicy": free}, {"assignment": assignment}),
                ("startWorkflow", {"workflowKind": name, "version": 1}, {}),
                ("fn_upsert_workflow_schedule", rpc, {}),
                ("deployWorkflow", nodes, {"workflow": name})]

    def test_loosening_approvals_takes_both_permissions_in_the_tenant(self):
        holders = {**{role: {"own": [role]} for role in PERMITTED},
                   "operator-and-approver": {"own": ["operator", "approver"]},
                   "approver-elsewhere": {"own": ["operator"], "other": ["approver", "admin"]},
                   "approver-everywhere": {"own": ["operator"], "*": ["approver"]}}
        for name, roles in holders.items():
            secret = self.admin.json("createKey", {"name": "loosens-" + name, "roles": roles}, 201)["secret"]
            client = Client(self.server.url, "own", bearer(secret))
            held = {permission for tenant, all_of in roles.items() if tenant in ("own", "*") for role in all_of
                    for permission in PERMITTED[role]}
            for operation, body, path in self.loosening("strict-" + name):
                with self.subTest(name, operation=operation):
                    answer = client.call(operation, body, **path)
                    if {"write", "approve"} <= held:
                        self.assertIn(answer.status, (200, 201), answer)
                        continue
                    self.assertEqual(answer.status, 403, answer)
                    if "write" in held:
                        self.assertIn(b"takes the permission approve", answer.body)

    def test_tenants_with_similar_uuids_as_names_share_nothing(self):
        one, two = (f"019a0000-0000-7000-8000-{i:012}" for i in (1, 2))
        clients = {}
        for tenant in (one, two):
            self.admin.call("createTenant", {"name": tenant}, 201)
            clients[tenant] = Client(self.server.url, tenant, bearer(self.key(f"of {tenant}", "operator", tenant)))
        body = {"name": "secret", "spec": {"cron": ["0 0 * * *"]}, "target": {"type": "task", "taskKind": "t"}}
        schedule = clients[one].json("createSchedule", body, 201)
        self.assertEqual(clients[two].json("listSchedules")["items"], [])
        for name in ("getSchedule", "deleteSchedule", "triggerSchedule"):
            for reference in ("secret", schedule["id"]):
                self.assertEqual(clients[two].call(name, schedule=reference).status, 404, name)
        clients[two].json("createSchedule", body, 201)
        self.assertEqual(clients[two].call("deleteSchedule", schedule="secret").status // 100, 2)
        self.assertEqual(clients[one].json("getSchedule", schedule="secret")["status"], "active")

    def test_ids_of_another_tenant_are_not_found(self):
        own = Client(self.server.url, "own", bearer(self.key("own-writer", "operator", "own")))
        other = Client(self.server.url, "other", bearer(self.key("other-writer", "operator", "other")))
        body = {"name": "secret", "spec": {"cron": ["0 0 * * *"]}, "target": {"type": "task", "taskKind": "t"}}
        schedule = other.json("createSchedule", body, 201)
        run = other.json("triggerSchedule", schedule="secret")
        for name in ("getSchedule", "replaceSchedule", "deleteSchedule", "triggerSchedule", "pauseSchedule",
                     "previewSchedule", "getScheduleHistory"):
            answer = own.call(name, schedule=schedule["id"], body={"target": {"taskKind": "t"}, "spec": {"at": []}}
                              if name == "replaceSchedule" else None)
            self.assertEqual(answer.status, 404, name)
        for name in ("getRun", "cancelRun"):
            self.assertEqual(own.call(name, run=run["id"]).status, 404, name)
        self.assertEqual(own.json("listSchedules")["items"], [])
        self.tasks_of_another_tenant(run)
        self.assertEqual(other.json("getSchedule", schedule="secret")["version"], 1, "and nothing was changed")

    def test_no_answer_has_a_name_that_only_another_tenant_has(self):
        """Everything of the other tenant has the hidden word in its name, and every request here asks for something
        that is spelt almost so."""
        self.admin.call("createTenant", {"name": HIDDEN}, 201)
        other = Client(self.server.url, HIDDEN, self.admin.headers)
        schedule = {"name": HIDDEN, "spec": {"cron": ["0 0 * * *"]},
                    "target": {"type": "task", "taskKind": HIDDEN, "queue": HIDDEN}, "labels": {HIDDEN: HIDDEN}}
        other.json("createSchedule", schedule, 201)
        other.json("triggerSchedule", schedule=HIDDEN)
        other.call("deployWorkflow", {"nodes": [{"id": HIDDEN}]}, 201, workflow=HIDDEN)
        other.json("createCalendar", {"name": HIDDEN, "dates": ["2030-01-01"]}, 201)
        other.call("putAssignee", {"type": "agent"}, 201, assignee=HIDDEN)
        other.json("createWebhook", {"url": "https://example.com/", "description": HIDDEN}, 201)
        self.key(HIDDEN, "admin", HIDDEN)
        target = {"type": "task", "taskKind": ALMOST, "queue": ALMOST}
        bodies = [None, {"name": ALMOST}, {"status": "SUCCESS"},
                  {"worker": ALMOST, "queue": ALMOST, "assignee": ALMOST},
                  {"name": ALMOST, "spec": {"cron": ["0 0 * * *"]}, "target": target, "calendars": [ALMOST]},
                  {"name": ALMOST, "spec": {"cron": ["0 0 * * *"]},
                   "target": {"type": "workflow", "workflowKind": ALMOST}, "assignee": {"type": "agent", "id": ALMOST}},
                  {"nodes": [{"id": "a", "assignee": ALMOST, "connection": ALMOST}]},
                  {"workflow": ALMOST, "workflowKind": ALMOST}]
        for role in PERMITTED:
            headers = {**bearer(self.key(f"curious-{role}", role, "own")), "Content-Type": "application/json"}
            for name, (method, pattern, described) in sorted(self.document.operations.items()):
                if name == "streamEvents":
                    continue
                for tenant in ("own", ALMOST):
                    sent = {**headers, TENANT_HEADER: tenant} if is_dialect(described) else headers
                    place = filled(pattern,
                                   {part: tenant if part == "tenant" else ALMOST for part in paths_of(pattern)})
                    for body in bodies if "requestBody" in described else bodies[:1]:
                        answer = send(self.server.url, method, place, None if body is None else json.dumps(body), sent)
                        self.assertNotIn(HIDDEN.encode(), answer.body, f"{role} {method} {place} {body}")

    def test_a_callback_says_the_same_of_a_tenant_of_others_and_of_none(self):
        headers = {**bearer(self.key("curious", "worker", "own")), "Content-Type": "application/json"}
        answers = []
        for tenant in ("other", "never-was"):
            answer = send(self.server.url, "POST", f"/api/tenants/{tenant}/runs/{NOWHERE}/callback",
                          '{"status": "SUCCESS"}', headers)
            self.assertEqual(answer.status, 404, answer)
            answers.append(answer.body.replace(tenant.encode(), b"TENANT"))
        self.assertEqual(*answers)

    def tasks_of_another_tenant(self, run):
        """Whoever names a run of another tenant learns nothing: held, lost, over and never been are the same."""
        own = Client(self.server.url, "own", bearer(self.key("own-worker", "worker", "own")))
        other = Client(self.server.url, "other", bearer(self.key("other-worker", "worker", "other")))
        task = other.json("claimTasks", {"worker": "w"})["items"][0]
        self.assertEqual(task["runId"], run["id"])

        def told(run_id, attempt):
            lease = {"runId": run_id, "attempt": attempt}
            end = {**lease, "status": "succeeded"}
            outcome = own.json("completeTasks", {"items": [end]})["items"][0]
            finished = [own.call("completeRun", {"status": "succeeded", **({"attempt": attempt} if named else {})},
                                 run=run_id) for named in (True, False)]
            lost = own.json("heartbeatTasks", {"leases": [lease]})["lost"]
            everything = json.dumps([outcome, [[each.status, each.json] for each in finished], lost])
            self.assertEqual([each.status for each in finished], [404, 404])
            self.assertEqual(outcome["problem"]["status"], 404)
            return everything.replace(run_id, "RUN")

        never = told(NOWHERE, 1)
        self.assertEqual(told(run["id"], task["attempt"]), never, "a worker holds it")
        self.assertEqual(told(run["id"], 7), never.replace('"attempt": 1', '"attempt": 7'), "a lease that was lost")
        self.assertTrue(other.json("completeTasks", {"items": [{"runId": run["id"], "attempt": task["attempt"],
                                                                "status": "succeeded"}]})["items"][0]["ok"])
        self.assertEqual(told(run["id"], task["attempt"]), never, "it is over")


if __name__ == "__main__":
    unittest.main()
