import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { open } from 'lmdb';
import { type Device, disk } from '../../../store/lmdb/device.js';

const LOG_NAMES = ['writes-a.log', 'writes-b.log'] as const;
/** Size of a disk's atomic write. */
const SECTOR_BYTES = 512;

interface LogWrite {
  readonly kind: 'write';
  readonly file: string;
  readonly position: number;
  readonly bytes: Buffer;
}
interface Commit {
  readonly kind: 'commit';
  readonly changes: readonly { readonly table: string; readonly key: Buffer; readonly bytes: Buffer | undefined }[];
}
type Step = LogWrite | Commit;

/** A moment at which the process may end. */
interface Moment {
  readonly done: readonly Step[];
  readonly underWay: readonly Step[];
  readonly acknowledged: number;
}

/** Possible contents of the disk after the process ended at a moment. */
export interface CrashState {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Number of writes that were acknowledged at the last moment at which the disk may have had these contents. */
  readonly acknowledged: number;
}

/** Passes every step to the disk and records the order of starts and ends. */
export class RecordingDevice implements Device {
  /** Number of acknowledged writes; the test counts them. */
  acknowledged = 0;
  private readonly done: Step[] = [];
  private readonly underWay = new Set<Step>();
  private readonly moments: Moment[] = [];

  openLog: Device['openLog'] = async (path, flags) => {
    const file = await disk.openLog(path, flags);
    return {
      readAll: () => file.readAll(),
      close: () => file.close(),
      write: (bytes, length, position) => {
        const copy = Buffer.from(bytes.subarray(0, length));
        const step = { kind: 'write', file: basename(path), position, bytes: copy } as const;
        return this.during(step, () => file.write(bytes, length, position));
      },
    };
  };

  commit: Device['commit'] = (root, changes) => {
    const copies = changes.map(({ table, key, bytes }) => ({
      table: table.name,
      key: Buffer.from(key),
      bytes: bytes && Buffer.from(bytes),
    }));
    return this.during({ kind: 'commit', changes: copies }, () => disk.commit(root, changes));
  };

  private async during<T>(step: Step, act: () => Promise<T>): Promise<T> {
    this.underWay.add(step);
    this.note();
    const outcome = await act();
    this.underWay.delete(step);
    this.done.push(step);
    this.note();
    return outcome;
  }

  /** Records a moment; the test calls it after it has counted an acknowledgement. */
  note(): void {
    this.moments.push({ done: [...this.done], underWay: [...this.underWay], acknowledged: this.acknowledged });
  }

  /** Returns every possible state of the disk, each once: of the steps under way all, none, or a part of a write. */
  crashStates(): CrashState[] {
    const states = new Map<string, CrashState>();
    const ids = new Map<Step, number>();
    const idOf = (step: Step) => {
      const id = ids.get(step) ?? ids.size;
      ids.set(step, id);
      return id;
    };
    for (const { done, underWay, acknowledged } of this.moments) {
      let variants: { steps: Step[]; names: string[] }[] = [
        { steps: [...done], names: done.map((step) => String(idOf(step))) },
      ];
      for (const step of underWay) {
        const outcomes = [undefined, ...outcomesOf(step)];
        variants = variants.flatMap(({ steps, names }) =>
          outcomes.map((outcome) =>
            outcome === undefined
              ? { steps, names }
              : { steps: [...steps, outcome.step], names: [...names, `${idOf(step)}${outcome.name}`] },
          ),
        );
      }
      for (const { steps, names } of variants)
        states.set([...names].sort().join(), { name: names.join(), steps, acknowledged });
    }
    return [...states.values()];
  }
}

function outcomesOf(step: Step): { readonly name: string; readonly step: Step }[] {
  const all = { name: '', step };
  if (step.kind === 'commit') return [all];
  const { bytes, position } = step;
  const ends = [1, 7, 8, 12, 20, 23, 24, 25, bytes.length >> 1, bytes.length - 1, SECTOR_BYTES];
  const torn = [...new Set(ends)]
    .filter((end) => end > 0 && end < bytes.length)
    .map((end) => ({ name: `[..${end}]`, step: { ...step, bytes: bytes.subarray(0, end) } }));
  // Sectors may reach the disk in any order: here all but the first.
  const second = SECTOR_BYTES - (position % SECTOR_BYTES);
  if (second < bytes.length) {
    torn.push({ name: `[${second}..]`, step: { ...step, position: position + second, bytes: bytes.subarray(second) } });
  }
  return [...torn, all];
}

/** Creates folders as a crash leaves them, from the folder's contents when the recording began. */
export class CrashedFolders {
  private readonly databases: string[] = [];

  private constructor(
    private readonly base: string,
    private readonly logs: ReadonlyMap<string, Buffer>,
  ) {}

  static async from(folder: string): Promise<CrashedFolders> {
    const base = await mkdtemp(join(tmpdir(), 'murmuration-base-'));
    await mkdir(join(base, '0'));
    const logs = new Map<string, Buffer>();
    for (const name of LOG_NAMES) logs.set(name, await readFile(join(folder, name)).catch(() => Buffer.alloc(0)));
    await cp(join(folder, 'data.mdb'), join(base, '0', 'data.mdb')).catch(() => undefined);
    const folders = new CrashedFolders(base, logs);
    folders.databases.push(join(base, '0'));
    return folders;
  }

  /** Creates the folder; the caller removes it. */
  async make({ steps }: CrashState): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-crashed-'));
    const commits = steps.filter((step) => step.kind === 'commit');
    await cp(await this.databaseAfter(commits), folder, { recursive: true });
    for (const [name, first] of this.logs) {
      let bytes = first;
      for (const step of steps) if (step.kind === 'write' && step.file === name) bytes = written(bytes, step);
      await writeFile(join(folder, name), bytes);
    }
    return folder;
  }

  async remove(): Promise<void> {
    await rm(this.base, { recursive: true });
  }

  /** Returns the database after the commits. Commits never overlap, so their number identifies the state. */
  private async databaseAfter(commits: readonly Commit[]): Promise<string> {
    while (this.databases.length <= commits.length) {
      const count = this.databases.length;
      const folder = join(this.base, String(count));
      await cp(this.databases[count - 1] as string, folder, { recursive: true });
      await apply(folder, commits[count - 1] as Commit);
      this.databases.push(folder);
    }
    return this.databases[commits.length] as string;
  }
}

function written(before: Buffer, { position, bytes }: LogWrite): Buffer {
  const after = Buffer.alloc(Math.max(before.length, position + bytes.length));
  before.copy(after);
  bytes.copy(after, position);
  return after;
}

async function apply(folder: string, { changes }: Commit): Promise<void> {
  const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;
  const root = open<Buffer, Buffer>({ path: folder, noSubdir: false, maxDbs: 128, overlappingSync: false, ...binary });
  const dbs = new Map(
    [...new Set(changes.map(({ table }) => table))].map((name) => [name, root.openDB({ name, ...binary })]),
  );
  await root.batch(() => {
    for (const { table, key, bytes } of changes) {
      if (bytes === undefined) void dbs.get(table)?.remove(key);
      else void dbs.get(table)?.put(key, bytes);
    }
  });
  await root.close();
}
