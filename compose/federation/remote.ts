import { Notes } from '../../actors/federation/remote/notes.js';
import { People, type PeopleContext } from '../../actors/federation/remote/people.js';
import type { RemoteNotes, RemotePeople, RemoteThreads } from '../../actors/federation/remote/port.js';
import { Threads } from '../../actors/federation/remote/threads.js';
import { receiverOf } from '../../actors/runtime/kind.js';
import type { Runtime } from '../../actors/runtime/runtime.js';
import type { FederationClient } from '../../transport/federation/port.js';
import type { Kinds } from '../actors.js';
import type { NodeBase } from '../base.js';

/** Opens what finds and stores accounts and statuses of other servers. */
export function openRemote(
  { settings, tables, clock, caches }: NodeBase,
  { account, limits }: Kinds,
  runtime: Runtime,
  names: Pick<PeopleContext, 'registry' | 'newAccountId'>,
  client: FederationClient,
): { readonly people: RemotePeople; readonly notes: RemoteNotes; readonly threads: RemoteThreads } {
  const { BASE_URL: baseUrl, DOMAIN: domain } = settings;
  // Only what activities may ask for.
  const askAccount = receiverOf(account, runtime);
  const policies = limits.domains;
  const shared = { tables, clock, caches, client, baseUrl, askAccount, registry: names.registry };
  const people = new People({ ...shared, ...names, domain, policies });
  const notes = new Notes({ ...shared, people });
  return { people, notes, threads: new Threads({ tables, clock, caches, client, notes }) };
}
