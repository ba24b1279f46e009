import type { Fitting } from './fitting-request.js';

/** The context of the requests. */
interface ModerationStage {
  /** Returns the cookie of the browser of the instance's owner, and the token of its forms. */
  readonly chiefSession: () => Promise<{
    readonly headers: { readonly cookie: string };
    readonly body: { readonly csrf: string };
  }>;
  /** Returns the id of a report. */
  readonly report: () => Promise<string>;
  /** An account that the owner may decide about. */
  readonly foe: { readonly id: string };
}

/** Returns fitting requests for pages of moderation and their forms, by the name of their route. */
export function moderationPageRequests(stage: ModerationStage): Readonly<Record<string, () => Promise<Fitting>>> {
  const shown = async (id?: string): Promise<Fitting> => {
    const { headers } = await stage.chiefSession();
    return id === undefined ? { headers } : { id, headers };
  };
  const sent = async (fields: object, id: string): Promise<Fitting> => {
    const { headers, body } = await stage.chiefSession();
    return { id, headers, body: { ...body, ...fields } };
  };
  return {
    'GET /moderation/reports': () => shown(),
    'GET /moderation/reports/:id': async () => shown(await stage.report()),
    'POST /moderation/reports/:id': async () => sent({ action: 'assign' }, await stage.report()),
    'POST /moderation/reports/:id/notes': async () => sent({ note: 'looked at' }, await stage.report()),
    'POST /moderation/reports/:id/decision': async () => sent({ type: 'none' }, await stage.report()),
    'GET /moderation/accounts': () => shown(),
    'GET /moderation/accounts/:id': () => shown(stage.foe.id),
    'POST /moderation/accounts/:id': () => sent({ action: 'unsilence' }, stage.foe.id),
    'POST /moderation/accounts/:id/decision': () => sent({ type: 'none' }, stage.foe.id),
    'GET /moderation/audit': () => shown(),
    'GET /moderation/roles': () => shown(),
  };
}
