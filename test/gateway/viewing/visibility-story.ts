import { maySee, VISIBILITIES } from '../../../actors/domain/visibility.js';
import { fc } from '../../kit/property.js';
import type { Answered, Person } from '../../kit/services/server.js';
import { type Looker, STATUS_VIEWS } from './status-views.js';

const PEOPLE = 4;
/** Concurrent requests of one viewer. */
const AT_ONCE = 8;

const who = fc.integer({ min: 0, max: PEOPLE - 1 });
const what = fc.integer({ min: 0, max: 11 });
export const post = fc.record({
  did: fc.constant('post' as const),
  who,
  visibility: fc.constantFrom(...VISIBILITIES),
  reply: fc.option(what, { nil: undefined }),
  mentions: fc.option(who, { nil: undefined }),
  poll: fc.boolean(),
  quote: fc.option(what, { nil: undefined }),
});
const mark = fc.record({
  did: fc.constantFrom('favourite', 'bookmark', 'reblog', 'pin', 'mute', 'edit', 'remove'),
  who,
  what,
});
const relate = fc.record({
  did: fc.constantFrom('follow', 'unfollow', 'block', 'unblock', 'listen', 'mute'),
  who,
  whom: who,
});
export type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;
export type Step = Of<typeof post> | Of<typeof mark> | Of<typeof relate>;
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: post },
  { weight: 6, arbitrary: mark },
  { weight: 4, arbitrary: relate },
);

/** A step in which somebody posts a public status. */
export const says = (author: number, more: Partial<Of<typeof post>> = {}): Step => ({
  ...{ did: 'post', who: author, visibility: 'public', reply: undefined, mentions: undefined, poll: false },
  ...{ quote: undefined, ...more },
});

/** A status in the model. */
interface Said {
  readonly id: string;
  readonly author: Person;
  readonly visibility: string;
  mentionIds: readonly string[];
  /** Word that occurs in this status only. */
  readonly word: string;
  /** The reblogged status. */
  readonly original: Said | undefined;
  gone: boolean;
}

/** Place where stories run: one node in this process, or several. */
export class Theatre {
  private runs = 0;
  private words = 0;

  /**
   * @param make creates users with these names
   * @param others viewers besides the users of a story, who see no more than anybody
   */
  constructor(
    private readonly make: (names: readonly string[]) => Promise<Person[]>,
    readonly others: readonly Looker[],
  ) {}

  people(): Promise<Person[]> {
    const run = ++this.runs;
    return this.make(Array.from({ length: PEOPLE }, (_, n) => `p${n}r${run}`));
  }

  /** Returns a word that no status contains yet. */
  word(): string {
    return `word${++this.words}x`;
  }
}

/** Users, their actions through the API, and the resulting relations. */
export class Story {
  readonly said: Said[] = [];
  /** `a b`: a follows b, a blocks b. */
  private readonly follows = new Set<string>();
  private readonly blocks = new Set<string>();

  private constructor(
    private readonly theatre: Theatre,
    readonly people: readonly Person[],
  ) {}

  /** Runs these steps. */
  static async of(theatre: Theatre, steps: readonly Step[]): Promise<Story> {
    const story = new Story(theatre, await theatre.people());
    for (const one of steps) await story.tell(one);
    return story;
  }

  /** Returns statuses that a viewer sees without permission, or does not see despite it. */
  async faults(): Promise<string[]> {
    const lookers = [...this.people, ...this.theatre.others] as Looker[];
    const faults = await Promise.all(
      lookers.map(async (looker) =>
        (await faultsOf(this, looker)).map((fault) => `${looker.name ?? 'nobody'}: ${fault}`),
      ),
    );
    return faults.flat();
  }

  person = (n: number): Person => this.people[n] as Person;

  private async tell(step: Step): Promise<void> {
    const by = this.person(step.who);
    if (step.did === 'post') return this.post(by, step as Of<typeof post>);
    if ('whom' in step) return this.relate(by, step.did, this.person(step.whom));
    const { did, what: index } = step as Of<typeof mark>;
    const status = this.said[index % Math.max(1, this.said.length)];
    if (status !== undefined) await this.mark(by, did, status);
  }

  sees({ id }: Looker, status: Said): boolean {
    if (status.gone) return false;
    if (status.original !== undefined && !this.sees({ id } as Looker, status.original)) return false;
    const { author, visibility, mentionIds } = status;
    const relation =
      id === undefined
        ? undefined
        : {
            following: this.follows.has(`${id} ${author.id}`),
            blocking: this.blocks.has(`${id} ${author.id}`),
            blockedBy: this.blocks.has(`${author.id} ${id}`),
          };
    const mentions = mentionIds.map((accountId) => ({ accountId }));
    return maySee({ accountId: author.id, visibility, mentions }, id, relation);
  }

