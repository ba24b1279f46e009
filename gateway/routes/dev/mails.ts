import { Type } from '@sinclair/typebox';
import { catalogues } from '../../../actors/domain/text/catalogue/catalogue.js';
import { html } from '../../../actors/domain/text/html.js';
import { renderLetter } from '../../../actors/mail/templates/render.js';
import { samples } from '../../../actors/mail/templates/samples.js';
import { type AnyRoute, page, route } from '../../http/route.js';
import { layout } from '../../oauth/pages/layout.js';
import { notFound } from '../../viewing/visible.js';

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
  handle: ({ services: { instance }, query: { mail, language, form } }) => {
    if (!instance.devPages) return notFound();
    if (mail === undefined) {
      const items = Object.keys(samples).map((name) => {
        const links = catalogues.flatMap((one) =>
          ['html', 'text'].map(
            (kind) =>
              html` <a href="${PATH}?mail=${name}&amp;language=${one.language}&amp;form=${kind}">${one.language} ${kind}</a>`,
          ),
        );
        return html`<li>${name}:${links}</li>`;
      });
      return layout(instance, 'Mails', html`<ul>${items}</ul>`);
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
