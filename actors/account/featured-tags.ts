import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';
import { STATUS_TAGS_INDEXED_MAX } from '../domain/text/hashtag.js';
import type { Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';

export interface Commands {
  featureTag: { in: P.AccountFeatureTag; out: P.AccountFeaturedTag };
  unfeatureTag: { in: P.AccountFeaturedTagId; out: P.AccountEmpty };
  featuredTags: { in: P.AccountEmpty; out: P.AccountFeaturedTags };
}
export interface Events {
  tagFeatured: P.AccountTagFeatured;
  tagUnfeatured: P.AccountTagUnfeatured;
}
/** Number and time (ms) of the uses of a hashtag in the owner's public statuses. */
interface Uses {
  readonly count: number;
  readonly lastAtMs: number;
  /**
   * True when the owner used the hashtag in a status that is not public. Only the owner sees this; a deletion does not
   * reset it.
   */
  readonly closed: boolean;
}
export interface State {
  /** Names by id. At most FEATURED_TAGS_MAX. */
  readonly featuredTags: LazyMap<string, string>;
  /** Uses by hashtag name, latest used last. At most TAGS_REMEMBERED_MAX besides the featured ones. */
  readonly tagUses: LazyMap<string, Uses>;
}

/** Source: Mastodon FeaturedTag::LIMIT. */
export const FEATURED_TAGS_MAX = 10;
/** Hashtags stored as used. Bounds one activation's memory; older ones are not suggested. */
export const TAGS_REMEMBERED_MAX = 100;
/** Suggestions at most. Source: Mastodon FeaturedTag's recently used tags. */
export const TAGS_SUGGESTED_MAX = 10;

const unused: Uses = { count: 0, lastAtMs: 0, closed: false };

/** Hashtags that the owner features on their profile. */
export const featuredTags: Slice<State, Commands, Events> = {
  decide: {
    featureTag(state, { name }, { newId }) {
      for (const [id, known] of state.featuredTags) if (known === name) return { events: [], reply: shown(state, id) };
      if (state.featuredTags.size >= FEATURED_TAGS_MAX) return tooMany();
      const id = newId();
      return { events: [{ type: 'tagFeatured', id, name }], reply: { id, name, ...publicUse(state, name) } };
    },
    unfeatureTag(state, { id }) {
      const name = state.featuredTags.get(id);
      if (name === undefined) return problem('not_found', 'Record not found');
      return { events: [{ type: 'tagUnfeatured', id, name }], reply: {} };
    },
    featuredTags(state) {
      const featured = [...state.featuredTags.keys()].map((id) => shown(state, id));
      const names = new Set(state.featuredTags.values());
      const others = [...state.tagUses].flatMap(([name, { count, lastAtMs, closed }]) =>
        (count > 0 || closed) && !names.has(name) ? [{ id: '', name, uses: count, lastAtMs }] : [],
      );
      const lastFirst = (a: P.AccountFeaturedTag, b: P.AccountFeaturedTag) => b.lastAtMs - a.lastAtMs;
      const reply = { featured: featured.sort(lastFirst), others: others.reverse().slice(0, TAGS_SUGGESTED_MAX) };
      return { events: [], reply };
    },
  },
  apply: {
    tagFeatured: (state, { id, name }) => void state.featuredTags.set(id, name),
    tagUnfeatured: (state, { id }) => void state.featuredTags.delete(id),
  },
  commands: {
    featureTag: {
      in: codec('murmuration.account.FeatureTag'),
      out: codec('murmuration.account.FeaturedTag'),
      repeats: 'idempotent',
      local: false,
      remote: 'answers',
    },
    unfeatureTag: {
      in: codec('murmuration.account.FeaturedTagId'),
      out: codec('murmuration.account.Empty'),
      repeats: 'keyed',
      local: false,
      remote: 'answers',
    },
    featuredTags: {
      in: codec('murmuration.account.Empty'),
      out: codec('murmuration.account.FeaturedTags'),
      repeats: 'query',
      local: false,
      remote: 'answers',
    },
  },
  events: {
    tagFeatured: { codec: codec('murmuration.account.TagFeatured'), invalidates: false },
    tagUnfeatured: { codec: codec('murmuration.account.TagUnfeatured'), invalidates: false },
  },
};

/** Counts the hashtags of a public status. Uses in other statuses are not counted, because the count is public. */
export function countTags(state: State, posted: Pick<P.AccountPosted, 'tags' | 'visibility' | 'atMs'>): void {
  if (posted.tags.length === 0) return;
  const { atMs } = posted;
  for (const name of posted.tags.slice(0, STATUS_TAGS_INDEXED_MAX)) {
    const known = state.tagUses.get(name) ?? unused;
    const isOpen = posted.visibility === 'public';
    state.tagUses.delete(name);
    state.tagUses.set(name, isOpen ? { ...known, count: known.count + 1, lastAtMs: atMs } : { ...known, closed: true });
  }
  forgetOldest(state);
}

/** Removes the hashtags of a deleted status from the count. */
export function uncountTags({ tagUses }: State, tags: readonly string[]): void {
  for (const name of tags) {
    const known = tagUses.get(name);
    if (known !== undefined && known.count > 0) tagUses.set(name, { ...known, count: known.count - 1 });
  }
}

function forgetOldest({ tagUses, featuredTags: featured }: State): void {
  if (tagUses.size <= TAGS_REMEMBERED_MAX + FEATURED_TAGS_MAX) return;
  const kept = new Set(featured.values());
  for (const name of tagUses.keys()) {
    if (tagUses.size <= TAGS_REMEMBERED_MAX + kept.size) return;
    if (!kept.has(name)) tagUses.delete(name);
  }
}

function shown(state: Readonly<State>, id: string): P.AccountFeaturedTag {
  const name = state.featuredTags.get(id) ?? '';
  return { id, name, ...publicUse(state, name) };
}

/** Returns the public count and time of the last use; no time when no public use is left. */
function publicUse({ tagUses }: Readonly<State>, name: string) {
  const { count, lastAtMs } = tagUses.get(name) ?? unused;
  return { uses: count, lastAtMs: count > 0 ? lastAtMs : 0 };
}

function tooMany(): Problem {
  return problem('limit_reached', 'Validation failed: You have already featured the maximum number of hashtags');
}
