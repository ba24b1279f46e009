import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A line that a foreign server prints: what it listens on, or an activity that it received. */
export interface Said {
  readonly type: string;
  readonly port?: number;
  readonly object?: string;
  /** Type of the object; of an Undo, the type of what it undoes. */
  readonly kind?: string;
  readonly of?: string;
  readonly content?: string;
}

/**
 * A program of `test/peers`: a server of another implementation with one person, fred. It prints what it receives and
 * takes commands (see the programs).
 */
export class ForeignServer {
  readonly #said: Said[] = [];

  private constructor(private readonly child: ChildProcess) {}

  /** @param environment variables over those of this process */
  static start(command: string, args: readonly string[], environment: Readonly<Record<string, string>>): ForeignServer {
    const env = { ...process.env, ...environment };
    const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const server = new ForeignServer(child);
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) server.#said.push(JSON.parse(line) as Said);
    });
    return server;
  }

  /** Returns the lines of a type so far. */
  said(type: string): Said[] {
    return this.#said.filter((one) => one.type === type);
  }

  /** Makes fred do something. */
  tell(command: string): void {
    this.child.stdin?.write(`${command}\n`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill();
    await ended;
  }
}
