import type { InstanceReport, StoreAccountRecord } from '../../proto/gen/types.js';
import type { DayUse } from '../discovery/tag-histories.js';
import type { LinkTrend } from '../discovery/trends.js';
import { renderAdminAccount, renderAdminReport } from '../entities/admin.js';
import { renderTag } from '../entities/tag.js';
import { renderTrendsLink } from '../entities/trends-link.js';
import type { InstanceSettings } from '../services.js';
import { KeptJson } from './kept-json.js';

/** What is followed or not, behind a hashtag that is open. */
const FOLLOWED = Buffer.from(',"following":true}');
const NOT_FOLLOWED = Buffer.from(',"following":false}');
const NOBODYS = Buffer.from('}');

/** Bytes of what is neither status nor account and the same for all who see it. */
export class OtherCards {
  /** Accounts as moderators see them. */
  readonly #adminAccounts: KeptJson<StoreAccountRecord>;
  readonly #reports = new KeptJson<InstanceReport>(renderAdminReport);
  readonly #links: KeptJson<LinkTrend>;
  readonly #instance: InstanceSettings;
  /** By their histories, which are found anew when somebody uses them. Without the end. */
  readonly #tags = new WeakMap<readonly DayUse[], { readonly name: string; readonly open: Uint8Array }>();

  constructor(instance: InstanceSettings) {
    this.#instance = instance;
    this.#links = new KeptJson((link) => renderTrendsLink(instance, link));
    this.#adminAccounts = new KeptJson((record) => renderAdminAccount(instance, record));
  }

  adminAccount(record: StoreAccountRecord): Uint8Array {
    return this.#adminAccounts.of(record);
  }

  /** What is the report's own, open. */
  report(report: InstanceReport): Uint8Array {
    return this.#reports.of(report).subarray(0, -1);
  }

  trendsLink(trend: LinkTrend): Uint8Array {
    return this.#links.of(trend);
  }

  /** `following` undefined: nobody asks. */
  tag(name: string, history: readonly DayUse[], following: boolean | undefined): Uint8Array[] {
    let kept = this.#tags.get(history);
    if (kept?.name !== name) {
      const text = JSON.stringify(renderTag(this.#instance, name, history, undefined));
      kept = { name, open: Buffer.from(text.slice(0, -1)) };
      this.#tags.set(history, kept);
    }
    return [kept.open, following === undefined ? NOBODYS : following ? FOLLOWED : NOT_FOLLOWED];
  }
}
