import assert from 'node:assert/strict';
import { followersDigest, synchronizationHeader } from '../../../../actors/federation/synchronization/header.js';
import { operatorClient } from '../../../../cli/operator-socket.js';
import {
  type Delivered,
  type Document,
  type Peer,
  type PeerActor,
  PUBLIC,
  type Received,
} from '../../../kit/federation/peer.js';
import type { SecureServer } from '../../../kit/federation/trusted-loopback.js';
import { type Answer, seen } from '../../../kit/federation/two-places.js';
import { call, type Person } from '../../cluster/people.js';

/** Longest wait for a request: counts of a poll leave two seconds after its first vote, other votes within a minute. */
const SENT_MS_MAX = 120_000;

/** Every kind of activity that leaves a server, with the type of its object where the activity contains one. */
export const SENT_KINDS: readonly string[] = [
  ...['Follow', 'Undo Follow', 'Accept Follow', 'Reject Follow', 'Block', 'Undo Block'],
  ...['Create Note', 'Create Question', 'Create vote', 'Update Note', 'Update Question', 'Update Person'],
  ...['Delete Tombstone', 'Delete', 'Like', 'Undo Like', 'Announce', 'Undo Announce', 'Flag', 'Move'],
  ...['Add', 'Remove', 'Add Hashtag', 'Remove Hashtag'],
  ...['QuoteRequest Note', 'Accept QuoteRequest', 'Reject QuoteRequest', 'Delete QuoteAuthorization'],
].sort();

/** A way to sign requests. */
export type Scheme = 'cavage' | 'rfc9421';

/** Returns the scheme by which a request is signed. */
export function schemeOf({ headers }: Received): Scheme | undefined {
  if (headers['signature-input'] !== undefined) return 'rfc9421';
  return headers.signature === undefined ? undefined : 'cavage';
}

/** Returns the type of an activity and of its object, where the activity contains one. */
export function kindOf({ type, object, instrument }: Document): string {
  if (type === 'Create' && object.name !== undefined) return 'Create vote';
  if (typeof instrument === 'object') return `${type} ${instrument.type}`;
  return typeof object?.type === 'string' ? `${type} ${object.type}` : type;
}

/** Makes a path answer 401 to requests that are not signed by the scheme. */
const demand = (peer: Peer, path: string, scheme: Scheme, body?: object) =>
  peer.answer(path, (request) => {
    if (request.method === 'POST') return { status: schemeOf(request) === scheme ? 202 : 401 };
    return schemeOf(request) === scheme && body !== undefined ? { status: 200, body } : { status: 401 };
  });

/** Does all that makes a server send something to a scripted peer, which takes only requests signed by one scheme. */
export class EverySending {
  readonly #bob: PeerActor;
  readonly #cat: PeerActor;

  /** @param ann does most of it, and moves; @param dee is deleted by the administrator */
  constructor(
    private readonly server: SecureServer,
    private readonly peer: Peer,
    private readonly scheme: Scheme,
    private readonly people: { readonly ann: Person; readonly dee: Person; readonly boss: Person },
  ) {
    this.#bob = newActor(peer, 'bob', scheme, { alsoKnownAs: [this.#uri] });
    this.#cat = newActor(peer, 'cat', scheme);
    demand(peer, '/inbox', scheme);
  }

