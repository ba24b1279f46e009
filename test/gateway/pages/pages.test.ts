import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import type { Services } from '../../../gateway/http/services.js';
import { isAskedFor } from '../../../gateway/notifications/notification-filter.js';
import { notificationList } from '../../../gateway/notifications/notifications.js';
import { accountCursor } from '../../../gateway/paging/eras.js';
import { accountTimeline } from '../../../gateway/timelines/account.js';
import { homeTimeline } from '../../../gateway/timelines/home.js';
import { publicTimeline } from '../../../gateway/timelines/public.js';
import { visibleById } from '../../../gateway/viewing/visible.js';
import type { VisibleStatus } from '../../../gateway/viewing/visible-status.js';
import type { AccountNewPoll } from '../../../proto/gen/types.js';
import { notifications } from '../../../store/tables.js';
import { blankPost, registration } from '../../actors/reactions/town.js';
import { fc } from '../../kit/property.js';
import { type City, openCity, replayed } from './city.js';
import { renderNotifications, renderStatuses } from './naive-renderer.js';

const PEOPLE = 4;
const bounds = { before: undefined, after: undefined, upwards: false, limit: 40 };
const VISIBILITIES = ['public', 'unlisted', 'private', 'direct'] as const;

const POLL: AccountNewPoll = { options: ['one', 'two'], expiresInMs: 600_000, multiple: false, hideTotals: false };

const who = fc.integer({ min: 0, max: PEOPLE - 1 });
const what = fc.integer({ min: 0, max: 11 });
const post = fc.record({
  did: fc.constant('post' as const),
  who,
  visibility: fc.constantFrom(...VISIBILITIES),
  reply: fc.option(what, { nil: undefined }),
  mentions: fc.option(who, { nil: undefined }),
  text: fc.constantFrom('plain', 'with "quotes" & <tags>', 'ümläute 😀\u2028'),
  quotePolicy: fc.constantFrom(undefined, undefined, 'followers', 'nobody'),
  poll: fc.constantFrom(undefined, undefined, POLL),
});
const act = fc.record({
  did: fc.constantFrom(
    'favourite' as const,
    'unfavourite' as const,
    'reblog' as const,
    'unreblog' as const,
    'remove' as const,
  ),
  who,
  what,
});
const relate = fc.record({
  did: fc.constantFrom(
    'follow' as const,
    'unfollow' as const,
    'block' as const,
    'unblock' as const,
    'mute' as const,
    'unmute' as const,
  ),
  who,
  whom: who,
});
const muteConversation = fc.record({
  did: fc.constantFrom('muteConversation' as const, 'unmuteConversation' as const),
  who,
  what,
});
const rename = fc.record({ did: fc.constant('rename' as const), who, name: fc.string({ maxLength: 8 }) });
const look = fc.record({ did: fc.constant('look' as const), who });
type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;
type Step =
  | Of<typeof post>
  | Of<typeof act>
  | Of<typeof relate>
  | Of<typeof muteConversation>
  | Of<typeof rename>
  | Of<typeof look>;
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: post },
  { weight: 6, arbitrary: act },
  { weight: 3, arbitrary: relate },
  { weight: 1, arbitrary: muteConversation },
  { weight: 1, arbitrary: rename },
  { weight: 4, arbitrary: look },
);

/** Accounts that act on command, and their statuses. */
class Story {
  readonly people: string[] = [];
  readonly posts: { readonly id: string; readonly conversation: string; readonly author: string }[] = [];
  /**
   * Accounts whose block or mute was lifted, by the account that lifted it. The journals do not record which
   * notifications an account refused, so a replay after that may contain notifications that never existed.
   */
  readonly lifted = new Map<string, Set<string>>();

  private constructor(readonly city: City) {}

  static async begin(): Promise<Story> {
    const story = new Story(await openCity());
    const { stage, askAccount } = story.city;
    for (let n = 0; n < PEOPLE; n++) {
      const id = makeId(stage.clock.nowMs(), n % 4, n);
      story.people.push(id);
      await story.done(askAccount(id, 'register', registration(`person${n}`)));
    }
    for (const id of story.people.slice(1)) await story.done(askAccount(id, 'follow', follow(story.person(0))));
    return story;
  }

  person = (n: number) => this.people[n] ?? '';
  actors = () => [
    ...this.people.map((id) => `account/${id}`),
    ...new Set(this.posts.map((one) => `conversation/${one.conversation}`)),
  ];

  async done<T>(answer: Promise<T>): Promise<T> {
    await this.city.stage.clock.advance(5);
    return answer;
  }

  async tell(step: Step): Promise<void> {
    const { askAccount, askConversation } = this.city;
    const by = this.person(step.who);
    if (step.did === 'post') await this.post(step);
    else if (step.did === 'look') await comparePages(this.city.kept, this.city.afresh(), by, this);
    else if (step.did === 'rename') {
      await this.done(askAccount(by, 'updateProfile', { fields: [], setFields: false, displayName: step.name }));
    } else if ('whom' in step) {
      const target = this.person(step.whom);
      if (target === by) return;
      if (step.did === 'unblock' || step.did === 'unmute') {
        this.lifted.set(by, (this.lifted.get(by) ?? new Set()).add(target));
      }
      const more = step.did === 'follow' ? { targetLocked: false } : { notifications: true, durationMs: 0 };
      await this.done(askAccount(by, step.did, { target, ...more } as never));
    } else {
      const status = this.posts[step.what % Math.max(1, this.posts.length)];
      if (status === undefined) return;
      if (step.did === 'muteConversation' || step.did === 'unmuteConversation') {
        await this.done(askAccount(by, step.did, { conversationId: status.conversation }));
        return;
      }
      const input = { statusId: status.id, by };
      await this.done(askConversation(status.conversation, step.did, input));
    }
  }

