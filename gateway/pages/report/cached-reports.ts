import type { InstanceEntry, InstanceReport, StoreAccountRecord } from '../../../proto/gen/types.js';
import { renderRule } from '../instance/rule.js';
import { renderAdminReport } from './report.js';

/** JSON of a report without its statuses, which look different to each moderator. */
export interface ReportCard {
  /** Bytes up to `"statuses":`. */
  readonly head: Uint8Array;
  /** Bytes after the statuses. */
  readonly rules: Uint8Array;
  /** The whole report, if it names no statuses. */
  readonly whole: Uint8Array;
}

interface CachedReport extends ReportCard {
  /** Bytes of the accounts that it names, in order. Each change of an account creates new ones. */
  readonly people: readonly (Uint8Array | undefined)[];
  readonly known: readonly InstanceEntry[];
}

const ACCOUNT = Buffer.from(',"account":');
const TARGET = Buffer.from(',"target_account":');
const ASSIGNED = Buffer.from(',"assigned_account":');
const TAKEN_BY = Buffer.from(',"action_taken_by_account":');
const STATUSES = Buffer.from(',"statuses":');
const NULL = Buffer.from('null');
const NONE = Buffer.from('[]');
const NO_RULES = Buffer.from(',"rules":[]}');

/** Reports as moderators see them, cached until the report or an account that it names changes. */
export class ReportCards {
  readonly #fragments = new WeakMap<InstanceReport, CachedReport>();
  readonly #account: (record: StoreAccountRecord) => Uint8Array;

  /** `account` returns the bytes of an account as moderators see it: the same object while they are equal. */
  constructor(account: (record: StoreAccountRecord) => Uint8Array) {
    this.#account = account;
  }

  /**
   * Renders a report. Returns undefined if the reporter or the reported account is deleted. `known` are the rules; they
   * do not matter for a report that names none.
   */
  of(
    report: InstanceReport,
    records: ReadonlyMap<string, StoreAccountRecord>,
    known: readonly InstanceEntry[],
  ): ReportCard | undefined {
    const { account, target, assigned, resolvedBy } = report;
    const bytesOf = (id: string | undefined) => {
      const record = id === undefined ? undefined : records.get(id);
      return record === undefined ? undefined : this.#account(record);
    };
    const [by, about, judge, judged] = [bytesOf(account), bytesOf(target), bytesOf(assigned), bytesOf(resolvedBy)];
    if (by === undefined || about === undefined) return undefined;
    const cached = this.#fragments.get(report);
    if (
      cached?.people[0] === by &&
      cached.people[1] === about &&
      cached.people[2] === judge &&
      cached.people[3] === judged &&
      (cached.known === known || report.ruleIds.length === 0)
    ) {
      return cached;
    }
    const own = Buffer.from(JSON.stringify(renderAdminReport(report)).slice(0, -1));
    const people = [ACCOUNT, by, TARGET, about, ASSIGNED, judge ?? NULL, TAKEN_BY, judged ?? NULL];
    const rules = rulesOf(report, known);
    const whole = Buffer.concat([own, ...people, STATUSES, NONE, rules]);
    const end = whole.length - rules.length;
    const parts = { whole, head: whole.subarray(0, end - NONE.length), rules: whole.subarray(end) };
    const made = { ...parts, people: [by, about, judge, judged], known };
    this.#fragments.set(report, made);
    return made;
  }
}

function rulesOf({ ruleIds }: InstanceReport, known: readonly InstanceEntry[]): Uint8Array {
  if (ruleIds.length === 0) return NO_RULES;
  const named = known.filter(({ id }) => ruleIds.includes(id));
  return Buffer.from(`,"rules":${JSON.stringify(named.map(renderRule))}}`);
}
