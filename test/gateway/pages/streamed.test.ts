import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId, storedId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { conversationPieces } from '../../../gateway/pages/status/conversation.js';
import type { StreamSocket } from '../../../gateway/streaming/connection.js';
import { Hub } from '../../../gateway/streaming/hub.js';
import { streamNamed } from '../../../gateway/streaming/stream-kinds.js';
import { streamSources } from '../../../gateway/timelines/sources.js';
import { PLACES, type Place } from '../../../gateway/viewing/judge.js';
import { visibleById } from '../../../gateway/viewing/visible.js';
import type { AccountMedia, AccountNewPoll } from '../../../proto/gen/types.js';
import { blankPost, registration } from '../../actors/reactions/town.js';
import { fc } from '../../kit/property.js';
import { type City, openCity } from './city.js';

const PEOPLE = 3;
const STREAMS = ['user', 'public', 'direct'] as const;
const WORD = 'birds';

const who = fc.integer({ min: 0, max: PEOPLE - 1 });
const what = fc.integer({ min: 0, max: 7 });
const post = fc.record({
  did: fc.constant('post' as const),
  who,
  kind: fc.constantFrom('plain', 'filtered', 'poll', 'quote', 'reply', 'direct', 'private'),
  what,
});
const act = fc.record({
  did: fc.constantFrom('favourite', 'bookmark', 'reblog', 'unreblog', 'edit', 'vote', 'mute', 'pin'),
  who,
  what,
});
const relate = fc.record({
  did: fc.constantFrom('warn', 'hide', 'follow', 'muteAccount', 'unmute'),
  who,
  what: who,
});
const step = fc.oneof({ weight: 6, arbitrary: post }, { weight: 6, arbitrary: act }, { weight: 2, arbitrary: relate });
type Of<A> = A extends fc.Arbitrary<infer T> ? T : never;

const poll: AccountNewPoll = { options: ['one', 'two'], expiresInMs: 600_000, multiple: false, hideTotals: true };
const picture: AccountMedia = {
  id: '7',
  key: 'k',
  state: 'ready',
  kind: 'image',
  file: 'a.webp',
  preview: 'b.webp',
  width: 4,
  height: 3,
  previewWidth: 4,
  previewHeight: 3,
  blurhash: 'x',
  description: 'a picture',
  durationS: 0,
  bitsPerS: 0,
  framesPerS: 0,
  atMs: 1,
};

interface Received {
  readonly stream: (typeof STREAMS)[number];
  readonly event: string;
  readonly payload: string;
}
interface Post {
  readonly id: string;
  readonly conversation: string;
  readonly author: string;
}

/** Accounts that act on command, each with open streams. */
class Story {
  readonly people: string[] = [];
  readonly posts: Post[] = [];
  readonly received: Received[][] = [];
  compared = 0;

  private constructor(
    readonly city: City,
    readonly hub: Hub,
  ) {}

  static async begin(): Promise<Story> {
    const city = await openCity();
    const { stage, kept } = city;
    const logger = { info: assert.fail, warn: assert.fail, error: assert.fail };
    const hub = new Hub({ services: kept, bus: stage.bus('streams'), sources: streamSources(kept), logger } as never);
    const story = new Story(city, hub);
    for (let n = 0; n < PEOPLE; n++) {
      const id = makeId(stage.clock.nowMs(), n % 4, n);
      story.people.push(id);
      await story.done(city.askAccount(id, 'register', registration(`person${n}`)));
    }
    for (const id of story.people)
      for (const target of story.people)
        if (target !== id) await story.done(city.askAccount(id, 'follow', { target, targetLocked: false }));
    for (const n of story.people.keys()) {
      const received: Received[] = [];
      story.received.push(received);
      for (const stream of STREAMS) await story.open(n, stream, received);
    }
    return story;
  }

  private async open(n: number, stream: (typeof STREAMS)[number], received: Received[]): Promise<void> {
    const kind = streamNamed(stream);
    assert.ok(kind);
    const socket: StreamSocket = {
      send: (event) => {
        const { payload } = JSON.parse(Buffer.from(event.frame(kind)).toString());
        received.push({ stream, event: event.event, payload });
      },
      heartbeat: () => undefined,
      drained: () => undefined,
      close: (reason) => assert.equal(reason, 'restart'),
    };
    const connection = this.hub.connect(this.people[n] ?? '', 'hash', ['read'], socket, '');
    await this.done(this.hub.subscribe(connection, kind));
  }

  async done<T>(answer: Promise<T>): Promise<T> {
    await this.city.stage.clock.advance(5);
    return answer;
  }

