import assert from 'node:assert/strict';
import { BrowserSessions } from '../requests/browser-sessions.js';
import type { Person } from './people.js';

/** Asserts that each of three nodes shows the figures of all to the owner of the instance. */
export async function assertOperatorsPage(urls: readonly string[], viewer: Person): Promise<void> {
  const owner = { email: 'chief@example.org', password: 'correct horse battery' };
  const { headers } = await new BrowserSessions(urls[0] ?? '', viewer).sessionOf(owner);
  const shown = async (base: string, query = '') => (await fetch(`${base}/cluster${query}`, { headers })).text();
  const names = ['node1', 'node2', 'node3'];
  for (const base of urls) {
    const text = await shown(base);
    assert.doesNotMatch(text, /Not answering/);
    const rows = names.map((name) =>
      new RegExp(`<bdi>${name}</bdi></a></td><td>up</td>.*?number">(\\d+)</td>`).exec(text),
    );
    const shards = rows.map((row) => Number(row?.[1]));
    assert.equal(
      shards.reduce((all, one) => all + one, 0),
      1_024,
      text,
    );
    const owned: number[] = [];
    for (const name of names) {
      const details = await shown(base, `?node=${name}`);
      assert.match(
        details,
        new RegExp(`<h2>Node <bdi>${name}</bdi></h2>.*<td class="number">${name}</td>.*<td>Mails</td>`, 's'),
      );
      owned.push(...shardsIn(details));
    }
    assert.deepEqual(
      owned.sort((one, other) => one - other),
      Array.from({ length: 1_024 }, (_, shard) => shard),
      'each shard has one owner',
    );
  }
}

/** Returns the shards that the details of a node list as ranges. */
function shardsIn(details: string): number[] {
  const ranges = /<h3>Shards of the node<\/h3><p>([\d–, ]+)<\/p>/.exec(details)?.[1] ?? '';
  return ranges.split(', ').flatMap((range) => {
    const [first = 0, last = first] = range.split('–').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
