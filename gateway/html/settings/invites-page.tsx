import type { Answer } from '../../http/route.js';
import { Hidden } from '../auth/notice-page.js';
import { Choice, Csrf } from '../parts/form.js';
import type { Reader, Site } from '../site.js';
import { settingsAnswer } from './frame.js';

/** An invitation as its owner sees it. */
export interface ShownInvite {
  readonly nonce: string;
  /** Address that people pass on. */
  readonly url: string;
  readonly uses: number;
  /** 0: any number. */
  readonly maxUses: number;
  /** 0: never. */
  readonly expiresAtMs: number;
}

/** Limits of uses to choose from; 0: any number. */
export const USES = [1, 5, 10, 25, 50, 100, 0] as const;
/** Lifetimes to choose from, in milliseconds; 0: for ever. */
export const LIFETIMES = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
  never: 0,
} as const;
export type Lifetime = keyof typeof LIFETIMES;

/** Renders a person's invitations, newest first, and the form of a new one. */
export function invitesPage(
  site: Site,
  reader: Reader,
  {
    invites,
    nowMs,
    isSaved,
    fault,
  }: {
    readonly invites: readonly ShownInvite[];
    readonly nowMs: number;
    readonly isSaved: boolean;
    readonly fault?: string;
  },
): Answer {
  const { invites: texts } = reader.texts.settings;
  const body = (
    <>
      <p>{texts.intro}</p>
      {fault !== undefined && (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <form method="post" action="/settings/invites">
        <Csrf reader={reader} />
        <Choice
          name="max_uses"
          label={texts.maxUses}
          value="1"
          options={USES.map((count) => [String(count), texts.uses(count)] as const)}
        />
        <Choice
          name="lifetime"
          label={texts.expires}
          value="week"
          options={(Object.keys(LIFETIMES) as Lifetime[]).map((one) => [one, texts.expiresIn[one]] as const)}
        />
        <button type="submit">{texts.create}</button>
      </form>
      {invites.length === 0 ? (
        <p class="soft">{texts.none}</p>
      ) : (
        <List reader={reader} invites={invites} nowMs={nowMs} />
      )}
    </>
  );
  const view = { title: texts.title, path: '/settings/invites', isSaved, isWrong: fault !== undefined };
  return settingsAnswer(site, reader, view, body);
}

function List({
  reader,
  invites,
  nowMs,
}: {
  readonly reader: Reader;
  readonly invites: readonly ShownInvite[];
  readonly nowMs: number;
}) {
  const { invites: texts } = reader.texts.settings;
  const day = new Intl.DateTimeFormat(reader.language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return (
    <ul>
      {invites.map(({ nonce, url, uses, maxUses, expiresAtMs }) => (
        <li key={nonce}>
          <p>
            {texts.link}: <code class="out">{url}</code>
          </p>
          <p class="soft">
            {texts.used(uses, maxUses)}
            {expiresAtMs > 0 &&
              ` · ${expiresAtMs <= nowMs ? texts.expired : `${texts.until} ${day.format(expiresAtMs)} UTC`}`}
          </p>
          <form method="post" action="/settings/invites/revoke">
            <Csrf reader={reader} />
            <Hidden fields={{ nonce }} />
            <button type="submit" class="plain">
              {texts.revoke}
            </button>
          </form>
        </li>
      ))}
    </ul>
  );
}
