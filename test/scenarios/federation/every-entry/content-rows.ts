import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { Document } from '../../../kit/federation/peer.js';
import { type At, all, asText, atInboxes, type Case, type Cell, FETCHED, NO_DOCUMENTS, type Row } from './case.js';
import { ACTIVITY, JRD, pathOf } from './entry.js';

// Attacks with what a document contains, or with the way in which a server answers.

const NO_JSON = 'it is no JSON';
const NO_STATUS = 'no status is read from it';
const NO_TEXT = 'people read no text of it';
const INSIDE_ANOTHER = 'its entries run it: statuses, actors and collections';
const NOT_FETCHED = 'it is not fetched';
const MB = 2 ** 20;

const changed = (change: (at: At) => Document): ((at: At) => Case) => {
  return (at) => ({ document: { ...at.honest, ...change(at) } });
};
/** Documents that are shown, apart from what is hostile in them. */
const shown = (change: (at: At) => Document, shows: (shown: Document, at: At) => void): ((at: At) => Case) => {
  return (at) => ({ document: { ...at.honest, ...change(at) }, shows: (one) => shows(one, at) });
};
const JSONS = [...FETCHED, 'key', 'name'] as const;

/** A part that makes JSON-LD mean something else, at the top and further in. */
const keywords: Cell = ['@graph', '@included', '@reverse', '@id', '@type'].flatMap((key) => [
  changed(({ ann }) => ({ [key]: { id: ann.uri } })),
  changed(() => ({ x: [{ y: { [key]: 'z' } }] })),
]);
const linkedSignature = changed(({ ann }) => ({
  id: ann.peer.uri('notes'),
  signature: { type: 'RsaSignature2017', creator: ann.keyId, signatureValue: 'x' },
}));

/** Documents that cost much to parse: deep, with many values or names, or long. */
const costly = (type: string): Cell =>
  [
    '['.repeat(10_000) + ']'.repeat(10_000),
    `[${'1,'.repeat(200_000)}1]`,
    `"${'x'.repeat(1.1 * MB)}"`,
    `{${Array.from({ length: 50_000 }, (_, at) => `"k${at}":1`).join(',')}}`,
  ].map(
    (part) =>
      ({ honest }: At): Case => ({ answer: asText(JSON.stringify(honest).replace(/\}$/, `,"x":${part}}`), type) }),
  );
const deep = (levels: number): Document => (levels === 0 ? {} : { x: deep(levels - 1) });
const costlyInside: Cell = [
  changed(() => deep(100)),
  changed(() => ({ x: Array.from({ length: 20_000 }, () => 1) })),
  changed(() => ({ x: 'x'.repeat(1.1 * MB) })),
];

/** Sends the server to an address inside. */
const inward: Cell = [
  ({ host }) => ({ answer: { status: 302, headers: { location: host.world.inside } } }),
  ({ host }) => ({
    answer: { status: 308, headers: { location: host.world.inside.replace('127.0.0.9', '[::ffff:127.0.0.9]') } },
  }),
  ({ host }) => ({ answer: { status: 301, headers: { location: host.world.inside.replace('https:', 'http:') } } }),
];

const slow = (type: string): Cell => [
  () => ({ answer: 'hang' }),
  () => ({ answer: 'drip' }),
  () => ({ answer: 'endless' }),
  () => ({
    answer: {
      status: 200,
      headers: { 'content-type': type, 'content-encoding': 'gzip' },
      body: gzipSync(Buffer.alloc(20 * MB, ' ')),
    },
  }),
];

/** Pages of a collection that one reading may cost. */
const PAGES_MAX = 20;
const endlessPages: Cell = [
  ({ honest, uri, host, text }) => {
    const path = pathOf(uri);
    const page = (at: number): Document => ({
      ...{ ...honest, orderedItems: [], type: 'OrderedCollectionPage', next: `${uri}/${text}/${at + 1}` },
      id: at === 0 ? uri : `${uri}/${text}/${at}`,
    });
    for (let at = 1; at <= 2 * PAGES_MAX; at++)
      host.peer.answer(`${path}/${text}/${at}`, { status: 200, body: page(at) });
    const pages = () => host.peer.received.filter(({ target }) => target.startsWith(path)).length;
    return { document: page(0), requests: () => assert.ok(pages() <= PAGES_MAX, `${pages()} pages`) };
  },
  ({ honest, uri }) => ({
    document: { ...honest, orderedItems: [], next: uri, first: uri },
    requests: (asked) => assert.equal(asked, 1),
  }),
  shown(
    ({ honest }) => ({ orderedItems: [...honest.orderedItems, ...Array.from({ length: 5_000 }, () => 7)] }),
    () => undefined,
  ),
];

