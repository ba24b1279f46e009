import { codec } from '../../proto/codec.js';
import { renderAnnouncement } from '../pages/instance/announcement.js';
import type { InstanceSettings } from '../settings/settings.js';
import { StreamEvent } from './stream-event.js';

const topic = codec('murmuration.instance.InstanceTopic');

/** Converts a message of the instance's topic to a stream event; undefined if streams do not send it. */
export function announcementEvent(instance: InstanceSettings, payload: Uint8Array): StreamEvent | undefined {
  const { kind, id, entry, name, count } = topic.decode(payload);
  switch (kind) {
    case 'announcement':
      if (entry === undefined) return undefined;
      return new StreamEvent(kind, JSON.stringify(renderAnnouncement(instance, entry, [])), undefined);
    case 'announcement.reaction':
      return new StreamEvent(kind, JSON.stringify({ name, count, announcement_id: id }), undefined);
    case 'announcement.delete':
      return new StreamEvent(kind, id, undefined);
    default:
      return undefined;
  }
}
