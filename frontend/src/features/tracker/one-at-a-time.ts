/**
 * Returns a function that runs a task, which must not reject. Calls during a run cause one more run after it. They do not
 * cancel it, since calls that come faster than it ends would never let it finish. After `signal` aborts, nothing starts.
 */
export function oneAtATime(signal: AbortSignal, task: () => Promise<void>): () => void {
  let isRunning = false;
  let isDue = false;

  async function run() {
    isDue = isRunning;
    if (isRunning || signal.aborted) return;
    isRunning = true;
    await task();
    isRunning = false;
    if (isDue) void run();
  }

  return () => void run();
}
