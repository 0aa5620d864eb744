// Waiting that an AbortSignal ends. AbortSignal.any needs Node 20, so signals are combined by hand.

/** Resolves after the time, or rejects with the reason of the signal. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** A signal that follows another one, and that a timer or its owner can end earlier. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly expired: boolean;
  /** Starts the time again. */
  restart(): void;
  /** Releases the timer and the listener. */
  end(): void;
}

export function deadline(ms: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  let expired = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const follow = () => controller.abort(outer?.reason);
  const restart = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      expired = true;
      controller.abort();
    }, ms);
  };
  if (outer?.aborted) follow();
  else outer?.addEventListener("abort", follow, { once: true });
  restart();
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    restart,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", follow);
    },
  };
}

/** The wait before a retry: doubles from half a second up to eight, with up to a quarter less at random. */
export function backoffMs(attempt: number): number {
  return Math.min(500 * 2 ** attempt, 8000) * (1 - Math.random() / 4);
}
