import { Type } from '@sinclair/typebox';
import { catalogues } from '../../../actors/domain/text/catalogue/catalogue.js';
import { renderLetter } from '../../../actors/mail/templates/render.js';
import { samples } from '../../../actors/mail/templates/samples.js';
import { mailSamplesPage } from '../../html/pages/mail-samples-page.js';
import { plainSite } from '../../html/site.js';
import { type AnyRoute, page, route } from '../../http/route.js';
import { notFound } from '../../viewing/visible.js';
import { readerWith } from './reader.js';

const PATH = '/dev/mails';
const NAME_CHARS_MAX = 40;

/** Shows every template of a mail with example values, in each language, as text and as HTML. */
const preview = route({
  method: 'GET',
  path: PATH,
  auth: 'none',
  query: Type.Object({
    mail: Type.Optional(Type.String({ maxLength: NAME_CHARS_MAX })),
    language: Type.String({ default: 'en', maxLength: NAME_CHARS_MAX }),
    form: Type.Union([Type.Literal('html'), Type.Literal('text')], { default: 'html' }),
  }),
  handle: (request) => {
    const {
      services: { instance },
      query: { mail, language, form },
    } = request;
    if (!instance.devPages) return notFound();
    if (mail === undefined) {
      const languages = catalogues.map((one) => one.language);
      const shown = { path: PATH, names: Object.keys(samples), languages };
      return mailSamplesPage(plainSite(instance), readerWith(request, undefined), shown);
    }
    const sample = Object.hasOwn(samples, mail) ? samples[mail] : undefined;
    if (sample === undefined) return notFound();
    const letter = sample(instance, language);
    const isEnding = letter.unsubscribe !== undefined;
    const rendered = renderLetter(
      letter,
      isEnding ? `${instance.baseUrl}/auth/mails/reports?token=example` : undefined,
    );
    if (form === 'html') return page(rendered.html);
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    return { status: 200, headers, body: `Subject: ${letter.subject}\n\n${rendered.text}` };
  },
});

/** Pages for development: 404 unless DEV_PAGES is on. */
export const devRoutes: readonly AnyRoute[] = [preview];
