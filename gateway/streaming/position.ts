import { storedId } from '../../actors/domain/ids.js';
import { type Problem, problem } from '../../actors/domain/problem.js';
import { apart, Progress, type Sent } from './progress.js';
import type { StreamClock } from './published-clock.js';

/**
 * Named statuses. Ids are in the order of minting, but statuses are published when they are stored. A home timeline with
 * five statuses a second has no more in half a minute, one with fifty has as many in three seconds. A status that is
 * published after more than a second has a row of its own (ADR 7).
 */
const STATUSES = { max: 192, kept: 160 };
/** Named notifications: more than one a second in half a minute. The next owner publishes within that time. */
const NOTIFICATIONS = { max: 48, kept: 40 };
const BASE = 36;
const NONE = new Uint8Array(0);
/**
 * The id, the distance of the floor of statuses below it, and the distances of named statuses; those of late statuses;
 * the distance of the floor of notifications from that of statuses, and the distances of named notifications. uWebSockets
 * reads 4 KB of headers, of which a position has 2.5 KB at most. A zero before the first distance: the floor rose
 * since the stream began or was reset.
 */
const POSITION =
  /^[0-9]{1,18}(?:~-?[0-9a-z]{1,13}(?:~-?[0-9a-z]{1,12}){0,193})?(?:\.(?:~-?[0-9a-z]{1,12}){0,130}(?:\.(?:~-?[0-9a-z]{1,12}){1,50})?)?$/;

/** Position from which a stream resumes: what is missing of statuses, and of notifications if they have a floor. */
export interface Since extends Sent {
  readonly notified?: Sent;
  /** Present if the stream begins here: its client got nothing before. */
  readonly isNew?: true;
}

/**
 * Progress of a subscription, with which a client can resume on another node. The last id alone is not enough: statuses
 * are published as they are stored, which is not quite the order of their ids.
 */
export class Position {
  readonly statuses: Progress;
  /** Absent if the stream has none. Their floor rises slower than that of statuses, because they are fewer. */
  readonly notifications: Progress | undefined;

  constructor(since: Since, clock: Pick<StreamClock, 'nowMs' | 'publishedMs'>, hasNotifications = false) {
    this.statuses = new Progress(since, STATUSES, clock);
    if (hasNotifications) this.notifications = new Progress(since.notified ?? since, NOTIFICATIONS, clock);
  }

  /** Moves the floors: the client has to reload everything up to it. */
  restart(floor: string): void {
    this.statuses.restart(floor);
    this.notifications?.restart(floor);
  }

  /** Returns the position after an event, in ASCII. @param isBehind something earlier may not have been sent yet */
  after(id: string, isBehind = false): Buffer {
    const { statuses, notifications } = this;
    if (!isBehind) {
      statuses.proceed();
      notifications?.proceed();
    }
    const { floor, named, lateNamed: late } = statuses;
    const first = `${id}~${statuses.isRaised ? raised(apart(id, floor)) : apart(id, floor)}`;
    if (notifications === undefined) return joined(first, named, late === '' ? '' : `.${late}`, NONE);
    return joined(first, named, `.${late}.~${apart(notifications.floor, floor)}`, notifications.named);
  }
}

/** Marks the distance of a floor that rose. */
const raised = (distance: string): string => (distance.startsWith('-') ? `-0${distance.slice(1)}` : `0${distance}`);
const isRaised = (distance = ''): boolean => /^-?0./.test(distance);

function joined(first: string, named: Uint8Array, second: string, notified: Uint8Array): Buffer {
  const text = Buffer.allocUnsafe(first.length + named.length + second.length + notified.length);
  let place = text.write(first, 'latin1');
  text.set(named, place);
  place += named.length;
  place += text.write(second, place, 'latin1');
  text.set(notified, place);
  return text;
}

/** Parses a client's position: such a text, or an id after which everything is sent. */
export function sinceOf(text: string | undefined): Since | undefined | Problem {
  if (text === undefined || text === '') return undefined;
  if (!POSITION.test(text)) return problem('bad_request', 'The position is not an id');
  const [first = '', second = '', third] = text.split('.');
  const [id = '', above, ...named] = first.split('~');
  const floor = BigInt(id) - (above === undefined ? 0n : parsed(above));
  const sent = numbers(floor, named);
  const late = numbers(floor, second.split('~').slice(1));
  const notified = third === undefined ? undefined : numbers(floor, third.split('~').slice(1));
  if ([floor, ...sent, ...late, ...(notified ?? [])].some((one) => one < 0n || one >= 10n ** 18n))
    return problem('bad_request', 'The position is not an id');
  const since = {
    ...{ floor: written(floor), sent: sent.map(written) },
    ...(isRaised(above) && { isRaised: true }),
    ...(late.length > 0 && { late: late.map(written) }),
  };
  if (notified === undefined) return since;
  const [from = '', ...ids] = notified.map(written);
  return { ...since, notified: { floor: from, sent: ids } };
}

/** Returns ids of which each has the given distance from the one before it. */
function numbers(from: bigint, distances: readonly string[]): bigint[] {
  let last = from;
  return distances.map((distance) => {
    last += parsed(distance);
    return last;
  });
}

const written = (id: bigint): string => storedId(String(id));

function parsed(text: string): bigint {
  const isNegative = text.startsWith('-');
  const digits = [...text].slice(isNegative ? 1 : 0);
  const value = digits.reduce((sum, digit) => sum * BigInt(BASE) + BigInt(Number.parseInt(digit, BASE)), 0n);
  return isNegative ? -value : value;
}
