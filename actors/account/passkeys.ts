import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';

export interface Commands {
  passkeys: { in: P.AccountEmpty; out: P.AccountPasskeys };
  addPasskey: { in: P.AccountAddPasskey; out: P.AccountEmpty };
  removePasskey: { in: P.AccountPasskeyId; out: P.AccountEmpty };
  usePasskey: { in: P.AccountUsePasskey; out: P.AccountEmpty };
}
export interface Events {
  passkeyAdded: P.AccountPasskeyAdded;
  passkeyRemoved: P.AccountPasskeyId;
  passkeyUsed: P.AccountPasskeyUsed;
}
export interface State {
  /** Passkeys by credential id, oldest first. At most PASSKEYS_MAX. */
  readonly passkeys: LazyMap<string, P.AccountPasskey>;
}

/** Passkeys of an account: each device and each security key of a person, with room to spare. */
export const PASSKEYS_MAX = 20;

const empty = codec('murmuration.account.Empty');

/**
 * Passkeys of the owner (W3C Web Authentication). The gateway verifies signatures; the account sees to it that each
 * challenge is answered once.
 */
export const passkeys: Slice<State, Commands, Events> = {
  decide: {
    passkeys: ({ passkeys }) => ({ events: [], reply: { passkeys: [...passkeys.values()] } }),
    addPasskey({ passkeys }, command, { nowMs }) {
      if (passkeys.has(command.id)) return problem('invalid', 'This passkey was added already');
      if (passkeys.size >= PASSKEYS_MAX) return problem('invalid', `There can be ${PASSKEYS_MAX} passkeys`);
      return { events: [{ type: 'passkeyAdded', ...command, atMs: nowMs }], reply: {} };
    },
    removePasskey: ({ passkeys }, { id }) => ({
      events: passkeys.has(id) ? [{ type: 'passkeyRemoved', id }] : [],
      reply: {},
    }),
    usePasskey({ passkeys }, { id, counter, askedAtMs }, { nowMs }) {
      const known = passkeys.get(id);
      // A copied key counts from an earlier number. Source: Web Authentication Level 2, §6.1.1. Keys that do not count say 0.
      const isCopy = known !== undefined && (counter > 0 || known.counter > 0) && counter <= known.counter;
      if (known === undefined || isCopy || askedAtMs <= known.askedAtMs)
        return problem('forbidden', 'This passkey is unknown, or its answer was used already');
      return { events: [{ type: 'passkeyUsed', id, counter, askedAtMs, atMs: nowMs }], reply: {} };
    },
  },
  apply: {
    passkeyAdded({ passkeys }, { id, publicKey, counter, name, atMs }) {
      passkeys.set(id, { id, publicKey, counter, name, createdAtMs: atMs, usedAtMs: 0, askedAtMs: 0 });
    },
    passkeyRemoved: ({ passkeys }, { id }) => void passkeys.delete(id),
    passkeyUsed({ passkeys }, { id, counter, askedAtMs, atMs }) {
      const known = passkeys.get(id);
      if (known !== undefined) passkeys.set(id, { ...known, counter, askedAtMs, usedAtMs: atMs });
    },
  },
  commands: {
    passkeys: { in: empty, out: codec('murmuration.account.Passkeys'), repeats: 'query', local: true },
    addPasskey: { in: codec('murmuration.account.AddPasskey'), out: empty, repeats: 'never', local: true },
    removePasskey: { in: codec('murmuration.account.PasskeyId'), out: empty, repeats: 'idempotent', local: true },
    usePasskey: { in: codec('murmuration.account.UsePasskey'), out: empty, repeats: 'never', local: true },
  },
  events: {
    passkeyAdded: { codec: codec('murmuration.account.PasskeyAdded'), invalidates: false },
    passkeyRemoved: { codec: codec('murmuration.account.PasskeyId'), invalidates: false },
    passkeyUsed: { codec: codec('murmuration.account.PasskeyUsed'), invalidates: false },
  },
};

/** Returns the events that remove all passkeys. */
export const passkeysEnded = ({ passkeys }: Readonly<State>): Recorded<Pick<Events, 'passkeyRemoved'>>[] =>
  [...passkeys.keys()].map((id) => ({ type: 'passkeyRemoved', id }));
