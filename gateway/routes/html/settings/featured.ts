import { featuredPage } from '../../../html/settings/featured-page.js';
import { type Answer, type AnyRoute, redirect } from '../../../http/route.js';
import { field } from '../../../oauth/form.js';
import type { Account } from '../../../pages/account/account.js';
import type { FeaturedTag } from '../../../pages/account/featured-tag.js';
import { idParams } from '../../../pages/answers.js';
import { pageQuery } from '../../../paging/bounds.js';
import { linksOf } from '../../../paging/links.js';
import { notFound } from '../../../viewing/visible.js';
import { type Personal, personalForm, personalPage } from '../personal.js';

const PATH = '/settings/featured';
const TAGS_API = '/api/v1/featured_tags';

type Own = Personal<unknown, unknown, unknown>;
type Typed = Readonly<Partial<Record<'name' | 'acct', string>>>;

/** Shows what a person features, with the form as it was typed and what is wrong at a field. */
async function shown({ api, site, reader, request }: Own, typed: Typed = {}, wrong: Typed = {}): Promise<Answer> {
  const query = request.url.split('?', 2)[1] ?? '';
  const [tags, people] = await Promise.all([
    api<FeaturedTag[]>({ method: 'GET', path: TAGS_API }),
    api<Account[]>({ method: 'GET', path: '/api/v1/endorsements', query }),
  ]);
  const links = linksOf(people.link, request.url);
  return featuredPage(site, reader, { tags: tags.body, people: people.body, typed, wrong, ...links });
}

const show = personalPage({ path: PATH, query: pageQuery() }, (personal) =>
  shown(personal, personal.request.refused?.typed),
);

const addTag = personalForm({ path: `${PATH}/tags`, page: show, body: { name: field() } }, async (personal) => {
  const name = personal.request.body.name.trim();
  const made = await personal.api<{ readonly error?: string }>({ method: 'POST', path: TAGS_API, body: { name } });
  if (made.status === 200) return redirect(PATH, 303);
  return shown(personal, { name }, { name: made.body.error ?? '' });
});

const removeTag = personalForm({ path: `${PATH}/tags/:id/remove`, params: idParams, body: {} }, async (personal) => {
  const path = `${TAGS_API}/${personal.request.params.id}`;
  return (await personal.api({ method: 'DELETE', path })).status === 200 ? redirect(PATH, 303) : notFound();
});

const addPerson = personalForm({ path: `${PATH}/people`, page: show, body: { acct: field() } }, async (personal) => {
  const acct = personal.request.body.acct.trim();
  const query = new URLSearchParams({ acct: acct.replace(/^@/, '') }).toString();
  const found = await personal.api<Account>({ method: 'GET', path: '/api/v1/accounts/lookup', query });
  const { missing } = personal.reader.texts.settings.featured;
  if (found.status !== 200) return shown(personal, { acct }, { acct: missing });
  const path = `/api/v1/accounts/${found.body.id}/endorse`;
  const done = await personal.api<{ readonly error?: string }>({ method: 'POST', path });
  return done.status === 200 ? redirect(PATH, 303) : shown(personal, { acct }, { acct: done.body.error ?? missing });
});

const removePerson = personalForm(
  { path: `${PATH}/people/:id/remove`, params: idParams, body: {} },
  async ({ api, request }) => {
    const path = `/api/v1/accounts/${request.params.id}/unendorse`;
    return (await api({ method: 'POST', path })).status === 200 ? redirect(PATH, 303) : notFound();
  },
);

/** Hashtags and people that a profile features. */
export const featuredRoutes: readonly AnyRoute[] = [show, addTag, removeTag, addPerson, removePerson];
