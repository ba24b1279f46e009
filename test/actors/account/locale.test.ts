import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newcomer } from './newcomer.js';

test('an owner chooses a language, and a repeat changes nothing', () => {
  const chosen = newcomer().when('chooseLocale', { locale: 'de' });
  assert.equal(chosen.state.owner?.locale, 'de');
  assert.equal(chosen.when('chooseLocale', { locale: 'de' }).events.length, 1);
});
