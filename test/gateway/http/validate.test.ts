import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TSchema, Type } from '@sinclair/typebox';
import { isProblem } from '../../../actors/domain/problem.js';
import { validators } from '../../../gateway/http/validate.js';
import { allRoutes } from '../../../gateway/routes/index.js';

test('every schema of every route compiles, though a start does not wait for that', () => {
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

test('a validator gives the same answers at its first value and at later ones', () => {
  const validate = validators()(Type.Object({ limit: Type.Integer({ minimum: 1, default: 20 }) }));
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(validate({}), { value: { limit: 20 } });
    assert.ok(isProblem(validate({ limit: 0 })));
  }
});
