import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { maySee, VISIBILITIES } from '../../actors/domain/visibility.js';
import { pathShape } from '../../gateway/openapi/answer-schemas.js';
import recorded from '../../gateway/openapi/facts.json' with { type: 'json' };
import { allRoutes } from '../../gateway/routes/index.js';
import { type Answered, type Person, TestServer } from '../kit/server.js';
import { applicationOf, type Looker, NO_STATUS_SHOWN, STATUS_VIEWS } from './status-views.js';

const PEOPLE = 4;
const STEPS_MAX = 30;
/** Looks of one person at a time. */
const AT_ONCE = 8;
/** What answers hold, or what their addresses are called, that may have statuses in them. */
const MAY_SHOW = /Status\b|StatusEdit|Context\b|Conversation|Notification(?!Policy)|Grouped|Search|AdminReport|Poll\b/;
const MAY_SHOW_AT = /\/(?:timelines|statuses|media_index|notifications|search)\b/;

let server: TestServer;
/** Sees no more than others do. */
let moderator: Person;
let application: Looker;
let runs = 0;
let words = 0;
before(async () => {
  server = await TestServer.start();
  moderator = await server.staff('moderator', 'moderator');
  application = await applicationOf(server);
});
after(() => server.stop());

const who = fc.integer({ min: 0, max: PEOPLE - 1 });
const what = fc.integer({ min: 0, max: 11 });
const post = fc.record({
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
type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Step = Of<typeof post> | Of<typeof mark> | Of<typeof relate>;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: post },
  { weight: 6, arbitrary: mark },
  { weight: 4, arbitrary: relate },
);

/** Something said, as the model knows it. */
interface Said {
  readonly id: string;
  readonly author: Person;
  readonly visibility: string;
  mentionIds: readonly string[];
  /** Found in its text and nowhere else. */
  readonly word: string;
  /** What it reblogs. */
  readonly original: Said | undefined;
  gone: boolean;
}

/** People, what they do by the interface, and what that makes of their relations. */
class Story {
  readonly people: Person[] = [];
  readonly said: Said[] = [];
  /** `a b`: a follows b, a blocks b. */
  private readonly follows = new Set<string>();
  private readonly blocks = new Set<string>();

  static async begin(): Promise<Story> {
    const story = new Story();
    const run = ++runs;
    for (let n = 0; n < PEOPLE; n++) story.people.push(await server.person(`p${n}r${run}`));
    return story;
  }

  person = (n: number): Person => this.people[n] as Person;

  async tell(step: Step): Promise<void> {
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
    return maySee({ accountId: author.id, visibility, mentionIds }, id, relation);
  }

  private async post(by: Person, { visibility, reply, mentions, poll, quote }: Of<typeof post>): Promise<void> {
    const parent = reply === undefined ? undefined : this.said[reply % Math.max(1, this.said.length)];
    const mentioned = mentions === undefined ? undefined : this.person(mentions);
    const word = `word${++words}x`;
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
      // What quotes something for followers is for followers.
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
      // Whoever is not mentioned any more is mentioned no more.
      const text = { status: `${word} again #owls` };
      const answer = await server.ask('PUT', `/api/v1/statuses/${id}`, text, by.token);
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

/** Everything that somebody sees, against what they may. */
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
    // What a reply answers is named, whoever may see that.
    const told = text.replace(/"in_reply_to_id":"\d+"/g, '');
    for (const { id, word } of hidden) {
      const isTold = told.includes(id) || (!shown.has(word) && told.includes(word));
      if (isTold && !path.includes(word)) found.push(`${name} ${path}: shows ${id} ${word}`);
      else if (isTold && told.includes(`"id":"${id}"`)) found.push(`${name} ${path}: finds ${id} ${word}`);
    }
  };
  const scene = { server, people: story.people, said: story.said };
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

/** What these steps make, as everybody sees it. */
async function told(steps: readonly Step[]): Promise<void> {
  const story = await Story.begin();
  for (const one of steps) await story.tell(one);
  const lookers = [...story.people, moderator, application, server] as Looker[];
  const faults = await Promise.all(
    lookers.map(async (looker) =>
      (await faultsOf(story, looker)).map((fault) => `${looker.name ?? 'nobody'}: ${fault}`),
    ),
  );
  assert.deepEqual(faults.flat(), []);
}

test('what somebody may not see is shown to them nowhere, whatever happened before', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: STEPS_MAX }), told), {
    numRuns: 6,
    interruptAfterTimeLimit: 60_000,
  });
});

const says = (author: number, more: Partial<Of<typeof post>> = {}): Step => ({
  ...{ did: 'post', who: author, visibility: 'public', reply: undefined, mentions: undefined, poll: false },
  ...{ quote: undefined, ...more },
});

test('a quote shows nothing of what its reader may not see, nor does a quote of it, a reblog or a notification', async () => {
  const block: Step = { did: 'block', who: 0, whom: 2 };
  const quoted = [says(0), says(1, { quote: 0, mentions: 2 }), says(3, { quote: 1 })];
  const marked: Step[] = [1, 2].flatMap((what) => [
    { did: 'reblog', who: 3, what },
    { did: 'favourite', who: 2, what },
    { did: 'bookmark', who: 2, what },
  ]);
  const listens: Step[] = [1, 3].map((whom) => ({ did: 'listen', who: 2, whom }));
  await told([...listens, ...quoted, ...marked, block]);
  await told([block, ...listens, ...quoted, ...marked, { did: 'edit', who: 0, what: 0 }]);
  // For followers, but shown to somebody who is mentioned in the quote only.
  await told([says(0, { visibility: 'private' }), says(0, { visibility: 'private', quote: 0, mentions: 2 })]);
  await told([...quoted, { did: 'remove', who: 0, what: 0 }]);
});

test('every route that may show statuses is looked at, or it is said why not', () => {
  const answers = new Map(
    recorded.operations.map((fact) => [`${fact[0]} ${pathShape(String(fact[1]))}`, String(fact[5])]),
  );
  const unlooked = allRoutes.filter(({ method, path }) => {
    if (method !== 'GET' || STATUS_VIEWS[`GET ${path}`] !== undefined) return false;
    if (NO_STATUS_SHOWN[`GET ${path}`] !== undefined) return false;
    return MAY_SHOW_AT.test(path) || MAY_SHOW.test(answers.get(`GET ${pathShape(path)}`) ?? '');
  });
  assert.deepEqual(
    unlooked.map(({ path }) => path),
    [],
  );
  const known = new Set(allRoutes.map(({ method, path }) => `${method} ${path}`));
  const strange = [...Object.keys(STATUS_VIEWS), ...Object.keys(NO_STATUS_SHOWN)].filter((name) => !known.has(name));
  assert.deepEqual(strange, [], 'routes that there are not');
});
