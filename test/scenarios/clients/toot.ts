import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../kit/time/until.js';
import type { Person } from '../cluster/people.js';

const run = promisify(execFile);
const COMMAND_MS_MAX = 120_000;
const ARRIVAL_MS_MAX = 60_000;

/** Performs actions of a user of toot, the client for terminals. `python`: the interpreter that has it. */
export async function playWithToot(python: string, url: string, ada: Person, ben: Person): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'murmuration-toot-'));
  try {
    for (const who of [ada, ben]) await signIn(join(home, who.name), url, who);
    const toot = async (who: Person, ...args: string[]) => {
      const own = join(home, who.name);
      const env = { PATH: process.env.PATH ?? '', HOME: own, XDG_CONFIG_HOME: join(own, '.config'), LC_ALL: 'C.UTF-8' };
      return (await run(join(dirname(python), 'toot'), args, { env, timeout: COMMAND_MS_MAX })).stdout;
    };
    assert.match(await toot(ada, 'whoami'), new RegExp(`@${ada.name}`));
    const posted = JSON.parse(await toot(ada, 'post', 'Hello from the terminal', '--json')) as { id: string };
    assert.match(await toot(ben, 'follow', ada.name), /following/);
    await until(
      'the post in the other one’s home',
      async () => (await toot(ben, 'timelines', 'home')).includes('Hello from the terminal') || undefined,
      ARRIVAL_MS_MAX,
    );
    for (const verb of ['favourite', 'reblog', 'bookmark']) await toot(ben, verb, posted.id);
    assert.match(await toot(ben, 'bookmarks'), /Hello from the terminal/);
    assert.match(await toot(ben, 'status', posted.id), /Hello from the terminal/);
    await until(
      'the notifications',
      async () => (await toot(ada, 'notifications')).includes(ben.name) || undefined,
      ARRIVAL_MS_MAX,
    );
    await toot(ben, 'mute', ada.name);
    await toot(ben, 'unmute', ada.name);
    assert.match(await toot(ben, 'unfollow', ada.name), /no longer following/);
    await toot(ada, 'delete', posted.id);
    await assert.rejects(toot(ben, 'status', posted.id));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Writes the file of signed-in accounts that `toot login` writes. */
async function signIn(home: string, url: string, { name, token }: Person): Promise<void> {
  const { host } = new URL(url);
  const account = `${name}@${host}`;
  const config = {
    active_user: account,
    apps: { [host]: { instance: host, base_url: url, client_id: 'none', client_secret: 'none' } },
    users: { [account]: { instance: host, username: name, access_token: token } },
  };
  const folder = join(home, '.config', 'toot');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}
