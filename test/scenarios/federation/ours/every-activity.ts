import { operatorClient } from '../../../../cli/operator-socket.js';
import { type Answer, follow, type RecordedPlace, seen } from '../../../kit/federation/two-places.js';
import { call, makePeople, type Person } from '../../cluster/people.js';

const VISIBILITIES = ['public', 'unlisted', 'private', 'direct'] as const;

/** People of one server beside its main person: one who moves to the other server, and one whose account ends. */
interface Others {
  readonly mover: Person;
  readonly leaver: Person;
  readonly boss: Person;
}

/** Makes one server send every kind of activity to the other one, and undo what can be undone. */
export class EveryActivity {
  /** Addresses of the statuses that were posted here. */
  readonly uris: string[] = [];
  #others: Others | undefined;
  /** Ids here of the other person, of own statuses and of copies of the other person's. */
  #friend = '';
  #posts: Answer[] = [];
  #copies: Answer[] = [];
  #answers: Answer[] = [];
  #quote: Answer;
  #poll: Answer;
  #pollCopy: Answer;
  #collection: Answer;
  #tag: Answer;

  constructor(
    private readonly here: RecordedPlace,
    private readonly there: RecordedPlace,
  ) {}

  /** Makes the people, and lets the main one follow the other server's. */
  async meet(): Promise<void> {
    const { here } = this;
    const [mover, leaver] = (await makePeople(here.server.dataDir, [
      `mover_${here.person.name}`,
      `leaver_${here.person.name}`,
    ])) as [Person, Person];
    this.#others = { mover, leaver, boss: await here.staff() };
    const alias = { username: here.person.name, add: `${mover.name}@${here.host}` };
    await operatorClient(here.server.dataDir)('account.alias', alias);
    await here.ask('PATCH', 'accounts/update_credentials', { discoverable: true, display_name: 'First' });
    // A busy server may not answer a search in time.
    await seen('the other person', async () => (await here.find(this.#at)).accounts.length > 0);
    this.#friend = await follow(here, this.there);
  }

  /** Posts of each visibility, one of which is a poll that the other person may quote. */
  async post(): Promise<void> {
    const { here } = this;
    for (const visibility of VISIBILITIES)
      this.#posts.push(
        await this.#said({ status: `${this.#at} ${visibility} #felt`, visibility, spoiler_text: 'wool' }),
      );
    const poll = { options: ['tea', 'coffee'], expires_in: 3_600 };
    this.#poll = await this.#said({ status: `what to drink with ${here.person.name}?`, poll });
  }

  /** Finds what the other server has posted, and acts on it. */
  async react(other: EveryActivity): Promise<void> {
    const { here } = this;
    this.#copies = await Promise.all(other.#posts.map(({ uri }) => this.#copy(uri)));
    this.#pollCopy = await this.#copy(other.#poll.uri);
    for (const copy of this.#copies) {
      await here.ask('POST', `statuses/${copy.id}/favourite`);
      const { visibility, id: in_reply_to_id } = copy;
      this.#answers.push(await this.#said({ status: `${this.#at} an answer`, visibility, in_reply_to_id }));
    }
    for (const [index, visibility] of ['public', 'unlisted'].entries())
      await here.ask('POST', `statuses/${this.#copies[index].id}/reblog`, { visibility });
    await here.ask('POST', `polls/${this.#pollCopy.id}/votes`, { choices: [1] });
    this.#quote = await this.#said({ status: 'look at this', quoted_status_id: this.#pollCopy.id });
    await seen('the permitted quote', async () => (await this.#read(this.#quote)).quote?.state === 'accepted');
    const forward = { account_id: this.#friend, status_ids: [this.#copies[0].id], comment: 'spam', forward: true };
    await here.ask('POST', 'reports', forward);
  }

  /** Answers what the other server has answered: threads of three levels. */
  async answer(other: EveryActivity): Promise<void> {
    for (const { uri, visibility } of other.#answers) {
      const { id: in_reply_to_id } = await this.#copy(uri);
      await this.#said({ status: `${this.#at} indeed`, visibility, in_reply_to_id });
    }
  }

  /** Changes the profile and posts, and features what a person can feature. */
  async change(): Promise<void> {
    const { here } = this;
    const [first] = this.#posts;
    await here.ask('PUT', `statuses/${first.id}`, { status: `${this.#at} better words`, spoiler_text: 'wool' });
    await here.ask('POST', `statuses/${first.id}/pin`);
    await here.ask('PATCH', 'accounts/update_credentials', { display_name: `${here.person.name} of Felt` });
    this.#tag = await here.ask('POST', 'featured_tags', { name: 'felt' });
    await here.ask('POST', `accounts/${this.#friend}/endorse`);
    const body = { name: 'Birds', account_ids: [here.person.id, this.#friend] };
    this.#collection = (await here.ask('POST', 'collections', body)).collection;
    await this.#members(2);
    await here.ask('PATCH', `collections/${this.#collection.id}`, { name: 'Geese' });
  }

  /** A follow is refused, a block made and ended, an account moves, and another one ends. */
  async part(): Promise<void> {
    const { here, there } = this;
    const { mover, leaver, boss } = this.#others as Others;
    const uri = `${there.person.name}@${there.host}`;
    for (const who of [mover, leaver]) await this.#as(who, 'POST', 'follows', { uri });
    const [known] = await Promise.all([this.#followerThere(mover), this.#followerThere(leaver)]);
    await there.ask('POST', `accounts/${known.id}/remove_from_followers`);
    const isBlocked = async () => (await there.ask('GET', `accounts/relationships?id[]=${known.id}`))[0].blocked_by;
    await this.#as(mover, 'POST', `accounts/${this.#friend}/block`);
    await seen('the block', isBlocked);
    await this.#as(mover, 'POST', `accounts/${this.#friend}/unblock`);
    await seen('no block', async () => !(await isBlocked()));
    // A follower there learns of the move, and follows the main person already.
    await there.ask('POST', `accounts/${known.id}/follow`);
    const followers = (): Promise<Answer> => this.#as(mover, 'GET', `accounts/${mover.id}/followers`);
    await seen('a follower of the mover', async () => (await followers()).length === 1);
    await operatorClient(here.server.dataDir)('account.move', {
      username: mover.name,
      to: `${here.person.name}@${here.host}`,
    });
    await this.#as(boss, 'POST', `admin/accounts/${leaver.id}/action`, { type: 'suspend' });
    await this.#as(boss, 'DELETE', `admin/accounts/${leaver.id}`);
  }

  /**
   * The other person refuses a quote and a place in a collection, which this server does not know yet when it asks.
   * Everything that this server gets meanwhile is held.
   */
  async beRefused(other: EveryActivity): Promise<void> {
    const { here, there } = this;
    here.front.hold();
    await there.ask('PATCH', 'accounts/update_credentials', { discoverable: false });
    await there.ask('PUT', `statuses/${other.#poll.id}/interaction_policy`, { quote_approval_policy: 'nobody' });
    await this.#said({ status: 'may I?', quoted_status_id: this.#pollCopy.id });
    await here.ask('POST', 'collections', { name: 'Owls', account_ids: [this.#friend] });
    const answers = () => here.front.kept.filter(({ body }) => /"type":"Reject"/.test(body.toString()));
    await seen('both refusals', async () => answers().length === 2);
    for (const post of here.front.release()) await here.front.send(post);
    await there.ask('PATCH', 'accounts/update_credentials', { discoverable: true });
  }

  /**
   * Makes and undoes marks, which end undone: an Undo that arrives after a newer mark of the same person ends that one.
   * Writes a thread, and a post that is deleted.
   */
  async hurry(): Promise<void> {
    const { here } = this;
    const [first] = this.#copies;
    for (const verb of ['unfavourite', 'favourite', 'unfavourite', 'unreblog', 'reblog', 'unreblog'])
      await here.ask('POST', `statuses/${first.id}/${verb}`);
    let in_reply_to_id = first.id;
    for (const text of ['one', 'two', 'three'])
      in_reply_to_id = (await this.#said({ status: `${this.#at} ${text}`, in_reply_to_id })).id;
    const gone = await this.#said({ status: `${this.#at} never mind` });
    await here.ask('DELETE', `statuses/${gone.id}`);
  }

  /**
   * Undoes what can be undone. Votes, reports, refusals, moves and deletions cannot, and a change is only replaced by
   * another one.
   */
  async undo(other: EveryActivity): Promise<void> {
    const { here } = this;
    const post = (path: string) => here.ask('POST', path);
    for (const { id } of this.#copies) await post(`statuses/${id}/unfavourite`);
    for (const { id } of this.#copies.slice(0, 2)) await post(`statuses/${id}/unreblog`);
    const quoting = await this.#copy(other.#quote.uri);
    await post(`statuses/${this.#poll.id}/quotes/${quoting.id}/revoke`);
    await post(`statuses/${this.#posts[0].id}/unpin`);
    await here.ask('DELETE', `featured_tags/${this.#tag.id}`);
    await post(`accounts/${this.#friend}/unendorse`);
    for (const { id } of this.#answers) await here.ask('DELETE', `statuses/${id}`);
    await this.#endCollections(other);
  }

  /** Ends the follow, after which this server gets no further change. */
  async unfollow(): Promise<void> {
    await this.here.ask('POST', `accounts/${this.#friend}/unfollow`);
  }

  /** The other person leaves one collection, and is removed from another one; both end. */
  async #endCollections(other: EveryActivity): Promise<void> {
    const { here, there } = this;
    const theirs: Answer = await seen('the collection there', async () => {
      const { collections } = await there.ask('GET', `accounts/${other.#friend}/collections`);
      return collections.find(({ uri }: Answer) => uri === this.#collection.uri);
    });
    const own = theirs.items.find(({ account_id }: Answer) => account_id === there.person.id);
    await there.ask('POST', `collections/${theirs.id}/items/${own.id}/revoke`);
    await this.#members(1);
    await here.ask('PATCH', `collections/${this.#collection.id}`, { discoverable: false });
    await here.ask('DELETE', `collections/${this.#collection.id}`);
    const body = { name: 'Ducks', account_ids: [this.#friend] };
    this.#collection = (await here.ask('POST', 'collections', body)).collection;
    const [item] = (await this.#members(1)).items;
    await here.ask('DELETE', `collections/${this.#collection.id}/items/${item.id}`);
    await here.ask('DELETE', `collections/${this.#collection.id}`);
  }

  /** Mention of the other person. */
  get #at(): string {
    return `@${this.there.person.name}@${this.there.host}`;
  }

  #as(who: Person, method: string, path: string, body?: object): Promise<Answer> {
    return call(this.here.server.url, who, method, `/api/v1/${path}`, body);
  }

  async #said(body: object): Promise<Answer> {
    const made = await this.here.ask('POST', 'statuses', body);
    this.uris.push(made.uri);
    return made;
  }

  #read({ id }: Answer): Promise<Answer> {
    return this.here.ask('GET', `statuses/${id}`);
  }

  /** Waits for a status of the other server. */
  #copy(uri: string): Promise<Answer> {
    return seen(uri, async () => (await this.here.find(uri)).statuses[0]);
  }

  #followerThere({ name }: Person): Promise<Answer> {
    const { here, there } = this;
    return seen(`${name} as a follower`, async () => {
      const followers: Answer[] = await there.ask('GET', `accounts/${there.person.id}/followers`);
      return followers.find(({ acct }) => acct === `${name}@${here.host}`);
    });
  }

  /** Waits until the collection has a number of accounts that have permitted it. */
  #members(count: number): Promise<Answer> {
    return seen(`${count} in the collection`, async () => {
      const { collection } = await this.here.ask('GET', `collections/${this.#collection.id}`);
      const all: Answer[] = collection.items;
      return all.length === count && all.every(({ state }) => state === 'accepted') && collection;
    });
  }
}
