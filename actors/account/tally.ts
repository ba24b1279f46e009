import { idMs } from '../domain/ids.js';

/** Days stored per account. Effects that an outage delays find the day of their event. */
export const TALLIED_DAYS_MAX = 3;
const DAY_MS = 86_400_000;

/** An account's part in the totals of the instance. */
interface Share {
  /** 1 for a confirmed and approved account that is not suspended. */
  readonly users: number;
  readonly statuses: number;
}

/**
 * The share of one account in a day since 1970, from which the instance's totals are computed
 * (gateway/admin-measures/statistics.ts).
 */
export interface TalliedDay {
  readonly day: number;
  /** The share at the beginning of the day. */
  readonly before: Share;
  /** Statuses and reblogs of that day that exist, or were deleted on a later day. */
  said: number;
}

export interface State {
  /** Days, oldest first, the last of them the day of the latest event. At most TALLIED_DAYS_MAX. */
  tallied: readonly TalliedDay[];
  /** The day on which the account was confirmed and approved for the first time. */
  joinedDay: number | undefined;
}

/** The facts that decide whether and how an account counts. */
interface Counted extends State {
  readonly owner: { readonly confirmed: boolean; readonly approved: boolean } | undefined;
  readonly moderation: { readonly suspendedAtMs: number; readonly deleted: boolean };
  readonly statuses: number;
  readonly directStatuses: number;
}

export interface TallyRow {
  readonly day: number;
  readonly users: number;
  readonly statuses: number;
  readonly said: number;
  readonly joined: boolean;
}

function shareOf({ owner, moderation, statuses, directStatuses }: Readonly<Counted>): Share {
  const isUser = owner?.confirmed === true && owner.approved && moderation.suspendedAtMs === 0 && !moderation.deleted;
  return isUser
    ? { users: 1, statuses: Math.max(0, Math.max(0, statuses) - Math.max(0, directStatuses)) }
    : { users: 0, statuses: 0 };
}

/** Returns the account's shares in its latest days, from the first one that an event of that time may have changed. */
export function tallyRows(state: Readonly<Counted>, eventMs: number): TallyRow[] {
  const { tallied, joinedDay } = state;
  const eventDay = dayOf(eventMs);
  const rows: TallyRow[] = [];
  for (const [place, { day, before, said }] of tallied.entries()) {
    if (day < eventDay && place < tallied.length - 1) continue;
    const after = tallied[place + 1]?.before ?? shareOf(state);
    const [users, statuses] = [after.users - before.users, after.statuses - before.statuses];
    rows.push({ day, users, statuses, said, joined: joinedDay === day && after.users === 1 });
  }
  return rows;
}

/** Wraps the slices so that each event begins its day and is counted. */
export function tallied<A extends object>(slices: A): A {
  const all = Object.entries(slices).map(([type, own]) => {
    const apply = own as (state: Counted, event: object, atMs: number) => void;
    return [
      type,
      (state: Counted, event: object, atMs: number) => {
        beginDay(state, dayOf(atMs));
        apply(state, event, atMs);
        state.joinedDay ??= shareOf(state).users === 1 ? state.tallied.at(-1)?.day : undefined;
        const said = saidBy(type, event, state.tallied.at(-1)?.day);
        if (said !== 0) addSaid(state, said);
      },
    ] as const;
  });
  return Object.fromEntries(all) as unknown as A;
}

function beginDay(state: Counted, day: number): void {
  if (day <= (state.tallied.at(-1)?.day ?? -1)) return;
  const begun = { day, before: shareOf(state), said: 0 };
  state.tallied = [...state.tallied, begun].slice(-TALLIED_DAYS_MAX);
}

function addSaid(state: Counted, said: number): void {
  const last = state.tallied.at(-1);
  if (last !== undefined) last.said = Math.max(0, last.said + said);
}

/** Returns the change of the day's count. A status deleted on a later day stays counted on its own day. */
function saidBy(type: string, event: object, day: number | undefined): number {
  if (type === 'posted' || type === 'statusCounted') return 1;
  if (type !== 'statusUncounted') return 0;
  return dayOf(idMs((event as { readonly id: string }).id)) === day ? -1 : 0;
}

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);
