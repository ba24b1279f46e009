/** Set only by builds for tests (scripts/bundle.mjs --define): a program with another format. */
declare const BUILD_FORMAT: number | undefined;
/** Commands and events (`kind.name`) that such a build treats as newer than they are. */
declare const BUILD_SINCE: Readonly<Record<string, number>> | undefined;

/**
 * Version of stored data and of messages between nodes: events, commands, rows. This program reads all formats up to
 * this one.
 *
 * Raise it by one in a change after which an older program could misread or fail on something stored or sent: a new
 * type of event, a new command, a row or field that older programs must not ignore, a raised `stateVersion`. Declare
 * these with that number in `since` of their kind (actors/runtime/kind.ts): nodes write and send them only once every
 * live node knows them (ADR 26). A new field that older programs may ignore and a new table need no new format.
 */
export const FORMAT = typeof BUILD_FORMAT === 'number' ? BUILD_FORMAT : 2;

export const BUILT_SINCE: Readonly<Record<string, number>> = typeof BUILD_SINCE === 'object' ? BUILD_SINCE : {};

/** The running program: its version, for people, and the newest format that it knows. */
export interface Program {
  readonly version: string;
  readonly format: number;
}

/** The store contains, or may soon contain, data that this program cannot read. */
export class FormatTooOld extends Error {
  override readonly name = 'FormatTooOld';

  constructor(program: Program, active: { readonly format: number; readonly formatVersion: string }) {
    super(
      `this program (version ${program.version}) knows format ${program.format}, and the stored data have format ` +
        `${active.format} since version ${active.formatVersion}: start that version or a later one, or restore a backup`,
    );
  }
}
