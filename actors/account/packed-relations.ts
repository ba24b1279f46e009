import { type Codec, codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { packed as packedIds, unpacked as unpackedIds } from '../timelines/id-words.js';

const PENDING = 1;
const REBLOGS = 2;
const NOTIFICATIONS = 1;
const UNTIL_BYTES = 8;

const packedSources = codec('murmuration.account.PackedSources');
const home = codec('murmuration.account.Home');

/**
 * Codec of an account's relations in messages between nodes. Ids are packed: as text, the relations of an account at
 * all its limits would be three times the largest message.
 */
export const sourcesCodec: Codec<P.AccountSources> = {
  name: packedSources.name,
  encode: (sources) => packedSources.encode(pack(sources)),
  decode: (bytes) => unpack(packedSources.decode(bytes)),
};

/** Codec of homes with packed relations. */
export const homeCodec: Codec<P.AccountHome> = {
  name: home.name,
  encode: ({ sources, ...rest }) => home.encode(sources === undefined ? rest : { ...rest, packed: pack(sources) }),
  decode(bytes) {
    const { packed, ...rest } = home.decode(bytes);
    return packed === undefined ? rest : { ...rest, sources: unpack(packed) };
  },
};

function pack({
  following,
  blocked,
  blockedBy,
  muted,
  lists,
  screened,
  tags,
  mutedConversations,
}: P.AccountSources): P.AccountPackedSources {
  const until = Buffer.alloc(muted.length * UNTIL_BYTES);
  for (const [index, { untilMs }] of muted.entries()) until.writeDoubleBE(untilMs, index * UNTIL_BYTES);
  return {
    following: packedIds(following.map(({ target }) => target)),
    followingOptions: Uint8Array.from(
      following,
      ({ pending, reblogs }) => (pending ? PENDING : 0) | (reblogs ? REBLOGS : 0),
    ),
    blocked: packedIds(blocked),
    blockedBy: packedIds(blockedBy),
    muted: packedIds(muted.map(({ account }) => account)),
    mutedUntil: until,
    mutedOptions: Uint8Array.from(muted, ({ notifications }) => (notifications ? NOTIFICATIONS : 0)),
    mutedConversations: packedIds(mutedConversations),
    lists: lists.map(({ members, ...rule }) => ({ ...rule, members: packedIds(members) })),
    screened,
    tags,
  };
}

function unpack(sent: P.AccountPackedSources): P.AccountSources {
  const { buffer, byteOffset, byteLength } = sent.mutedUntil;
  const until = new DataView(buffer, byteOffset, byteLength);
  return {
    following: unpackedIds(sent.following).map((target, index) => {
      const options = sent.followingOptions[index] ?? 0;
      return { target, pending: (options & PENDING) !== 0, reblogs: (options & REBLOGS) !== 0 };
    }),
    blocked: unpackedIds(sent.blocked),
    blockedBy: unpackedIds(sent.blockedBy),
    muted: unpackedIds(sent.muted).map((account, index) => ({
      account,
      untilMs: until.getFloat64(index * UNTIL_BYTES),
      notifications: ((sent.mutedOptions[index] ?? 0) & NOTIFICATIONS) !== 0,
    })),
    mutedConversations: unpackedIds(sent.mutedConversations),
    lists: sent.lists.map(({ members, ...rule }) => ({ ...rule, members: unpackedIds(members) })),
    screened: sent.screened,
    tags: sent.tags,
  };
}
