import type { State as ProofState } from './proof.js';
import type { State as PageState } from './web-page.js';

/** State of an actor that is a page, or a page and a profile. */
export interface LinkState extends PageState, ProofState {}