  private async post(by: Person, { visibility, reply, mentions, poll, quote }: Of<typeof post>): Promise<void> {
    const parent = reply === undefined ? undefined : this.said[reply % Math.max(1, this.said.length)];
    const mentioned = mentions === undefined ? undefined : this.person(mentions);
    const word = this.theatre.word();
    const text = `${mentioned === undefined ? '' : `@${mentioned.name} `}${word} #owls https://news.example/`;
    const more = parent === undefined ? {} : { in_reply_to_id: parent.id };
    const quoted = quote === undefined ? undefined : this.said[quote % Math.max(1, this.said.length)];
    const quoting = {
      quote_approval_policy: 'public',
      ...(quoted === undefined ? {} : { quoted_status_id: quoted.id }),
    };
    const asked = poll ? { poll: { options: [`${word} yes`, 'no'], expires_in: 3_600 } } : {};
    const answer = await by.post('/api/v1/statuses', { status: text, visibility, ...more, ...asked, ...quoting });
    const { status, body } = answer;
    if (status !== 200) return;
    this.said.push({
      id: body.id,
      author: by,
      // A quote of a status for followers is for followers only.
      visibility: body.visibility,
      mentionIds: mentionsIn(answer),
      word,
      original: undefined,
      gone: false,
    });
  }

  private async mark(by: Person, did: string, status: Said): Promise<void> {
    const { id, word } = status;
    if (did === 'remove') {
      if ((await by.remove(`/api/v1/statuses/${id}`)).status !== 200) return;
      for (const one of this.said) if (one === status || one.original === status) one.gone = true;
    } else if (did === 'edit') {
      // The edit removes the mentions.
      const text = { status: `${word} again #owls` };
      const answer = await by.put(`/api/v1/statuses/${id}`, text);
      if (answer.status === 200) status.mentionIds = mentionsIn(answer);
    } else {
      const answer = await by.post(`/api/v1/statuses/${id}/${did}`);
      if (did === 'reblog' && answer.status === 200) this.reblogged(by, answer, status);
    }
  }

  private reblogged(by: Person, { body }: Answered, { original, ...status }: Said): void {
    if (this.said.some(({ id }) => id === body.id)) return;
    const of = original ?? this.said.find(({ id }) => id === status.id);
    const own = { id: body.id, author: by, visibility: body.visibility, mentionIds: [], word: status.word };
    this.said.push({ ...own, original: of, gone: false });
  }

  private async relate(by: Person, did: string, whom: Person): Promise<void> {
    if (by === whom) return;
    const path = `/api/v1/accounts/${whom.id}`;
    if (did === 'listen') {
      const { body: relation } = await by.post(`${path}/follow`, { notify: true });
      if (relation.following === true) this.follows.add(`${by.id} ${whom.id}`);
      const { body } = await by.post('/api/v1/lists', { title: 'one' });
      await by.post(`/api/v1/lists/${body.id}/accounts`, { account_ids: [whom.id] });
      return;
    }
    if ((await by.post(`${path}/${did}`)).status !== 200) return;
    const [there, back] = [`${by.id} ${whom.id}`, `${whom.id} ${by.id}`];
    if (did === 'follow') this.follows.add(there);
    if (did === 'unfollow' || did === 'block') this.follows.delete(there);
    if (did === 'block') {
      this.follows.delete(back);
      this.blocks.add(there);
    }
    if (did === 'unblock') this.blocks.delete(there);
  }
}

const mentionsIn = ({ body }: Answered): string[] => body.mentions.map(({ id }: { id: string }) => id);

/** Compares everything that a viewer sees with what they may see. */
async function faultsOf(story: Story, looker: Looker): Promise<string[]> {
  const hidden = story.said.filter((status) => !story.sees(looker, status));
  const shown = new Set(story.said.filter((status) => story.sees(looker, status)).map(({ word }) => word));
  const missing = await looker.get('/api/v1/statuses/1');
  const found: string[] = [];
  const look = async (name: string, path: string, never: Said | undefined) => {
    const answer = await looker.get(path);
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    if (answer.status >= 500) found.push(`${name} ${path}: ${answer.status}`);
    if (never !== undefined && (answer.status !== 404 || text !== JSON.stringify(missing.body)))
      found.push(`${name} ${path}: ${answer.status} ${text.slice(0, 200)}`);
    // The id of a reply's parent is public, even if the parent is not.
    const told = text.replace(/"in_reply_to_id":"\d+"/g, '');
    for (const { id, word } of hidden) {
      const isTold = told.includes(id) || (!shown.has(word) && told.includes(word));
      if (isTold && !path.includes(word)) found.push(`${name} ${path}: shows ${id} ${word}`);
      else if (isTold && told.includes(`"id":"${id}"`)) found.push(`${name} ${path}: finds ${id} ${word}`);
    }
  };
  const scene = { people: story.people, said: story.said };
  const open: (() => Promise<void>)[] = [];
  for (const [name, view] of Object.entries(STATUS_VIEWS)) {
    if (view.kind === 'list')
      for (const path of await view.paths(scene, looker)) open.push(() => look(name, path, undefined));
    else
      for (const status of story.said) {
        const never = hidden.includes(status) ? status : undefined;
        open.push(() => look(name, view.path(status.id), never));
      }
  }
  const work = async () => {
    for (let next = open.pop(); next !== undefined; next = open.pop()) await next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  for (const status of story.said) {
    const { status: code } = await looker.get(`/api/v1/statuses/${status.id}`);
    if (story.sees(looker, status) !== (code === 200)) found.push(`${status.id} ${status.visibility}: ${code}`);
  }
  return found;
}
