import type { CallOptions, Keyed, Matched } from "./call.js";
import type { BelfryClient } from "./client.js";
import type { BelfryEvent, EventsOptions } from "./events.js";
import type {
  DeleteScheduleOptions, GetScheduleHistoryOptions, ListScheduleRunsOptions, PreviewScheduleOptions,
} from "./generated/operations.js";
import type {
  Backfill, BackfillDryRun, BackfillRequest, Event, EventPage, Forecast, PauseRequest, PreviewRow, ResumeRequest, Run,
  RunPage, Schedule, ScheduleHealth, SchedulePatch, ScheduleReplacement, Simulation, SimulationRequest, TriggerRequest,
  Why,
} from "./generated/schemas.js";
import type { RunHandle } from "./run_handle.js";

/** One schedule, by its id or its current name. */
export class ScheduleHandle {
  constructor(
    private readonly client: BelfryClient,
    readonly id: string,
  ) {}

  describe(options: CallOptions = {}): Promise<Schedule> {
    return this.client.getSchedule(this.id, options);
  }

  /** Changes parts of the definition: objects merge, lists are replaced, null restores the default. */
  update(patch: SchedulePatch, options: CallOptions & Matched = {}): Promise<Schedule> {
    return this.client.patchSchedule(this.id, patch, options);
  }

  /** Replaces the definition. Omitted members return to their defaults. */
  replace(body: ScheduleReplacement, options: CallOptions & Matched = {}): Promise<Schedule> {
    return this.client.replaceSchedule(this.id, body, options);
  }

  delete(options: DeleteScheduleOptions = {}): Promise<Schedule> {
    return this.client.deleteSchedule(this.id, options);
  }

  pause(body: PauseRequest = {}, options: CallOptions = {}): Promise<Schedule> {
    return this.client.pauseSchedule(this.id, body, options);
  }

  resume(body: ResumeRequest = {}, options: CallOptions = {}): Promise<Schedule> {
    return this.client.resumeSchedule(this.id, body, options);
  }

  /** Starts a run now. It may be skipped: `describe` of the run says why. */
  async trigger(body: TriggerRequest = {}, options: CallOptions & Keyed = {}): Promise<RunHandle> {
    return this.client.run((await this.client.triggerSchedule(this.id, body, options)).id);
  }

  backfill(body: BackfillRequest, options: CallOptions & Keyed = {}): Promise<Backfill | BackfillDryRun> {
    return this.client.backfillSchedule(this.id, body, options);
  }

  /** One page of its audit events, oldest first. */
  history(options: GetScheduleHistoryOptions<keyof Event> = {}): Promise<EventPage> {
    return this.client.getScheduleHistory(this.id, options);
  }

  /** All its audit events, oldest first. */
  iterHistory(options: GetScheduleHistoryOptions<keyof Event> = {}): AsyncGenerator<Event, void, undefined> {
    return this.client.iterScheduleHistory(this.id, options);
  }

  /** One page of its runs, newest occurrence first. */
  runs(options: ListScheduleRunsOptions<keyof Run> = {}): Promise<RunPage> {
    return this.client.listScheduleRuns(this.id, options);
  }

  iterRuns(options: ListScheduleRunsOptions<keyof Run> = {}): AsyncGenerator<Run, void, undefined> {
    return this.client.iterScheduleRuns(this.id, options);
  }

  health(options: CallOptions = {}): Promise<ScheduleHealth> {
    return this.client.getScheduleHealth(this.id, options);
  }

  /** Its next decisions. */
  preview(options: PreviewScheduleOptions<keyof PreviewRow> = {}): Promise<Forecast> {
    return this.client.previewSchedule(this.id, options);
  }

  simulate(body: SimulationRequest, options: CallOptions = {}): Promise<Simulation> {
    return this.client.simulateSchedule(this.id, body, options);
  }

  /** Explains what happened, or will happen, at a time. */
  why(at: string, options: CallOptions = {}): Promise<Why> {
    return this.client.whySchedule(this.id, { ...options, at });
  }

  /** Follows its events. */
  events(options: Omit<EventsOptions, "schedule"> = {}): AsyncGenerator<BelfryEvent, void, undefined> {
    return this.client.events({ ...options, schedule: this.id });
  }
}
