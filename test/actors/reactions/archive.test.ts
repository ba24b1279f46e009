import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ARCHIVE_KEPT_MS } from '../../../actors/archive/archive.js';
import { zipEnd } from '../../../actors/archive/zip.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { PIECE_BYTES } from '../../../actors/reactions/archive-contents.js';
import { Alarms } from '../../../actors/runtime/effects/alarms.js';
import { askerOf } from '../../../actors/runtime/kind.js';
import { readWhole } from '../../../store/media.js';
import { mediaFiles } from '../../../store/tables.js';
import { jsonOf, unzipped } from '../../kit/services/unzipped.js';
import { blankPost, town } from './town.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const FILE = `${'a'.repeat(32)}.mp4`;
const AVATAR = `${'b'.repeat(32)}.png`;

/** Returns Alice, who has posted a film of more than two pieces, and a way to her archive. */
async function withFilm(bytesMax?: number) {
  const here = await town(['alice', 'bob'], bytesMax === undefined ? {} : { archiveBytes: bytesMax });
  const [alice, bob] = [here.id('alice'), here.id('bob')];
  const film = randomBytes(2.5 * PIECE_BYTES);
  await here.media.put(FILE, film);
  await here.media.put(AVATAR, Buffer.from('a picture'));
  await here.account(alice, 'updateProfile', { displayName: 'Älice', avatar: AVATAR, fields: [], setFields: false });
  const media = {
    ...{ id: '', key: 'k', state: 'ready', kind: 'video', file: FILE, preview: '', width: 0, height: 0 },
    ...{ previewWidth: 0, previewHeight: 0, blurhash: '', description: 'a film', atMs: 0 },
    ...{ durationS: 0, bitsPerS: 0, framesPerS: 0 },
  };
  const added = await here.account(alice, 'addMedia', { media });
  assert.ok(!isProblem(added));
  const say = async (who: string, more: object = {}) => {
    const posted = await here.account(who, 'post', { ...blankPost, ...more });
    assert.ok(!isProblem(posted), JSON.stringify(posted));
    return posted;
  };
  await say(alice, { html: 'for nobody else', visibility: 'direct' });
  await say(alice, { media: { ids: [added.id] } });
  const bobs = await say(bob);
  for (const command of ['favourite', 'bookmark', 'reblog'] as const)
    await here.conversation(bobs.conversationId, command, { statusId: bobs.id, by: alice });
  const ask = askerOf(here.archives, here.node.runtime);
  const settled = async <T>(answer: Promise<T>): Promise<T> => {
    await here.stage.clock.settle();
    return answer;
  };
  const told = async () => {
    const answer = await ask(alice, 'tellArchive', {});
    assert.ok(!isProblem(answer));
    return answer;
  };
  /** Returns the whole ZIP. */
  const zip = async ({ pieces, zip }: Awaited<ReturnType<typeof told>>) => {
    const stored = await Promise.all(
      pieces.map(async (one) => ({ ...one, bytes: (await readWhole(here.media, one.file)) as Uint8Array })),
    );
    const directories = stored.map(({ bytes, dataBytes }) => bytes.subarray(dataBytes));
    const length = directories.reduce((sum, one) => sum + one.length, 0);
    const data = stored.map(({ bytes, dataBytes }) => bytes.subarray(0, dataBytes));
    return Buffer.concat([...data, ...directories, zipEnd(zip ?? { bytes: 0, files: 0 }, length)]);
  };
  return { ...here, alice, bob, bobs, film, ask, told, zip, settled };
}

