import { Type } from '@sinclair/typebox';
import { suggestionsPage } from '../../../html/settings/suggestions-page.js';
import { type AnyRoute, redirect } from '../../../http/route.js';
import type { Account } from '../../../pages/account/account.js';
import { idText } from '../../../paging/bounds.js';
import { notFound } from '../../../viewing/visible.js';
import { personalForm, personalPage } from '../personal.js';

const PATH = '/settings/suggestions';

const show = personalPage({ path: PATH }, async ({ api, site, reader }) => {
  const { status, body } = await api<readonly { readonly account: Account }[]>({
    method: 'GET',
    path: '/api/v2/suggestions',
  });
  return suggestionsPage(site, reader, status === 200 ? body.map(({ account }) => account) : []);
});

/** Follows a suggested person, or ends the suggestion. */
const answer = personalForm(
  {
    path: `${PATH}/:id/:verb`,
    params: Type.Object({ id: idText(), verb: Type.Union([Type.Literal('follow'), Type.Literal('dismiss')]) }),
    body: {},
  },
  async ({ api, request }) => {
    const { id, verb } = request.params as { readonly id: string; readonly verb: string };
    // The API ends suggestions of unknown people, too.
    const known = await api({ method: 'GET', path: `/api/v1/accounts/${id}` });
    if (known.status !== 200) return notFound();
    const { status } =
      verb === 'follow'
        ? await api({ method: 'POST', path: `/api/v1/accounts/${id}/follow` })
        : await api({ method: 'DELETE', path: `/api/v1/suggestions/${id}` });
    return status === 200 ? redirect(PATH, 303) : notFound();
  },
);

/** People whom the server suggests to follow. */
export const suggestionPageRoutes: readonly AnyRoute[] = [show, answer];
