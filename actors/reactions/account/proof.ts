import { unverifiedLinks } from '../../account/profile.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { accountUrl } from '../../domain/addresses.js';
import { verifiableLink } from '../../domain/text/verifiable-link.js';
import type { Reaction } from '../../runtime/kind.js';
import { type Events, PROOF_ALARM, type State } from '../../web-page/proof.js';
import { linkId } from '../../web-page/web-page.js';
import type { WebPageContext } from '../web-page.js';
import { tellAccount } from './tells.js';

/** Starts the verification of the links in a profile, after the reply. Each page has an actor of its own. */
export function profileProofs(baseUrl: string): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'proofs',
    beforeReply: false,
    on: {
      async profileUpdated({ profile }, { self, state }, effects) {
        if (profile === undefined || state.owner === undefined) return;
        const back = accountUrl(baseUrl, state.owner);
        for (const url of unverifiedLinks(profile))
          await effects.tell('link', linkId(`${back} ${url}`), 'wantProof', { url, back, by: self });
      },
    },
  };
}

/** Fetches one page after the reply, and again later if it does not link back. */
export function proofReaction({ pages }: WebPageContext): Reaction<State, Events> {
  return {
    surface: 'proofs',
    beforeReply: false,
    on: {
      async proofWanted({ url, back }, { self }, effects) {
        const address = verifiableLink(url);
        const proven = address !== undefined && (await effects.outside(pages.linksBack(address, back)));
        await effects.tell('link', self, 'finishProof', { proven });
      },
      async proofFinished({ proven, againAtMs }, { state }, effects) {
        if (againAtMs > 0) await effects.setAlarm(againAtMs, PROOF_ALARM);
        if (proven && state.proof !== undefined)
          await tellAccount(effects, state.proof.by, 'verifyLink', { value: state.proof.url });
      },
    },
  };
}
