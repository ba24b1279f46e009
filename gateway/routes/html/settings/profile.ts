import { Type } from '@sinclair/typebox';
import {
  FIELD_NUMBERS,
  profileSettingsPage,
  SECTIONS,
  type TypedProfile,
  ticksOf,
  typedOf,
} from '../../../html/settings/profile-page.js';
import { type AnyRoute, redirect, type Uploaded, uploaded } from '../../../http/route.js';
import type { CredentialAccount } from '../../../pages/account/account.js';
import { PICTURES_BYTES_MAX } from '../../accounts/profile-pictures.js';
import { type Personal, personalForm, personalPage } from '../personal.js';

const PATH = '/settings/profile';
/** Bounds the input; the account's own rules enforce shorter lengths. */
const TEXT_CHARS_MAX = 20_000;
const text = () => Type.String({ default: '', maxLength: TEXT_CHARS_MAX });

const index = personalPage({ path: '/settings' }, async () => redirect(PATH));

const own = async ({ api }: Pick<Personal<unknown, unknown, unknown>, 'api'>) =>
  (await api<CredentialAccount>({ method: 'GET', path: '/api/v1/accounts/verify_credentials' })).body;

const show = personalPage(
  { path: PATH, query: Type.Object({ saved: Type.Optional(Type.Boolean()) }) },
  async (personal) => {
    const { site, reader, request } = personal;
    const account = await own(personal);
    const isSaved = request.query.saved === true;
    const typed = { ...typedOf(account), ...request.refused?.typed };
    return profileSettingsPage(site, reader, { account, typed, ticks: ticksOf(account), isSaved });
  },
);

const fields = Object.fromEntries(
  FIELD_NUMBERS.flatMap((one) => [`name${one}`, `value${one}`].map((name) => [name, text()])),
);

const save = personalForm(
  {
    path: PATH,
    page: show,
    body: {
      display_name: text(),
      note: text(),
      avatar: Type.Optional(uploaded()),
      header: Type.Optional(uploaded()),
      avatar_description: text(),
      header_description: text(),
      locked: Type.Boolean({ default: false }),
      ...Object.fromEntries(SECTIONS.map((one) => [one, Type.Optional(Type.Boolean())])),
      ...fields,
    },
    multipartBytesMax: PICTURES_BYTES_MAX,
  },
  async (personal) => {
    const { api, request, site, reader } = personal;
    const { avatar, header, locked, csrf: _csrf, ...rest } = request.body as unknown as Record<string, unknown>;
    const typed = rest as TypedProfile;
    const sections = Object.fromEntries(SECTIONS.flatMap((one) => (one in rest ? [[one, rest[one] === true]] : [])));
    const changes = {
      ...Object.fromEntries(
        ['display_name', 'note', 'avatar_description', 'header_description'].map((one) => [one, typed[one]]),
      ),
      ...given('avatar', avatar as Uploaded | undefined),
      ...given('header', header as Uploaded | undefined),
      locked,
      ...sections,
      fields_attributes: FIELD_NUMBERS.map((one) => ({ name: typed[`name${one}`], value: typed[`value${one}`] })),
    };
    const path = '/api/v1/accounts/update_credentials';
    const changed = await api<{ readonly error?: string }>({ method: 'PATCH', path, body: changes });
    if (changed.status === 200) return redirect(`${PATH}?saved=true`, 303);
    const account = await own(personal);
    const ticks = { ...ticksOf(account), ...sections, locked: locked === true };
    return profileSettingsPage(site, reader, {
      account,
      typed,
      ticks,
      isSaved: false,
      fault: changed.body.error ?? '',
    });
  },
);

/** Returns the file under its name. Browsers send an empty file for an empty field. */
const given = (name: string, file: Uploaded | undefined) =>
  file === undefined || file.bytes.length === 0 ? {} : { [name]: file };

/** The profile of a person. */
export const profileSettingRoutes: readonly AnyRoute[] = [index, show, save];
