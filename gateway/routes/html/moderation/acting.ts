import { Type } from '@sinclair/typebox';
import { isProblem, type Problem, problem } from '../../../../actors/domain/problem.js';
import type { Texts } from '../../../html/texts/index.js';
import type { ApiAnswer } from '../../../http/api-call.js';
import { type Answer, redirect } from '../../../http/route.js';
import type { Personal } from '../personal.js';

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
