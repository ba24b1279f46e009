import type { Row } from '../row.js';
import { at, type Town, write } from '../town.js';
import { benchListed, byId, type Listed, LONG, oneOf } from './listed.js';

const MODERATORS = 2;

interface Account {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly account: { readonly id: string };
}

/** Measures a page of each list of moderators. */
export const benchModerationLists = (): Promise<Row[]> => benchListed([LONG, LONG, { moderators: MODERATORS }], filled);

export async function filled(town: Town): Promise<Listed[]> {
  const { authors, followers: readers, moderators: by } = town;
  await town.each('report', LONG, (index) =>
    write(at(readers, index), '/api/v1/reports', { account_id: at(authors, index).id, comment: 'look' }, Boolean),
  );
  const [moderator] = by;
  if (moderator === undefined) throw new Error('a town without moderators');
  const blocks = [
    ['domain_allows', (number: number) => ({ domain: `allowed${number}.example` })],
    ['domain_blocks', (number: number) => ({ domain: `blocked${number}.example`, severity: 'silence' })],
    ['email_domain_blocks', (number: number) => ({ domain: `mail${number}.example` })],
    ['ip_blocks', (number: number) => ({ ip: `192.0.2.${number}`, severity: 'sign_up_requires_approval' })],
    ['canonical_email_blocks', (number: number) => ({ email: `somebody${number}@mail.example` })],
  ] as const;
  for (const [collection, body] of blocks) {
    await town.each(collection, LONG, (number) =>
      write(moderator, `/api/v1/admin/${collection}`, body(number), ({ id }) => Boolean(id)),
    );
  }
  await town.target.settled();
  const isSomebody = oneOf([...authors, ...readers, ...by]);
  const isAccount = ({ id, username, email, account }: Account) =>
    isSomebody({ id }) && account.id === id && email === `${username}@example.org`;
  return [
    { name: 'accounts for moderators', route: '/api/v2/admin/accounts', by, is: isAccount, falls: byId },
    { name: 'accounts for moderators, old', route: '/api/v1/admin/accounts', by, is: isAccount, falls: byId },
    {
      name: 'reports',
      route: '/api/v1/admin/reports',
      by,
      is: ({ account, target_account: target, comment }) =>
        oneOf(readers)(account) && oneOf(authors)(target) && comment === 'look',
      falls: byId,
    },
    {
      name: 'domain allows',
      route: '/api/v1/admin/domain_allows',
      by,
      is: ({ domain }) => /^allowed\d+\.example$/.test(domain),
    },
    {
      name: 'domain blocks, for moderators',
      route: '/api/v1/admin/domain_blocks',
      by,
      is: ({ domain, severity }) => /^blocked\d+\.example$/.test(domain) && severity === 'silence',
    },
    {
      name: 'e-mail domain blocks',
      route: '/api/v1/admin/email_domain_blocks',
      by,
      is: ({ domain }) => /^mail\d+\.example$/.test(domain),
    },
    {
      name: 'address blocks',
      route: '/api/v1/admin/ip_blocks',
      by,
      is: ({ ip, severity }) => /^192\.0\.2\.\d+\/32$/.test(ip) && severity === 'sign_up_requires_approval',
    },
    {
      name: 'canonical e-mail blocks',
      route: '/api/v1/admin/canonical_email_blocks',
      by,
      key: ({ canonical_email_hash: hash }) => hash,
      is: ({ canonical_email_hash: hash }) => /^[0-9a-f]{64}$/.test(hash),
    },
  ];
}
