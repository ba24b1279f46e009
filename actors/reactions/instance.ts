import { codec } from '../../proto/codec.js';
import type { InstanceInstanceTopic } from '../../proto/gen/types.js';
import { put, remove } from '../../store/port.js';
import { announcementEmoji, auditLog, dayTotals, instanceEntries } from '../../store/tables.js';
import { INSTANCE_TOPIC } from '../../transport/bus.js';
import { eraOfId } from '../domain/ids.js';
import type { InstanceEvents, InstanceState } from '../instance/commands.js';
import type { Effects, Reaction } from '../runtime/kind.js';

const topicMessage = codec('murmuration.instance.InstanceTopic');
const ANNOUNCEMENTS = 'announcements';

const rows: Reaction<InstanceState, InstanceEvents> = {
  surface: 'rows',
  beforeReply: true,
  on: {
    async entryPut({ entry, by, auditId }, { atMs }, effects) {
      if (entry === undefined) return;
      const { collection, id, key } = entry;
      const audit = { by, action: `put ${collection}`, target: id, detail: key, atMs };
      await effects.write([
        put(instanceEntries, { collection, entry: id }, entry),
        put(auditLog, { era: eraOfId(auditId), entry: auditId }, audit),
      ]);
    },
    async entryRemoved({ collection, id, by, auditId, key, atMs }, _happened, effects) {
      const audit = { by, action: `remove ${collection}`, target: id, detail: key, atMs };
      await effects.write([
        remove(instanceEntries, { collection, entry: id }),
        put(auditLog, { era: eraOfId(auditId), entry: auditId }, audit),
      ]);
    },
    emojiCounted({ announcement, name, count }, _happened, effects) {
      const key = { announcement, name };
      const row = put(announcementEmoji, key, { announcement, name, count });
      return effects.write([count === 0 ? remove(announcementEmoji, key) : row]);
    },
    dayKept: (totals, _happened, effects) => effects.write([put(dayTotals, { century: 0, day: totals.day }, totals)]),
  },
};

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

export const instanceReactions: readonly Reaction<InstanceState, InstanceEvents>[] = [rows, streams];