  async tell(told: Of<typeof step>): Promise<void> {
    const { askAccount, askConversation } = this.city;
    const by = this.people[told.who] ?? '';
    const target = this.people[told.what % PEOPLE] ?? '';
    const about = this.posts[told.what % Math.max(1, this.posts.length)];
    if (told.did === 'post') await this.post(by, told.kind, about, target);
    else if (told.did === 'follow' || told.did === 'muteAccount' || told.did === 'unmute') {
      if (target === by) return;
      if (told.did === 'follow') await this.done(askAccount(by, 'follow', { target, targetLocked: false }));
      else if (told.did === 'unmute') await this.done(askAccount(by, 'unmute', { target }));
      else await this.done(askAccount(by, 'mute', { target, notifications: true, durationMs: 0 }));
    } else if (told.did === 'warn' || told.did === 'hide') {
      const keywords = [{ keyword: WORD, wholeWord: true, destroy: false }];
      const context = ['home', 'public'];
      await this.done(askAccount(by, 'saveFilter', { title: WORD, context, action: told.did, keywords }));
    } else if (about !== undefined) {
      const { id: statusId, conversation, author } = about;
      const mark = { statusId, by };
      if (told.did === 'pin') await this.done(askAccount(author, 'pin', { statusId }));
      else if (told.did === 'mute')
        await this.done(askAccount(by, 'muteConversation', { conversationId: conversation }));
      else if (told.did === 'vote') await this.done(askConversation(conversation, 'vote', { ...mark, choices: [1] }));
      else if (told.did === 'reblog')
        await this.done(askConversation(conversation, 'reblog', { ...mark, visibility: 'public' }));
      else if (told.did === 'edit') {
        const { visibility: _, ...text } = { ...blankPost, text: `edited ${WORD}`, html: `<p>edited ${WORD}</p>` };
        const media = { media: [picture] };
        await this.done(askConversation(conversation, 'edit', { ...text, statusId, by: author, media }));
      } else await this.done(askConversation(conversation, told.did, mark));
    }
  }

  private async post(by: string, kind: string, about: Post | undefined, target: string): Promise<void> {
    const text = kind === 'filtered' ? `of ${WORD}` : `a ${kind} one`;
    const more = {
      plain: {},
      filtered: {},
      poll: { poll },
      private: { visibility: 'private' },
      direct: {
        visibility: 'direct',
        mentions: [{ accountId: target, username: 'x', acct: 'x', url: 'https://here.example/@x' }],
      },
      reply: about && { inReplyToId: about.id, inReplyToAccountId: about.author, conversationId: about.conversation },
      quote: about && {
        quote: {
          statusId: about.id,
          accountId: about.author,
          conversationId: about.conversation,
          state: '',
          follows: true,
        },
      },
    }[kind];
    const command = { ...blankPost, text, html: `<p>${text}</p>`, ...more };
    const posted = await this.done(this.city.askAccount(by, 'post', command));
    if (!isProblem(posted)) this.posts.push({ id: posted.id, conversation: posted.conversationId, author: by });
  }

  /** Compares each new event with the page that its viewer would read now. */
  async compare(): Promise<void> {
    for (const [n, received] of this.received.entries()) {
      const viewer = this.people[n] ?? '';
      for (const { stream, event, payload } of received.splice(0)) {
        if (payload === undefined || event === 'delete' || event === 'filters_changed') continue;
        const sent = JSON.parse(payload);
        const page = await this.page(viewer, stream, event, sent.id);
        assert.deepEqual(sent, page, `${event} on ${stream}`);
        this.compared++;
      }
    }
  }

  private async page(viewer: string, stream: string, event: string, id: string): Promise<unknown> {
    const { kept } = this.city;
    const json = (pieces: readonly Uint8Array[] | undefined) => pieces && JSON.parse(Buffer.concat(pieces).toString());
    if (event === 'notification') {
      const stored = await streamSources(kept).notificationsSince(viewer, '0', 1_000);
      return json(
        (
          await kept.pages.notifications(
            kept,
            viewer,
            stored.filter((one) => one.id === storedId(id)),
          )
        )[0],
      );
    }
    if (event === 'conversation') {
      const directs = await streamSources(kept).conversationsSince(viewer, '0', 1_000);
      const found = await conversationPieces(kept, viewer, directs);
      return json(found.find((one) => one && json(one.pieces).id === id)?.pieces);
    }
    const one = async (at: Place, by: string | undefined) => {
      const seen = await visibleById(kept, by, [id], at);
      return json((await kept.pages.pieces(kept, by, seen))[0]);
    };
    if (stream === 'user') return one(PLACES.home, viewer);
    // Public streams have no marks of their viewer, but filters and the quote as the viewer sees it.
    const [common, mine] = [await one(PLACES.public, undefined), await one(PLACES.public, viewer)];
    return { ...common, ...filteredOf(mine), quote: common.quote && quoteOf(mine.quote) };
  }
}

const filteredOf = ({ filtered }: { filtered?: readonly unknown[] }) => (filtered?.length ? { filtered } : {});

// biome-ignore lint/suspicious/noExplicitAny: an entity of any form.
function quoteOf(quote: any): unknown {
  const { quoted_status: status } = quote;
  if (!status) return quote;
  const { favourited, reblogged, bookmarked, muted, pinned, filtered, ...common } = status;
  const approval = { ...common.quote_approval, current_user: 'denied' };
  const { voted, own_votes, ...counted } = common.poll ?? {};
  const shown = { ...common, poll: common.poll && counted, quote_approval: approval, ...filteredOf(status) };
  return { ...quote, quoted_status: shown };
}

test('streams send the same JSON as pages to the same viewer, after any actions', async () => {
  let compared = 0;
  const told = async (steps: readonly Of<typeof step>[]) => {
    const story = await Story.begin();
    for (const one of steps) {
      await story.tell(one);
      await story.city.stage.clock.settle();
      await story.compare();
    }
    compared += story.compared;
    await story.hub.close();
    story.city.stage.close();
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), told), { numRuns: 30 });
  assert.ok(compared > 500, `${compared} events`);
});
