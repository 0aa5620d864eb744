"""Creates a schedule, runs it now, and prints what happened. Needs the worker of report_worker.py."""

from belfry import RetryPolicy, ScheduleAlreadyExists, SyncClient, cron, task

with SyncClient() as client:
    try:
        client.create_schedule(
            name="weekly-report",
            spec=cron("0 9 * * 1", timezone="America/New_York"),
            target=task("send-report", {"region": "us"}, queue="reports"),
            retry_policy=RetryPolicy(max_retries=3, backoff_ms=1000),
        )
    except ScheduleAlreadyExists:
        pass

    weekly = client.schedule("weekly-report")
    for row in weekly.preview(3).items:
        print("next:", row.local)
    run = weekly.trigger(reason="to see whether it works").wait(timeout=60)
    print("run:", run.status, run.result)
    for event in weekly.iter_history():
        print("history:", event.sequence, event.type)
