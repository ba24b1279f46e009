import type { InstanceEntry, InstanceReport, StoreAccountRecord } from '../../proto/gen/types.js';
import { renderAdminReport } from '../entities/account/admin.js';
import { renderRule } from '../entities/instance/rule.js';

/** A report's JSON but for the statuses that it names, which look different to each moderator. */
export interface ReportCard {
  /** Up to `"statuses":`. */
  readonly head: Uint8Array;
  /** What follows them. */
  readonly rules: Uint8Array;
  /** All of it, where it names none. */
  readonly whole: Uint8Array;
}

interface Kept extends ReportCard {
  /** Bytes of the people that it names, in their order: others are made when anything of them changes. */
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

/** Reports as moderators see them: made once for as long as neither the report nor anybody whom it names changes. */
export class ReportCards {
  readonly #kept = new WeakMap<InstanceReport, Kept>();
  readonly #account: (record: StoreAccountRecord) => Uint8Array;

  /** `account`: the bytes of an account as moderators see it, the same ones as long as they say the same. */
  constructor(account: (record: StoreAccountRecord) => Uint8Array) {
    this.#account = account;
  }

  /** Undefined when one of the two whom it is about is gone. `known`: the rules; those of a report that names none do not count. */
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
    const kept = this.#kept.get(report);
    if (
      kept?.people[0] === by &&
      kept.people[1] === about &&
      kept.people[2] === judge &&
      kept.people[3] === judged &&
      (kept.known === known || report.ruleIds.length === 0)
    ) {
      return kept;
    }
    const own = Buffer.from(JSON.stringify(renderAdminReport(report)).slice(0, -1));
    const people = [ACCOUNT, by, TARGET, about, ASSIGNED, judge ?? NULL, TAKEN_BY, judged ?? NULL];
    const rules = rulesOf(report, known);
    const whole = Buffer.concat([own, ...people, STATUSES, NONE, rules]);
    const end = whole.length - rules.length;
    const parts = { whole, head: whole.subarray(0, end - NONE.length), rules: whole.subarray(end) };
    const made = { ...parts, people: [by, about, judge, judged], known };
    this.#kept.set(report, made);
    return made;
  }
}

function rulesOf({ ruleIds }: InstanceReport, known: readonly InstanceEntry[]): Uint8Array {
  if (ruleIds.length === 0) return NO_RULES;
  const named = known.filter(({ id }) => ruleIds.includes(id));
  return Buffer.from(`,"rules":${JSON.stringify(named.map(renderRule))}}`);
}
