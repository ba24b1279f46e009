import { isProblem, type Problem, problem, Unavailable } from '../../../actors/domain/problem.js';
import { type Authenticated, type Authenticator, bearerToken } from '../../http/authenticator.js';
import { permit } from '../../http/authorize.js';
import type { GatewayLogger } from '../../http/dispatcher.js';
import type { BlockedAddresses } from '../../http/limits/address-blocks.js';
import { parseUrlEncoded, Unparsable } from '../../http/request/form.js';
import type { Head } from '../../http/request/head.js';
import { grants } from '../../http/scopes.js';
import type { Hub } from '../hub.js';
import { type Since, sinceOf } from '../position.js';
import type { StreamKind } from '../stream-kinds.js';
import type { PageSessions } from './page-sessions.js';
import { isPages, namesOf, textOf } from './requests.js';

/** Open streams of one node; each takes some kilobytes. */
const STREAMS_MAX = 50_000;
/** Open streams of one account on one node: some devices with some tabs. */
export const STREAMS_PER_ACCOUNT_MAX = 100;

const BLOCKED = problem('forbidden', 'Requests from your address are blocked');
export const TOO_MANY = problem('rate_limited', 'Too many streams');
export const NOT_HERE = problem('unavailable', 'Streams are not available here now, please try again');
export const OUTSIDE_SCOPES = problem('forbidden', 'This action is outside the authorized scopes');

/** Request to open a stream: the caller, the kind, and the position to resume from. */
export interface Opening {
  readonly viewer: string;
  readonly tokenHash: string;
  readonly scopes: readonly string[];
  readonly kind: StreamKind | undefined;
  readonly since: Since | undefined;
  readonly address: string;
}

export interface AdmissionContext {
  readonly hub: Hub;
  readonly authenticator: Authenticator;
  readonly sessions: PageSessions;
  readonly blocked: BlockedAddresses | undefined;
  readonly logger: GatewayLogger;
}

/** Decides on new streams by token, account, scope and limits. */
export class StreamAdmission {
  #isClosed = false;

  constructor(private readonly context: AdmissionContext) {}

  /** Refuses all streams from now on. */
  close(): void {
    this.#isClosed = true;
  }

  /** Checks token, account, scope and limits of a new stream. Never rejects. */
  async admit(
    head: Head,
    kind: StreamKind | undefined,
    protocols: readonly string[],
    address: string,
  ): Promise<Opening | Problem> {
    const { hub, sessions, blocked, logger } = this.context;
    try {
      if (head.malformed !== undefined) return problem('bad_request', head.malformed);
      if (blocked?.has(address) === true) return BLOCKED;
      if (this.#isClosed || hub.deaf || hub.connections >= STREAMS_MAX) return NOT_HERE;
      const query = parseUrlEncoded(head.query);
      const token = bearerToken(head.authorization) ?? textOf(query.access_token) ?? protocols[0];
      const found = await (isPages(head) ? sessions.of(head) : this.#byToken(token));
      if (isProblem(found)) return found;
      const caller = permit({ auth: 'user' }, found);
      if (isProblem(caller)) return caller;
      const viewer = found.token.accountId ?? '';
      if (kind !== undefined && !grants(found.token.scopes, kind.scope)) return OUTSIDE_SCOPES;
      if (this.isFull(viewer)) return TOO_MANY;
      const since = sinceOf(head.headers['last-event-id'] ?? textOf(query.since));
      if (isProblem(since)) return since;
      const chosen = kind && (await hub.chosen(viewer, kind, namesOf(query)));
      if (isProblem(chosen)) return chosen;
      return { viewer, tokenHash: found.hash, scopes: found.token.scopes, kind: chosen, since, address };
    } catch (error) {
      if (error instanceof Unparsable) return problem('bad_request', error.message);
      if (!(error instanceof Unavailable)) logger.error({ err: error }, 'failed to open a stream');
      return problem('unavailable', 'The service cannot answer now, please try again');
    }
  }

  async #byToken(token = ''): Promise<Authenticated | Problem> {
    const found = await this.context.authenticator.authenticate(token);
    return found ?? problem('unauthorized', 'The access token is invalid');
  }

  /** Returns true when an account has as many streams here as it may. */
  isFull(viewer: string): boolean {
    return this.context.hub.connectionsOf(viewer) >= STREAMS_PER_ACCOUNT_MAX;
  }
}
