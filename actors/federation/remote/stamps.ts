import type { FederationClient } from '../../../transport/federation/port.js';
import type { StampDocument } from '../documents/stamp.js';
import { isStampOf, mayStamp } from '../reading/stamp.js';
import { missingOf } from './web-finger.js';

/** `rejected`: the stamp is forged or deleted. `later`: it cannot be fetched now. */
export type StampProof = 'accepted' | 'rejected' | 'later';
type StampType = StampDocument['type'];

const none = (): Record<StampProof, number> => ({ accepted: 0, rejected: 0, later: 0 });

/** Verifies the stamps of other servers, and counts the results since the node started. */
export class Stamps {
  readonly figures: Record<StampType, Record<StampProof, number>> = {
    QuoteAuthorization: none(),
    FeatureAuthorization: none(),
  };

  constructor(private readonly client: Pick<FederationClient, 'object'>) {}

  /** Fetches a stamp and compares it with the expected one. One on another origin than its author's is not fetched. */
  async prove(stamped: StampDocument): Promise<StampProof> {
    if (!this.mayBe(stamped)) return 'rejected';
    const proof = await this.#fetched(stamped);
    this.figures[stamped.type][proof] += 1;
    return proof;
  }

  /** Returns true if a stamp lies on its author's origin; another one is counted as rejected. */
  mayBe(stamped: Pick<StampDocument, 'id' | 'type' | 'attributedTo'>): boolean {
    const isPossible = mayStamp(stamped);
    if (!isPossible) this.figures[stamped.type].rejected += 1;
    return isPossible;
  }

  /** Counts a stamp that was judged without a fetch, and returns the result. */
  judged(type: StampType, isValid: boolean): boolean {
    this.figures[type][isValid ? 'accepted' : 'rejected'] += 1;
    return isValid;
  }

  async #fetched(stamped: StampDocument): Promise<StampProof> {
    const outcome = await this.client.object(stamped.id);
    if (outcome.kind !== 'object') return missingOf(outcome).missing === 'later' ? 'later' : 'rejected';
    return isStampOf(outcome.value, outcome.url, stamped) ? 'accepted' : 'rejected';
  }
}
