import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Document, type Peer, type PeerActor, PUBLIC } from '../../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../../kit/federation/trusted-loopback.js';
import { until } from '../../../kit/time/until.js';
import { call, makePeople, type Person } from '../../cluster/people.js';

/** Tests see an effect within this time; an activity that waits for a fetch is repeated after 15 to 30 s. */
const SEEN_MS_MAX = 60_000;

let loopback: TrustedLoopback;
let server: SecureServer;
/** Servers of the quoting author, of the quoted author, and of an attacker. */
let quoters: Peer;
let quoteds: Peer;
let attackers: Peer;
let ada: Person;
let ann: PeerActor;
let vera: PeerActor;
before(async () => {
  loopback = await TrustedLoopback.open();
  [quoters, quoteds, attackers] = await Promise.all([loopback.peer(), loopback.peer(), loopback.peer()]);
  [ann, vera] = [quoters.actor('ann'), quoteds.actor('vera')];
  attackers.actor('mallory');
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await Promise.all([quoters?.close(), quoteds?.close(), attackers?.close()]);
  await loopback?.close();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
const ask = (method: string, path: string, body?: object): Promise<any> =>
  call(server.url, ada, method, `/api/v1/${path}`, body);
const find = async (uri: string): Promise<Document | undefined> => {
  const path = `/api/v2/search?q=${encodeURIComponent(uri)}&resolve=true`;
  const { statuses } = (await call(server.url, ada, 'GET', path)) as { statuses: Document[] };
  return statuses[0];
};
const get = (id: string): Promise<Document> => ask('GET', `statuses/${id}`);

/** Makes a status of vera's and one of ann's that quotes it; returns both and the stamp that fits them. */
function pair(more: Document = {}) {
  const quoted = quoteds.serves(vera.note('<p>quoted</p>', more));
  const uri = quoteds.uri('stamp');
  const note = ann.note('<p>quoting</p>', { to: [PUBLIC, `${server.url}/users/ada`], quote: quoted.id });
  const quoting: Document = { ...note, quoteAuthorization: uri };
  const stamp = { id: uri, type: 'QuoteAuthorization', attributedTo: vera.uri };
  return { quoted, quoting, stamp: { ...stamp, interactingObject: note.id, interactionTarget: quoted.id } };
}

/** Sends the quoting status, and returns it when its quote has this state. */
async function received(quoting: Document, state: string): Promise<Document> {
  assert.equal(await ann.post(`${server.url}/inbox`, ann.activity('Create', quoting)), 202);
  return until(
    `a quote that is ${state}`,
    async () => {
      const status = await find(quoting.id);
      return status?.quote?.state === state ? status : undefined;
    },
    SEEN_MS_MAX,
  ) as Promise<Document>;
}

test('a quote with a stamp of the quoted author shows, is counted and listed', async () => {
  const { quoted, quoting, stamp } = pair();
  quoteds.serves(stamp);
  const status = await received(quoting, 'accepted');
  assert.equal(status.quote.quoted_status.uri, quoted.id);
  const id = status.quote.quoted_status.id;
  await until('the count', async () => (await get(id)).quotes_count === 1, SEEN_MS_MAX);
  assert.deepEqual(
    (await ask('GET', `statuses/${id}/quotes`)).map(({ uri }: Document) => uri),
    [quoting.id],
  );
});

test('a quote shows when its stamp arrives with an Update, and goes when the status quotes nothing any more', async () => {
  const { quoting, stamp } = pair();
  const { quoteAuthorization, ...unstamped } = quoting;
  const pending = await received(unstamped, 'pending');
  assert.equal(pending.quote.quoted_status, null);
  quoteds.serves(stamp);
  const update = (note: object) => ann.post(`${server.url}/inbox`, ann.activity('Update', note));
  assert.equal(await update(quoting), 202);
  await until('the quote', async () => (await get(pending.id)).quote.state === 'accepted', SEEN_MS_MAX);
  const asked = quoteds.asked(new URL(stamp.id).pathname).length;
  assert.equal(await update(quoting), 202);
  const { quote, quoteAuthorization: _, ...bare } = quoting;
  assert.equal(await update(bare), 202);
  await until('no quote', async () => (await get(pending.id)).quote === null, SEEN_MS_MAX);
  assert.equal(quoteds.asked(new URL(stamp.id).pathname).length, asked, 'a known stamp is not fetched again');
});

test('a status quotes others of its author without a stamp', async () => {
  const own = quoters.serves(ann.note('<p>own</p>'));
  const note = ann.note('<p>again</p>', { to: [PUBLIC, `${server.url}/users/ada`], quoteUri: own.id });
  assert.equal((await received(note, 'accepted')).quote.quoted_status.uri, own.id);
});

test('hostile stamps show nothing', async () => {
  const elsewhere = attackers.uri('stamp');
  const changes: readonly (readonly [string, Document])[] = [
    ['forged author', { attributedTo: attackers.url }],
    ['author is the quoter', { attributedTo: ann.uri }],
    ['another quoting status', { interactingObject: quoters.uri('note') }],
    ['another quoted status', { interactionTarget: quoteds.uri('note') }],
    ['a stamp that is a Note', { type: 'Note' }],
    ['the id of another stamp', { id: quoteds.uri('stamp') }],
  ];
  for (const [what, change] of changes) {
    const { quoting, stamp } = pair();
    quoteds.answer(new URL(stamp.id).pathname, { status: 200, body: { ...stamp, ...change } });
    assert.equal((await received(quoting, 'rejected')).quote.quoted_status, null, what);
  }
  // A stamp on another server, one on the quoter's own, and one that redirects there.
  for (const peer of [attackers, quoters]) {
    const { quoting, stamp } = pair();
    const uri = peer === attackers ? elsewhere : quoters.uri('stamp');
    peer.serves({ ...stamp, id: uri });
    await received({ ...quoting, quoteAuthorization: uri }, 'rejected');
    assert.equal(peer.asked(new URL(uri).pathname).length, 0, 'it is not even fetched');
  }
  const redirected = pair();
  attackers.serves({ ...redirected.stamp, id: elsewhere });
  quoteds.answer(new URL(redirected.stamp.id).pathname, { status: 302, headers: { location: elsewhere } });
  await received(redirected.quoting, 'rejected');
  // A stamp that was given for another quote, and one that does not exist.
  const other = pair();
  quoteds.serves(other.stamp);
  await received({ ...pair().quoting, quoteAuthorization: other.stamp.id }, 'rejected');
  await received(pair().quoting, 'rejected');
});

test('a made-up permission of a local author shows nothing, and tells nobody', async () => {
  const { uri } = (await ask('POST', 'statuses', { status: 'mine' })) as Document;
  const to = [PUBLIC, `${server.url}/users/ada`];
  const quoting = () => ann.note('<p>quoting</p>', { to, quote: uri });
  await received(quoting(), 'pending');
  await received({ ...quoting(), quoteAuthorization: `${uri}/quote_authorizations/1` }, 'rejected');
  const types = new Set((await ask('GET', 'notifications')).map(({ type }: Document) => type));
  assert.equal(types.has('quote'), false);
});

test('statuses that quote each other in a circle, or endlessly, end at the second', async () => {
  const [one, two] = [quoters.uri('note'), quoters.uri('note')];
  quoters.serves({ ...ann.note('<p>one</p>', { quote: two }), id: one });
  quoters.serves({ ...ann.note('<p>two</p>', { quote: one }), id: two });
  const status = (await until(
    'the circle',
    async () => {
      const found = await find(one);
      return found?.quote?.state === 'accepted' && found.quote.quoted_status.quote.state === 'accepted' && found;
    },
    SEEN_MS_MAX,
  )) as Document;
  assert.equal(status.quote.quoted_status.uri, two);
  const chain = Array.from({ length: 8 }, () => quoters.uri('note'));
  for (const [place, id] of chain.entries())
    quoters.serves({ ...ann.note('<p>chain</p>', { quote: chain[place + 1] ?? chain[0] }), id });
  await find(chain[0] as string);
  await until('the chain', async () => quoters.asked(new URL(chain[2] as string).pathname).length > 0, SEEN_MS_MAX);
  assert.equal(quoters.asked(new URL(chain[4] as string).pathname).length, 0);
});

test('the API says who may quote a status of another server', async () => {
  const followers = vera.document.followers;
  const approval = async (canQuote: object | undefined) => {
    const policy = canQuote === undefined ? {} : { interactionPolicy: { canQuote } };
    return (await find(quoteds.serves(vera.note('<p>x</p>', policy)).id))?.quote_approval;
  };
  const nobody = { automatic: [], manual: [], current_user: 'denied' };
  assert.deepEqual(await approval(undefined), nobody);
  assert.deepEqual(await approval({ automaticApproval: [vera.uri] }), nobody);
  assert.deepEqual(await approval({ automaticApproval: [PUBLIC] }), {
    ...{ automatic: ['public'], manual: [], current_user: 'automatic' },
  });
  assert.deepEqual(await approval({ automaticApproval: [followers], manualApproval: [PUBLIC] }), {
    ...{ automatic: ['followers'], manual: ['public'], current_user: 'manual' },
  });
});

test('none of it caused an error on the server', () => {
  const errors = server.log.split('\n').filter((line) => /"level":(?:50|60)/.test(line));
  assert.deepEqual(errors, []);
});
