import type { Clock } from '../../actors/domain/time.js';
import type { AddressGuard } from '../address-guard.js';
import { isPushEndpoint } from '../push-endpoint.js';
import { PUSH_PAYLOAD_BYTES_MAX, type PushMessage, type PushOutcome, type PushSender } from '../push-sender.js';
import { GuardedClient } from '../web/guarded-client.js';
import type { Resolve } from '../web/name-cache.js';
import { outcomeOf } from './answers.js';
import { GATE_LIMITS, type GateLimits, ServiceGate } from './service-gate.js';
import { VapidHeaders, type VapidSource } from './vapid-headers.js';

interface Log {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface WebPushOptions extends VapidSource {
  readonly guard: AddressGuard;
  readonly userAgent: string;
  /** Resolves names. Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Timeout of one request. Default: TIMEOUT_MS. */
  readonly timeoutMs?: number;
  readonly limits?: GateLimits;
}

/** Push services answer within a second; this one is for a bad line. */
const TIMEOUT_MS = 10_000;
/** Shorter than the time after which known push services close an idle connection. */
const KEPT_MS = 30_000;
/** The library encrypts for a key, not for an address. Its treatment of some addresses does not concern us. */
const NOWHERE = 'https://push.invalid/';

/** Loaded with the first message: its modules would slow every start. */
const webPush = async () => (await import('web-push')).default;

/** Sends messages to push services: the library web-push encrypts, our client connects. */
export class WebPushSender implements PushSender {
  readonly #client: GuardedClient;
  readonly #gate: ServiceGate;
  readonly #identity: VapidHeaders;

  constructor(private readonly options: WebPushOptions) {
    const { guard, userAgent, resolve, clock, timeoutMs = TIMEOUT_MS, limits = GATE_LIMITS } = options;
    this.#client = new GuardedClient({
      guard,
      userAgent,
      resolve,
      timeoutMs,
      keptMs: KEPT_MS,
      connectionsMax: limits.serviceMax,
    });
    this.#gate = new ServiceGate(clock, limits);
    this.#identity = new VapidHeaders(options, clock);
  }

  async send(message: PushMessage): Promise<PushOutcome> {
    if (!isPushEndpoint(message.endpoint, this.options.guard)) return { kind: 'later', reason: 'blocked' };
    if (Buffer.byteLength(message.payload) > PUSH_PAYLOAD_BYTES_MAX) return { kind: 'too-large' };
    const url = new URL(message.endpoint);
    return this.#gate.run(url.origin, () => this.#post(url, message));
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #post(url: URL, message: PushMessage): Promise<PushOutcome> {
    const { clock, log } = this.options;
    const library = await webPush();
    let identification: Awaited<ReturnType<VapidHeaders['for']>>;
    try {
      identification = await this.#identity.for(url.origin, message.encoding, library.getVapidHeaders);
    } catch (err) {
      log.warn({ err }, 'failed to sign for a push service');
      return { kind: 'later', reason: 'failed' };
    }
    const encrypted = this.#encrypt(library, message);
    if (encrypted === undefined) return { kind: 'refused', status: 400 };
    const { authorization, cryptoKey } = identification;
    const headers: Record<string, string> = { ...encrypted.headers, authorization };
    if (cryptoKey !== undefined) headers['Crypto-Key'] = `${headers['Crypto-Key']};${cryptoKey}`;
    return outcomeOf(await this.#client.post({ url, headers, body: encrypted.body }), clock.wallMs());
  }

  /** Returns undefined for keys with which nothing can be encrypted. Subscriptions are checked when they are made. */
  #encrypt(library: Awaited<ReturnType<typeof webPush>>, message: PushMessage) {
    const { p256dh, auth, payload, encoding, ttlSeconds, urgency, topic } = message;
    try {
      const { headers, body } = library.generateRequestDetails({ endpoint: NOWHERE, keys: { p256dh, auth } }, payload, {
        ...{ TTL: ttlSeconds, contentEncoding: encoding, urgency, topic },
      });
      return { headers: headers as Record<string, string>, body: body as Buffer };
    } catch (err) {
      this.options.log.error({ err }, 'failed to encrypt a push message');
      return undefined;
    }
  }
}
