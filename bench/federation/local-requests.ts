import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Probed, ProbeWish } from './local-probe.js';

/** Requests of local people at a fixed rate, made by a process of its own. */
export class LocalRequests {
  readonly #child: ChildProcess;

  constructor(wish: ProbeWish) {
    const program = fileURLToPath(new URL('./local-probe.js', import.meta.url));
    this.#child = fork(program, [JSON.stringify(wish)]);
  }

  /** Makes requests for some seconds. */
  async run(seconds: number): Promise<Probed> {
    this.#child.send(seconds);
    const [probed] = (await once(this.#child, 'message')) as [Probed];
    return probed;
  }

  end(): void {
    this.#child.kill();
  }
}
