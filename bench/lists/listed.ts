import assert from 'node:assert/strict';
import type { Made } from '../accounts.js';
import { type Call, measure } from '../http-load.js';
import type { Row } from '../row.js';
import { at, get, Town } from '../town.js';
import { fits } from './list-routes.js';

const IN_FLIGHT = 32;
const COUNT = 2_000;
/** V8 still compiles what a page takes during some thousands of them. */
const WARM_UP = 3_000;
const ROUNDS = 5;
const CPU_MAX = 0.1;
export const PAGE = 20;
/** A page and some more, so that no list ends with its page. */
export const LONG = PAGE + 5;
/** Accounts who ask where making a long list for each is much. */
export const SUBJECTS = 4;

/** A list endpoint: its address for the nth call by this reader. */
export interface Listed {
  readonly name: string;
  /** The path of the route, as list-routes.ts has it. */
  readonly route: string;
  /** Default the route's, which has no parameters then. */
  readonly path?: (reader: Made, index: number) => string;
  /** Who asks; default the town's readers in turn. */
  readonly by?: readonly Made[];
  /** Items of a page; default PAGE. */
  readonly length?: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  readonly items?: (answer: any) => readonly any[];
  /** What no two items of a page have in common; default the id. */
  // biome-ignore lint/suspicious/noExplicitAny: items of every shape.
  readonly key?: (item: any) => unknown;
  /** Whether an item belongs to what was asked for, and says of itself what it should to whoever asked. */
  // biome-ignore lint/suspicious/noExplicitAny: items of every shape.
  readonly is: (item: any, asked: Asked) => boolean;
  /** What falls, or stays, from one item to the next; absent where the order is not known here. */
  // biome-ignore lint/suspicious/noExplicitAny: items of every shape.
  readonly falls?: (item: any) => string;
}

export interface Asked {
  readonly reader: Made;
  readonly index: number;
  /** Of the item on its page. */
  readonly place: number;
}

/** Ids of statuses, the newest first. */
export const byId = ({ id }: { readonly id: string }): string => id;
/** Whether an account is one of these. */
export const oneOf = (people: readonly Made[]) => {
  const ids = new Set(people.map(({ id }) => id));
  return ({ id }: { readonly id: string }): boolean => ids.has(id);
};

/** Whether it is the whole page that this reader asked for: so many items, each once, all of them right, in order. */
export function isPage(listed: Listed, reader: Made, index: number, answer: unknown): boolean {
  const { length = PAGE, items = (page) => page, key = byId, is, falls = () => '' } = listed;
  const page = items(answer);
  const keys = new Set(page.map(key));
  return (
    page.length === length &&
    keys.size === length &&
    !keys.has(undefined) &&
    page.every((item: unknown, place: number) => is(item, { reader, index, place })) &&
    page.every((item: unknown, place: number) => place === 0 || falls(item) <= falls(page[place - 1]))
  );
}

/** The nth call for it. */
export function callOf(town: Pick<Town, 'followers'>, listed: Listed, index: number): Call {
  const { route, path = () => route, by = town.followers } = listed;
  const reader = at(by, index);
  const address = path(reader, index);
  assert.ok(fits(route, address), `${address} is not of ${route}`);
  const right = (answer: unknown) => isPage(listed, reader, index, answer);
  return get(`${address}${address.includes('?') ? '&' : '?'}limit=${PAGE}`, reader, right);
}

/** A row for each list of a town that is made for them. */
export async function benchListed(
  size: Parameters<typeof Town.open>,
  fill: (town: Town) => Promise<readonly Listed[]>,
): Promise<Row[]> {
  const town = await Town.open(...size);
  try {
    const rows: Row[] = [];
    for (const listed of await fill(town)) rows.push(await pages(town, listed));
    return rows;
  } finally {
    await town.dispose();
  }
}

function pages(town: Town, listed: Listed): Promise<Row> {
  return measure(town.target, {
    name: `${listed.name}, page of ${listed.length ?? PAGE}`,
    call: (index) => callOf(town, listed, index),
    count: COUNT,
    warmUp: WARM_UP,
    rounds: ROUNDS,
    inFlight: IN_FLIGHT,
    target: CPU_MAX,
  });
}
