import type { ImportsJob, ImportsProgress } from '../../proto/gen/types.js';

/** One step of an import. */
export interface ImportStep {
  readonly account: string;
  readonly job: Readonly<ImportsJob>;
  /** All rows of the file. */
  readonly rows: readonly (readonly string[])[];
  /** Returns false once the import has been cancelled or another node continues it. */
  readonly goesOn: () => boolean;
}

/** Carries out the rows of imports in people's names. */
export interface ImportWork {
  /**
   * Does some rows, or removes some former entries, within about 10 s. A repeat of a step changes nothing more. An
   * unavailable part of the server makes the step `busy`.
   * @throws Unavailable
   */
  carryOut(step: ImportStep): Promise<ImportsProgress>;
}
