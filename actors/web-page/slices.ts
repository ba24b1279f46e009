import type { CommandsOf, EventsOf } from '../runtime/slice.js';
import { proof } from './proof.js';
import { webPage } from './web-page.js';

/** The slices of a web page: a new one is its file and its line here. */
export const webPageSlices = [webPage, proof] as const;

/** Everything one can ask of the actor of a web page. */
export type WebPageCommands = CommandsOf<typeof webPageSlices>;
/** Everything that its journal holds. */
export type WebPageEvents = EventsOf<typeof webPageSlices>;
