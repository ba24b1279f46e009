import { codec } from '../../proto/codec.js';
import type { InstanceInstanceTopic } from '../../proto/gen/types.js';
import { auditLog } from '../../store/moderation-tables.js';
import { put, remove } from '../../store/port.js';
import { announcementEmoji, dayTotals, instanceEntries } from '../../store/tables.js';
import { INSTANCE_TOPIC } from '../../transport/bus.js';
import { eraOfId } from '../domain/ids.js';
import { BLOCK_LISTS } from '../instance/block-lists.js';
import type { InstanceEvents, InstanceState } from '../instance/commands.js';
import { RELAYS } from '../instance/relays.js';
import type { Effects, Reaction } from '../runtime/kind.js';
import { type RelayContext, relaySubscriptions } from './relays.js';

const topicMessage = codec('murmuration.instance.InstanceTopic');
const ANNOUNCEMENTS = 'announcements';

const rows: Reaction<InstanceState, InstanceEvents> = {
  surface: 'rows',
  beforeReply: true,
  on: {
    async entryPut({ entry, by, auditId }, { atMs, state }, effects) {
      if (entry === undefined) return;
      const { collection, id, key } = entry;
      const audit = { by: authorOf(state, by), action: `put ${collection}`, target: id, detail: key, atMs };
      await effects.write([
        put(instanceEntries, { collection, entry: id }, entry),
        put(auditLog, { era: eraOfId(auditId), entry: auditId }, audit),
      ]);
    },
    async entryRemoved({ collection, id, by, auditId, key, atMs }, { state }, effects) {
      const audit = { by: authorOf(state, by), action: `remove ${collection}`, target: id, detail: key, atMs };
      await effects.write([
        remove(instanceEntries, { collection, entry: id }),
        put(auditLog, { era: eraOfId(auditId), entry: auditId }, audit),
      ]);
    },
    relayAnswered: ({ id }, { state }, effects) => writeEntry(state, effects, RELAYS, id),
    listRead: ({ id }, { state }, effects) => writeEntry(state, effects, BLOCK_LISTS, id),
    limitLifted: ({ list }, { state }, effects) => writeEntry(state, effects, BLOCK_LISTS, list),
    emojiCounted({ announcement, name, count }, _happened, effects) {
      const key = { announcement, name };
      const row = put(announcementEmoji, key, { announcement, name, count });
      return effects.write([count === 0 ? remove(announcementEmoji, key) : row]);
    },
    dayKept: (totals, _happened, effects) => effects.write([put(dayTotals, { century: 0, day: totals.day }, totals)]),
  },
};

/** Writes the row of an entry as the state has it now. */
async function writeEntry(
  state: InstanceState,
  effects: Effects,
  collection: typeof RELAYS | typeof BLOCK_LISTS,
  id: string,
): Promise<void> {
  const entry = state.entries.get(collection)?.get(id);
  if (entry !== undefined) await effects.write([put(instanceEntries, { collection, entry: id }, entry)]);
}

/** Returns the author of a change for the audit log: the address of a block list, or the id of a person. */
const authorOf = ({ entries }: InstanceState, by: string): string => entries.get(BLOCK_LISTS)?.get(by)?.key ?? by;

function tell(effects: Effects, message: Partial<InstanceInstanceTopic> & { kind: string; id: string }): void {
  effects.publish(INSTANCE_TOPIC, topicMessage.encode({ name: '', count: 0, ...message }));
}

/** Runs after the rows are written, so that receivers find them in the store. */
const streams: Reaction<InstanceState, InstanceEvents> = {
  surface: 'stream',
  beforeReply: true,
  on: {
    entryPut({ entry }, _happened, effects) {
      if (entry?.collection === ANNOUNCEMENTS) tell(effects, { kind: 'announcement', id: entry.id, entry });
    },
    entryRemoved({ collection, id }, _happened, effects) {
      if (collection === ANNOUNCEMENTS) tell(effects, { kind: 'announcement.delete', id });
    },
    emojiCounted({ announcement, name, count }, _happened, effects) {
      tell(effects, { kind: 'announcement.reaction', id: announcement, name, count });
    },
    dayKept: () => undefined,
  },
};

export const instanceReactions = (
  federation: RelayContext | undefined,
): readonly Reaction<InstanceState, InstanceEvents>[] => [
  rows,
  streams,
  ...(federation === undefined ? [] : [relaySubscriptions(federation)]),
];
