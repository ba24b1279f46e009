import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { DESCRIPTION_CHARS_MAX, STATUS_MEDIA_MAX } from '../domain/media.js';
import { type Problem, problem } from '../domain/problem.js';
import { countChars } from '../domain/text/plain-text.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';

export interface Commands {
  addMedia: { in: P.AccountAddMedia; out: P.AccountMedia };
  finishMedia: { in: P.AccountFinishMedia; out: P.AccountEmpty };
  describeMedia: { in: P.AccountDescribeMedia; out: P.AccountMedia };
  removeMedia: { in: P.AccountRemoveMedia; out: P.AccountEmpty };
  takeMedia: { in: P.AccountTakeMedia; out: P.AccountMediaList };
  releaseMedia: { in: P.AccountReleaseMedia; out: P.AccountEmpty };
}
export interface Events {
  mediaAdded: P.AccountMediaAdded;
  mediaFinished: P.AccountMediaFinished;
  mediaDescribed: P.AccountMediaDescribed;
  mediaRemoved: P.AccountMediaRemoved;
  mediaTaken: P.AccountMediaTaken;
  mediaReleased: P.AccountMediaReleased;
}
export interface State {
  /** Uploads that are not attached to a status, by id, oldest first. */
  readonly uploads: LazyMap<string, P.AccountMedia>;
  /** Replies to `takeMedia` by status, oldest first. At most TAKEN_MAX. */
  readonly taken: LazyMap<string, readonly P.AccountMedia[]>;
  /** Ids of scheduled statuses by the id of an upload that is reserved for them. At most STATUS_MEDIA_MAX for each. */
  readonly held: LazyMap<string, string>;
}

/** Unattached uploads at a time; the oldest is removed. More than anyone prepares; bounds disk space and state. */
export const UPLOADS_MAX = 100;
/** Time for which an upload waits for a status. Source: Mastodon's MediaAttachmentsVacuum, a day. */
export const UPLOAD_MS_MAX = 86_400_000;
/** Subject of the alarm that removes old uploads. */
export const UPLOADS_ALARM = 'uploads';
/** Uploads of the same hour share one alarm, at its end. */
const ALARM_STEP_MS = 3_600_000;
/** Returns the time (ms) of the alarm that removes uploads added at `atMs`. */
export const uploadAlarmMs = (atMs: number): number =>
  Math.ceil((atMs + UPLOAD_MS_MAX) / ALARM_STEP_MS) * ALARM_STEP_MS;
/** Replies to `takeMedia` that are stored for repeated commands. */
const TAKEN_MAX = 16;

type Happened = Recorded<Events>;
type Removed = { readonly type: 'mediaRemoved' } & P.AccountMediaRemoved;

