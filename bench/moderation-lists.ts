import { benchListed, type Listed, LONG } from './listed.js';
import type { Row } from './row.js';
import { at, type Town, write } from './town.js';

const MODERATORS = 2;

/** A page of the lists that moderators look through. */
export const benchModerationLists = (): Promise<Row[]> => benchListed([LONG, LONG, MODERATORS], filled);

export async function filled(town: Town): Promise<Listed[]> {
  const { authors, followers: readers, moderators: by } = town;
  await town.each('report', LONG, (index) =>
    write(at(readers, index), '/api/v1/reports', { account_id: at(authors, index).id, comment: 'look' }, Boolean),
  );
  await town.target.settled();
  return [
    { name: 'accounts for moderators', path: () => '/api/v2/admin/accounts', by },
    { name: 'accounts for moderators, old', path: () => '/api/v1/admin/accounts', by },
    { name: 'reports', path: () => '/api/v1/admin/reports', by },
  ];
}
