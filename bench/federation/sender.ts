import type { PeerActor } from '../../test/kit/federation/peer.js';
import type { Call } from '../http-load.js';

/** Makes the requests of other servers to the shared inbox of a server. */
export class Sender {
  /** @param base address of the server */
  constructor(private readonly base: string) {}

  /** Returns the signed request with an activity of this type. */
  signed(actor: PeerActor, type: string, object: unknown): Call {
    return this.#call(actor.signed(`${this.base}/inbox`, actor.activity(type, object)));
  }

  /** Returns the request with the deletion of an actor that the server does not know. */
  deletion(index: number): Call {
    const actor = `https://gone${index}.example/users/x`;
    const body = JSON.stringify({ type: 'Delete', id: `${actor}#delete`, actor, object: actor, to: this.base });
    return this.#call({ headers: { 'content-type': 'application/activity+json' }, body });
  }

  #call(signed: NonNullable<Call['signed']>): Call {
    return { method: 'POST', path: '/inbox', signed, right: () => false };
  }
}

/** Reads the document of a local person. */
export const documentOf = (name: string): Call => ({
  method: 'GET',
  path: `/users/${name}`,
  right: ({ id }) => id.endsWith(name),
});