/** Statuses above one that are fetched with it, and itself. */
const FETCHED_ABOVE_MAX = 21;
const chain: Cell = [
  shown(
    ({ host, text }) => {
      const ids = Array.from({ length: 30 }, (_, at) => `${host.peer.url}/chain/${text}/${at}`);
      for (const [at, id] of ids.entries())
        host.peer.serves({ ...host.eve.note('<p>above</p>', { inReplyTo: ids[at + 1] }), id });
      return { inReplyTo: ids[0] };
    },
    (_, { host, text }) => {
      const above = host.peer.received.filter(({ target }) => target.startsWith(`/chain/${text}/`)).length;
      assert.ok(above <= FETCHED_ABOVE_MAX, `${above} above`);
    },
  ),
  shown(
    ({ uri }) => ({ inReplyTo: uri, context: uri }),
    () => undefined,
  ),
];

const notLater = ({ created_at: at }: Document): void => assert.ok(Date.parse(at) <= Date.now() + 60_000, at);
const dates: Cell = [
  shown(() => ({ published: '2100-01-01T00:00:00Z', updated: '2100-01-01T00:00:00Z' }), notLater),
  shown(() => ({ published: '1970-01-01T00:00:00Z' }), notLater),
  shown(() => ({ published: '-271821-04-20T00:00:00Z' }), notLater),
  shown(() => ({ published: ['x', 7] }), notLater),
];

/** Longest parts that people see: those of the table of limits, with the marks around them. */
const TEXT_CHARS_MAX = 101_000;
const NAME_CHARS_MAX = 510;
const many = <T>(one: (at: number) => T): T[] => Array.from({ length: 400 }, (_, at) => one(at));
const large: Cell = [
  shown(
    ({ honest }) => ({ content: `${honest.content}${'x '.repeat(300_000)}` }),
    ({ content }) => assert.ok(content.length <= TEXT_CHARS_MAX),
  ),
  shown(
    ({ host }) => ({
      tag: many((at) => ({ type: 'Hashtag', name: `#t${at}` })),
      attachment: many((at) => ({ type: 'Document', mediaType: 'image/png', url: `${host.peer.url}/${at}.png` })),
    }),
    ({ tags, media_attachments: media }) => assert.ok(tags.length <= 64 && media.length <= 16),
  ),
  shown(
    ({ host }) => ({ tag: many((at) => ({ type: 'Mention', href: `${host.peer.url}/users/m${at}` })) }),
    ({ mentions }) => assert.ok(mentions.length <= 100),
  ),
];
const polls: Cell = [
  shown(
    () => ({
      type: 'Question',
      oneOf: many((at) => ({ name: `${at}`, replies: { totalItems: -at } })),
      votersCount: -4,
    }),
    ({ poll }) => {
      assert.ok(poll === null || poll.options.length <= 20);
      for (const { votes_count: votes } of poll?.options ?? []) assert.equal(votes, 0);
      assert.ok((poll?.voters_count ?? 0) >= 0);
    },
  ),
  shown(
    ({ host }) => ({ quote: host.known.id, quoteAuthorization: `${host.eve.uri}/stamps/1` }),
    ({ quote }) => assert.notEqual(quote?.state, 'accepted'),
  ),
];

