import { DOT } from '../worlds/set-up-world.js';
import type { Fitting } from './fitting-request.js';

/** The context of the requests. */
export interface ModerationStage {
  /** Returns the cookie of the browser of the instance's owner, and the token of its forms. */
  readonly chiefSession: () => Promise<{
    readonly headers: { readonly cookie: string };
    readonly body: { readonly csrf: string };
  }>;
  /** Returns the id of a report. */
  readonly report: () => Promise<string>;
  /** Returns an account with a new note of a moderator. */
  readonly noted: () => Promise<{ readonly id: string; readonly rest: Readonly<Record<string, string>> }>;
  /** An account that the owner may decide about. */
  readonly foe: { readonly id: string };
  /** Returns an entry of a list of the admin API; a separate one for requests that delete it. */
  readonly entry: (collection: string, isOwn: boolean) => Promise<string>;
  /** Returns a rule or an announcement, in the same way. */
  readonly notice: (collection: 'rules' | 'announcements', isOwn: boolean) => Promise<string>;
  /** Returns a new custom emoji. @param cookie the owner's */
  readonly emoji: (cookie: string) => Promise<string>;
  readonly trend: (kind: 'tags' | 'links') => Promise<string>;
  readonly statusId: string;
}

/** Returns fitting requests for pages of moderation and their forms, by the name of their route. */
export function moderationPageRequests(stage: ModerationStage): Readonly<Record<string, () => Promise<Fitting>>> {
  const shown = async (id?: string): Promise<Fitting> => {
    const { headers } = await stage.chiefSession();
    return id === undefined ? { headers } : { id, headers };
  };
  const sent = async (fields: object, id?: string): Promise<Fitting> => {
    const { headers, body } = await stage.chiefSession();
    return { ...(id !== undefined && { id }), headers, body: { ...body, ...fields } };
  };
  let made = 0;
  return {
    ...entryRequests(stage, shown, sent, {
      domain_blocks: () => ({ domain: `page${++made}.example`, severity: 'silence' }),
      domain_allows: () => ({ domain: `page${++made}.example` }),
      email_domain_blocks: () => ({ domain: `page${++made}.example` }),
      canonical_email_blocks: () => ({ email: `page${++made}@example.org` }),
      ip_blocks: () => ({ ip: `10.9.${++made}.0/24`, severity: 'sign_up_block' }),
    }),
    ...noticeRequests(stage, shown, sent),
    'GET /cluster': () => shown(),
    'POST /cluster/hosts': () => sent({ host: 'slow.example', action: 'retry' }),
    'GET /moderation/trends': () => shown(),
    'POST /moderation/trends/tags/:id': async () => sent({ action: 'approve' }, await stage.trend('tags')),
    'POST /moderation/trends/links/:id': async () => sent({ action: 'approve' }, await stage.trend('links')),
    'POST /moderation/trends/statuses/:id': async () => sent({ action: 'approve' }, stage.statusId),
    'GET /moderation/reports': () => shown(),
    'GET /moderation/reports/:id': async () => shown(await stage.report()),
    'POST /moderation/reports/:id': async () => sent({ action: 'assign' }, await stage.report()),
    'POST /moderation/reports/:id/notes': async () => sent({ note: 'looked at' }, await stage.report()),
    'POST /moderation/reports/:id/decision': async () => sent({ type: 'none' }, await stage.report()),
    'GET /moderation/accounts': () => shown(),
    'GET /moderation/accounts/:id': () => shown(stage.foe.id),
    'POST /moderation/accounts/:id': () => sent({ action: 'unsilence' }, stage.foe.id),
    'POST /moderation/accounts/:id/decision': () => sent({ type: 'none' }, stage.foe.id),
    'POST /moderation/accounts/:id/notes': () => sent({ note: 'seen' }, stage.foe.id),
    'POST /moderation/accounts/:id/notes/:note_id/delete': async () => {
      const { id, rest } = await stage.noted();
      return { ...(await sent({}, id)), rest };
    },
    'GET /moderation/audit': () => shown(),
    'GET /moderation/roles': () => shown(),
  };
}

/** Requests for the lists that the API has, too. @param fresh the fields of a new entry of each */
function entryRequests(
  { entry }: ModerationStage,
  shown: (id?: string) => Promise<Fitting>,
  sent: (fields: object, id?: string) => Promise<Fitting>,
  fresh: Readonly<Record<string, () => object>>,
): Readonly<Record<string, () => Promise<Fitting>>> {
  return Object.fromEntries(
    Object.entries(fresh).flatMap(([collection, fields]) => {
      const path = `/moderation/${collection}`;
      return [
        [`GET ${path}`, () => shown()],
        [`POST ${path}`, () => sent(fields())],
        [`GET ${path}/:id`, async () => shown(await entry(collection, false))],
        [`POST ${path}/:id`, async () => sent(fields(), await entry(collection, false))],
        [`POST ${path}/:id/delete`, async () => sent({}, await entry(collection, true))],
        [`GET ${path}/export`, () => shown()],
        [`POST ${path}/import`, () => multipart(sent({}), { file: new Blob(['#domain\nlisted.example\n']) })],
      ];
    }),
  );
}

/** Requests for rules, announcements and emoji. */
function noticeRequests(
  { notice, emoji, chiefSession }: ModerationStage,
  shown: (id?: string) => Promise<Fitting>,
  sent: (fields: object, id?: string) => Promise<Fitting>,
): Readonly<Record<string, () => Promise<Fitting>>> {
  const of = (collection: 'rules' | 'announcements') => {
    const path = `/moderation/${collection}`;
    return {
      [`GET ${path}`]: () => shown(),
      [`POST ${path}`]: () => sent({ text: 'Be kind' }),
      [`GET ${path}/:id`]: async () => shown(await notice(collection, false)),
      [`POST ${path}/:id`]: async () => sent({ text: 'Be very kind' }, await notice(collection, false)),
      [`POST ${path}/:id/delete`]: async () => sent({}, await notice(collection, true)),
    };
  };
  return {
    ...of('rules'),
    ...of('announcements'),
    'GET /moderation/custom_emojis': () => shown(),
    'POST /moderation/custom_emojis': () => multipart(sent({ shortcode: 'sun' }), { picture: new Blob([DOT]) }),
    'POST /moderation/custom_emojis/:id/delete': async () =>
      sent({}, await emoji((await chiefSession()).headers.cookie)),
  };
}

/** Returns the request as a multipart form with files. */
export async function multipart(sent: Promise<Fitting>, files: Readonly<Record<string, Blob>>): Promise<Fitting> {
  const { body = {}, ...fitting } = await sent;
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.set(name, String(value));
  for (const [name, file] of Object.entries(files)) form.set(name, file, 'file');
  const whole = new Response(form);
  const type = whole.headers.get('content-type') ?? '';
  return { ...fitting, form: { type, bytes: Buffer.from(await whole.arrayBuffer()) } };
}
