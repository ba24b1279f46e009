import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogues } from '../../../../actors/domain/text/catalogue/catalogue.js';
import { decisionLetter, reportLetter } from '../../../../actors/mail/templates/moderation-letters.js';
import { renderLetter } from '../../../../actors/mail/templates/render.js';
import { samples } from '../../../../actors/mail/templates/samples.js';

const site = { baseUrl: 'https://here.example', domain: 'here.example' };
const to = { username: 'ada', locale: 'en' };
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '&lt;b&gt;',
  '\u202eevil\u2066',
  '\u0000\u001b[31m',
  '\u{1f469}\u200d\u{1f680}'.repeat(500),
  'x'.repeat(5_000),
  'a\r\nBcc: c@example.org\r\n\r\n.\r\nQUIT',
  '{token}',
];

test('each mail says the same as text and as HTML, in each language', () => {
  for (const [name, sample] of Object.entries(samples))
    for (const { language } of catalogues) {
      const letter = sample(site, language);
      const { text, html } = renderLetter(letter);
      assert.equal(letter.language, language);
      assert.match(html, new RegExp(`<html lang="${language}">`));
      for (const form of [text, html]) {
        assert.ok(form.includes(letter.footer), name);
        for (const { url } of letter.parts) assert.ok(url === undefined || form.includes(url), `${name} ${url}`);
      }
      assert.doesNotMatch(html, /<(script|img|link|iframe|form)|src=|url\(/, name);
    }
});

test('words of others change neither the HTML nor the lines around them', () => {
  const tagsOf = (html: string) => html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/href="[^"]*"/, 'href'));
  const written = (words: string) => [
    decisionLetter(site, to, { action: 'none', reason: words, contact: words.replaceAll('\n', ' ') }),
    reportLetter(site, to, {
      ...{ id: '1', category: words, target: words, by: words, comment: words, statuses: 1 },
      targetUrl: 'https://here.example/@ben',
    }),
  ];
  const plain = written('plain').map((letter) => renderLetter(letter));
  for (const words of HOSTILE)
    for (const [index, letter] of written(words).entries()) {
      const { text, html } = renderLetter(letter);
      assert.deepEqual(tagsOf(html), tagsOf(plain[index]?.html ?? ''), words.slice(0, 40));
      assert.equal(letter.subject.includes(words), false);
      const facts = letter.parts.filter(({ kind }) => kind === 'fact' || kind === 'quote');
      for (const part of facts)
        assert.deepEqual(
          [...'\u0000\u001b\r\u202e\u2066'].filter((char) => part.text.includes(char)),
          [],
        );
      assert.ok(text.length < 12_000);
    }
});