const BAD_HTML = [
  '<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)></svg>',
  '<a href="javascript:alert(1)" onclick="x">x</a><iframe src="https://x"></iframe><form action="x"><input></form>',
  '<a href="data:text/html,x">x</a><style>*{}</style><math><mtext></mtext></math><object data="x"></object>',
  `${'<b>'.repeat(10_000)}<a href="x`,
].join('');
const harmless = (html: string): void => {
  assert.doesNotMatch(html, /<(?!\/?(?:p|br|a|span|b|strong|em|i|u|del|s|pre|code|blockquote|ul|ol|li)\b)/i);
  assert.doesNotMatch(html, /<[^>]*\b(?:on\w+|style)=|(?:href|src)="(?!https?:)/i);
};
const html: Cell = [
  shown(
    ({ honest }) => ({ content: `${honest.content}${BAD_HTML}`, summary: BAD_HTML }),
    ({ content }) => harmless(content),
  ),
];
/** Turns the direction of what follows. */
const TURNED = '\u202e';
const turned: Cell = [
  shown(
    ({ honest }) => ({
      content: `${honest.content}<a href="https://x.example/${TURNED}gpj.exe">${TURNED}moc.elgoog</a>`,
    }),
    ({ content }) => assert.ok(!content.includes(TURNED)),
  ),
];
const boundedList: Cell = [
  shown(
    ({ honest }) => ({
      links: [...Array.from({ length: 30 }, () => ({ rel: 'x' })), ...(honest.links ?? [])],
      aliases: many(() => 'x'),
    }),
    () => undefined,
  ),
];

const HOSTILE_BYTES = {
  file: 'scenarios/hostile-bytes.test.ts',
  title: 'no linked page holds up the node or fills its memory',
};
const FORBIDDEN = {
  file: 'scenarios/federation/forbidden-fields.test.ts',
  title: 'no address in an activity, a search or a WebFinger answer is connected to if it is inside',
};
const MADE_UP = {
  file: 'actors/federation/made-up-hosts.test.ts',
  title: '100,000 made-up hosts and dead inboxes are remembered within bounds, and their figures stay right',
};
const SLOW_FILE = {
  file: 'transport/web/media-client.test.ts',
  title: 'a fetch from a server that is slow or does not answer ends in time',
};

export const contentRows: readonly Row[] = [
  {
    name: 'LD-signature',
    cells: {
      inbox: atInboxes('an actor that is not the signer has no effect'),
      named: atInboxes('documents that cost much, or mean something else, are refused quickly'),
      ...all([...FETCHED, 'embedded'], [...keywords, linkedSignature]),
      ...all(['key', 'name'], keywords),
      ...all(NO_DOCUMENTS, NO_JSON),
    },
  },
  {
    name: 'JSON-LD DoS',
    cells: {
      inbox: atInboxes('documents that cost much, or mean something else, are refused quickly'),
      named: atInboxes('documents that cost much, or mean something else, are refused quickly'),
      ...all([...FETCHED, 'key'], costly(ACTIVITY)),
      name: costly(JRD),
      embedded: costlyInside,
      ...all(NO_DOCUMENTS, NO_JSON),
    },
  },
  {
    name: 'SSRF first hop, redirect, DNS rebinding',
    cells: {
      inbox: atInboxes('keys at addresses that must not be reached are not fetched'),
      ...all([...JSONS, 'file'], inward),
      ...all(['embedded', 'named'], FORBIDDEN),
      page: FORBIDDEN,
      domains: {
        file: 'scenarios/federation/block-lists.test.ts',
        title:
          'addresses inside, unknown lists and policies, and missing arguments end with a message and change nothing',
      },
    },
  },
  {
    name: 'slow/endless response',
    cells: {
      ...all([...FETCHED, 'key'], slow(ACTIVITY)),
      name: slow(JRD),
      inbox: 'the other server answers nothing; slow bodies of requests end by the limits of the HTTP server',
      ...all(['embedded', 'named'], NOT_FETCHED),
      file: SLOW_FILE,
      page: HOSTILE_BYTES,
      domains: {
        file: 'transport/web/guarded-client.test.ts',
        title: 'a page that is too large, of another type, missing or without a web address gives nothing',
      },
    },
  },
  {
    name: 'unbounded collections',
    cells: {
      collection: endlessPages,
      people: 'its pages are read as those of a list',
      followers: [changed(({ uri }) => ({ next: uri })), changed(({ uri }) => ({ first: uri }))],
      ...all(['inbox', 'embedded', 'named'], 'its lists are entries of their own'),
      ...all(['status', 'actor'], 'its lists are entries of their own'),
      ...all(['stamp', 'key', 'name', ...NO_DOCUMENTS], 'it names no list'),
    },
  },
  {
    name: 'graft depth',
    cells: {
      status: chain,
      embedded: {
        file: 'scenarios/federation/threads.test.ts',
        title: 'a reply shows what it answers once that has arrived, through eight threads',
      },
      ...all(['inbox', 'named'], INSIDE_ANOTHER),
      ...all(['actor', 'collection', 'people', 'stamp', 'followers', 'key', 'name', ...NO_DOCUMENTS], NO_STATUS),
    },
  },
  {
    name: 'invented dates',
    cells: {
      status: dates,
      actor: [shown(() => ({ published: '2100-01-01T00:00:00Z' }), notLater)],
      people: [shown(() => ({ published: '2100-01-01T00:00:00Z', updated: '9999-01-01T00:00:00Z' }), notLater)],
      embedded: 'it is read as a fetched one',
      ...all(['inbox', 'named'], 'the time of the request is in the rows on signatures'),
      ...all(['collection', 'stamp', 'followers', 'key', 'name', ...NO_DOCUMENTS], 'no time is read from it'),
    },
  },
  {
    name: 'media proxy',
    cells: {
      file: [
        ['text/html', '<html><script>alert(1)</script>'],
        ['image/png', '<html><script>alert(1)</script>'],
        ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
        ['image/png', '{"type":"Note"}'],
        ['application/activity+json', '{"type":"Note"}'],
      ].map(([type = '', body = '']) => () => ({ answer: { status: 200, headers: { 'content-type': type }, body } })),
      ...all(['inbox', 'embedded', 'named', ...JSONS], 'its files are entries of their own'),
      page: HOSTILE_BYTES,
      domains: 'it has no files',
    },
  },
  {
    name: 'unbounded remote fields',
    cells: {
      status: large,
      embedded: 'it is read as a fetched one',
      actor: [
        shown(
          ({ text }) => ({
            name: `${text}${'x'.repeat(300_000)}`,
            summary: 'y '.repeat(100_000),
            attachment: many((at) => ({ type: 'PropertyValue', name: `${at}`, value: 'z'.repeat(100) })),
            alsoKnownAs: many((at) => `https://x.example/${at}`),
          }),
          ({ display_name: name, note, fields }) =>
            assert.ok(name.length <= NAME_CHARS_MAX && note.length <= 21_000 && fields.length <= 16),
        ),
      ],
      people: [
        shown(
          ({ text }) => ({
            name: `${text}${'x'.repeat(300_000)}`,
            summary: 'y '.repeat(100_000),
            orderedItems: many(() => 7),
          }),
          ({ name, description }) => assert.ok(name.length <= 256 && description.length <= 2_100),
        ),
      ],
      collection: 'see the row unbounded collections',
      name: boundedList,
      ...all(['inbox', 'named'], INSIDE_ANOTHER),
      ...all(['stamp', 'followers', 'key'], 'nothing of it is stored but that it was read'),
      ...all(NO_DOCUMENTS, NO_TEXT),
    },
  },
  {
    name: 'XSS/HTML',
    cells: {
      status: html,
      embedded: 'it is read as a fetched one',
      actor: [
        shown(
          () => ({ summary: BAD_HTML, attachment: [{ type: 'PropertyValue', name: BAD_HTML, value: BAD_HTML }] }),
          ({ note, fields }) => [note, ...fields.map(({ value }: Document) => value)].forEach(harmless),
        ),
      ],
      people: [
        shown(
          () => ({ summary: BAD_HTML }),
          ({ description }) => harmless(description),
        ),
      ],
      ...all(['inbox', 'named'], INSIDE_ANOTHER),
      ...all(['collection', 'stamp', 'followers', 'key', 'name'], NO_TEXT),
      file: 'see the row media proxy',
      page: HOSTILE_BYTES,
      domains: 'operators alone see it, as names of domains',
    },
  },
  {
    name: 'link spoof',
    cells: {
      status: turned,
      embedded: 'it is read as a fetched one',
      actor: [
        shown(
          ({ text }) => ({ name: `${text}${TURNED}x`, summary: `${TURNED}x` }),
          (account) => assert.ok(!JSON.stringify([account.display_name, account.note]).includes(TURNED)),
        ),
      ],
      people: [
        shown(
          ({ text }) => ({ name: `${text}${TURNED}x` }),
          ({ name }) => assert.ok(!name.includes(TURNED)),
        ),
      ],
      ...all(['inbox', 'named'], INSIDE_ANOTHER),
      ...all(['collection', 'stamp', 'followers', 'key', 'name', ...NO_DOCUMENTS], NO_TEXT),
    },
  },
  {
    name: 'unbounded state by peer',
    cells: {
      ...all(['inbox', 'embedded', 'named', ...JSONS, 'file', 'page'], MADE_UP),
      domains: 'an operator adds each list',
    },
  },
  {
    name: 'quote/poll logic',
    cells: {
      status: polls,
      embedded: { file: 'scenarios/federation/quotes/received.test.ts', title: 'hostile stamps show nothing' },
      stamp: [
        changed(() => ({ type: 'Note' })),
        changed(({ host }) => ({ interactingObject: host.peer.uri('notes') })),
        changed(({ host }) => ({ interactionTarget: host.peer.uri('notes') })),
        changed(({ host }) => ({ attributedTo: host.eve.uri })),
      ],
      ...all(['inbox', 'named'], {
        file: 'scenarios/federation/quotes/received.test.ts',
        title: 'a made-up permission of a local author shows nothing, and tells nobody',
      }),
      ...all(['actor', 'collection', 'people', 'followers', 'key', 'name', ...NO_DOCUMENTS], NO_STATUS),
    },
  },
];