test('an archive has the profile, all posts, marks and files, in pieces of bounded size', async () => {
  const here = await withFilm();
  await here.settled(here.ask(here.alice, 'begin', {}));
  const told = await here.told();
  const { pieces, readyMs, partial } = told;
  assert.ok(readyMs > 0 && !partial);
  assert.equal(pieces.length, 3);
  for (const { dataBytes } of pieces) assert.ok(dataBytes < PIECE_BYTES * 1.1, `${dataBytes} bytes`);
  const files = unzipped(await here.zip(told));
  assert.deepEqual(
    [...files.keys()],
    ['actor.json', 'outbox.json', 'likes.json', 'bookmarks.json', `media/${AVATAR}`, `media/${FILE}`],
  );
  assert.ok(files.get(`media/${FILE}`)?.equals(here.film));
  assert.equal(jsonOf(files, 'actor.json').name, 'Älice');
  const outbox = jsonOf(files, 'outbox.json');
  assert.deepEqual(
    outbox.orderedItems.map(({ type }: { type: string }) => type),
    ['Create', 'Create', 'Announce'],
  );
  assert.deepEqual([outbox.totalItems, outbox.type], [3, 'OrderedCollection']);
  assert.match(outbox.orderedItems[0].object.content, /for nobody else/);
  assert.match(outbox.orderedItems[1].object.attachment[0].url, new RegExp(`/media/${FILE}$`));
  for (const name of ['likes.json', 'bookmarks.json'])
    assert.deepEqual(jsonOf(files, name).orderedItems, [`https://here.example/users/bob/statuses/${here.bobs.id}`]);
  const mails = here.mails.filter(({ to }) => to === 'alice@example.org');
  assert.match(mails.at(-1)?.text ?? '', /\/settings\/archive/);
});

test('a takeover between pieces repeats one piece at most, and leaves no file behind', async () => {
  const here = await withFilm();
  let count = 0;
  // The node ends while it stores the second piece.
  const lost = new Promise<void>((resolve) => {
    here.media.afterPut = () => {
      count += 1;
      if (count !== 2) return undefined;
      resolve();
      return new Promise(() => undefined);
    };
  });
  const begun = here.ask(here.alice, 'begin', {});
  await here.stage.clock.settle();
  await begun;
  await lost;
  here.media.afterPut = () => undefined;
  here.stage.kill(here.node);
  const next = await here.start(2);
  const ask = askerOf(here.archives, next.runtime);
  await here.stage.clock.settle();
  const told = await ask(here.alice, 'tellArchive', {});
  assert.ok(!isProblem(told) && told.readyMs > 0);
  const stored = [...here.media.names].filter((name) => name.endsWith('.zip'));
  assert.deepEqual(new Set(stored), new Set(told.pieces.map(({ file }) => file)));
  assert.ok(
    unzipped(await here.zip(told))
      .get(`media/${FILE}`)
      ?.equals(here.film),
  );
});

test('files that find no room are left out, and the archive says so', async () => {
  const here = await withFilm(1_048_576);
  await here.settled(here.ask(here.alice, 'begin', {}));
  const told = await here.told();
  assert.ok(told.partial && told.readyMs > 0);
  const files = unzipped(await here.zip(told));
  assert.ok(files.has(`media/${AVATAR}`) && !files.has(`media/${FILE}`));
});

test('the files go when the archive expires, and when its account is deleted', async () => {
  const here = await withFilm();
  const alarms = new Alarms({
    ...{ tables: here.tables, asker: here.node.runtime, placement: here.node.placement },
    ...{ clock: here.stage.clock, logger: silent },
  });
  alarms.start();
  await here.settled(here.ask(here.alice, 'begin', {}));
  const { pieces } = await here.told();
  const left = async () => {
    const found = await Promise.all(pieces.map(({ file }) => here.tables.get(mediaFiles, { name: file })));
    return found.filter((one) => one !== undefined).length;
  };
  assert.equal(await left(), 3);
  await here.stage.clock.advance(ARCHIVE_KEPT_MS + 120_000);
  assert.deepEqual([await left(), (await here.told()).exists], [0, false]);
  alarms.close();

  await here.settled(here.ask(here.bob, 'begin', {}));
  for (const action of ['suspend', 'delete'])
    await here.account(here.bob, 'moderate', { action, by: '', text: '', mail: false });
  const gone = await here.ask(here.bob, 'tellArchive', {});
  assert.ok(!isProblem(gone));
  assert.deepEqual([gone.exists, gone.pieces], [false, []]);
});
