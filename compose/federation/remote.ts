import { localAccountAt } from '../../actors/federation/incoming/local.js';
import { FeaturedCollections } from '../../actors/federation/remote/featured-collections.js';
import { Notes } from '../../actors/federation/remote/notes.js';
import { People, type PeopleContext } from '../../actors/federation/remote/people.js';
import type {
  RemoteCollections,
  RemoteNotes,
  RemotePeople,
  RemoteProfiles,
  RemoteThreads,
} from '../../actors/federation/remote/port.js';
import { Profiles } from '../../actors/federation/remote/profiles.js';
import { Threads } from '../../actors/federation/remote/threads.js';
import { receiverOf } from '../../actors/runtime/kind.js';
import type { Runtime } from '../../actors/runtime/runtime.js';
import type { Kinds } from '../actors.js';
import type { NodeBase } from '../base.js';
import type { Federation } from '../federation.js';
import { localAccountNamed } from './local-account.js';

/** Accounts, statuses, threads and profiles of other servers. */
interface Remote {
  readonly people: RemotePeople;
  readonly notes: RemoteNotes;
  readonly collections: RemoteCollections;
  readonly threads: RemoteThreads;
  readonly profiles: RemoteProfiles;
}

/** Opens what finds and stores accounts and statuses of other servers. */
export function openRemote(
  { settings, tables, clock, caches }: NodeBase,
  { account, conversation, limits }: Kinds,
  runtime: Runtime,
  names: Pick<PeopleContext, 'registry' | 'newAccountId'>,
  { client, stamps }: Pick<Federation, 'client' | 'stamps'>,
): Remote {
  const { BASE_URL: baseUrl, DOMAIN: domain } = settings;
  // Only what activities may ask for.
  const askAccount = receiverOf(account, runtime);
  const policies = limits.domains;
  const shared = { tables, clock, caches, client, baseUrl, askAccount, registry: names.registry };
  const people = new People({ ...shared, ...names, domain, policies });
  const notes = new Notes({ ...shared, stamps, people, askConversation: receiverOf(conversation, runtime) });
  const around = { clock, caches, client, notes };
  const localAccount = (uri: string) =>
    localAccountAt(uri, { baseUrl, localAccount: (name) => localAccountNamed({ ...names, tables }, name) });
  const collections = new FeaturedCollections({ ...shared, stamps, people, localAccountAt: localAccount });
  return {
    people,
    notes,
    collections,
    threads: new Threads({ ...around, tables }),
    profiles: new Profiles({
      ...{ ...around, people, collections, askAccount },
      localAccountAt: localAccount,
    }),
  };
}
