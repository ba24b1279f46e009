import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutgoingDocuments } from '../../../../actors/federation/delivery/documents.js';
import { Cache } from '../../../../store/cache/cache.js';
import { outgoingDocuments } from '../../../../store/federation-tables.js';
import { MemoryTables } from '../../../../store/memory/memory-tables.js';
import { put } from '../../../../store/port.js';

/** Documents over a store that counts its reads, and fails while `failing`. */
function world() {
  const tables = new MemoryTables();
  const reads = { count: 0, failing: false };
  const get: MemoryTables['get'] = async (table, key) => {
    reads.count += 1;
    if (reads.failing) throw new Error('the store does not answer');
    return tables.get(table, key);
  };
  return { tables, reads, documents: new OutgoingDocuments({ get }, new Cache('test', 10, undefined)) };
}

test('deliveries of one document share one read and one array of bytes', async () => {
  const { tables, reads, documents } = world();
  await tables.write([put(outgoingDocuments, { document: 'one' }, { body: Buffer.from('{}') })]);
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => documents.of('one')));
  assert.ok(first);
  for (const other of [...others, await documents.of('one')]) assert.equal(other, first);
  assert.equal(reads.count, 1);
});

test('a document that is missing, or could not be read, is read again', async () => {
  const { tables, reads, documents } = world();
  assert.equal(await documents.of('late'), undefined);
  reads.failing = true;
  await assert.rejects(documents.of('late'));
  reads.failing = false;
  await tables.write([put(outgoingDocuments, { document: 'late' }, { body: Buffer.from('{}') })]);
  assert.equal(Buffer.from((await documents.of('late')) ?? []).toString(), '{}');
});
