import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decisionTitle, notificationTitle, reportWords } from '../../../../actors/domain/text/notification-words.js';

test('newer types of notifications have a title with the name as given; others have none', () => {
  assert.equal(notificationTitle('quote', 'A &amp; B'), 'A &amp; B quoted your post');
  for (const type of ['mention', 'constructor', '']) assert.equal(notificationTitle(type, 'Ann'), undefined, type);
});

test('decisions have titles, and a report names its category, target and statuses', () => {
  assert.equal(decisionTitle('suspend'), 'Your account has been suspended');
  assert.equal(decisionTitle('delete'), undefined);
  const report = { id: '7', category: 'spam', target: '8', statusIds: ['1', '2'], comment: 'again' };
  const { title, text } = reportWords(report);
  assert.equal(title, 'New report #7 (spam)');
  assert.equal(text, 'Report: 7\nCategory: spam\nReported account: 8\nStatuses: 2\n\nagain\n');
});
