import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import type { Permission } from '../../../actors/domain/permissions.js';
import { isPermitted } from '../../../actors/domain/permissions.js';
import { type Problem, problem } from '../../../actors/domain/problem.js';
import { type Reader, type Site, siteOf } from '../../html/site.js';
import type { ApiAnswer, ApiCall, ApiPerson } from '../../http/api-call.js';
import { tokenHash } from '../../http/authenticator.js';
import { type Answer, type AnyRoute, type Request, redirect, route } from '../../http/route.js';
import { csrfField } from '../../oauth/form.js';
import { isOwnForm, type Session, sessionOf } from '../../oauth/session.js';
import { readerWith } from './reader.js';

/** A request of somebody who is signed in with a browser. */
export interface Personal<P, Q, B> {
  readonly request: Request<P, Q, B>;
  readonly site: Site;
  readonly reader: Reader & { readonly person: NonNullable<Reader['person']> };
  readonly session: Session;
  /** Calls the API in the person's name: pages show and do what an application would. */
  readonly api: <T>(call: ApiCall) => Promise<ApiAnswer<T>>;
}

interface PersonalRoute<P extends TObject, Q extends TSchema> {
  readonly path: string;
  readonly params?: P;
  readonly query?: Q;
  /** The page that has the form (route.ts). */
  readonly page?: AnyRoute;
  /** The person's role must have this permission. */
  readonly permission?: Permission;
}

type Handle<P, Q, B> = (personal: Personal<P, Q, B>) => Promise<Answer | Problem>;

/** Declares a page for somebody who is signed in. Others are led to the sign-in and come back. */
export function personalPage<P extends TObject, Q extends TSchema>(
  { permission, ...entry }: PersonalRoute<P, Q>,
  show: Handle<Static<P>, Static<Q>, unknown>,
): AnyRoute {
  return route({
    ...entry,
    ...(permission && { staff: permission }),
    method: 'GET',
    auth: 'none',
    handle: async (request) => {
      const session = await sessionOf(request.services, request.headers);
      if (session === undefined) return redirect(`/auth/sign_in?return_to=${encodeURIComponent(request.url)}`);
      if (lacks(session, permission)) return problem('forbidden', 'This action is not allowed');
      return show(await personalOf(request, session));
    },
  });
}

/**
 * Declares what a form of such a page does. A form of another site or of an ended session gets a 403 and changes nothing.
 * The body must have the field `csrf` (parts/form.tsx).
 */
export function personalForm<P extends TObject, B extends TProperties>(
  entry: PersonalRoute<P, TSchema> & { readonly body: B; readonly multipartBytesMax?: number },
  act: Handle<Static<P>, unknown, Static<TObject<B>>>,
): AnyRoute {
  const { permission, body, query: _query, ...rest } = entry;
  return route({
    ...rest,
    ...(permission && { staff: permission }),
    method: 'POST',
    auth: 'none',
    before: async ({ services, headers }) =>
      (await sessionOf(services, headers)) === undefined ? expired() : undefined,
    body: Type.Object({ ...body, csrf: csrfField() }),
    handle: async (request) => {
      const session = await sessionOf(request.services, request.headers);
      const { csrf } = request.body as unknown as { readonly csrf: string };
      if (session === undefined || !isOwnForm(request.services, request.headers, session.token, csrf)) return expired();
      if (lacks(session, permission)) return problem('forbidden', 'This action is not allowed');
      return act((await personalOf(request, session)) as unknown as Personal<Static<P>, unknown, Static<TObject<B>>>);
    },
  });
}

const expired = () => problem('forbidden', 'The form has expired');

const lacks = ({ account }: Session, permission: Permission | undefined): boolean =>
  permission !== undefined && !isPermitted(account.role ?? '', permission);

/** Returns the owner of a session, in whose name a page calls the API. */
export const apiPerson = ({ account, token }: Session): ApiPerson => ({ account, tokenHash: tokenHash(token) });

async function personalOf<P, Q, B>(request: Request<P, Q, B>, session: Session): Promise<Personal<P, Q, B>> {
  const reader = readerWith(request, session) as Personal<P, Q, B>['reader'];
  const api = <T>(call: ApiCall) => request.api<T>(apiPerson(session), call);
  return { request, site: await siteOf(request.services), reader, session, api };
}
