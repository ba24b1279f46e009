import { problem } from '../../../actors/domain/problem.js';
import type { ActorKind } from '../../../actors/runtime/kind.js';
import type { Codec } from '../../../proto/codec.js';
import { put } from '../../../store/port.js';
import { table } from '../../../store/table.js';

/** Returns a codec of any plain object as JSON, for tests of transports; no bytes decode to an empty object. */
export function jsonCodec<T>(name: string): Codec<T> {
  return {
    name,
    encode: (message) => Buffer.from(JSON.stringify(message)),
    decode: (bytes) => JSON.parse(bytes.length === 0 ? '{}' : Buffer.from(bytes).toString()),
  };
}

/** A row for each line of a notebook, written before the reply. */
export const pages = table('test_pages', {
  partition: { notebook: 'id' },
  clustering: { line: 'int' },
  value: jsonCodec<{ text: string }>('page'),
});

export interface NotebookCommands {
  /** Adds a line. `copyTo` gets it too, after the reply; `shareWith` before it. */
  add: { in: { text: string; copyTo?: string; shareWith?: string }; out: { line: number; id: string } };
  /** Adds nothing when the last line is the same. */
  addOnce: { in: { text: string }; out: { line: number } };
  /** Adds a line each time; repeatable: a repeated request returns the first reply. */
  note: { in: { text: string }; out: { line: number } };
  read: { in: object; out: { lines: string[] } };
  /** Always refused. */
  erase: { in: object; out: object };
  /** Throws: a bug. */
  tear: { in: object; out: object };
}
export interface NotebookEvents {
  added: { text: string; line: number; copyTo?: string; shareWith?: string };
}
export interface NotebookState {
  lines: string[];
}
export type NotebookKind = ActorKind<NotebookState, NotebookCommands, NotebookEvents>;

/**
 * Returns a minimal actor kind that uses every feature of the runtime: commands, refusals, bugs, rows, commands to
 * others.
 */
export function notebook(stateVersion = 1): NotebookKind {
  return {
    name: 'notebook',
    initial: () => ({ lines: [] }),
    stateVersion,
    decide: {
      add: (state, command, { newActorId }) => ({
        events: [{ type: 'added', ...command, line: state.lines.length + 1 }],
        reply: { line: state.lines.length + 1, id: newActorId() },
      }),
      addOnce: (state, { text }) => {
        if (state.lines.at(-1) === text) return { events: [], reply: { line: state.lines.length } };
        const line = state.lines.length + 1;
        return { events: [{ type: 'added', text, line }], reply: { line } };
      },
      note: (state, { text }) => {
        const line = state.lines.length + 1;
        return { events: [{ type: 'added', text, line }], reply: { line } };
      },
      read: (state) => ({ events: [], reply: { lines: [...state.lines] } }),
      erase: () => problem('forbidden', 'Ink stays', { page: [{ error: 'ERR_INVALID', description: 'is ink' }] }),
      tear: () => {
        throw new TypeError('a bug in decide');
      },
    },
    apply: {
      added: (state, { text }) => void state.lines.push(text),
    },
    commands: {
      add: { in: jsonCodec('Add'), out: jsonCodec('Added'), repeats: 'never', local: true },
      addOnce: { in: jsonCodec('AddOnce'), out: jsonCodec('AddedOnce'), repeats: 'never', local: true },
      note: { in: jsonCodec('Note'), out: jsonCodec('Noted'), repeats: 'keyed', local: true },
      read: { in: jsonCodec('Read'), out: jsonCodec('Lines'), repeats: 'query', local: true },
      erase: { in: jsonCodec('Erase'), out: jsonCodec('Erased'), repeats: 'never', local: true },
      tear: { in: jsonCodec('Tear'), out: jsonCodec('Torn'), repeats: 'never', local: true },
    },
    events: {
      added: {
        codec: jsonCodec('NoteAdded'),
        invalidates: false,
        overlaps: ({ text }) => text.startsWith('beside'),
      },
    },
    reactions: [
      {
        surface: 'pages',
        beforeReply: true,
        on: {
          async added({ text, line, shareWith }, { self }, effects) {
            await effects.write([put(pages, { notebook: self, line }, { text })]);
            if (shareWith !== undefined) await effects.tell('notebook', shareWith, 'add', { text: `shared ${text}` });
          },
        },
      },
      {
        surface: 'copies',
        beforeReply: false,
        on: {
          async added({ text, copyTo }, _happened, effects) {
            if (copyTo !== undefined) await effects.tell('notebook', copyTo, 'add', { text: `copy of ${text}` });
          },
        },
      },
    ],
  };
}
