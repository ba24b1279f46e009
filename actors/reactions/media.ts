import type { AccountMedia } from '../../proto/gen/types.js';
import { put, type RowWrite, remove } from '../../store/port.js';
import { mediaRows } from '../../store/tables.js';
import { UPLOADS_ALARM, uploadAlarmMs } from '../account/media.js';
import type { AccountEvents, AccountState } from '../account/slices.js';
import type { Effects, Reaction } from '../runtime/kind.js';
import { tellAccount } from './account/tells.js';

/** Processing and storage of media files. */
export interface MediaFiles {
  /**
   * Processes a waiting upload and returns it as ready or failed. @throws Unavailable when it cannot be processed now
   */
  finish(media: AccountMedia): Promise<AccountMedia>;
  /** Removes a file, which need not exist. @throws Unavailable */
  remove(name: string): Promise<void>;
}

const row = (accountId: string, media: AccountMedia, statusId?: string): RowWrite =>
  put(mediaRows, { media: media.id }, { accountId, media, statusId });

/** Sets the alarm for the time when an upload has waited long enough for a status. */
const setUploadAlarm = (effects: Effects, atMs: number) => effects.setAlarm(uploadAlarmMs(atMs), UPLOADS_ALARM);

const writeRow = (
  { media }: { readonly media?: AccountMedia | undefined },
  { self }: { readonly self: string },
  effects: Effects,
) => (media === undefined ? undefined : effects.write([row(self, media)]));

/** Rows of uploads, before the reply, since owners read them at once. */
export const accountMediaRows: Reaction<AccountState, AccountEvents> = {
  surface: 'media rows',
  beforeReply: true,
  on: {
    async mediaAdded({ media }, { self }, effects) {
      if (media === undefined) return;
      await setUploadAlarm(effects, media.atMs);
      await effects.write([row(self, media)]);
    },
    mediaFinished: writeRow,
    mediaDescribed: writeRow,
    mediaRemoved({ media }, _happened, effects) {
      return media === undefined ? undefined : effects.write([remove(mediaRows, { media: media.id })]);
    },
    mediaTaken({ media, statusId }, { self }, effects) {
      return effects.write(media.map((one) => row(self, one, statusId)));
    },
    async mediaReleased({ media, atMs }, { self }, effects) {
      await setUploadAlarm(effects, atMs);
      await effects.write(media.map((one) => row(self, one)));
    },
    posted({ id, media }, { self }, effects) {
      return media === undefined ? undefined : effects.write(media.media.map((one) => row(self, one, id)));
    },
  },
};

/** Processes new uploads, and removes unused files, after the reply. */
export function accountMediaFiles(files: MediaFiles): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'media files',
    beforeReply: false,
    on: {
      async mediaAdded({ media }, { self, state }, effects) {
        if (media?.state !== 'waiting' || state.uploads.get(media.id)?.state !== 'waiting') return;
        const made = await files.finish(media);
        await tellAccount(effects, self, 'finishMedia', { media: { ...made, id: media.id } });
      },
      mediaFinished: ({ replaced }) => (replaced === '' ? undefined : files.remove(replaced)),
      mediaDescribed: ({ replaced }) => (replaced === '' ? undefined : files.remove(replaced)),
      async profileUpdated({ dropped }) {
        for (const name of dropped?.ids ?? []) await files.remove(name);
      },
      async purged({ dropped }) {
        for (const name of dropped) await files.remove(name);
      },
      async mediaRemoved({ media }) {
        for (const name of [media?.file, media?.preview]) if (name) await files.remove(name);
      },
    },
  };
}
