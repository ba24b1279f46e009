import type { StoreAccountRecord, StoreWaitingActivity } from '../../../proto/gen/types.js';
import { type JsonObject, parseObject } from '../../../transport/federation/bounded-json.js';
import type { ParsedSignature, SignedRequest } from '../../../transport/federation/signed-request.js';
import { accountUri } from '../../domain/addresses.js';
import { isProblem, type Problem, problem } from '../../domain/problem.js';
import { isSuspended } from '../../domain/standing.js';
import { HANDLERS } from '../incoming/index.js';
import { authority, isRefused } from '../reading/authority.js';
import { hostOf, isSameOrigin } from '../reading/uris.js';
import { idOf, isObject, typeAmong } from '../reading/values.js';
import { isMissing } from '../remote/port.js';
import { SYNCHRONIZATION_HEADER } from '../synchronization/header.js';
import type { IncomingActivity, IncomingServices, Outcome } from './port.js';
import { SeenSignatures } from './replays.js';
import type { Turn, Turns } from './turns.js';

/** Verifies requests: transport/federation/verification.ts. */
export interface Signatures {
  /** Returns the key that a request names, before it is fetched. Pure. */
  parse(request: SignedRequest): ParsedSignature;
  verify(request: SignedRequest, publicPem: string, nowMs: number): Promise<true | { readonly problem: string }>;
}

/** Keeps activities that need a fetch, until that has been done (waiting.ts). */
export interface WaitingRoom {
  /** Stores an activity. Durable when it resolves. @throws Unavailable */
  add(activity: { readonly signer: string; readonly object: string; readonly body: Uint8Array }): Promise<void>;
}

export interface InboxNeeds {
  readonly services: IncomingServices;
  readonly signatures: Signatures;
  readonly waiting: WaitingRoom;
  /** Called after the sender's signature was verified: its host works. @throws Unavailable */
  readonly heard?: (sender: IncomingActivity['sender']) => Promise<void>;
  /** Compares the sender's followers here with those that its server knows, in the background (FEP-8fcf). */
  readonly synchronize?: (sender: IncomingActivity['sender'], header: string) => void;
  readonly seen?: SeenSignatures;
  readonly turns: Turns;
}

/** The request was taken; the answer is 202. */
export type Taken = 'taken';

/** Takes signed activities of other servers. A request that was taken has had its effect durably, or will have none. */
export class Inbox {
  readonly #needs: InboxNeeds;
  readonly #seen: SeenSignatures;
  readonly #turns: Turns;

  constructor(needs: InboxNeeds) {
    this.#needs = needs;
    this.#seen = needs.seen ?? new SeenSignatures();
    this.#turns = needs.turns;
  }

  /** Number of activities that wait for their turn. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  /** True while every activity would be refused: then its body need not be read. */
  get isFull(): boolean {
    return this.#turns.isFull;
  }

  /** Records a request of a person, which goes before activities of other servers. */
  yieldToPeople(): void {
    this.#turns.yieldToPeople();
  }

  /** @throws Unavailable when too many activities wait, or the store or an actor cannot answer */
  async receive(request: SignedRequest): Promise<Taken | Problem> {
    const signed = this.#needs.signatures.parse(request);
    const host = 'problem' in signed ? '' : (hostOf(signed.keyId) ?? '');
    return this.#turns.take(host, (turn) => this.#receive(request, signed, turn));
  }

  async #receive(request: SignedRequest, signed: ParsedSignature, turn: Turn): Promise<Taken | Problem> {
    const { services } = this.#needs;
    const document = parseObject(request.body);
    if (isProblem(document)) return document;
    const actor = idOf(document.actor);
    if (typeof document.type !== 'string' || actor === undefined)
      return problem('bad_request', 'The document is no activity');
    // Servers send the deletion of an account to everybody they know; its key cannot be fetched any more.
    if (document.type === 'Delete' && (await services.people.known(actor)) === undefined) return 'taken';
    if ('problem' in signed) return unauthorized(signed.problem);
    if (this.#seen.has(signed.signature)) return 'taken';
    const sender = await this.#verified(request, signed.keyId, turn);
    if (isProblem(sender)) return sender;
    await this.#needs.heard?.(sender);
    const answer = await this.#believed(document, sender, request.body);
    if (isProblem(answer)) return answer;
    this.#seen.add(signed.signature);
    const compared = request.headers.get(SYNCHRONIZATION_HEADER);
    if (compared !== undefined && !isOutcast(sender, services)) this.#needs.synchronize?.(sender, compared);
    return answer;
  }