  private async post({ who, visibility, reply, mentions, text, quotePolicy, poll }: Of<typeof post>): Promise<void> {
    const parent = reply === undefined ? undefined : this.posts[reply % Math.max(1, this.posts.length)];
    const mentioned = mentions === undefined ? undefined : this.person(mentions);
    const answer = await this.done(
      this.city.askAccount(this.person(who), 'post', {
        ...blankPost,
        text,
        html: `<p>${text}</p>`,
        visibility,
        ...(quotePolicy === undefined ? {} : { quotePolicy }),
        ...(poll === undefined ? {} : { poll }),
        mentions:
          mentioned === undefined
            ? []
            : [{ accountId: mentioned, username: 'x', acct: 'x', url: 'https://here.example/@x' }],
        ...(parent === undefined
          ? {}
          : { inReplyToId: parent.id, inReplyToAccountId: parent.author, conversationId: parent.conversation }),
      }),
    );
    if (isProblem(answer)) return;
    this.posts.push({ id: answer.id, conversation: answer.conversationId, author: this.person(who) });
  }
}

const follow = (target: string) => ({ target, targetLocked: false });

/** Checks that the cached bytes equal the rendering without caches: the same pages, in every form. */
async function comparePages(
  kept: Services,
  afresh: Services,
  viewer: string | undefined,
  story: Story,
  notByThese: ReadonlySet<string> = new Set(),
): Promise<void> {
  const lists: ((services: Services) => Promise<readonly (VisibleStatus | undefined)[]>)[] = [
    async (services) => (await publicTimeline(services, viewer, bounds)).items,
    async (services) => (await accountTimeline(services, viewer, story.person(0), bounds, everything)).items,
    async (services) =>
      visibleById(
        services,
        viewer,
        story.posts.map(({ id }) => id),
      ),
  ];
  if (viewer !== undefined) lists.push(async (services) => (await homeTimeline(services, viewer, bounds)).items);
  for (const list of lists) {
    const bytes = await kept.pages.list(kept, viewer, await list(kept));
    const rendered = (await renderStatuses(afresh, viewer, await list(afresh))).filter((one) => one !== undefined);
    assert.deepEqual(JSON.parse(bytes.toString()), JSON.parse(JSON.stringify(rendered)));
  }
  if (viewer === undefined) return;
  const page = await notificationList(kept, viewer, bounds, {});
  const cursor = accountCursor(afresh.tables, afresh.clock, notifications, 'notification', viewer, bounds);
  const stored = (await cursor.next(bounds.limit)).map(({ id, value }) => ({ id, record: value }));
  const askedFor = stored.filter(({ record }) => isAskedFor(record, {}));
  const rendered = (await renderNotifications(afresh, viewer, askedFor)).filter((one) => one !== undefined);
  const byOthers = ({ account }: { account: { id: string } }) => !notByThese.has(account.id);
  assert.deepEqual(
    page.items.map((pieces) => JSON.parse(Buffer.concat(pieces).toString())).filter(byOthers),
    JSON.parse(JSON.stringify(rendered)).filter(byOthers),
  );
}

const everything = { excludeReplies: false, excludeReblogs: false, tagged: undefined };

test('cached pages equal the store and a replay of the journals, after any actions and for any viewer', async () => {
  const told = async (steps: readonly Step[]) => {
    const story = await Story.begin();
    for (const step of steps) await story.tell(step);
    const { city } = story;
    await city.stage.clock.settle();
    const again = await replayed(city, story.actors());
    for (const viewer of [...story.people, undefined]) {
      await comparePages(city.kept, city.afresh(), viewer, story);
      await comparePages(city.kept, again.afresh(), viewer, story, story.lifted.get(viewer ?? ''));
    }
    city.stage.close();
    again.stage.close();
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), told), { numRuns: 30 });
});

const viewers = [...Array(PEOPLE).keys(), undefined];
const plainPost = { did: 'post', who: 0, visibility: 'public', text: 'plain' } as const;
const nothing = { reply: undefined, mentions: undefined, quotePolicy: undefined, poll: undefined };

test('the JSON that a status shares among viewers never shows one the marks, mutes, approvals or time of another', async () => {
  for (const order of [viewers, viewers.toReversed()]) {
    const story = await Story.begin();
    const steps: readonly Step[] = [
      { ...plainPost, ...nothing },
      { ...plainPost, ...nothing, quotePolicy: 'followers' },
      { ...plainPost, ...nothing, poll: POLL },
      { ...plainPost, ...nothing },
      { did: 'unfollow', who: 3, whom: 0 },
      { did: 'favourite', who: 1, what: 0 },
      { did: 'reblog', who: 1, what: 0 },
      { did: 'reblog', who: 0, what: 3 },
      { did: 'muteConversation', who: 2, what: 3 },
    ];
    for (const one of steps) await story.tell(one);
    const { askConversation, stage } = story.city;
    const poll = story.posts[2];
    assert.ok(poll !== undefined);
    await story.done(
      askConversation(poll.conversation, 'vote', { statusId: poll.id, by: story.person(2), choices: [1] }),
    );
    await stage.clock.settle();
    const compareAll = async () => {
      for (const viewer of order) {
        const id = viewer === undefined ? undefined : story.person(viewer);
        await comparePages(story.city.kept, story.city.afresh(), id, story);
      }
    };
    await compareAll();
    // The poll has ended, but its record is the same until its alarm.
    stage.clock.skewMs = POLL.expiresInMs;
    await compareAll();
    stage.close();
  }
});
