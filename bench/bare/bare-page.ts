import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../cli/bundle.js';
import { measure } from '../http-load.js';
import type { Row } from '../row.js';

const PAGES = 32;
const PAGE = 20;
const usual = { count: 10_000, warmUp: 4_000, rounds: 5, inFlight: 32 } as const;
/** A server without effects is always settled. */
const settled = async () => undefined;

/**
 * Measures a page that is only joined from cached pieces and sent by uWebSockets: no authentication, no lookups, no
 * decisions. It shows how far this machine is, at the moment, from the one for which the targets of pages were set.
 */
export async function benchBarePage(): Promise<Row[]> {
  const child = fork(fileURLToPath(new URL('./bare-page-node.js', import.meta.url)), [], {
    execArgv: [...NODE_FLAGS],
  });
  try {
    const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }];
    const target = { urls: [`http://127.0.0.1:${port}`], pids: [child.pid ?? 0], settled };
    const from = (index: number) => (index % PAGES) * PAGE;
    return [
      await measure(target, {
        ...usual,
        name: 'bare: 20 kept pieces, joined and sent',
        call: (index) => ({
          method: 'GET',
          path: `/page/${from(index)}`,
          right: (all: { id: number }[]) => all.length === PAGE && all.every(({ id }, at) => id === from(index) + at),
        }),
      }),
      await measure(target, {
        ...usual,
        name: 'bare: one kept piece, sent',
        call: (index) => ({ method: 'GET', path: `/piece/${from(index)}`, right: ({ id }) => id === from(index) }),
      }),
    ];
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}
