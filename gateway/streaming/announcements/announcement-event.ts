import type { InstanceEntry, InstanceInstanceTopic } from '../../../proto/gen/types.js';
import { renderAnnouncement } from '../../pages/instance/announcement.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { StreamEvent } from '../stream-event.js';

/** Returns the stream event of an announcement that has started. */
export const startedEvent = (instance: InstanceSettings, entry: InstanceEntry): StreamEvent =>
  new StreamEvent('announcement', JSON.stringify(renderAnnouncement(instance, entry, [])), undefined);

/** Returns the stream event of an announcement that people see no more. */
export const goneEvent = (id: string): StreamEvent => new StreamEvent('announcement.delete', id, undefined);

/** Returns the stream event of a changed number of reactions. */
export const reactionEvent = ({ id, name, count }: InstanceInstanceTopic): StreamEvent =>
  new StreamEvent('announcement.reaction', JSON.stringify({ name, count, announcement_id: id }), undefined);
