import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countChars, readText, renderHtml } from '../../../../actors/domain/text/plain-text.js';
import { segments } from '../../../../actors/domain/text/segments.js';
import { assertInProportion } from '../../../kit/time/proportion.js';

const options = { mentions: new Map([['bob', { url: 'https://h/@bob', username: 'bob' }]]), baseUrl: 'https://h' };

test('mentions, local and remote, and hashtags in any script are found once each', () => {
  const { mentions, tags } = readText(
    'Hi @Bob, @bob and @eve@Far.example! #Ünï #ünï #日本語 #1st #123 a@b.c x#y https://h/#no',
  );
  assert.deepEqual(mentions, ['bob', 'eve@far.example']);
  assert.deepEqual(tags, ['uni', '日本語', '1st']);
});

test('a full-width number sign starts a hashtag', () => {
  assert.deepEqual(readText('＃全角 x＃y ＃123').tags, ['全角']);
  assert.match(renderHtml('＃Tag', options), /href="https:\/\/h\/tags\/tag" [^>]*>#<span>Tag<\/span>/);
});

test('links count 23, mentions without their host, and a grapheme counts one', () => {
  assert.equal(countChars(`https://example.org/${'a'.repeat(300)}`), 23);
  assert.equal(countChars('@eve@far.example hi'), '@eve hi'.length);
  assert.equal(countChars('👩‍👩‍👧e\u0301'), 2);
  assert.equal(countChars(`${'x'.repeat(127)}e\u0301`.repeat(3)), 384);
  // The start varies, so that a slice of 128 characters ends in each part of the grapheme.
  for (let before = 0; before < 12; before++) {
    assert.equal(countChars(`${'x'.repeat(before)}${'👨‍👩‍👧‍👦'.repeat(400)}`), before + 400, `behind ${before}`);
  }
});

test('text becomes paragraphs, breaks and links, and is otherwise escaped', () => {
  const html = renderHtml('a <b>"&\n@bob @nobody\n\n#Tag', options);
  assert.ok(html.startsWith('<p>a &lt;b&gt;&quot;&amp;<br />'), html);
  assert.match(html, /<a href="https:\/\/h\/@bob" class="u-url mention">@<span>bob<\/span><\/a><\/span> @nobody<\/p>/);
  assert.match(
    html,
    /<p><a href="https:\/\/h\/tags\/tag" class="mention hashtag" rel="tag">#<span>Tag<\/span><\/a><\/p>$/,
  );
  assert.equal(renderHtml(' \n ', options), '');
});

test('a link shows its true host', () => {
  assert.match(renderHtml('https://good.example@evil.example/', options), /^<p><a href="https:\/\/good\.example"/);
  assert.ok(!renderHtml('https://evil.example/\u202Egnp.doog', options).includes('href="https://evil.example/\u202E'));
  assert.match(renderHtml('https://h.example/?a="><script>', options), /^<p><a href="https:\/\/h\.example\/\?a=" /);
});

test('hostile texts of 100 KB take linear time', () => {
  const hostile = [
    '@',
    '#',
    '@a',
    ' @a',
    'https://',
    'https://a.b ',
    'é',
    '👩‍👩‍👧',
    'e\u0301',
    '#a·',
    '#ﷺ',
    '@a.-',
    '((a',
    '\n',
    ' \n',
  ];
  const texts = hostile.map((piece) => piece.repeat(100_000 / piece.length));
  texts.push(
    `https://a.b/${'(a'.repeat(50_000)}`,
    `@a@${'a.'.repeat(50_000)}`,
    `a${'\u0301'.repeat(100_000)}`,
    `#${'ﷺ'.repeat(100_000)}`,
  );
  const run = (text: string) => {
    readText(text);
    countChars(text);
    renderHtml(text, options);
  };
  for (const text of texts) assertInProportion(text, run);
});

test('a mention longer than a name and a host can be is plain text', () => {
  const host = `${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(61);
  const longest = `@${'n'.repeat(30)}@${host}`;
  assert.deepEqual(
    segments(longest).map(({ kind }) => kind),
    ['mention'],
  );
  for (const text of [`${longest}b`, `@${'a.'.repeat(2_500)}a`, `@a@${'é.'.repeat(2_400)}é`]) {
    assert.deepEqual(
      segments(text).map(({ kind }) => kind),
      ['text'],
    );
  }
});
