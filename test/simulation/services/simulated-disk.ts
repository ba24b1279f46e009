import { constants } from 'node:fs';
import { SLICE_CHANGES } from '../../../store/lmdb/checkpoint.js';
import type { Device, LogFile } from '../../../store/lmdb/device.js';
import type { Overlay } from '../../../store/lmdb/overlay.js';
import type { Process, SeededRandom, World } from '../world.js';

/** The part of the device that the log uses. */
export type LogDevice = Pick<Device, 'openLog'>;

const SYNCED = constants.O_DSYNC ?? constants.O_SYNC;
/** Duration of a write to the disk. */
const WRITE_MS: readonly [number, number] = [0.1, 3];

interface StoredFile {
  /** The contents that processes see. */
  seen: Buffer;
  /** The contents after a power failure. */
  durable: Buffer;
}

interface Writing {
  readonly file: StoredFile;
  readonly bytes: Buffer;
  readonly position: number;
}

/**
 * A disk that outlives the processes that use it. A write is durable when it returns, if its file was opened with
 * O_DSYNC; otherwise it is in the kernel's memory. A write under way at a crash may have happened up to any byte.
 */
export class SimulatedDisk {
  /** The rows that LMDB has, by table and key, and the last complete log. */
  readonly rows = new Map<string, Buffer>();
  completed = 0;
  private readonly files = new Map<string, StoredFile>();
  private readonly underWay = new Set<Writing>();

  constructor(
    private readonly world: World,
    private readonly random: SeededRandom,
  ) {}

  deviceOf(process: Process): LogDevice {
    return { openLog: async (path, flags) => this.open(process, path, (flags & SYNCED) === SYNCED) };
  }

  /**
   * Returns checkpoints that simulate LMDB: each row is one transaction, and a last one records the log as complete.
   */
  checkpointsOf(process: Process) {
    return {
      bringIn: async (overlay: Overlay, log: number): Promise<void> => {
        for (const { table, key, bytes } of [...overlay.parts(SLICE_CHANGES)].flat()) {
          await this.takeTime(process);
          const name = `${table.name} ${key.toString('latin1')}`;
          if (bytes === undefined) this.rows.delete(name);
          else this.rows.set(name, Buffer.from(bytes));
        }
        await this.takeTime(process);
        this.completed = log;
      },
    };
  }

  /** Ends the process. @param losesPower the kernel's memory is lost, too */
  crash(losesPower: boolean): void {
    for (const { file, bytes, position } of this.underWay) {
      const part = bytes.subarray(0, this.random.between(0, bytes.length));
      file.seen = written(file.seen, part, position);
      file.durable = written(file.durable, part, position);
    }
    this.underWay.clear();
    if (losesPower) for (const file of this.files.values()) file.seen = file.durable;
  }

  private open(process: Process, path: string, isSynced: boolean): LogFile {
    const file = this.files.get(path) ?? { seen: Buffer.alloc(0), durable: Buffer.alloc(0) };
    this.files.set(path, file);
    return {
      readAll: async () => Buffer.from(file.seen),
      close: async () => undefined,
      write: async (bytes, length, position) => {
        const writing = { file, bytes: Buffer.from(bytes.subarray(0, length)), position };
        if (process.alive) this.underWay.add(writing);
        await this.takeTime(process);
        this.underWay.delete(writing);
        file.seen = written(file.seen, writing.bytes, position);
        if (isSynced) file.durable = file.seen;
        return length;
      },
    };
  }

  /** Waits for the duration of a write; never resolves for a process that has ended. */
  private takeTime(process: Process): Promise<void> {
    const [low, high] = WRITE_MS;
    return new Promise((resolve) => {
      this.world.at(low + this.random.fraction() * (high - low), process, resolve);
    });
  }
}

function written(before: Buffer, bytes: Buffer, position: number): Buffer {
  const after = Buffer.alloc(Math.max(before.length, position + bytes.length));
  before.copy(after);
  bytes.copy(after, position);
  return after;
}
