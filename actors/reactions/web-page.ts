import type { LinkCard, LinkWanting, StoreStatusRecord } from '../../proto/gen/types.js';
import { put, type ReadTables } from '../../store/port.js';
import { linkHolders } from '../../store/tables.js';
import type { ConversationCommands, ConversationEvents } from '../conversation/slices.js';
import type { ConversationState } from '../conversation/state.js';
import { cardLink } from '../domain/text/card-link.js';
import type { Effects, Happened, Reaction } from '../runtime/kind.js';
import { type Commands, type Events, HOLDERS_PER_PART, linkId, type State } from '../web-page/web-page.js';
import type { MediaFiles } from './media.js';

/** The dependencies of a page's effects; the adapter is in transport/web. */
export interface WebPageContext {
  /** Rows of statuses that show a card, if they are many. */
  readonly tables: Pick<ReadTables, 'range'>;
  /** Storage of the cards' images. */
  readonly media: Pick<MediaFiles, 'remove'>;
  readonly pages: {
    /**
     * Returns the card; undefined when the page has none or is unavailable. Never rejects because of the remote server.
     */
    card(url: string): Promise<LinkCard | undefined>;
    /** Returns true if the page has a rel="me" link to `back`. Never rejects because of the remote server. */
    linksBack(url: string, back: string): Promise<boolean>;
  };
}

const tellOf = (effects: Effects, by: LinkWanting, card: LinkCard | undefined) => {
  const input: ConversationCommands['setCard']['in'] = { statusId: by.statusId, card };
  return card === undefined ? undefined : effects.tell('conversation', by.conversationId, 'setCard', input);
};

/** Fetches a page after the reply, and sends its card to the statuses that want it. */
export function linkReactions({ pages, media, tables }: WebPageContext): readonly Reaction<State, Events>[] {
  /** Continues with the statuses in rows, some at a time. A journal entry records them before, as in `accountPurge`. */
  const goOn = async (
    part: number,
    replaced: string | undefined,
    { self, state }: Happened<State>,
    effects: Effects,
  ): Promise<void> => {
    if (part * HOLDERS_PER_PART < state.rows) {
      const rows = await tables.range(linkHolders, { link: self, part }, { limit: HOLDERS_PER_PART });
      const holders = rows.map(({ key, value }) => ({ statusId: key.status, conversationId: value.conversationId }));
      const input: Commands['tellHolders']['in'] = { part, holders, replaced };
      await effects.tell('link', self, 'tellHolders', input);
    } else if (replaced !== undefined && !state.crowded) await media.remove(replaced);
  };
  return [
    {
      surface: 'cards',
      beforeReply: false,
      on: {
        async cardWanted({ url, by, fetch, row }, { self, state }, effects) {
          if (row !== undefined && by !== undefined) {
            const key = { link: self, part: Math.floor(row / HOLDERS_PER_PART), status: by.statusId };
            await effects.write([put(linkHolders, key, { conversationId: by.conversationId })]);
          }
          if (fetch) await effects.tell('link', self, 'finishCard', { card: await effects.outside(pages.card(url)) });
          else if (state.fetchingSinceMs === 0 && by !== undefined) await tellOf(effects, by, state.card);
        },
        async cardFinished({ card, waiting, replaced, kept }, now, effects) {
          for (const by of waiting) await tellOf(effects, by, card);
          if (kept === true) {
            if (replaced !== undefined) await media.remove(replaced);
          } else if (card !== undefined) await goOn(0, replaced, now, effects);
        },
        async holdersTold({ part, holders, replaced }, now, effects) {
          for (const by of holders) await tellOf(effects, by, now.state.card);
          await goOn(part + 1, replaced, now, effects);
        },
      },
    },
  ];
}

/** Requests cards for the links of public statuses, after the reply. */
export const conversationLinks: Reaction<ConversationState, ConversationEvents> = {
  surface: 'links',
  beforeReply: false,
  on: {
    added: ({ status }, { self, state }, effects) => want(effects, self, state.statuses.get(status?.id ?? '')?.record),
    edited: ({ statusId }, { self, state }, effects) => want(effects, self, state.statuses.get(statusId)?.record),
  },
};

async function want(effects: Effects, self: string, record: StoreStatusRecord | undefined): Promise<void> {
  const url = record && cardLink(record);
  if (record === undefined || url === undefined || record.card !== undefined) return;
  await effects.tell('link', linkId(url), 'wantCard', { url, by: { statusId: record.id, conversationId: self } });
}
