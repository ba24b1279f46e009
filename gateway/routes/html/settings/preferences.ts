import { Type } from '@sinclair/typebox';
import { preferencesPage } from '../../../html/settings/preferences-page.js';
import { LANGUAGE_TAGS } from '../../../html/texts/index.js';
import { type AnyRoute, redirect } from '../../../http/route.js';
import type { CredentialAccount } from '../../../pages/account/account.js';
import { type Personal, personalForm, personalPage } from '../personal.js';

const PATH = '/settings/preferences';
const WORD_CHARS_MAX = 20;

/** A tick: the browser sends `false` for each one, and `true` after it for those that are set. */
const tick = () => Type.Optional(Type.Boolean());

const own = async ({ api }: Pick<Personal<unknown, unknown, unknown>, 'api'>) =>
  (await api<CredentialAccount>({ method: 'GET', path: '/api/v1/accounts/verify_credentials' })).body;

const show = personalPage(
  { path: PATH, query: Type.Object({ saved: Type.Optional(Type.Boolean()) }) },
  async (personal) => {
    const { site, reader, request } = personal;
    return preferencesPage(site, reader, { account: await own(personal), isSaved: request.query.saved === true });
  },
);

const save = personalForm(
  {
    path: PATH,
    page: show,
    body: {
      privacy: Type.Optional(Type.String({ maxLength: WORD_CHARS_MAX })),
      page_language: Type.Optional(Type.Union(LANGUAGE_TAGS.map((tag) => Type.Literal(tag)))),
      language: Type.Optional(Type.String({ maxLength: WORD_CHARS_MAX })),
      sensitive: tick(),
      hide_collections: tick(),
      discoverable: tick(),
      indexable: tick(),
      bot: tick(),
    },
  },
  async (personal) => {
    const { api, request, site, reader, session } = personal;
    const {
      privacy,
      page_language: locale,
      language,
      sensitive,
      csrf: _csrf,
      ...rest
    } = request.body as typeof request.body & { csrf: string };
    const body = { ...rest, source: { privacy, sensitive, language } };
    const changed = await api<{ readonly error?: string }>({
      method: 'PATCH',
      path: '/api/v1/accounts/update_credentials',
      body,
    });
    if (changed.status === 200) {
      if (locale !== undefined) await request.services.askAccount(session.account.id, 'chooseLocale', { locale });
      return redirect(`${PATH}?saved=true`, 303);
    }
    const account = await own(personal);
    const wrong = { wrongLanguage: changed.body.error ?? '', typedLanguage: language ?? '' };
    return preferencesPage(site, reader, { account, isSaved: false, ...wrong });
  },
);

/** Preferences of a person. */
export const preferenceRoutes: readonly AnyRoute[] = [show, save];
