import assert from 'node:assert/strict';
import { request } from 'undici';
import type { ServerProcess } from '../../test/kit/services/server-process.js';
import { makeTown } from '../../test/scenarios/pages/town.js';
import { startServer } from '../measured-server.js';
import type { Row } from '../row.js';

const KIB = 1_024;
const KIB_MAX = 30;
/** Elements that a browser loads with the page: of the server itself, and of what people attach. */
const OWN = /<link rel="(?:stylesheet|icon)" href="([^"]+)"|<script[^>]* src="([^"]+)"/g;
const ATTACHED = /<(?:img|source|video|audio|iframe)[^>]* (?:src|poster|srcset)="([^"]+)"/g;

/**
 * Measures the compressed bytes that a first visitor of each public page loads: the page, its style sheet, its icon and
 * its scripts, without the files that people have uploaded. A request to another server is an error.
 */
export async function benchPageWeights(): Promise<Row[]> {
  const server = await startServer();
  try {
    const [everybody] = await makeTown(server);
    const rows: Row[] = [];
    for (const { path, status = 200 } of everybody?.pages ?? []) {
      const page = await loaded(server, path, status);
      const own = new Set([...page.text.matchAll(OWN)].map(([, link = '', script = '']) => link || script));
      for (const address of [...own, ...[...page.text.matchAll(ATTACHED)].map(([, address = '']) => address)]) {
        assert.equal(new URL(address, server.url).origin, server.url, `${path} loads ${address}`);
      }
      let kib = page.bytes / KIB;
      for (const address of own) kib += (await loaded(server, address, 200)).bytes / KIB;
      rows.push({
        name: `page weight: ${path.replace(/\d{15,}/, ':id')}`,
        figure: `${kib.toFixed(1)} KiB, of which the page ${(page.bytes / KIB).toFixed(1)}`,
        ...{ target: `≤ ${KIB_MAX} KiB`, reached: kib <= KIB_MAX },
      });
    }
    return rows;
  } finally {
    await server.dispose();
  }
}

/** Loads a page or a file as a browser does; returns its bytes on the line, and the text of a page. */
async function loaded(
  { url }: ServerProcess,
  path: string,
  status: number,
): Promise<{ readonly bytes: number; readonly text: string }> {
  const headers = { accept: 'text/html', 'accept-encoding': 'gzip, br' };
  const answer = await request(new URL(path, url), { headers });
  assert.equal(answer.statusCode, status, path);
  const { length } = Buffer.from(await answer.body.arrayBuffer());
  const text = await (await fetch(new URL(path, url), { headers: { accept: 'text/html' } })).text();
  return { bytes: length, text };
}
