import { test } from 'node:test';
import { assertRestarts } from './suites/restart-suite.js';

test('kill -9 of an embedded node: afterwards every route gives the same answers, and hidden data stay hidden', () =>
  assertRestarts({}));