  /** Returns the owner of the key that made the signature. */
  async #verified(request: SignedRequest, keyId: string, turn: Turn): Promise<IncomingActivity['sender'] | Problem> {
    const { services, signatures } = this.#needs;
    const host = hostOf(keyId);
    if (host === undefined || isSameOrigin(keyId, services.baseUrl))
      return unauthorized('The key is of no other server');
    if (services.policies.of(host).suspended) return problem('forbidden', 'This server takes nothing from yours');
    const key = await this.#keyOf(keyId, turn, false);
    if (isProblem(key)) return key;
    const verdict = await signatures.verify(request, key.pem, services.clock.nowMs());
    if (verdict === true) return key.owner;
    // The owner may have a new key under the same id.
    const fresh = await this.#keyOf(keyId, turn, true);
    if (isProblem(fresh) || fresh.pem === key.pem) return unauthorized(verdict.problem);
    const again = await signatures.verify(request, fresh.pem, services.clock.nowMs());
    return again === true ? fresh.owner : unauthorized(again.problem);
  }

  async #keyOf(keyId: string, turn: Turn, fresh: boolean) {
    const { people } = this.#needs.services;
    const known = fresh ? undefined : await people.known(keyId.replace(/#.*$/s, ''));
    const find = () => people.publicPem(keyId, { fresh });
    const key = known === undefined ? await turn.outside(find) : await find();
    return isMissing(key) ? unauthorized('The key of the signature could not be fetched') : key;
  }

  /** Decides on an activity whose signature fits its sender. */
  async #believed(
    document: JsonObject,
    sender: IncomingActivity['sender'],
    body: Uint8Array,
  ): Promise<Taken | Problem> {
    const { services, waiting } = this.#needs;
    const senderUri = accountUri(services.baseUrl, sender);
    const allowed = authority(document, { signer: senderUri });
    const relayed = isRefused(allowed) ? relayedBy(document, senderUri, services) : undefined;
    if (relayed !== undefined) return this.#believed(relayed, sender, Buffer.from(JSON.stringify(relayed)));
    // An activity that its server forwards carries a signature of its author within, which proves nothing here.
    if (isRefused(allowed)) return isObject(document.signature) ? 'taken' : problem('forbidden', allowed.refused);
    if (isOutcast(sender, services)) return 'taken';
    const outcome = await take({ document, allowed, sender, senderUri, mayFetch: false }, services);
    if (outcome === 'needs-fetch' || outcome === 'later') {
      const order = handlerOf(document)?.orderOf?.({ senderUri, document });
      await waiting.add({ signer: senderUri, object: order ?? allowed.objectId ?? allowed.id ?? senderUri, body });
    }
    return 'taken';
  }
}

/**
 * Carries out an activity that has waited, with fetches. Its sender's signature was verified when it arrived.
 * @throws Unavailable
 */
export async function takeLater(waited: StoreWaitingActivity, services: IncomingServices): Promise<Outcome> {
  const document = parseObject(waited.body);
  if (isProblem(document)) return 'ignored';
  const sender = await services.people.known(waited.signer);
  if (sender === undefined || isOutcast(sender, services)) return 'ignored';
  const senderUri = accountUri(services.baseUrl, sender);
  const allowed = authority(document, { signer: senderUri });
  if (isRefused(allowed)) return 'ignored';
  return take({ document, allowed, sender, senderUri, mayFetch: true }, services);
}

/**
 * Returns what an accepted relay forwards as its Announce of the object, which only the object's own server can prove.
 * Undefined: it is no new status, or the sender is no relay.
 */
function relayedBy(
  { type, object }: JsonObject,
  senderUri: string,
  { relays }: IncomingServices,
): JsonObject | undefined {
  const id = type === 'Create' ? idOf(object) : undefined;
  return id !== undefined && relays.accepts(senderUri) ? { type: 'Announce', actor: senderUri, object: id } : undefined;
}

/** Returns the handler of an activity's type. */
const handlerOf = (document: JsonObject) => HANDLERS.get(typeAmong(document, HANDLERS) ?? '');

/** Carries out an activity unless its id is known. */
async function take(activity: IncomingActivity, services: IncomingServices): Promise<Outcome> {
  const { document, allowed, senderUri } = activity;
  const type = typeAmong(document, HANDLERS);
  const handler = handlerOf(document);
  if (type === undefined || handler === undefined) return 'ignored';
  const id = handler.isRemembered ? allowed.id : undefined;
  if (id !== undefined && (await services.activities.find(id)) !== undefined) return 'ignored';
  const outcome = await handler.take(activity, services);
  if (id !== undefined && (outcome === 'done' || outcome === 'ignored')) {
    await services.activities.add(id, { actor: senderUri, type, object: allowed.objectId ?? '' });
  }
  return outcome;
}

/** Returns true if nothing is taken from an account: it is suspended, or the server of its name is. */
const isOutcast = (sender: StoreAccountRecord, { policies }: IncomingServices): boolean =>
  isSuspended(sender) || policies.of(sender.domain).suspended;

const unauthorized = (why: string): Problem => problem('unauthorized', why);
