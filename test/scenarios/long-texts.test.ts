import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AnyRoute } from '../../gateway/http/route.js';
import { allRoutes } from '../../gateway/routes/index.js';
import { TEXT_BYTES_MAX } from '../../store/keys.js';
import { type Field, fieldsOf, formName, jsonWith } from '../kit/hostile/hostile-values.js';
import { nameOf } from './requests/every-route.js';
import type { Fitting } from './requests/fitting-request.js';
import type { Sent } from './requests/raw-request-of.js';
import { Attack } from './suites/attack.js';
import { type Ground, oneNode } from './worlds/node-address.js';

/**
 * Letters of one, three and four bytes in UTF-8; the last one becomes eighteen letters when texts are compared. Letters
 * of two bytes are shorter than those of three, and pass the same checks.
 */
const LETTERS = ['x', '漢', '𠀀', 'ﷺ'];
/** Forms of texts that the server looks up, as people write them: alone, or as part of names and addresses. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `#${text}`,
  (text) => `@${text}`,
  (text) => `@ada@${text}.example`,
  (text) => `${text}@example.org`,
  (text) => `ada@${text}.org`,
  (text) => `https://${text}.example/@ada`,
  (text) => `${text} `.repeat(3),
];
/** Number of letters of which the shortest take more bytes than a column of a key may have. */
const LETTERS_MIN = TEXT_BYTES_MAX + 1;
/** Number of letters in a query: an address has 8 KiB, escaped. */
const QUERY_LETTERS_MAX = 250;

let ground: Ground;
let attack: Attack;
/** A successful request of each route, created while there is room for everything. */
const fittings = new Map<AnyRoute, Fitting>();
before(async () => {
  ground = await oneNode();
  attack = await Attack.prepare(ground, 1);
  for (const route of allRoutes) fittings.set(route, await attack.world.fitting(route));
});
after(async () => {
  attack?.close();
  await ground?.dispose();
});

interface Shape {
  readonly type?: string;
  readonly anyOf?: readonly object[];
  readonly items?: object;
  readonly maxLength?: number;
}

/** Returns the longest text that a field accepts; undefined if it accepts none. */
function lettersOf(schema: Shape): number | undefined {
  if (schema.type === 'string') return schema.maxLength ?? LETTERS_MIN;
  const inner = [...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])];
  const found = inner.map((one) => lettersOf(one as Shape)).filter((max) => max !== undefined);
  return found.length === 0 ? undefined : Math.max(...found);
}

/** Returns long texts that no schema refuses for their length. */
function textsFor(lettersMax: number): string[] {
  const fits = (text: string) => text.length <= lettersMax;
  return LETTERS.flatMap((letter) => {
    const lengths = [LETTERS_MIN, lettersMax / 2, lettersMax - 20].filter((length) => length >= 1);
    return FORMS.flatMap((form) => {
      const made = lengths.map((length) => form(letter.repeat(Math.ceil(length / letter.length))));
      return [...new Set(made.filter(fits))].slice(0, 1);
    });
  });
}

type Texts = readonly { readonly what: string; readonly sent: (fitting: Fitting) => Sent }[];

function pathTexts(route: AnyRoute): Texts {
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return names.flatMap((name, index) =>
    textsFor(QUERY_LETTERS_MAX).map((text) => {
      const value = encodeURIComponent(text);
      const rest = index === 0 ? { id: value } : { rest: { [name]: value } };
      return { what: `:${name} ${text.slice(0, 20)}`, sent: (fitting: Fitting) => ({ ...fitting, ...rest }) };
    }),
  );
}

const textFields = (fields: readonly Field[]) =>
  fields.flatMap(({ path, schema }) => {
    const max = lettersOf(schema as Shape);
    return max === undefined ? [] : [{ path, max, isList: (schema as Shape).type === 'array' }];
  });

function queryTexts(route: AnyRoute): Texts {
  return textFields(fieldsOf(route.query)).flatMap(({ path, max, isList }) =>
    textsFor(Math.min(max, QUERY_LETTERS_MAX)).map((text) => {
      const query = `${formName(path)}${isList ? '[]' : ''}=${encodeURIComponent(text)}`;
      const whole = ({ query: fitting = '' }: Fitting) => [fitting, query].filter((part) => part !== '').join('&');
      return {
        what: `?${formName(path)} ${text.slice(0, 20)}`,
        sent: (fitting: Fitting) => ({ ...fitting, query: whole(fitting) }),
      };
    }),
  );
}

function bodyTexts(route: AnyRoute): Texts {
  return textFields(fieldsOf(route.body)).flatMap(({ path, max, isList }) =>
    textsFor(max).map((text) => {
      const json = JSON.stringify(isList ? [text] : text);
      return {
        what: `${formName(path)} ${text.slice(0, 20)}`,
        sent: (fitting: Fitting) => ({ ...fitting, raw: Buffer.from(jsonWith(fitting.body ?? {}, path, json)) }),
      };
    }),
  );
}

/**
 * Sends every text in the place of each text parameter of routes. Returns the answers that were not clear refusals or
 * successes.
 */
async function faults(texts: (route: AnyRoute) => Texts): Promise<{ sent: number; found: string[] }> {
  const found: string[] = [];
  let sent = 0;
  for (const route of allRoutes) {
    let fitting = fittings.get(route) ?? {};
    let isUsed = false;
    for (const one of texts(route)) {
      // An account may have the maximum number of some things: then the previous request is reused.
      if (isUsed) fitting = await attack.world.fitting(route).catch(() => fitting);
      sent++;
      const answer = await attack.send(route, { token: attack.world.viewer.token, ...one.sent(fitting) });
      if (answer.status >= 500) found.push(`${nameOf(route)} ${one.what}: ${answer.status} ${answer.text}`);
      // A successful request may not be repeatable.
      isUsed = answer.status < 400 && route.method !== 'GET';
    }
  }
  return { sent, found };
}

test('no long name becomes a key where people and applications sign in', async () => {
  const { client_id, client_secret } = attack.world.application;
  const { url } = ground.place;
  for (const text of textsFor(LETTERS_MIN + 100)) {
    const post = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    };
    const grant = { grant_type: 'password', client_id, client_secret, username: text, password: 'a password' };
    assert.ok((await post('/oauth/token', grant)) < 500, text);
    assert.ok((await post('/auth/password', { email: text })) < 500, text);
    assert.ok(
      (await post('/oauth/token', { ...grant, grant_type: 'authorization_code', client_id: text })) < 500,
      text,
    );
  }
});

for (const [place, texts] of [
  ['the path', pathTexts],
  ['the query', queryTexts],
  ['the body', bodyTexts],
] as const)
  test(`no long text in ${place} of any route becomes a key that the store refuses`, async (t) => {
    const { sent, found } = await faults(texts);
    t.diagnostic(`${sent} requests`);
    assert.deepEqual(found, []);
    const lines = ground.nodes.flatMap(({ log }) => log.split('\n').filter((line) => line.startsWith('{')));
    assert.deepEqual(
      lines.filter((line) => JSON.parse(line).level >= 50),
      [],
      'nor an effect behind an answer',
    );
  });
