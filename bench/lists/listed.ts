import assert from 'node:assert/strict';
import type { Made } from '../accounts.js';
import { type Call, measure } from '../http-load.js';
import type { Row } from '../row.js';
import { at, get, Town } from '../town.js';
import { fits } from './list-routes.js';

const IN_FLIGHT = 32;
const COUNT = 2_000;
/** Warm-up calls: V8 compiles during some thousands of pages. */
const WARM_UP = 3_000;
const ROUNDS = 5;
const CPU_MAX = 0.1;
export const PAGE = 20;
/** A page and some more, so that no list ends with its page. */
export const LONG = PAGE + 5;
/** Number of viewers where a long list for each is expensive to create. */
export const SUBJECTS = 4;

/** A list endpoint: its address for the nth call by this reader. */
export interface Listed {
  readonly name: string;
  /** The path of the route, as in list-routes.ts. */
  readonly route: string;
  /** Default: the route, which then has no parameters. */
  readonly path?: (reader: Made, index: number) => string;
  /** The viewers; default: the town's readers in turn. */
  readonly by?: readonly Made[];
  /** Items of a page; default PAGE. */
  readonly length?: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  readonly items?: (answer: any) => readonly any[];
  /** Returns a value that is unique among the items of a page; default the id. */
  // biome-ignore lint/suspicious/noExplicitAny: items of every shape.
  readonly key?: (item: any) => unknown;
  /** Returns true if an item belongs to the requested list and has the right content for its viewer. */
  // biome-ignore lint/suspicious/noExplicitAny: items of every shape.
  readonly is: (item: any, asked: Asked) => boolean;
  /** Returns a value that never rises from one item to the next; absent where the order is unknown here. */
  // biome-ignore lint/suspicious/noExplicitAny: items of every shape.
  readonly falls?: (item: any) => string;
}

export interface Asked {
  readonly reader: Made;
  readonly index: number;
  /** Index of the item on its page. */
  readonly place: number;
}

/** Orders by ids of statuses, newest first. */
export const byId = ({ id }: { readonly id: string }): string => id;
/** Returns a predicate: the account is one of these. */
export const oneOf = (people: readonly Made[]) => {
  const ids = new Set(people.map(({ id }) => id));
  return ({ id }: { readonly id: string }): boolean => ids.has(id);
};

/**
 * Returns true if the answer is the whole expected page: the right number of items, each once, all correct, in order.
 */
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

/** Returns the nth call. */
export function callOf(town: Pick<Town, 'followers'>, listed: Listed, index: number): Call {
  const { route, path = () => route, by = town.followers } = listed;
  const reader = at(by, index);
  const address = path(reader, index);
  assert.ok(fits(route, address), `${address} is not of ${route}`);
  const right = (answer: unknown) => isPage(listed, reader, index, answer);
  return get(`${address}${address.includes('?') ? '&' : '?'}limit=${PAGE}`, reader, right);
}

/** Returns a row for each list of a town that is filled for them. */
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
