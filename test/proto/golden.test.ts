import assert from 'node:assert/strict';
import { test } from 'node:test';
import protobuf from 'protobufjs';
import { accountKind } from '../../actors/kinds/account.js';
import { conversationKind } from '../../actors/kinds/conversation.js';
import { instanceKind } from '../../actors/kinds/instance.js';
import { outgoingMail } from '../../actors/mail/mail.js';
import { reportPart } from '../../actors/report/report.js';
import type { AnySlice } from '../../actors/runtime/slice.js';
import { systemClock } from '../../actors/runtime/system.js';
import { proof } from '../../actors/web-page/proof.js';
import { webPage } from '../../actors/web-page/web-page.js';
import { type Codec, codec } from '../../proto/codec.js';
import { descriptor } from '../../proto/gen/descriptor.js';
import type { Messages } from '../../proto/gen/types.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';
import { allTables } from '../../store/tables.js';
import { lonelyRings } from '../kit/actors/lonely-rings.js';
import { noUploads } from '../kit/actors/uploads.js';
import golden from './golden.json' with { type: 'json' };

const root = protobuf.Root.fromJSON(descriptor).resolveAll();
const stored: Readonly<Record<string, string>> = golden;

/**
 * Returns a message with every field set to a value from its number, so that the bytes change with a number or type.
 */
function sample(type: protobuf.Type, depth = 0): Record<string, unknown> {
  const value = (field: protobuf.Field): unknown => {
    const { resolvedType } = field.resolve();
    if (resolvedType instanceof protobuf.Type) return sample(resolvedType, depth + 1);
    if (field.type === 'string') return `text ${field.id}`;
    if (field.type === 'bytes') return Buffer.from([depth, field.id]);
    if (field.type === 'bool') return true;
    return field.type === 'double' ? field.id + 0.5 : field.id;
  };
  return Object.fromEntries(
    type.fieldsArray.map((field) => [field.name, field.repeated ? [value(field), value(field)] : value(field)]),
  );
}

const tables = new MemoryTables();
const noWhere = {
  baseUrl: '',
  tables,
  rings: lonelyRings(tables, systemClock),
  media: noUploads,
};
const storedBy = ({ events }: AnySlice) => Object.values(events).map(({ codec: found }) => found);
const codecs: Codec<never>[] = [
  ...allTables.map((table) => table.value),
  ...storedBy(accountKind(noWhere)),
  ...storedBy(conversationKind()),
  ...storedBy(instanceKind()),
  ...storedBy(reportPart),
  ...storedBy(webPage),
  ...storedBy(proof),
  ...storedBy(outgoingMail),
  codec('murmuration.store.JournalRecord'),
].map((found) => found as unknown as Codec<never>);
const names = [...new Set(codecs.map(({ name }) => name))].sort();

for (const name of names) {
  test(`${name} has stable stored bytes`, () => {
    const type = root.lookupType(name);
    const { encode, decode } = codec(name as keyof Messages);
    const message = sample(type);
    const hex = Buffer.from(encode(message as never)).toString('hex');
    assert.equal(hex, stored[name], `the bytes of ${name} are not those of golden.json, which has to keep all it has`);
    assert.deepEqual(decode(Buffer.from(stored[name] ?? '', 'hex')), message);
  });
}

test('no stored message is removed', () => {
  assert.deepEqual(
    Object.keys(stored).filter((name) => !names.includes(name)),
    [],
  );
});
