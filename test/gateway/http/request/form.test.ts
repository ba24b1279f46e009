import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FORM_VALUES_MAX, parseUrlEncoded, Unparsable } from '../../../../gateway/http/request/form.js';

/** Converts to plain JSON, because a form's objects have no prototype. */
const read = (text: string) => JSON.parse(JSON.stringify(parseUrlEncoded(text)));

test('values of a list keep their order, in any spelling of the name and with other values between them', () => {
  assert.deepEqual(read('id[]=1&id[]=2&id%5B%5D=3&id%5B%5D=4&id[]=5'), { id: ['1', '2', '3', '4', '5'] });
  assert.deepEqual(read('id[]=1&limit=2&id[]=3&&id[]=&id[]'), { id: ['1', '3', '', ''], limit: '2' });
  assert.deepEqual(read('id[]=a+b&id[]=%C3%A9&id[]=a%26b'), { id: ['a b', 'é', 'a&b'] });
  assert.deepEqual(read('a[b][]=1&a[b][]=2&c[][d]=3&c[][d]=4'), { a: { b: ['1', '2'] }, c: [{ d: '3' }, { d: '4' }] });
});

test('a later value replaces an earlier one of the same name, even a list', () => {
  assert.deepEqual(read('id=1&id=2'), { id: '2' });
  assert.deepEqual(read('id[]=1&id[]=2&id=3'), { id: '3' });
});

test('contradictory values, malformed text and too many values are refused', () => {
  const many = (count: number) => Array.from({ length: count }, () => 'id[]=1').join('&');
  assert.equal(read(many(FORM_VALUES_MAX)).id.length, FORM_VALUES_MAX);
  for (const text of [
    'id=1&id[]=2',
    'id[]=1&id[x]=2',
    'id[]=1&id[]=%00',
    'id[]=1&id[]=%ff',
    'id[]=1&id[]=%zz',
    '__proto__[]=1&__proto__[]=2',
    many(FORM_VALUES_MAX + 1),
  ]) {
    assert.throws(() => parseUrlEncoded(text), Unparsable, text.slice(0, 40));
  }
});
