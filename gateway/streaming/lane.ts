/** Tasks that wait in one viewer's lane. Past it the lane drops them and catches up from the store instead. */
const LANE_TASKS_MAX = 1_000;

export type Task = () => Promise<void> | void;

/** Runs tasks one after the other, synchronously if nothing is running. */
export class Lane {
  readonly #onError: (error: unknown) => void;
  readonly #onOverflow: Task;
  #waiting: Task[] = [];
  #busy = false;

  /** `onOverflow` runs in place of the dropped tasks. */
  constructor(onOverflow: Task, onError: (error: unknown) => void) {
    this.#onOverflow = onOverflow;
    this.#onError = onError;
  }

  get busy(): boolean {
    return this.#busy;
  }

  run(task: Task): void {
    if (!this.#busy) this.#start(task);
    else if (this.#waiting.length < LANE_TASKS_MAX) this.#waiting.push(task);
    else this.#waiting = [this.#onOverflow];
  }

  #start(task: Task): void {
    try {
      const running = task();
      if (running === undefined) return;
      this.#busy = true;
      running.catch(this.#onError).finally(() => this.#next());
    } catch (error) {
      this.#onError(error);
    }
  }

  #next(): void {
    this.#busy = false;
    while (!this.#busy) {
      const task = this.#waiting.shift();
      if (task === undefined) return;
      this.#start(task);
    }
  }
}
