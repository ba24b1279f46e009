import type { InstanceEntry, StoreAccountRecord } from '../../../proto/gen/types.js';

/** Information about the instance: texts of its administrators, and statistics. */
export interface About {
  readonly title: string;
  readonly shortDescription: string;
  readonly description: string;
  /** Empty until an administrator sets it. */
  readonly contactEmail: string;
  readonly contact: StoreAccountRecord | undefined;
  readonly sourceUrl: string;
  readonly registrationsMessage: string | undefined;
  readonly statusPage: string | undefined;
  readonly languages: readonly string[];
  readonly rules: readonly InstanceEntry[];
  readonly hasTerms: boolean;
  /** Number of other servers that this one knows. */
  readonly servers: number;
  readonly totals: {
    readonly users: number;
    readonly statuses: number;
    readonly activeMonth: number;
    readonly activeHalfYear: number;
  };
}
