import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MailFigures } from '../../../actors/mail/mail-figures.js';

test('figures count the waiting mails with the age of the oldest', () => {
  const figures = new MailFigures();
  figures.waits('a', 0, 60_000);
  figures.waits('b', 30_000, 60_000);
  assert.deepEqual(figures.waiting(90_000), { count: 2, oldestMs: 90_000 });
  figures.ends('a');
  assert.deepEqual(figures.waiting(90_000), { count: 1, oldestMs: 60_000 });
});

test('figures forget a mail that another node sends now', () => {
  const figures = new MailFigures();
  figures.waits('a', 0, 60_000);
  assert.deepEqual(figures.waiting(3_600_000), { count: 0, oldestMs: 0 });
});
