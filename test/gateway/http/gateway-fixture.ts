import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Clock } from '../../../actors/domain/time.js';
import { NO_RING } from '../../../actors/timelines/ring-part.js';
import { tokenHash } from '../../../gateway/http/authenticator.js';
import type { AnyRoute } from '../../../gateway/http/route.js';
import type { Services } from '../../../gateway/http/services.js';
import { StatusPages } from '../../../gateway/pages/status/status-pages.js';
import { ViewerMarks } from '../../../gateway/pages/status/viewer-marks.js';
import { type Server, type ServerOptions, startServer } from '../../../gateway/server.js';
import { NOBODY_LIMITED } from '../../../gateway/viewing/account-limits.js';
import { Lenses } from '../../../gateway/viewing/lenses.js';
import type { StoreAccountRecord, StoreTokenRecord } from '../../../proto/gen/types.js';
import { Caches } from '../../../store/cache/cache.js';
import { CachedTables } from '../../../store/cache/cached-tables.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put, remove } from '../../../store/port.js';
import { accounts, tokens } from '../../../store/tables.js';
import { AddressGuard } from '../../../transport/address-guard.js';
import type { Bus } from '../../../transport/bus.js';
import { InProcessHub } from '../../../transport/in-process-bus.js';
import { uploadsIn } from '../../kit/actors/uploads.js';
import { keyedTokens } from '../../kit/keyed-tokens.js';
import type { Send } from '../../kit/network/injection.js';

export const realClock: Clock = {
  nowMs: () => Date.now(),
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};

export const account = (id: string, changes: Partial<StoreAccountRecord> = {}): StoreAccountRecord => ({
  id,
  username: `user${id}`,
  domain: '',
  createdAtMs: 0,
  followers: 0,
  following: 0,
  statuses: 0,
  lastStatusAtMs: 0,
  role: 'user',
  confirmed: true,
  approved: true,
  disabled: false,
  email: '',
  locale: 'en',
  followRequests: 0,
  pinnedIds: [],
  ...changes,
});

export const ALICE = '000000000000000001';
export const BOB = '000000000000000002';

type Ask = Services['askAccount'];

/** A gateway on a free port over a memory store and an in-process bus. */
export class GatewayFixture {
  readonly tables = new MemoryTables();
  readonly bus: Bus;
  readonly logged: { level: string; fields: object; message: string }[] = [];
  ready = true;
  server!: Server;

  constructor(bus?: Bus) {
    this.bus = bus ?? new InProcessHub(realClock).bus('one');
  }

  async start(routes: readonly AnyRoute[], more: Partial<ServerOptions> = {}, ask?: Ask): Promise<this> {
    const log = (level: string) => (fields: object, message: string) =>
      void this.logged.push({ level, fields, message });
    this.server = await startServer({
      routes,
      services: this.services(ask),
      bus: this.bus,
      bind: '127.0.0.1',
      port: 0,
      trustedProxies: ['loopback'],
      logger: { debug: () => {}, info: log('info'), warn: log('warn'), error: log('error') },
      ready: () => this.ready,
      ...more,
    });
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** Sends a request over a socket. */
  readonly send: Send = (path, init) => fetch(`${this.url}${path}`, init);

  services(ask?: Ask): Services {
    const unused = async (): Promise<never> => {
      throw new Error('not used here');
    };
    const instance: Services['instance'] = {
      baseUrl: 'http://localhost',
      domain: 'localhost',
      streamingUrl: 'ws://localhost',
      streamingRedirect: undefined,
      registrations: 'open',
      invites: 'staff',
      passwordGrant: false,
      devPages: false,
      authorizedFetch: false,
      compression: true,
      rateLimits: true,
      version: '0',
    };
    return {
      instance,
      askAccount: ask ?? unused,
      accountNow: () => undefined,
      askConversation: unused,
      lenses: new Lenses(ask ?? unused, realClock),
      limits: NOBODY_LIMITED,
      entries: undefined as never,
      ...{ askInstance: undefined as never, operator: undefined as never },
      ...{ askReport: undefined as never, askArchive: undefined as never, askImports: undefined as never },
      publicRing: { read: () => NO_RING },
      pages: new StatusPages(instance, new ViewerMarks(new CachedTables(this.tables))),
      accountKeys: { publicPem: unused },
      federation: undefined as never,
      inbox: { isFull: false, yieldToPeople: () => undefined, receive: unused },
      tagHistories: { of: unused },
      latestRows: { of: unused },
      wordLists: { of: unused },
      knownServers: { peers: unused, count: unused },
      trends: undefined as never,
      tables: this.tables,
      caches: new Caches(),
      ...uploadsIn(this.tables),
      remoteMedia: { open: unused },
      registry: {
        claim: unused,
        confirm: unused,
        release: unused,
        withdraw: unused,
        isTaken: unused,
        find: unused,
        putApp: unused,
        putAppToken: unused,
        removeAppToken: unused,
        noteTokenUse: () => undefined,
        refusedSignUp: unused,
        claimAnswer: unused,
        keepAnswer: unused,
      },
      clock: realClock,
      idClock: realClock,
      random: { bytes: (count) => randomBytes(count), fraction: () => Math.random() },
      keyedTokens,
      addressGuard: new AddressGuard(),
      newAccountId: async () => ALICE,
      newPlainId: () => ALICE,
    };
  }

  async giveAccount(record: StoreAccountRecord): Promise<void> {
    await this.tables.write([put(accounts, { account: record.id }, record)]);
  }

  async giveToken(token: string, record: Partial<StoreTokenRecord>): Promise<void> {
    const whole = { clientId: 'client', scopes: ['read', 'write'], kind: 'access', atMs: 0, ...record };
    await this.tables.write([put(tokens, { hash: tokenHash(token) }, whole)]);
  }

  async takeToken(token: string): Promise<void> {
    await this.tables.write([remove(tokens, { hash: tokenHash(token) })]);
  }

  async stop(): Promise<void> {
    await this.server.close();
    await this.bus.close();
  }
}

/** Sends raw bytes and collects the answer until the connection ends, `enough` returns true or time is up. */
export function rawExchange(
  port: number,
  bytes: string | Uint8Array,
  enough: (text: string) => boolean,
  timeoutMs = 5_000,
): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(finish, timeoutMs);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (enough(text)) finish();
    });
    socket.on('close', finish);
    socket.on('error', finish);
  });
}
