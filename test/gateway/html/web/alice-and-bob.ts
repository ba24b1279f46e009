import type { Visitor } from '../../../kit/network/visitor.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { makeUser, signedIn } from '../../oauth/stage.js';

/** A server with two people: `alice` uses a browser, `bob` the API. */
interface AliceAndBob {
  readonly server: TestServer;
  readonly alice: Visitor;
  readonly aliceId: string;
  readonly bob: Person;
}

/** Starts the server; the caller stops it. */
export async function startAliceAndBob(): Promise<AliceAndBob> {
  const server = await TestServer.start();
  const aliceId = await makeUser(server, 'alice');
  const bob = await server.person('bob');
  return { server, aliceId, bob, alice: await signedIn(server, 'alice') };
}
