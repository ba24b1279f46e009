import { Type } from '@sinclair/typebox';
import type { Permission } from '../../../../actors/domain/permissions.js';
import { isProblem, type Problem, problem } from '../../../../actors/domain/problem.js';
import type { Texts } from '../../../html/texts/index.js';
import type { ApiAnswer } from '../../../http/api-call.js';
import { type Answer, type AnyRoute, redirect } from '../../../http/route.js';
import { idParams } from '../../../pages/answers.js';
import type { AdminReport } from '../../../pages/report/report.js';
import { type Personal, personalForm } from '../personal.js';

/** A request of a moderator with a browser. */
export type Moderator = Personal<unknown, unknown, unknown>;

/** Longest text of a form that is read. The API enforces shorter lengths, and the form then keeps what was typed. */
export const TYPED_CHARS_MAX = 100_000;

/** Fields of a decision on an account, by itself or for a report. */
export const decisionFields = {
  type: Type.String({ default: '', maxLength: TYPED_CHARS_MAX }),
  text: Type.String({ default: '', maxLength: TYPED_CHARS_MAX }),
  send_email_notification: Type.Boolean({ default: false }),
};

/**
 * Returns the message about a refusal of the API, for the form that caused it; a problem if the form does not help; or
 * undefined after a success.
 */
export function faultOf({ status, body }: ApiAnswer, { moderation }: Texts): string | Problem | undefined {
  if (status < 400) return undefined;
  if (status === 404) return problem('not_found', 'Record not found');
  if (status >= 500) return problem('unavailable', 'The store cannot answer');
  if (status === 403) return moderation.notAllowed;
  return (body as { readonly error?: string }).error ?? moderation.refused;
}

/** Reads something of the API; undefined if there is none, or the role may not see it. @throws Unavailable */
export async function read<T>({ api }: Pick<Moderator, 'api'>, path: string, query = ''): Promise<T | undefined> {
  const { status, body } = await api<T>({ method: 'GET', path, query });
  return status === 200 ? body : undefined;
}

/** Reads reports about an account: `max` open ones, and after them as many resolved ones. @throws Unavailable */
export async function reportsAbout(moderator: Pick<Moderator, 'api'>, account: string, max: number) {
  const [open = [], resolved = []] = await Promise.all(
    [false, true].map((isResolved) => {
      const query = `target_account_id=${account}&resolved=${isResolved}&limit=${max}`;
      return read<AdminReport[]>(moderator, '/api/v1/admin/reports', query);
    }),
  );
  return [...open, ...resolved];
}

/** A new note that was refused, as it was typed, and the message about it. */
export interface TypedNote {
  readonly note: string;
  readonly fault: { readonly form: 'note'; readonly text: string };
}

/**
 * Declares what the form for a new note does. `path`: of the pages whose things have notes; `api`: of the API's routes of
 * these things; `again`: shows the page with the refused note.
 */
export function noteForm(
  entry: { readonly path: string; readonly api: string; readonly page: AnyRoute; readonly permission: Permission },
  again: (moderator: Moderator, id: string, typed: TypedNote) => Promise<Answer | Problem>,
): AnyRoute {
  const { path, api, page, permission } = entry;
  const body = { note: Type.String({ default: '', maxLength: TYPED_CHARS_MAX }) };
  return personalForm({ path: `${path}/:id/notes`, page, permission, params: idParams, body }, async (personal) => {
    const { params, body: typed } = personal.request;
    const call = { method: 'POST', path: `${api}/${params.id}/notes`, body: { content: typed.note.trim() } } as const;
    const fault = faultOf(await personal.api(call), personal.reader.texts);
    return after(`${path}/${params.id}`, fault, (text) =>
      again(personal, params.id, { note: typed.note, fault: { form: 'note', text } }),
    );
  });
}

/** Refusal of an act for which the page has no field. */
export const refusedAct = async (): Promise<Problem> => problem('forbidden', 'This action is not allowed');

/** Leads to the page at `path` after a success; otherwise shows the form again. */
export function after(
  path: string,
  fault: string | Problem | undefined,
  again: (text: string) => Promise<Answer | Problem>,
) {
  if (fault === undefined) return redirect(`${path}${path.includes('?') ? '&' : '?'}done=true`, 303);
  return isProblem(fault) ? fault : again(fault);
}
