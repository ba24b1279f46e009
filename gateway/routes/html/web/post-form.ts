import { Type } from '@sinclair/typebox';
import { isProblem, type Problem, problem } from '../../../../actors/domain/problem.js';
import { FILES, POLL_OPTIONS } from '../../../html/web/compose.js';
import type { ApiAnswer } from '../../../http/api-call.js';
import { type Uploaded, uploaded } from '../../../http/route.js';
import type { MediaAttachment } from '../../../pages/status/media.js';
import { idText } from '../../../paging/bounds.js';
import type { Personal } from '../personal.js';
import type { Typed } from './draft.js';

type Own = Personal<unknown, unknown, unknown>;

const TEXT_CHARS_MAX = 50_000;
const LINE_CHARS_MAX = 2_000;
const text = (maxLength = LINE_CHARS_MAX) => Type.Optional(Type.String({ maxLength }));
const tick = () => Type.Optional(Type.Boolean());

/** Longest wait for files that are being processed, and the pause between two looks. */
const PROCESSED_MS_MAX = 20_000;
const LOOK_MS = 250;

/** Fields of a new post and of an edit. `media1` names an upload that the form has kept. */
export const postFields = {
  status: text(TEXT_CHARS_MAX),
  spoiler_text: text(TEXT_CHARS_MAX),
  sensitive: tick(),
  language: text(),
  expires_in: text(),
  multiple: tick(),
  ...Object.fromEntries(
    FILES.flatMap((number) => [
      [`file${number}`, Type.Optional(uploaded())],
      [`media${number}`, Type.Optional(idText())],
      [`remove${number}`, tick()],
      [`description${number}`, text()],
    ]),
  ),
  ...Object.fromEntries(POLL_OPTIONS.map((number) => [`option${number}`, text()])),
};

/** Returns the texts and ticks of a form, without its files. */
export const typedOf = (body: unknown): Typed =>
  Object.fromEntries(
    Object.entries(body as object)
      .filter(([, value]) => typeof value === 'string' || typeof value === 'boolean')
      .map(([name, value]) => [name, String(value)]),
  );

/** Returns the poll as the API takes it; undefined if all options are empty. */
export function pollOf(typed: Typed): object | undefined {
  const options = POLL_OPTIONS.map((number) => typed[`option${number}`]?.trim() ?? '').filter((one) => one !== '');
  if (options.length === 0) return undefined;
  return { options, expires_in: Number(typed.expires_in) || 0, multiple: typed.multiple === 'true' };
}

/** The media of a form after its files were uploaded. */
export interface Files {
  /** Fields for the form, should it be shown again: it keeps the uploads. */
  readonly kept: Typed;
  readonly media: readonly { readonly id: string; readonly description: string; readonly isNew: boolean }[];
}

/**
 * Uploads the new files of the form and waits until they are ready. A file that was refused does not discard those before
 * it. Browsers send an empty file for an empty field.
 */
export async function filesOf(
  { api, request }: Own,
  typed: Typed,
): Promise<Files & { readonly refusal: Problem | undefined }> {
  const files = request.body as Readonly<Record<string, Uploaded | undefined>>;
  const kept: Record<string, string | undefined> = {};
  const media: { readonly id: string; readonly description: string; readonly isNew: boolean }[] = [];
  let refusal: Problem | undefined;
  for (const number of FILES) {
    const file = files[`file${number}`];
    const isRemoved = typed[`remove${number}`] === 'true';
    const isNew = refusal === undefined && file !== undefined && file.bytes.length > 0;
    const description = (isRemoved && !isNew ? undefined : typed[`description${number}`]) ?? '';
    let id = isRemoved ? undefined : typed[`media${number}`];
    if (isNew) {
      const body = { file, ...(description !== '' && { description }) };
      const added = answered(await api<MediaAttachment>({ method: 'POST', path: '/api/v2/media', body }));
      if (isProblem(added)) refusal = added;
      else id = added.id;
    }
    Object.assign(kept, {
      [`media${number}`]: id,
      [`description${number}`]: description,
      [`remove${number}`]: undefined,
    });
    if (id !== undefined) media.push({ id, description, isNew });
  }
  return { kept, media, refusal: refusal ?? (await processed({ api, request }, media)) };
}

/** Waits for the uploads; returns the refusal if they are not ready in time. */
async function processed(
  { api, request }: Pick<Own, 'api' | 'request'>,
  media: Files['media'],
): Promise<Problem | undefined> {
  const { clock } = request.services;
  const untilMs = clock.monotonicMs() + PROCESSED_MS_MAX;
  for (const { id } of media.filter(({ isNew }) => isNew))
    while ((await api({ method: 'GET', path: `/api/v1/media/${id}` })).status === 206) {
      if (clock.monotonicMs() > untilMs) return problem('unavailable', 'The files are not processed yet');
      await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
    }
  return undefined;
}

/** Returns the body of an answer, or the refusal as a problem. */
export function answered<T>({ status, body }: ApiAnswer<T>): T | Problem {
  if (status < 400) return body;
  const code = status === 404 ? 'not_found' : status === 503 ? 'unavailable' : 'invalid';
  return problem(code, (body as { readonly error?: string }).error ?? '');
}