  async run(): Promise<void> {
    const bob = await this.#id(this.#bob);
    const note = await this.#read(bob);
    await this.#followEachOther(bob);
    await this.#compareFollowers();
    const poll = await this.#ask('POST', 'statuses', {
      ...{ status: 'tea?', poll: { options: ['yes', 'no'], expires_in: 3_600 } },
    });
    await this.#vote(poll.uri);
    await this.#write();
    await this.#mark(note);
    await this.#quote();
    await this.#report(bob, note);
    await this.#block();
    // Counts of the poll: a moved account changes nothing any more.
    await this.#sent('Update Question');
    await this.#ask('POST', `accounts/${bob}/unfollow`);
    const { ann } = this.people;
    await operatorClient(this.server.dataDir)('account.move', { username: ann.name, to: `bob@${this.peer.host}` });
    await this.#deleteAccount(bob);
    for (const kind of ['Delete', 'Move', 'Undo Follow', 'Undo Block', 'Flag', 'Create vote']) await this.#sent(kind);
  }

  get #uri(): string {
    return `${this.server.url}/users/${this.people.ann.name}`;
  }

  #ask(method: string, path: string, body?: object, who = this.people.ann): Promise<Answer> {
    return call(this.server.url, who, method, `/api/v1/${path}`, body);
  }

  async #find(what: string): Promise<{ readonly accounts: Answer[]; readonly statuses: Answer[] }> {
    const path = `/api/v2/search?q=${encodeURIComponent(what)}&resolve=true`;
    return call(this.server.url, this.people.ann, 'GET', path) as Promise<Answer>;
  }

  /** Returns the id here of a person there. */
  async #id({ name }: PeerActor): Promise<string> {
    return (await this.#find(`@${name}@${this.peer.host}`)).accounts[0].id;
  }

  /** Waits for a number of activities of a kind that the peer has taken. */
  #sent(kind: string, count = 1): Promise<Delivered[]> {
    const taken = () =>
      this.peer.delivered().filter((one) => schemeOf(one) === this.scheme && kindOf(one.activity) === kind);
    return seen(`${count} ${kind}`, async () => taken().length >= count && taken(), SENT_MS_MAX);
  }

  async #send(who: PeerActor, activity: Document): Promise<void> {
    assert.equal(await who.post(`${this.server.url}/inbox`, activity), 202);
  }

  /** Reads a status of Bob, its thread and his profile. Returns the id of the status here. */
  async #read(bob: string): Promise<string> {
    const { peer, scheme } = this;
    const parent = { ...this.#bob.note('before'), id: `${peer.url}/parent/1` };
    const replies = { id: `${peer.url}/replies/1`, type: 'Collection', items: [] };
    const note = { ...this.#bob.note('words'), id: `${peer.url}/note/1`, inReplyTo: parent.id, replies: replies.id };
    for (const one of [parent, replies, note]) demand(peer, new URL(one.id).pathname, scheme, one);
    const { id } = (await this.#find(note.id)).statuses[0];
    await this.#ask('GET', `accounts/${bob}/statuses`);
    await this.#ask('GET', `statuses/${id}/context`);
    return id;
  }

  async #followEachOther(bob: string): Promise<void> {
    await this.#ask('POST', `accounts/${bob}/follow`);
    const [follow] = await this.#sent('Follow');
    await this.#send(this.#bob, this.#bob.activity('Accept', follow?.activity));
    for (const who of [this.#bob, this.#cat]) await this.#send(who, who.activity('Follow', this.#uri));
    await this.#sent('Accept Follow', 2);
  }

  /** Lets Bob's server claim other followers, so that the list is fetched (FEP-8fcf). */
  async #compareFollowers(): Promise<void> {
    const [inbox, url] = [`${this.server.url}/inbox`, `${this.peer.url}/synchronization/1`];
    const collectionId = this.#bob.document.followers;
    const header = synchronizationHeader({ collectionId, url, digest: followersDigest(['https://v.example/users/x']) });
    const { headers, body } = this.#bob.signed(inbox, this.#bob.activity('Like', `${this.#uri}/statuses/1`));
    await fetch(inbox, { method: 'POST', headers: { ...headers, 'collection-synchronization': header }, body });
    await seen('a fetch of the list', async () => this.peer.asked('/synchronization/1').length > 0);
  }

  /** Bob votes. */
  async #vote(inReplyTo: string): Promise<void> {
    await this.#sent('Create Question');
    const [attributedTo, to] = [this.#bob.uri, [this.#uri]];
    const vote = { id: this.peer.uri('votes'), type: 'Note', name: 'yes', attributedTo, inReplyTo, to };
    await this.#send(this.#bob, this.#bob.activity('Create', vote, { to }));
  }

  async #write(): Promise<void> {
    const { id } = await this.#ask('POST', 'statuses', { status: 'first words' });
    await this.#ask('POST', 'statuses', { status: 'for followers', visibility: 'private' });
    await this.#sent('Create Note', 2);
    await this.#ask('PUT', `statuses/${id}`, { status: 'better words' });
    for (const verb of ['pin', 'unpin']) await this.#ask('POST', `statuses/${id}/${verb}`);
    await this.#sent('Remove');
    await this.#ask('DELETE', `statuses/${id}`);
    const tag = await this.#ask('POST', 'featured_tags', { name: 'felt' });
    await this.#ask('DELETE', `featured_tags/${tag.id}`);
    await this.#ask('PATCH', 'accounts/update_credentials', { display_name: 'Ann of Felt' });
    for (const kind of ['Delete Tombstone', 'Remove Hashtag', 'Update Person']) await this.#sent(kind);
  }

  async #mark(note: string): Promise<void> {
    for (const verb of ['favourite', 'reblog', 'unfavourite', 'unreblog'])
      await this.#ask('POST', `statuses/${note}/${verb}`);
    const oneOf = ['a', 'b'].map((name) => ({ type: 'Note', name }));
    const question = this.#bob.note('which?', { type: 'Question', oneOf });
    demand(this.peer, new URL(question.id).pathname, this.scheme, question);
    const { poll } = (await this.#find(question.id)).statuses[0];
    await this.#ask('POST', `polls/${poll.id}/votes`, { choices: [0] });
    for (const kind of ['Undo Like', 'Undo Announce']) await this.#sent(kind);
  }

  /** Ann asks for a quote of Bob's; Bob asks for two, one of which is permitted and revoked. */
  async #quote(): Promise<void> {
    const interactionPolicy = { canQuote: { automaticApproval: [PUBLIC] } };
    const open = this.#bob.note('quote me', { interactionPolicy });
    demand(this.peer, new URL(open.id).pathname, this.scheme, open);
    const [{ id: theirs }] = (await this.#find(open.id)).statuses as [Answer];
    await this.#ask('POST', 'statuses', { status: 'indeed', quoted_status_id: theirs });
    await this.#sent('QuoteRequest Note');
    for (const quote_approval_policy of ['nobody', 'public']) {
      const { id, uri } = await this.#ask('POST', 'statuses', { status: 'mine', quote_approval_policy });
      const instrument = this.#bob.note('quoting', { quote: uri });
      await this.#send(this.#bob, this.#bob.activity('QuoteRequest', uri, { instrument }));
      if (quote_approval_policy === 'nobody') await this.#sent('Reject QuoteRequest');
      else await this.#revoke(id);
    }
  }

  async #revoke(id: string): Promise<void> {
    await this.#sent('Accept QuoteRequest');
    const [quoting] = (await this.#ask('GET', `statuses/${id}/quotes`)) as [Answer];
    await this.#ask('POST', `statuses/${id}/quotes/${quoting.id}/revoke`);
    await this.#sent('Delete QuoteAuthorization');
  }

  #report(bob: string, note: string): Promise<Answer> {
    const told = { account_id: bob, status_ids: [note], comment: 'spam', forward: true };
    return this.#ask('POST', 'reports', told);
  }

  async #block(): Promise<void> {
    const cat = await this.#id(this.#cat);
    await this.#ask('POST', `accounts/${cat}/block`);
    await this.#sent('Reject Follow');
    await this.#ask('POST', `accounts/${cat}/unblock`);
  }

  /** Lets Dee follow Bob, so that his server knows the account, and deletes it. */
  async #deleteAccount(bob: string): Promise<void> {
    const { dee, boss } = this.people;
    await this.#ask('POST', `accounts/${bob}/follow`, undefined, dee);
    const follows = await this.#sent('Follow', 2);
    await this.#send(this.#bob, this.#bob.activity('Accept', follows.at(-1)?.activity));
    await this.#ask('POST', `admin/accounts/${dee.id}/action`, { type: 'suspend' }, boss);
    await this.#ask('DELETE', `admin/accounts/${dee.id}`, undefined, boss);
  }
}

/** Makes a person whose documents are given only to requests that are signed by the scheme. */
function newActor(peer: Peer, name: string, scheme: Scheme, more: Document = {}): PeerActor {
  const list = (kind: string): string => {
    const id = `${peer.url}/${kind}/${name}`;
    demand(peer, new URL(id).pathname, scheme, { id, type: 'OrderedCollection', totalItems: 0, orderedItems: [] });
    return id;
  };
  const actor = peer.actor(name, { outbox: list('outbox'), featured: list('featured'), ...more });
  demand(peer, new URL(actor.uri).pathname, scheme, actor.document);
  demand(peer, new URL(actor.document.inbox).pathname, scheme);
  return actor;
}
