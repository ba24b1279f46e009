import assert from 'node:assert/strict';
import { operatorClient } from '../../../../cli/operator-socket.js';
import { type Answer, type Place, seen } from '../../../kit/federation/two-places.js';
import { until } from '../../../kit/time/until.js';

/** Timeout of a state on both servers after all deliveries: two seconds for votes, and reactions on a busy machine. */
const EQUAL_MS_MAX = 60_000;

const uris = (accounts: readonly Answer[]): string[] => accounts.map(({ uri }) => uri).sort();
const plain = (html: string): string => html.replaceAll(/<[^>]*>/g, '');

/** Shows at a server what the other one shows, too: people, statuses and threads by their addresses. */
export class Side {
  constructor(
    private readonly place: Place,
    /** Names of people, with the host of their server. */
    private readonly people: readonly string[],
    /** Addresses of statuses. */
    private readonly statuses: readonly string[],
  ) {}

  async view(): Promise<object> {
    const [people, statuses] = await Promise.all([
      Promise.all(this.people.map((name) => this.#person(name))),
      Promise.all(this.statuses.map((uri) => this.#status(uri))),
    ]);
    return { people: Object.fromEntries(people), statuses: Object.fromEntries(statuses) };
  }

  async #person(name: string): Promise<[string, object | undefined]> {
    const [account] = (await this.place.find(`@${name}`)).accounts;
    if (account === undefined) return [name, undefined];
    const get = (what: string): Promise<Answer> => this.place.ask('GET', `accounts/${account.id}/${what}`);
    const [followers, following, pinned, tags, featured, { collections }] = await Promise.all(
      ['followers', 'following', 'statuses?pinned=true', 'featured_tags', 'endorsements', 'collections'].map(get),
    );
    const { display_name, followers_count, following_count, moved, suspended } = account;
    return [
      name,
      {
        ...{ display_name, followers_count, following_count, moved: moved?.uri, suspended: suspended === true },
        ...{ followers: uris(followers), following: uris(following), pinned: uris(pinned), featured: uris(featured) },
        tags: tags.map((tag: Answer) => tag.name).sort(),
        collections: collections.map((one: Answer) => [one.uri, one.name, one.item_count]).sort(),
      },
    ];
  }

  async #status(uri: string): Promise<[string, object | undefined]> {
    const [status] = (await this.place.find(uri)).statuses;
    if (status === undefined) return [uri, undefined];
    const get = (what: string): Promise<Answer> => this.place.ask('GET', `statuses/${status.id}/${what}`);
    const [context, favouritedBy, rebloggedBy] = await Promise.all(
      ['context', 'favourited_by', 'reblogged_by'].map(get),
    );
    const { visibility, spoiler_text, favourites_count, reblogs_count, replies_count, quotes_count } = status;
    return [
      uri,
      {
        ...{ visibility, spoiler_text, text: plain(status.content), edited: status.edited_at !== null },
        counts: { favourites_count, reblogs_count, replies_count, quotes_count },
        ...{ favouritedBy: uris(favouritedBy), rebloggedBy: uris(rebloggedBy) },
        // Only the server of the quoting author learns of a refusal.
        quote: status.quote?.quoted_status?.uri,
        votes: status.poll?.options.map(({ votes_count }: Answer) => votes_count),
        voters: status.poll?.voters_count,
        thread: threadOf([...context.ancestors, status, ...context.descendants]),
      },
    ];
  }
}

/** Returns the statuses of a thread with what each answers. */
function threadOf(statuses: readonly Answer[]): string[] {
  const known = new Map(statuses.map(({ id, uri }) => [id, uri]));
  return statuses.map(({ uri, in_reply_to_id: id }) => `${uri} below ${known.get(id) ?? id}`).sort();
}

/** Waits until nothing waits to be sent or taken at a server. */
export async function quiet({ server }: Place): Promise<void> {
  await seen('no delivery and no activity that waits', async () => {
    const { federation } = (await operatorClient(server.dataDir)('status', {})) as { federation: Answer };
    return federation.waiting === 0 && federation.waitingInbox === 0;
  });
}

/** Waits until both servers show the same, and returns that. A failure says what differs. */
export async function equalSides(one: Side, two: Side): Promise<object> {
  let views: object[] = [];
  const isEqual = async () => {
    views = await Promise.all([one.view(), two.view()]);
    try {
      assert.deepEqual(views[0], views[1]);
      return true;
    } catch {
      return undefined;
    }
  };
  await until('equal sides', isEqual, EQUAL_MS_MAX).catch(() => assert.deepEqual(views[0], views[1]));
  return views[0] as object;
}
