import type { AccountProfile } from '../../../proto/gen/types.js';
import { type RenderOptions, renderHtml, renderInline } from './plain-text.js';

/** This server, as texts name it. */
export interface Here {
  /** Address without a trailing slash. */
  readonly baseUrl: string;
  /** Part after the @ in local addresses. */
  readonly domain: string;
}

/** Texts of a profile as sanitised HTML. */
export interface ProfileHtml {
  readonly note: string;
  /** Fields in the profile's order. Names are plain text. */
  readonly fields: readonly { readonly name: string; readonly value: string }[];
}

const NOBODY_MENTIONED: RenderOptions['mentions'] = new Map();

/** Renders the texts of a local profile. */
export function profileHtml(here: Here, profile: AccountProfile): ProfileHtml {
  const text = { mentions: mentionTargets(here, profile), baseUrl: here.baseUrl };
  return {
    note: renderHtml(profile.note, text),
    fields: profile.fields.map(({ name, value }) => ({ name, value: renderInline(value, { ...text, rel: 'me' }) })),
  };
}

/** Returns the targets of mentions by name, with and without this server's domain. */
function mentionTargets({ domain }: Here, { mentions }: AccountProfile): RenderOptions['mentions'] {
  if (mentions === undefined) return NOBODY_MENTIONED;
  return new Map(
    mentions.mentions.flatMap(({ username, url }) => {
      const name = username.toLowerCase();
      return [name, `${name}@${domain.toLowerCase()}`].map((key) => [key, { username, url }] as const);
    }),
  );
}
