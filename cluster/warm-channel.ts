import type { NodeHandoffChunk } from '../proto/gen/types.js';

/**
 * Carries warm activations from the host to the call that sends them, one chunk at a time, so that a slow receiver
 * slows the giver. A discarded channel drops the rest: warm state is only an optimisation.
 */
export class WarmChannel implements AsyncIterable<NodeHandoffChunk> {
  private offered: { chunk: NodeHandoffChunk; taken: () => void } | undefined;
  private hungry: (() => void) | undefined;
  private last: Promise<void> = Promise.resolve();
  private ended = false;
  private discarded = false;

  /** Resolves when the receiver has taken the chunk, or takes no more. */
  push(chunk: NodeHandoffChunk): Promise<void> {
    const turn = this.last.then(() => this.offer(chunk));
    this.last = turn;
    return turn;
  }

  /** Ends the channel: the receiver's loop ends after the chunks that were pushed. */
  end(): void {
    void this.last.then(() => {
      this.ended = true;
      this.hungry?.();
    });
  }

  discard(): void {
    this.discarded = true;
    this.ended = true;
    this.offered?.taken();
    this.offered = undefined;
    this.hungry?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<NodeHandoffChunk> {
    for (;;) {
      const next = this.offered;
      if (next !== undefined) {
        this.offered = undefined;
        yield next.chunk;
        next.taken();
      } else if (this.ended) return;
      else {
        await new Promise<void>((resolve) => {
          this.hungry = resolve;
        });
        this.hungry = undefined;
      }
    }
  }

  private offer(chunk: NodeHandoffChunk): Promise<void> {
    if (this.discarded) return Promise.resolve();
    return new Promise((taken) => {
      this.offered = { chunk, taken };
      this.hungry?.();
    });
  }
}
