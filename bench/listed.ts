import assert from 'node:assert/strict';
import type { Made } from './accounts.js';
import { type Call, measure } from './http-load.js';
import { fits } from './list-routes.js';
import type { Row } from './row.js';
import { at, get, Town } from './town.js';

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
  const {
    name,
    route,
    path = () => route,
    by = town.followers,
    length = PAGE,
    items = (page) => page,
    key = ({ id }) => id,
  } = listed;
  const isPage = (answer: unknown) => {
    const page = items(answer);
    const keys = new Set(page.map(key));
    return page.length === length && keys.size === length && !keys.has(undefined);
  };
  const call = (index: number): Call => {
    const reader = at(by, index);
    const address = path(reader, index);
    assert.ok(fits(route, address), `${address} is not of ${route}`);
    return get(`${address}${address.includes('?') ? '&' : '?'}limit=${PAGE}`, reader, isPage);
  };
  return measure(town.target, {
    name: `${name}, page of ${length}`,
    call,
    count: COUNT,
    warmUp: WARM_UP,
    rounds: ROUNDS,
    inFlight: IN_FLIGHT,
    target: CPU_MAX,
  });
}
