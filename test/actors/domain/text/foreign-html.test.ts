import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreignHtml, foreignName } from '../../../../actors/domain/text/foreign-html.js';
import { fc } from '../../../kit/property.js';

const MAX = 100_000;
const html = (source: string) => foreignHtml(source, MAX).html;

test('a text of Mastodon stays as it is, but for link relations and classes that hide a part', () => {
  const given =
    '<p>Hello <span class="h-card" translate="no"><a href="https://far.example/@bob" class="u-url mention">@<span>bob</span></a></span>,<br>see <a href="https://far.example/a?b=1&amp;c=2" rel="me" target="_self"><span class="invisible">https://</span><span class="ellipsis">far.example</span></a></p>';
  assert.equal(
    html(given),
    '<p>Hello <span class="h-card"><a href="https://far.example/@bob" class="u-url mention" rel="nofollow noopener" target="_blank">@<span>bob</span></a></span>,<br />see <a href="https://far.example/a?b=1&amp;c=2" rel="nofollow noopener" target="_blank"><span>https://</span><span>far.example</span></a></p>',
  );
  assert.equal(foreignHtml(given, MAX).text, 'Hello @bob,\nsee https://far.example');
});

test('scripts, handlers, other schemes and embedded content are not written', () => {
  for (const [given, expected] of [
    ['a<script>alert(1)</script>b', 'ab'],
    ['<b onclick="x()" style="color:red">a</b>', '<b>a</b>'],
    ['<a href="javascript:alert(1)">a</a>', 'a'],
    ['<a href="java\nscript:alert(1)">a</a>', 'a'],
    ['<a href="data:text/html,x">a</a>', 'a'],
    ['<a href="/relative">a</a>', 'a'],
    ['<a href="https://good.example@evil.example/">a</a>', 'a'],
    ['<svg><a href="https://x.example">a</a></svg>b', 'b'],
    ['<iframe src="https://x.example">a</iframe>b', 'b'],
    ['<form action="https://x.example"><input name="p">a</form>', 'a'],
    ['<img src=x onerror=alert(1)>a', 'a'],
    ['<math><mtext><b>a</b></mtext></math>b', 'b'],
    ['a<!-- <b> --><![CDATA[x]]><?php y ?>', 'a'],
    ['<p title="&quot;><script>">a</p>', '<p>a</p>'],
    ['&lt;script&gt;', '&lt;script&gt;'],
    ['<h2>a</h2>', '<p><strong>a</strong></p>'],
    ['<div><p>a</p></div>', '<p>a</p>'],
    ['<ol start="3" reversed><li value="x">a', '<ol start="3" reversed><li>a</li></ol>'],
    [
      '<a href="https://a.example/"><a href="https://b.example/">x</a></a>',
      '<a href="https://a.example/" rel="nofollow noopener" target="_blank">x</a>',
    ],
  ] as const)
    assert.equal(html(given), expected, given);
});

test('characters that turn the direction of a text are removed', () => {
  assert.equal(html('a\u202egpj.exe\u202c'), 'agpj.exe');
  assert.equal(foreignName('a\u202eb\u0000', MAX), 'ab');
});

test('every element that is opened is closed, and no other element or attribute is written', () => {
  const pieces = fc.constantFrom(
    ...[
      '<p>',
      '</p>',
      '<a href="https://x.example">',
      '</a>',
      '<b',
      '>',
      '"',
      "'",
      '<script>',
      '</script>',
      '<!--',
      '-->',
    ],
    ...[
      '<ul><li>',
      '</ul>',
      '<svg>',
      '</svg>',
      '<h1>',
      '</h1>',
      '&amp;',
      '&#60;',
      '<br>',
      '<div>',
      '</div>',
      'text',
      '<',
    ],
    ...['onload=x', '<span class="a mention">', '</span>', '\u0000', '<x-y>', '<title>', '<style>', '<plaintext>'],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const open: string[] = [];
      for (const [tag, end = '', name = '', attributes = ''] of html(parts.join('')).matchAll(
        /<(\/?)([a-z]*)([^>]*)>/g,
      )) {
        if (tag === '<br />') continue;
        assert.match(name, /^(?:a|b|p|ul|li|span|strong)$/);
        if (end !== '') {
          assert.deepEqual([open.pop(), attributes], [name, '']);
          continue;
        }
        open.push(name);
        assert.match(
          attributes,
          name === 'a'
            ? /^ href="https:\/\/x\.example\/" rel="nofollow noopener" target="_blank"$/
            : /^(?: class="mention")?$/,
        );
      }
      assert.deepEqual(open, []);
      assert.doesNotMatch(html(parts.join('')).replaceAll(/<[^>]*>/g, ''), /[<>]/);
    }),
    { numRuns: 2_000 },
  );
});

/** Hostile input may hold the event loop for less than this. */
const HOSTILE_MS_MAX = 50;

/** Returns the CPU time of an action in milliseconds: a busy machine takes longer for the same work. */
function cpuMs(action: () => unknown): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test('hostile texts are read in bounded time', () => {
  for (const hostile of [
    '<b>'.repeat(40_000),
    `${'<b>'.repeat(20_000)}${'</i>'.repeat(20_000)}`,
    '<a href="https://x.example/" '.repeat(4_000),
    '<'.repeat(100_000),
    '&'.repeat(100_000),
    '&amp'.repeat(25_000),
    `<p class="${'mention '.repeat(12_000)}">`,
    '<!--'.repeat(25_000),
    `${' '.repeat(65_000)}a`,
    '\t \n'.repeat(30_000),
    `${'&#9;'.repeat(16_000)}a`,
    `${'<br>'.repeat(4_900)}a`,
  ]) {
    const costs = [1, 2, 3].map(() => cpuMs(() => [foreignHtml(hostile, MAX), foreignName(hostile, MAX)]));
    assert.ok(Math.min(...costs) < HOSTILE_MS_MAX, `${hostile.slice(0, 20)}: ${costs}`);
  }
});

test('an element within too many others leaves its text', () => {
  const deep = html(`${'<blockquote>'.repeat(100)}a`);
  assert.equal(deep, `${'<blockquote>'.repeat(32)}a${'</blockquote>'.repeat(32)}`);
});

test('a name has no markup and is one line', () => {
  assert.equal(foreignName('<b>Ann</b> <script>x</script>of\n Far', MAX), 'Ann of Far');
  assert.equal(foreignName('1 < 2 &lt;b&gt;', MAX), '1 < 2 &lt;b&gt;');
  assert.equal(foreignName('x'.repeat(1_000), 500).length, 500);
});
