import { tagId } from '../../actors/domain/text/tag-id.js';
import type {
  AccountDirect,
  AccountFilter,
  InstanceEntry,
  InstanceReport,
  StoreAccountRecord,
} from '../../proto/gen/types.js';
import { Cache, type Caches } from '../../store/cache/cache.js';
import type { TagUses } from '../discovery/tag-histories.js';
import type { LinkTrend } from '../discovery/trends.js';
import { type CachedGroups, GROUP_PAGES_MAX } from '../notifications/cached-groups.js';
import type { EmojiLookup } from '../settings/custom-emoji.js';
import type { InstanceSettings } from '../settings/settings.js';
import { renderAdminAccount } from './account/admin.js';
import { renderFilter } from './account/filter.js';
import { CachedJson } from './cached-json.js';
import { type ReportCard, ReportCards } from './report/cached-reports.js';
import { renderTag } from './status/tag.js';
import { renderTrendsLink } from './status/trends-link.js';

/** Cached groups of notifications: some 700 bytes each. */
const GROUPS_MAX = 8_192;
/** Ends of a hashtag for a viewer who follows it or not, and for an anonymous viewer. */
const FOLLOWED = Buffer.from(',"following":true}');
const NOT_FOLLOWED = Buffer.from(',"following":false}');
const NOBODYS = Buffer.from('}');

/** A link that trends, or that a moderator reviewed. */
type NumberedLink = Pick<LinkTrend, 'name' | 'history' | 'card'>;

/** JSON of a group of notifications, with all values on which it depends. */
interface GroupCard {
  readonly isGrouped: boolean;
  readonly count: number;
  readonly oldestId: string;
  readonly sample: readonly string[];
  readonly bytes: Uint8Array;
}

/** Cached JSON of everything besides statuses and accounts that is equal for all its viewers. */
export class OtherCards {
  /** Accounts as moderators see them. */
  #adminAccounts: CachedJson<StoreAccountRecord>;
  /** Custom emoji with which the texts were rendered. */
  #emojis: EmojiLookup['all'] | undefined;
  /** Conversations by their object: an account has a new one for each change. */
  readonly #conversations = new CachedJson<AccountDirect>(
    ({ id, unread }) => ({ id, unread }),
    'open',
    ',"accounts":[',
  );
  readonly #filters = new CachedJson<AccountFilter>(renderFilter);
  readonly #reports = new ReportCards((record) => this.adminAccount(record));
  readonly #links: CachedJson<LinkTrend>;
  readonly #numberedLinks: CachedJson<NumberedLink>;
  readonly #instance: InstanceSettings;
  /** Hashtags by their histories, which are recomputed when somebody uses the hashtag. Without the closing brace. */
  readonly #tags = new WeakMap<TagUses, { readonly name: string; readonly open: Uint8Array }>();

  /** Groups by their newest notification. */
  readonly groups: Cache<GroupCard>;
  /** Pages of groups by their query. */
  readonly groupPages: Cache<CachedGroups>;

  constructor(instance: InstanceSettings, caches?: Caches) {
    this.#instance = instance;
    this.groups = new Cache('notification_groups', GROUPS_MAX, caches);
    this.groupPages = new Cache('notification_group_pages', GROUP_PAGES_MAX, caches);
    this.#links = new CachedJson((link) => renderTrendsLink(instance, link));
    this.#numberedLinks = new CachedJson(
      (link) => ({ ...renderTrendsLink(instance, link), id: tagId(link.name) }),
      'open',
    );
    this.#emojis = instance.emojis?.all;
    this.#adminAccounts = this.#newAdminAccounts();
  }

  adminAccount(record: StoreAccountRecord): Uint8Array {
    if (this.#instance.emojis?.all !== this.#emojis) {
      this.#emojis = this.#instance.emojis?.all;
      this.#adminAccounts = this.#newAdminAccounts();
    }
    return this.#adminAccounts.of(record);
  }

  #newAdminAccounts(): CachedJson<StoreAccountRecord> {
    return new CachedJson((record) => renderAdminAccount(this.#instance, record));
  }

  /** Renders a report for moderators; undefined if an account that it concerns is deleted. */
  report(
    report: InstanceReport,
    people: ReadonlyMap<string, StoreAccountRecord>,
    rules: readonly InstanceEntry[],
  ): ReportCard | undefined {
    return this.#reports.of(report, people, rules);
  }

  /** Renders a conversation up to its first account. */
  conversation(direct: AccountDirect): Uint8Array {
    return this.#conversations.of(direct);
  }

  filter(filter: AccountFilter): Uint8Array {
    return this.#filters.of(filter);
  }

  trendsLink(trend: LinkTrend): Uint8Array {
    return this.#links.of(trend);
  }

  /** Renders a link with the id by which moderators name it, without the closing brace. */
  numberedLink(trend: NumberedLink): Uint8Array {
    return this.#numberedLinks.of(trend);
  }

  /** Renders a hashtag. `following` is undefined for an anonymous viewer. */
  tag(name: string, history: TagUses, following: boolean | undefined): Uint8Array[] {
    let cached = this.#tags.get(history);
    if (cached?.name !== name) {
      const text = JSON.stringify(renderTag(this.#instance, name, history, undefined));
      cached = { name, open: Buffer.from(text.slice(0, -1)) };
      this.#tags.set(history, cached);
    }
    return [cached.open, following === undefined ? NOBODYS : following ? FOLLOWED : NOT_FOLLOWED];
  }
}