/** The owner's uploads that are not attached to a status yet. */
export const media: Slice<State, Commands, Events> = {
  decide: {
    addMedia(state, { media: given }, { nowMs, newId }) {
      if (given === undefined) return problem('bad_request', 'No media');
      const earlier = [...state.uploads.values()].find(({ key }) => key === given.key);
      if (earlier !== undefined) return { events: [], reply: earlier };
      const refusal = badDescription(given);
      if (refusal !== undefined) return refusal;
      const added = { ...given, id: newId(), atMs: nowMs };
      return { events: [...outdated(state, nowMs), { type: 'mediaAdded', media: added }], reply: added };
    },
    finishMedia(state, { media: done }) {
      const waiting = state.uploads.get(done?.id ?? '');
      if (done === undefined || waiting?.state !== 'waiting') return { events: [], reply: {} };
      // Changes that the owner made meanwhile stay: the description, the focus and a preview of their own.
      const { id, key, description, focus, atMs } = waiting;
      const media = { ...withPreviewOf(done, waiting), id, key, description, focus, atMs };
      const finished = { type: 'mediaFinished' as const, media, replaced: waiting.file };
      if (done.preview === '' || done.preview === media.preview) return { events: [finished], reply: {} };
      return { events: [finished, { type: 'mediaDescribed', media, replaced: done.preview }], reply: {} };
    },
    describeMedia(state, { id, ...changes }) {
      const upload = state.uploads.get(id);
      if (upload === undefined) return notFound();
      const next = changed(upload, changes);
      const refusal = badDescription(next);
      if (refusal !== undefined) return refusal;
      if (JSON.stringify(next) === JSON.stringify(upload)) return { events: [], reply: upload };
      const replaced = next.preview === upload.preview ? '' : upload.preview;
      return { events: [{ type: 'mediaDescribed', media: next, replaced }], reply: next };
    },
    removeMedia(state, { id }) {
      const upload = state.uploads.get(id);
      if (upload === undefined) return notFound();
      if (state.held.has(id)) return problem('invalid', 'Media attachment is currently used by a status');
      return { events: [{ type: 'mediaRemoved', media: upload }], reply: {} };
    },
    takeMedia(state, { ids, statusId }) {
      const earlier = state.taken.get(statusId);
      if (earlier !== undefined && ids.every((id) => earlier.some((one) => one.id === id))) {
        return { events: [], reply: { media: earlier } };
      }
      const found = attachable(state, ids);
      if (!Array.isArray(found)) return found as Problem;
      return { events: [{ type: 'mediaTaken', media: found, statusId }], reply: { media: found } };
    },
    releaseMedia(state, { media: released, discard }, { nowMs }) {
      const gone = released.filter(({ id }) => !state.uploads.has(id));
      if (gone.length === 0) return { events: [], reply: {} };
      if (discard) return { events: gone.map((media) => ({ type: 'mediaRemoved' as const, media })), reply: {} };
      const events: Happened[] = [{ type: 'mediaReleased', media: gone, atMs: nowMs }];
      return { events: [...outdated(state, nowMs), ...events], reply: {} };
    },
  },
  apply: {
    mediaAdded: (state, event) => void keep(state, event.media),
    mediaFinished: (state, event) => void keep(state, event.media),
    mediaDescribed: (state, event) => void keep(state, event.media),
    mediaRemoved: (state, event) => void state.uploads.delete(event.media?.id ?? ''),
    mediaTaken(state, { media: taken, statusId }) {
      attached(state, taken);
      state.taken.delete(statusId);
      state.taken.set(statusId, taken);
      for (const [oldest] of state.taken) if (state.taken.size > TAKEN_MAX) state.taken.delete(oldest);
    },
    mediaReleased(state, { media: released, atMs }) {
      for (const one of released) keep(state, { ...one, atMs });
    },
  },
  commands: {
    addMedia: {
      in: codec('murmuration.account.AddMedia'),
      out: codec('murmuration.account.Media'),
      repeats: 'keyed',
      local: true,
    },
    finishMedia: {
      in: codec('murmuration.account.FinishMedia'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
    describeMedia: {
      in: codec('murmuration.account.DescribeMedia'),
      out: codec('murmuration.account.Media'),
      repeats: 'idempotent',
      local: true,
    },
    removeMedia: {
      in: codec('murmuration.account.RemoveMedia'),
      out: codec('murmuration.account.Empty'),
      repeats: 'keyed',
      local: true,
      remote: 'ignores',
    },
    takeMedia: {
      in: codec('murmuration.account.TakeMedia'),
      out: codec('murmuration.account.MediaList'),
      repeats: 'idempotent',
      local: true,
    },
    releaseMedia: {
      in: codec('murmuration.account.ReleaseMedia'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      remote: 'ignores',
    },
  },
  events: {
    mediaAdded: { codec: codec('murmuration.account.MediaAdded'), invalidates: false },
    mediaFinished: { codec: codec('murmuration.account.MediaFinished'), invalidates: false },
    mediaDescribed: { codec: codec('murmuration.account.MediaDescribed'), invalidates: false },
    mediaRemoved: { codec: codec('murmuration.account.MediaRemoved'), invalidates: false, forgets: true },
    mediaTaken: { codec: codec('murmuration.account.MediaTaken'), invalidates: false },
    mediaReleased: { codec: codec('murmuration.account.MediaReleased'), invalidates: false },
  },
};

/**
 * Returns the uploads of these ids if a status may have them: the owner's, unattached, reserved for no scheduled
 * status, processed, and a combination that clients can show.
 */
export function attachable(state: Readonly<State>, ids: readonly string[]): P.AccountMedia[] | Problem {
  const distinct = [...new Set(ids)];
  if (distinct.length > STATUS_MEDIA_MAX) return refused(`cannot be more than ${STATUS_MEDIA_MAX}`);
  const found = distinct.flatMap((id) => (state.held.has(id) ? [] : (state.uploads.get(id) ?? [])));
  if (found.length < distinct.length) return refused('were not found, or are attached already');
  return badMixture(found) ?? found;
}

/** Returns the refusal if these cannot be together on a status. */
export function badMixture(all: readonly P.AccountMedia[]): Problem | undefined {
  if (all.length > STATUS_MEDIA_MAX) return refused(`cannot be more than ${STATUS_MEDIA_MAX}`);
  if (all.some(({ state }) => state === 'failed')) return refused('could not be processed');
  if (all.some(({ state }) => state !== 'ready'))
    return refused('have not finished processing. Try again in a moment!');
  const alone = all.some(({ kind }) => kind === 'video' || kind === 'audio');
  return alone && all.length > 1 ? refused('cannot be a video or audio beside others') : undefined;
}

/** Removes uploads that a status has now from the unattached ones. */
export function attached(state: State, all: readonly P.AccountMedia[]): void {
  for (const { id } of all) {
    state.uploads.delete(id);
    state.held.delete(id);
  }
}

function keep(state: State, upload: P.AccountMedia | undefined): void {
  if (upload === undefined) return;
  state.uploads.set(upload.id, upload);
}

/** Returns the removals of expired uploads, and of the oldest if there would be too many with `more` added. */
export function outdated({ uploads, held }: Readonly<State>, nowMs: number, more = 1): Removed[] {
  let excess = uploads.size - held.size + more - UPLOADS_MAX;
  const events: Removed[] = [];
  for (const upload of uploads.values()) {
    if (held.has(upload.id)) continue;
    if (excess <= 0 && nowMs - upload.atMs < UPLOAD_MS_MAX) continue;
    excess -= 1;
    events.push({ type: 'mediaRemoved', media: upload });
  }
  return events;
}

/** Replaces the preview by that of the other media, if that has one. */
function withPreviewOf(media: P.AccountMedia, { preview, previewWidth, previewHeight, blurhash }: P.AccountMedia) {
  return preview === '' ? media : { ...media, preview, previewWidth, previewHeight, blurhash };
}

function changed(upload: P.AccountMedia, changes: Omit<P.AccountDescribeMedia, 'id'>): P.AccountMedia {
  const { description, focus, preview, previewWidth, previewHeight, blurhash } = changes;
  const next = { ...upload, description: description?.trim() ?? upload.description, focus: focus ?? upload.focus };
  return preview === undefined
    ? next
    : { ...next, preview, previewWidth, previewHeight, blurhash: blurhash ?? upload.blurhash };
}

function badDescription({ description }: P.AccountMedia): Problem | undefined {
  if (countChars(description) <= DESCRIPTION_CHARS_MAX) return undefined;
  const text = `is too long (maximum is ${DESCRIPTION_CHARS_MAX} characters)`;
  return problem('invalid', `Validation failed: Description ${text}`, {
    description: [{ error: 'ERR_TOO_LONG', description: text }],
  });
}

const notFound = (): Problem => problem('not_found', 'Record not found');

function refused(description: string): Problem {
  return problem('invalid', `Validation failed: Media attachments ${description}`, {
    media_ids: [{ error: 'ERR_INVALID', description }],
  });
}
