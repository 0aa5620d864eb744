"""What PostgREST clients ask of rows: formats, counts, ranges, columns, order and filters; and errors everywhere."""

import json
from urllib.parse import urlencode

from client import send

LIST = "/rest/v1/rpc/fn_get_workflow_schedules"
OBJECT = "application/vnd.pgrst.object+json"


class PostgrestWays:
    """Tests for a class that has `client`, `other`, `server` and `upsert`."""

    def ask(self, method="POST", path=LIST, body=None, headers=None, query=()):
        target = path + ("?" + urlencode(query) if query else "")
        sent = {"Content-Type": "application/json", **(headers or {})}
        text = json.dumps({"p_workflow_id": "asked"} if body is None else body) if method == "POST" else None
        return send(self.server.url, method, target, text, sent)

    def three(self):
        """Three schedules of a workflow of their own, the newest first."""
        if not hasattr(type(self), "asked"):
            self.client.call("deployWorkflow", {"nodes": [{"id": "only"}]}, 201, workflow="asked")
            made = [self.upsert(p_workflow_id="asked", p_cron_expr=cron, p_description=description,
                                p_queue_policy={"mode": mode}, p_is_active=active)
                    for cron, description, mode, active in (("0 1 29 2 *", "first, \"quoted\"", "serial", True),
                                                            ("0 2 29 2 *", None, "parallel", False),
                                                            ("0 3 29 2 *", "Third_100%", "serial", True))]
            type(self).asked = made[::-1]
        return [row["id"] for row in type(self).asked]

    def ids(self, *query, **named):
        answer = self.ask(query=[*query, *named.items()])
        self.assertEqual(answer.status, 200, answer)
        return [row["id"] for row in answer.json]

    def refused(self, status, code, *query, headers=None, **named):
        answer = self.ask(query=[*query, *named.items()], headers=headers)
        self.assertEqual((answer.status, answer.json["code"], set(answer.json)),
                         (status, code, {"code", "message", "details", "hint"}), answer)
        return answer.json

    def test_columns_are_selected(self):
        third, second, _ = self.three()
        answer = self.ask(query={"select": "id,mode:queue_policy->>mode,queue_policy->mode,zone:timezone", "limit": 1})
        self.assertEqual(answer.json, [{"id": third, "mode": "serial", "zone": "UTC"}])
        self.assertEqual(self.ask(query={"select": "queue_policy->x->>y,is_active::text", "limit": 1}).json,
                         [{"y": None, "is_active": "true"}])
        whole = self.ask(query={"select": "*", "offset": 1, "limit": 1}).json
        self.assertEqual((whole[0]["id"], len(whole[0])), (second, len(type(self).asked[0])))
        self.assertEqual(self.refused(400, "42703", select="id,tiemzone")["hint"], "use the column timezone")
        self.refused(400, "PGRST200", select="id,workflows(name)")
        self.refused(400, "PGRST123", select="count()")
        self.refused(400, "PGRST100", select="id::integer")
        self.refused(400, "42883", select="id->x")
        for path in ("queue_policy->", "queue_policy->>>mode", "queue_policy->a->"):
            self.refused(400, "PGRST100", select=path)

    def test_rows_are_sorted(self):
        third, second, first = self.three()
        self.assertEqual(self.ids(order="cron_expr"), [first, second, third])
        self.assertEqual(self.ids(order="cron_expr.desc"), [third, second, first])
        self.assertEqual(self.ids(order="description.asc"), [third, first, second], "null comes last")
        self.assertEqual(self.ids(order="description.desc"), [second, first, third])
        self.assertEqual(self.ids(order="description.desc.nullslast"), [first, third, second])
        self.assertEqual(self.ids(order="queue_policy->>mode.asc,created_at.asc"), [second, first, third])
        self.assertEqual(self.ids(order="cron_expr", limit=1, offset=1), [second])
        self.refused(400, "42703", order="nothing")
        self.refused(400, "PGRST100", order="id.sideways")

    def test_rows_are_filtered(self):
        third, second, first = self.three()
        middle = next(row for row in type(self).asked if row["id"] == second)["created_at"]
        for column, condition, expected in (
                ("id", f"eq.{first}", [first]), ("id", f"eq.{first.upper()}", [first]),
                ("id", f"neq.{first}", [third, second]), ("id", f"in.({first},{third})", [third, first]),
                ("id", "in.()", []), ("id", f"not.in.({first},{third})", [second]),
                ("description", 'in.("first, \\"quoted\\"",x)', [first]),
                ("is_active", "is.true", [third, first]), ("is_active", "eq.false", [second]),
                ("is_active", "is.not_null", [third, second, first]), ("is_active", "not.is.true", [second]),
                ("description", "is.null", [second]), ("description", "not.is.null", [third, first]),
                ("description", "neq.x", [third, first]), ("description", "not.eq.x", [third, first]),
                ("description", "isdistinct.x", [third, second, first]),
                ("description", "like.first*", [first]), ("description", "like.%quoted\"", [first]),
                ("description", "like.third*", []), ("description", "ilike.third_1__%", [third]),
                ("description", "like.Third\\_100\\%", [third]), ("description", "like.*", [third, first]),
                ("created_at", f"gt.{middle}", [third]), ("created_at", f"gte.{middle}", [third, second]),
                ("created_at", f"lt.{middle}", [first]), ("created_at", f"lte.{middle}", [second, first]),
                ("created_at", "gte.2020-01-01", [third, second, first]),
                ("created_at", "lt.2020-01-01 00:00:00+02", []),
                ("last_rotation_index", "lte.0", [third, second, first]), ("last_rotation_index", "gt.0.5", []),
                ("queue_policy->>mode", "eq.serial", [third, first]),
                ("queue_policy", 'eq.{"mode":"parallel"}', [second]),
                ("retry_policy->maxRetries", "eq.1", [third, second, first]),
                ("cron_expr", "gt.0 1 29 2 *", [third, second]), ("workflow_id", "eq.' OR 1=1 --", [])):
            self.assertEqual(self.ids((column, condition)), expected, (column, condition))
        self.assertEqual(self.ids(("created_at", f"gte.{middle}"), ("created_at", f"lte.{middle}")), [second])
        for column, condition, code in (
                ("nothing", "eq.1", "42703"), ("id", "eq.x", "22P02"), ("is_active", "eq.maybe", "22P02"),
                ("created_at", "gt.soon", "22P02"), ("last_rotation_index", "eq.x", "22P02"),
                ("queue_policy", "eq.{", "22P02"), ("id", "like.0*", "42883"), ("id", "is.true", "42804"),
                ("id", first, "PGRST100"), ("id", f"cs.{first}", "PGRST100"), ("id", "is.maybe", "PGRST100"),
                ("id", "in.a,b", "PGRST100"), ("or", "(id.eq.1,id.eq.2)", "PGRST100"),
                ("id; DROP TABLE x", "eq.1", "42703"),
                ("description", "in.(\"x", "PGRST100")):
            self.refused(400, code, (column, condition))
        self.refused(400, "22023", *[("id", f"neq.{first}")] * 51)
        self.refused(400, "PGRST100", description="in.(" + ",".join(["x"] * 1001) + ")")

    def test_ranges_and_counts(self):
        third, second, first = self.three()
        for headers, query, status, part, ids in (
                ({}, {}, 200, "0-2/*", [third, second, first]),
                ({"Prefer": "count=exact"}, {}, 200, "0-2/3", [third, second, first]),
                ({"Prefer": "return=representation, count=planned"}, {"limit": 2}, 206, "0-1/3", [third, second]),
                ({"Prefer": "count=exact"}, {"limit": 2, "offset": 2}, 206, "2-2/3", [first]),
                ({"Prefer": "count=exact"}, {"offset": 3}, 206, "*/3", []),
                ({"Prefer": "count=exact"}, {"is_active": "is.true", "limit": 1}, 206, "0-0/2", [third]),
                ({"Prefer": "count=exact"}, {"id": "in.()"}, 200, "*/0", []),
                ({}, {"limit": 0}, 200, "*/*", []),
                ({"Range": "1-1"}, {}, 200, "1-1/*", [second]),
                ({"Range": "1-", "Prefer": "count=exact"}, {}, 206, "1-2/3", [second, first]),
                ({"Range": "bytes=0-1"}, {}, 200, "0-2/*", [third, second, first])):
            answer = self.ask(headers=headers, query=query)
            self.assertEqual((answer.status, answer.headers["Content-Range"], [row["id"] for row in answer.json]),
                             (status, part, ids), (headers, query))
        far = self.refused(416, "PGRST103", offset=4, headers={"Prefer": "count=exact"})
        self.assertEqual(far["details"], "An offset of 4 was requested, but there are only 3 rows.")
        self.refused(416, "PGRST103", limit=-1)
        self.refused(416, "PGRST103", headers={"Range": "5-1"})
        self.refused(400, "PGRST100", offset="x")
        self.refused(400, "PGRST100", limit="99999999999999999999")
        self.assertEqual(self.ids(limit=2**62, offset=0), [third, second, first])

    def test_one_row_an_array_or_csv(self):
        third, _, first = self.three()
        one = self.ask(headers={"Accept": OBJECT}, query={"id": f"eq.{first}", "select": "id,description"})
        self.assertEqual((one.status, one.media, one.json),
                         (200, OBJECT, {"id": first, "description": 'first, "quoted"'}))
        for query, rows in (({"id": "in.()"}, 0), ({}, 3)):
            refused = self.refused(406, "PGRST116", *query.items(), headers={"Accept": OBJECT})
            self.assertEqual(refused["details"], f"The result contains {rows} rows")
        stripped = self.ask(headers={"Accept": f"{OBJECT};nulls=stripped"},
                            query={"id": f"eq.{first}", "select": "id,last_run_at,retry_policy"})
        self.assertEqual(stripped.json, {"id": first, "retry_policy": {"maxRetries": 1}})
        table = self.ask(headers={"Accept": "text/csv"},
                         query={"select": "id,is_active,last_run_at,description,retry_policy", "id": f"neq.{third}"})
        _, second, _ = self.three()
        self.assertEqual((table.status, table.headers["Content-Type"], table.body.decode()),
                         (200, "text/csv; charset=utf-8", "id,is_active,last_run_at,description,retry_policy\n"
                          f'{second},f,,,"{{""maxRetries"":1}}"\n'
                          f'{first},t,,"first, ""quoted""","{{""maxRetries"":1}}"'))
        self.assertEqual(self.ask(headers={"Accept": "text/csv"}, query={"id": "in.()", "select": "id,a:timezone"})
                         .body, b"id,a")
        for accept in ("application/xml", "application/vnd.pgrst.plan+json", "image/png, text/html"):
            self.refused(406, "PGRST107", headers={"Accept": accept})
        for accept in ("*/*", "text/html, application/json;q=0.9", "application/*"):
            self.assertEqual(len(self.ask(headers={"Accept": accept}).json), 3, accept)
        made = {"p_name": "as a table", "p_kind": "skip_dates"}
        refused = self.ask(path="/rpc/fn_create_schedule_calendar", body=made, headers={"Accept": "text/csv"})
        self.assertEqual((refused.status, refused.json["code"]), (406, "PGRST107"))
        value = self.ask(path="/rpc/fn_create_schedule_calendar", body=made, headers={"Accept": OBJECT})
        self.assertEqual((value.status, value.json), (200, "as a table"), "the refusal had made nothing")
        before = len(self.ask(body={}).json)
        refused = self.ask(path="/rpc/fn_upsert_workflow_schedule", body={"p_workflow_id": "asked"},
                           query={"select": "nothing"})
        self.assertEqual((refused.status, refused.json["code"]), (400, "42703"))
        self.assertEqual(len(self.ask(body={}).json), before, "nothing was made")

    def test_a_change_is_refused_before_it_happens(self):
        self.three()
        before = len(self.ask(body={}).json)
        upsert = {"path": "/rpc/fn_upsert_workflow_schedule",
                  "body": {"p_workflow_id": "asked", "p_cron_expr": "0 4 29 2 *"}}
        for query, headers, status, code in (
                ({"timezone": "eq.Mars"}, {"Accept": OBJECT}, 400, "0A000"), ({"id": "is.null"}, {}, 400, "0A000"),
                ({"limit": 0}, {"Accept": OBJECT}, 406, "PGRST116"),
                ({"offset": 1}, {"Accept": OBJECT}, 406, "PGRST116"),
                ({"offset": 2}, {"Prefer": "count=exact"}, 416, "PGRST103")):
            answer = self.ask(query=query, headers=headers, **upsert)
            self.assertEqual((answer.status, answer.json["code"]), (status, code), answer)
        self.assertEqual(len(self.ask(body={}).json), before, "nothing was made")

    def test_get_and_head(self):
        third, second, _ = self.three()
        query = {"p_workflow_id": "asked", "p_limit": "2", "select": "id", "order": "created_at.asc"}
        answer = self.ask("GET", query=query, headers={"Prefer": "count=exact", "Range": "0-0", "Range-Unit": "items"})
        self.assertEqual((answer.status, answer.headers["Content-Range"], answer.json),
                         (206, "0-0/2", [{"id": second}]))
        head = self.ask("HEAD", query={"p_workflow_id": "asked"}, headers={"Prefer": "count=exact"})
        self.assertEqual((head.status, head.headers["Content-Range"], head.body), (200, "0-2/3", b""))
        self.assertEqual(self.ask("GET", query={"p_limit": "x"}).json["code"], "22P02")
        self.assertEqual(self.ask("GET", query={"p_nothing": "x"}).json["code"], "42703")
        self.assertEqual(self.ask("GET", query={"p_workflow_id": "asked", "p_limit": "1"}).json[0]["id"], third)

    def test_every_error_has_the_form_of_postgrest(self):
        for method, path, status, code in (
                ("GET", "/rest/v1", 404, "PGRST125"), ("GET", "/rest/v1/", 404, "PGRST125"),
                ("GET", "/rpc", 404, "PGRST125"), ("GET", "/rest/v1/workflow_schedules", 404, "PGRST125"),
                ("DELETE", "/rest/v1/workflow_schedules?id=eq.1", 404, "PGRST125"), ("PUT", LIST, 405, "PGRST117"),
                ("DELETE", "/rpc/fn_nothing", 405, "PGRST117"),
                ("GET", "/rpc/fn_delete_workflow_schedule", 405, "25006"),
                ("GET", "/rpc/fn_nothing", 404, "PGRST202"), ("POST", "/rest/v1/rpc/a/b", 404, "PGRST125"),
                ("POST", "/rpc/%zz", 400, "22023"), ("POST", LIST + "?x=%zz", 400, "22023")):
            answer = self.ask(method, path)
            self.assertEqual((answer.status, answer.json["code"], set(answer.json), answer.media),
                             (status, code, {"code", "message", "details", "hint"}, "application/json"), (method, path))
        large = self.ask(headers={"Content-Length": str(2**33)})
        self.assertEqual((large.status, large.json["code"]), (413, "54000"))
        foreign = self.ask(headers={"Origin": "https://elsewhere.example"})
        self.assertEqual((foreign.status, foreign.json["code"]), (403, "42501"))
        encoded = self.ask(headers={"Content-Encoding": "br"})
        self.assertEqual((encoded.status, set(encoded.json)), (415, {"code", "message", "details", "hint"}))
        native = self.ask("GET", "/rpcs")
        self.assertEqual((native.status, native.media), (404, "application/problem+json"))
