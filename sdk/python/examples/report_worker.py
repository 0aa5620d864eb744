"""A worker with one task, which runs every night."""

from dataclasses import dataclass

from belfry import Worker

worker = Worker(queue="reports")  # BELFRY_URL and BELFRY_TOKEN say where


@dataclass
class Report:
    region: str


@worker.schedule("nightly", cron="0 2 * * *", timezone="Europe/Berlin", input={"region": "eu"})
@worker.task("send-report")
async def send_report(report: Report) -> str:
    return f"sent the report of {report.region}"


if __name__ == "__main__":
    worker.run()
