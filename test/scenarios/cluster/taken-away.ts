import { call, type Person } from './people.js';

/** A way to change visible data, and the place where a stale node would still show the former ones. */
interface Way {
  readonly name: string;
  /** Changes the data at this node; resolves with its answer. */
  readonly take: (url: string) => Promise<unknown>;
  /** Returns true when the node still shows the former data. */
  readonly isShown: (url: string) => Promise<boolean>;
}

type Shown = { readonly id: string; readonly content: string };

async function read(
  url: string,
  who: Person,
  path: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${who.token}` } });
  return { status: response.status, body: await response.text() };
}

async function isFound(url: string, who: Person, id: string): Promise<boolean> {
  const { status } = await read(url, who, `/api/v1/statuses/${id}`);
  if (status !== 200 && status !== 404) throw new Error(`status ${id} at ${url}: ${status}`);
  return status === 200;
}

const inHome = async (url: string, who: Person, id: string) =>
  (JSON.parse((await read(url, who, '/api/v1/timelines/home')).body) as Shown[]).some((one) => one.id === id);

async function answers(url: string, who: Person, id: string): Promise<string | null> {
  return JSON.parse((await read(url, who, `/api/v1/statuses/${id}`)).body).in_reply_to_id;
}

async function countOf(url: string, who: Person, id: string): Promise<number> {
  return JSON.parse((await read(url, who, `/api/v1/accounts/${id}`)).body).statuses_count;
}

async function isCounted(url: string, who: Person, poll: string, voted: boolean): Promise<boolean> {
  const now = JSON.parse((await read(url, who, `/api/v1/polls/${poll}`)).body);
  return now.votes_count === 1 && now.voted === voted;
}

/**
 * Returns the ways for the author's only status, which the reader sees and has answered. The reader follows the author.
 */
function waysOf(author: Person, reader: Person, id: string, reply: string): readonly Way[] {
  const path = `/api/v1/statuses/${id}`;
  const account = `/api/v1/accounts/${author.id}`;
  return [
    {
      name: 'a vote',
      take: (url) => call(url, reader, 'POST', `/api/v1/polls/${id}/votes`, { choices: [1] }),
      isShown: async (url) => !((await isCounted(url, reader, id, true)) && (await isCounted(url, author, id, true))),
    },
    {
      name: 'an edit',
      take: (url) => call(url, author, 'PUT', path, { status: 'said otherwise' }),
      isShown: async (url) => !(await read(url, reader, path)).body.includes('otherwise'),
    },
    {
      name: 'a mute',
      take: (url) => call(url, reader, 'POST', `${account}/mute`),
      isShown: (url) => inHome(url, reader, id),
    },
    {
      name: 'a block',
      take: (url) => call(url, author, 'POST', `/api/v1/accounts/${reader.id}/block`),
      isShown: (url) => isFound(url, reader, id),
    },
    {
      name: 'a deletion',
      take: (url) => call(url, author, 'DELETE', path),
      isShown: async (url) => {
        const [there, answered, count] = await Promise.all([
          isFound(url, author, id),
          answers(url, reader, reply),
          countOf(url, reader, author.id),
        ]);
        return there || answered !== null || count > 0;
      },
    },
  ];
}

/** A status with everything that the ways change. */
const asking = { status: 'said first', poll: { options: ['yes', 'no'], expires_in: 3_600 } };

/** Reverts the changes of the ways, except for the status. */
async function restore(url: string, author: Person, reader: Person): Promise<void> {
  await call(url, author, 'POST', `/api/v1/accounts/${reader.id}/unblock`);
  await call(url, reader, 'POST', `/api/v1/accounts/${author.id}/unmute`);
  await call(url, reader, 'POST', `/api/v1/accounts/${author.id}/follow`);
}

/**
 * Changes statuses at one node after another, and reads them from all nodes right after the answer. Returns
 * stale reads, and the number of reads.
 */
export async function takeAway(
  urls: readonly string[],
  author: Person,
  reader: Person,
  rounds: number,
): Promise<{ readonly shown: string[]; readonly looks: number }> {
  const shown: string[] = [];
  let looks = 0;
  for (let round = 0; round < rounds; round++) {
    const at = (offset: number) => urls[(round + offset) % urls.length] as string;
    await restore(at(0), author, reader);
    const { id } = (await call(at(1), author, 'POST', '/api/v1/statuses', asking)) as Shown;
    const answering = { status: 'said to it', in_reply_to_id: id };
    const reply = (await call(at(0), reader, 'POST', '/api/v1/statuses', answering)) as Shown;
    for (const [step, way] of waysOf(author, reader, id, reply.id).entries()) {
      // Every node now has the data in its cache.
      await Promise.all(urls.map((url) => way.isShown(url)));
      await way.take(at(step));
      const seen = await Promise.all(urls.map((url) => way.isShown(url)));
      looks += seen.length;
      for (const [node, still] of seen.entries())
        if (still) shown.push(`${way.name} at ${urls.indexOf(at(step))} is not known at ${node}`);
    }
  }
  return { shown, looks };
}
