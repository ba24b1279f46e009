import assert from 'node:assert/strict';
import sharp from 'sharp';
import type { Person } from './people.js';

/** A user's file, and its path on every node. */
export interface Uploaded {
  readonly owner: Person;
  readonly path: string;
}

/** Uploads a picture as each owner at a different node, all at the same time. */
export async function uploadedByAll(nodes: readonly string[], owners: readonly Person[]): Promise<Uploaded[]> {
  const create = { width: 2, height: 2, channels: 3, background: '#0a0' } as const;
  const picture = new Uint8Array(await sharp({ create }).png().toBuffer());
  const upload = async (owner: Person, node: number) => {
    const body = new FormData();
    body.append('file', new Blob([picture], { type: 'image/png' }), 'dots.png');
    const headers = { authorization: `Bearer ${owner.token}` };
    const response = await fetch(`${nodes[node]}/api/v2/media`, { method: 'POST', headers, body });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return { owner, path: new URL((JSON.parse(text) as { url: string }).url).pathname };
  };
  return Promise.all(owners.map(upload));
}

/** Returns every node's status for each of the files. */
export async function shownByAll(nodes: readonly string[], files: readonly Uploaded[]): Promise<number[]> {
  const statusOf = async (address: string) => {
    const response = await fetch(address);
    await response.arrayBuffer();
    return response.status;
  };
  return Promise.all(nodes.flatMap((node) => files.map(({ path }) => statusOf(`${node}${path}`))));
}
