import { Choice, Csrf, Labelled, Tick } from '../parts/form.js';
import type { Reader } from '../site.js';

/** Files and answers that the form takes; Mastodon's limits. */
export const FILES = [1, 2, 3, 4] as const;
export const POLL_OPTIONS = [1, 2, 3, 4] as const;

/** Content of the form: what was typed before, or what a reply begins with. */
export interface Draft {
  readonly text: string;
  readonly warning: string;
  readonly visibility: string;
  readonly inReplyToId?: string | undefined;
  /** Message above the form. */
  readonly fault?: string | undefined;
}

/** The form of a new post or reply. */
export function Compose({ reader, draft }: { readonly reader: Reader; readonly draft: Draft }) {
  const { web, posts } = reader.texts;
  const visibilities = (['public', 'unlisted', 'private', 'direct'] as const).map(
    (one) => [one, posts.visibility[one]] as const,
  );
  const isReply = draft.inReplyToId !== undefined;
  return (
    <form class="card" method="post" action="/web/compose" encType="multipart/form-data">
      <Csrf reader={reader} />
      {isReply && <input type="hidden" name="in_reply_to_id" value={draft.inReplyToId} />}
      {draft.fault !== undefined && (
        <p class="fault" role="alert">
          {draft.fault}
        </p>
      )}
      <Labelled name="status" label={isReply ? web.answer : web.write}>
        <textarea id="status" name="status" maxLength={50_000}>
          {draft.text}
        </textarea>
      </Labelled>
      <Choice name="visibility" label={web.visibility} value={draft.visibility} options={visibilities} />
      <details open={draft.warning !== ''}>
        <summary>{web.more}</summary>
        <Labelled name="spoiler_text" label={web.warning} hint={web.warningHint}>
          <input
            id="spoiler_text"
            name="spoiler_text"
            maxLength={1_000}
            value={draft.warning}
            aria-describedby="spoiler_text-hint"
          />
        </Labelled>
        {FILES.map((number) => (
          <fieldset key={number}>
            <legend>{web.file(number)}</legend>
            <input type="file" name={`file${number}`} aria-label={web.file(number)} />
            <Labelled name={`description${number}`} label={web.description(number)}>
              <input id={`description${number}`} name={`description${number}`} maxLength={1_500} />
            </Labelled>
          </fieldset>
        ))}
        <PollFields reader={reader} />
      </details>
      <p class="actions">
        <button type="submit">{isReply ? web.reply : web.post}</button>
      </p>
    </form>
  );
}

function PollFields({ reader: { texts } }: { readonly reader: Reader }) {
  const { web } = texts;
  const times = [
    ['1800', web.minutes30],
    ['21600', web.hours6],
    ['86400', web.day],
    ['604800', web.days7],
  ] as const;
  return (
    <fieldset>
      {POLL_OPTIONS.map((number) => (
        <Labelled key={number} name={`option${number}`} label={web.pollOption(number)}>
          <input id={`option${number}`} name={`option${number}`} maxLength={200} />
        </Labelled>
      ))}
      <Choice name="expires_in" label={web.pollTime} value="86400" options={times} />
      <Tick name="multiple" label={web.multiple} value={false} />
    </fieldset>
  );
}
