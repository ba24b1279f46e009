import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scanEntries } from './entry-scan.js';
import { federationSources, foreignEntries } from './foreign-entries.js';

/** Functions that take a document and need not ask, with the reason. */
const NO_QUESTION: Readonly<Record<string, string>> = {
  'actors/federation/remote/people.ts #ownerOf': 'reads only the address of the owner, who is found, and asked about',
  'actors/federation/incoming/update.ts orderOf': 'reads only the type, which decides on the order of work',
};

test('every function that takes a document of another server asks authority() before it uses it', async () => {
  const { entries, around: found } = await foreignEntries();
  const around = new Map(found);
  for (const entry of Object.keys(NO_QUESTION))
    assert.ok(around.delete(entry), `${entry} asks, and needs no exception`);
  assert.deepEqual([...around], []);
  for (const known of ['inbox.ts takeLater', 'inbox.ts #receive', 'notes.ts #fetched', 'undo.ts take'])
    assert.ok(
      entries.some((entry) => entry.endsWith(`/${known}`)),
      `the test sees ${known} among ${entries.join(', ')}`,
    );
});

test('the reader of stamps, by which entries may ask, asks about exactly the stamp', async () => {
  const stamps = [...(await federationSources()).values()].filter((text) =>
    text.includes('export function isStampOf('),
  );
  assert.deepEqual(
    stamps.map((text) => text.includes('authority(document, { finalUrl, expected: stamped.id })')),
    [true],
  );
});

/** A file with an entry that asks, and one more. */
const beside = (planted: string): string => `
  export async function asks(uri: string) {
    const outcome = await client.object(uri);
    if (outcome.kind !== 'object') return missingOf(outcome);
    const verdict = authority(outcome.value, { finalUrl: outcome.url });
    return isRefused(verdict) ? undefined : store(outcome.value);
  }
  ${planted}`;

const PLANTED: Readonly<Record<string, string>> = {
  'stores what it fetched': `export async function planted(uri: string) {
    const outcome = await client.object(uri);
    if (outcome.kind === 'object') await store(outcome.value);
  }`,
  'asks after it has stored': `export class Entry { async planted(uri: string) {
    const outcome = await this.#client.object(uri);
    await store(outcome.value);
    return authority(outcome.value, { finalUrl: outcome.url });
  } }`,
  'asks about another document': `export const planted = async (uri: string, other: JsonObject) => {
    const outcome = await client.object(uri);
    if (isRefused(authority(other, { finalUrl: uri }))) return;
    await store(outcome.value);
  };`,
  'hands it to a function that does not ask': `export function planted(body: Uint8Array) {
    const document = parseObject(body);
    if (isProblem(document)) return document;
    return keep(document);
  }
  function keep(document: JsonObject) { return store(document); }`,
  'reads a part of it': `export async function planted(uri: string) {
    const outcome = await client.object(uri);
    return outcome.value.content;
  }`,
  'takes it apart': `export async function planted(uri: string) {
    const { value } = await client.object(uri);
    return store(value);
  }`,
  'passes it on at once': `export const planted = async (uri: string) => store(await client.object(uri));`,
  'believes an object within an activity': `export const handler = { async planted({ document, sender }, { notes }) {
    const note = objectOf(document.object);
    return notes.received(note, sender, { parents: true });
  } };`,
};

for (const [what, planted] of Object.entries(PLANTED)) {
  test(`an entry fails the test beside one that asks: it ${what}`, () => {
    const { entries, around } = scanEntries(beside(planted));
    assert.ok(entries.includes('asks') && entries.length >= 2, entries.join(', '));
    assert.deepEqual(
      around.map(({ entry }) => entry),
      ['planted'],
    );
  });
}

test('entries that ask pass, also by functions of their own', () => {
  const planted = `export function takes(body: Uint8Array, sender: string) {
    const document = parseObject(body);
    if (isProblem(document)) return document;
    const actor = idOf(document.actor);
    return believed(document, actor);
  }
  function believed(activity: JsonObject, signer: string) {
    const allowed = authority(activity, { signer });
    return isRefused(allowed) ? undefined : store(activity);
  }`;
  assert.deepEqual(scanEntries(beside(planted)).around, []);
});

test('activities of other servers cause commands by receiverOf alone', async () => {
  for (const [name, text] of await federationSources()) {
    if (!/^actors\/federation\/(?:inbox|incoming|remote)\//.test(name)) continue;
    assert.doesNotMatch(text, /\baskerOf\b|\bRuntime\b|\.tell\(/, name);
  }
});
