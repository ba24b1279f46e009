import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem } from '../../../actors/domain/problem.js';
import { JSON_BYTES_MAX, parseObject } from '../../../transport/federation/bounded-json.js';
import { fc } from '../../kit/property.js';

const parse = (text: string) => parseObject(Buffer.from(text));
const refused = (text: string, why: RegExp) => {
  const found = parse(text);
  assert.ok(isProblem(found), text.slice(0, 80));
  assert.match(found.detail, why);
};
/** Hostile documents cost less than this of the event loop. A busy machine takes several times what an idle one does. */
const LOOP_MS_MAX = 50;

test('an activity is parsed, and its context may define terms by keywords', () => {
  const activity = {
    '@context': ['https://www.w3.org/ns/activitystreams', { alsoKnownAs: { '@id': 'as:alsoKnownAs', '@type': '@id' } }],
    id: 'https://far.example/1',
    object: { type: 'Note', content: 'a "quoted" {text}, [with] signs \\', tag: [{ type: 'Hashtag' }] },
  };
  assert.deepEqual(parse(JSON.stringify(activity)), activity);
});

test('only objects are documents', () => {
  for (const text of ['', '[]', '[{}]', 'null', '1', '"text"', '{', '{}{}', '{"a":1,}', '\ufeff[]'])
    refused(text, /not (a )?JSON/);
  assert.ok(isProblem(parseObject(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d))));
});

test('keywords of JSON-LD are refused outside of contexts, however they are written and nested', () => {
  for (const key of ['@graph', '@included', '@reverse', '@id', '@type', '__proto__']) {
    refused(`{"${key}":1}`, /has the key/);
    refused(`{"object":[{"tag":{"${key}":{}}}]}`, /has the key/);
    refused(`{"\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}":1}`, /has the key/);
  }
  refused('{"contexts":{"@id":"x"}}', /has the key/);
});

test('a document is refused at one byte, level or value above its limit', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
  assert.ok(!isProblem(parse(nested(32))));
  refused(nested(33), /nested/);
  const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  assert.ok(!isProblem(parse(sized(JSON_BYTES_MAX))));
  refused(sized(JSON_BYTES_MAX + 1), /too large/);
  const listed = (values: number) => `{"a":[${Array(values).fill('1').join(',')}]}`;
  assert.ok(!isProblem(parse(listed(9_900))));
  refused(listed(10_100), /too many values/);
});

test('numbers are finite, texts well-formed, and the last of equal keys counts', () => {
  refused('{"a":1e999}', /number/);
  refused('{"@context":[-1e999]}', /number/);
  assert.deepEqual(parse('{"a":"\\ud800x","b":["\\udc00"],"c":"\\ud83d\\ude00"}'), {
    a: '\ufffdx',
    b: ['\ufffd'],
    c: '😀',
  });
  assert.deepEqual(parse('{"a":1,"a":2}'), { a: 2 });
});

test('hostile documents of the largest size are refused in bounded time', () => {
  const size = JSON_BYTES_MAX;
  const hostile = {
    brackets: '['.repeat(size),
    braces: '{"a":'.repeat(size / 5),
    'wide array': `{"a":[${'1,'.repeat(size / 2 - 10)}1]}`,
    'equal keys': `{${'"a":1,'.repeat(size / 6 - 2)}"a":1}`,
    'long number': `{"a":${'9'.repeat(size - 6)}}`,
    quotes: `{${'"'.repeat(size - 1)}`,
    backslashes: `{"${'\\'.repeat(size - 2)}`,
    escapes: `{"a":"${'\\ud800'.repeat((size - 8) / 6)}"}`,
    'bytes of no encoding': `{"a":"${'\u0000'.repeat(size - 8)}"}`,
    spaces: ' '.repeat(size),
  };
  for (const [name, text] of Object.entries(hostile)) {
    const bytes = Buffer.from(text.slice(0, size), 'latin1');
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5; round++) {
      // CPU time: a busy machine takes longer for the same work.
      const before = process.cpuUsage();
      parseObject(bytes);
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, user + system);
    }
    assert.ok(least / 1_000 < LOOP_MS_MAX, `${name}: ${(least / 1_000).toFixed(1)} ms`);
  }
});

test('any bytes and any changed document give an object or a problem', () => {
  const changed = fc.tuple(fc.object({ maxDepth: 6 }), fc.nat(), fc.string()).map(([value, at, by]) => {
    const text = JSON.stringify(value);
    const cut = at % (text.length + 1);
    return Buffer.from(text.slice(0, cut) + by + text.slice(cut));
  });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), changed), (bytes) => {
      const found = parseObject(bytes);
      assert.ok(typeof found === 'object' && found !== null);
    }),
    { numRuns: 500 },
  );
});

test('every accepted document is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value);
      const found = parseObject(Buffer.from(text));
      if (!isProblem(found)) assert.equal(JSON.stringify(found), JSON.stringify(JSON.parse(text)));
    }),
  );
});
