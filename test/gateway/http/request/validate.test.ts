import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TSchema, Type } from '@sinclair/typebox';
import { isProblem } from '../../../../actors/domain/problem.js';
import { validators } from '../../../../gateway/http/request/validate.js';
import { allRoutes } from '../../../../gateway/routes/index.js';

test('every schema of every route compiles, although a start does not wait for it', () => {
  const compile = validators();
  let compiled = 0;
  for (const { method, path, params, query, body } of allRoutes) {
    for (const schema of [params, query, body] as (TSchema | undefined)[]) {
      if (schema === undefined) continue;
      assert.doesNotThrow(() => compile(schema)({}), `${method} ${path}`);
      compiled += 1;
    }
  }
  assert.ok(compiled > allRoutes.length / 2);
});

test('a schema that ajv refuses throws at its first value', () => {
  const validate = validators()(Type.Object({ name: Type.String({ format: 'no-such-format' }) }));
  assert.throws(() => validate({ name: 'alice' }), /no-such-format/);
});

test('lists accept the forms of Mastodon’s clients: empty items count as absent, nested lists are flattened', () => {
  const validate = validators()(Type.Object({ id: Type.Array(Type.String({ pattern: '^[0-9]+$' })) }));
  for (const id of [['', '1', '2'], [['1', '2']], [['1'], ['2']], { 0: '1', 1: '2' }]) {
    assert.deepEqual(validate({ id }), { value: { id: ['1', '2'] } });
  }
  assert.deepEqual(validate({ id: [''] }), { value: { id: [] } });
  assert.ok(isProblem(validate({ id: ['1', 'x'] })));
  const texts = validators()(Type.Object({ options: Type.Array(Type.String()) }));
  assert.deepEqual(texts({ options: ['', 'a'] }), { value: { options: ['', 'a'] } }, 'text may be empty');
});

test('a scalar in place of an object counts as absent, as in Mastodon; one among objects is left out', () => {
  const one = Type.Object({ name: Type.String() });
  const validate = validators()(Type.Object({ one: Type.Optional(one), some: Type.Optional(Type.Array(one)) }));
  for (const scalar of ['', 'undefined', 1, true]) {
    assert.deepEqual(validate({ one: scalar, some: scalar }), { value: {} });
    assert.deepEqual(validate({ some: [scalar] }), { value: {} });
    assert.deepEqual(validate({ some: [scalar, { name: 'a' }] }), { value: { some: [{ name: 'a' }] } });
  }
  assert.deepEqual(validate({ some: [] }), { value: { some: [] } });
  assert.ok(isProblem(validate({ one: { name: [] } })));
});

test('a validator gives the same answers for its first value and later ones', () => {
  const validate = validators()(Type.Object({ limit: Type.Integer({ minimum: 1, default: 20 }) }));
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(validate({}), { value: { limit: 20 } });
    assert.ok(isProblem(validate({ limit: 0 })));
  }
});

test('a schema may have its own refusal of a text that is too long', () => {
  const tooLong = { field: 'text', description: 'character limit of 5 exceeded' };
  const validate = validators()(Type.Object({ status: Type.String({ maxLength: 10, tooLong }) }));
  const refused = validate({ status: 'x'.repeat(11) });
  assert.ok(isProblem(refused));
  assert.equal(refused.detail, 'Validation failed: Text character limit of 5 exceeded');
  assert.deepEqual(refused.fields, {
    text: [{ error: 'ERR_TOO_LONG', description: 'character limit of 5 exceeded' }],
  });
});
