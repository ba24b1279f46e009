import type { MediaAttachment } from '../../pages/status/media.js';
import { Choice, Csrf, Labelled, Tick } from '../parts/form.js';
import type { Reader } from '../site.js';

/** Files and answers that the form takes; Mastodon's limits. */
export const FILES = [1, 2, 3, 4] as const;
export const POLL_OPTIONS = [1, 2, 3, 4] as const;

/** A place of the form for a file. */
interface Slot {
  /** The upload that is there already. */
  readonly media: MediaAttachment | undefined;
  readonly description: string;
  readonly isRemoved: boolean;
}

/** Content of the form: what was typed before, or what a reply or an edit begins with. */
export interface Draft {
  readonly text: string;
  readonly warning: string;
  readonly visibility: string;
  readonly isSensitive: boolean;
  /** Code of the language; empty: the server recognises it. */
  readonly language: string;
  /** One for each file of FILES. */
  readonly slots: readonly Slot[];
  /** One for each answer of POLL_OPTIONS; empty texts are no answers. */
  readonly options: readonly string[];
  /** Seconds. */
  readonly expiresIn: string;
  readonly isMultiple: boolean;
  readonly inReplyToId?: string | undefined;
  /** Message above the form. */
  readonly fault?: string | undefined;
}

interface Props {
  readonly reader: Reader;
  readonly draft: Draft;
}

/** The form of a new post or reply. */
export function Compose({ reader, draft }: Props) {
  const { web } = reader.texts;
  const isReply = draft.inReplyToId !== undefined;
  return (
    <form class="card" method="post" action="/web/compose" encType="multipart/form-data">
      <Csrf reader={reader} />
      {isReply && <input type="hidden" name="in_reply_to_id" value={draft.inReplyToId} />}
      <Fault text={draft.fault} />
      <PostFields reader={reader} draft={draft} label={isReply ? web.answer : web.write} />
      <p class="actions">
        <button type="submit">{isReply ? web.reply : web.post}</button>
      </p>
    </form>
  );
}

/** The reason why a form was refused. */
export const Fault = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="fault" role="alert">
      {text}
    </p>
  );

/** Fields of a new post, or of an edit, which cannot change who sees the post. */
export function PostFields(props: Props & { readonly label: string; readonly isEdit?: boolean }) {
  const { reader, draft, label, isEdit = false } = props;
  const { web, posts } = reader.texts;
  const visibilities = (['public', 'unlisted', 'private', 'direct'] as const).map(
    (one) => [one, posts.visibility[one]] as const,
  );
  const isOpen = isEdit || draft.fault !== undefined || draft.warning !== '';
  return (
    <>
      <Labelled name="status" label={label}>
        <textarea id="status" name="status" maxLength={50_000}>
          {draft.text}
        </textarea>
      </Labelled>
      {!isEdit && <Choice name="visibility" label={web.visibility} value={draft.visibility} options={visibilities} />}
      <details open={isOpen}>
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
        <Labelled name="language" label={web.language} hint={web.languageHint}>
          <input
            id="language"
            name="language"
            maxLength={20}
            value={draft.language}
            autoCapitalize="none"
            spellcheck={false}
            aria-describedby="language-hint"
          />
        </Labelled>
        <Tick name="sensitive" label={web.sensitive} value={draft.isSensitive} />
        {FILES.map((number, index) => (
          <FileField key={number} number={number} slot={draft.slots[index]} reader={reader} />
        ))}
        <PollFields reader={reader} draft={draft} hint={isEdit ? web.pollEditHint : undefined} />
      </details>
    </>
  );
}

function FileField(props: { readonly number: number; readonly slot: Slot | undefined; readonly reader: Reader }) {
  const { number, slot, reader } = props;
  const { web } = reader.texts;
  const { media } = slot ?? {};
  return (
    <fieldset>
      <legend>{web.file(number)}</legend>
      {media !== undefined && (
        <Kept media={media} number={number} isRemoved={slot?.isRemoved === true} reader={reader} />
      )}
      <input type="file" name={`file${number}`} aria-label={web.file(number)} />
      <Labelled name={`description${number}`} label={web.description(number)}>
        <input id={`description${number}`} name={`description${number}`} maxLength={1_500} value={slot?.description} />
      </Labelled>
    </fieldset>
  );
}

/** An upload that the form has kept; another file replaces it. */
function Kept(props: {
  readonly media: MediaAttachment;
  readonly number: number;
  readonly isRemoved: boolean;
  readonly reader: Reader;
}) {
  const { media, number, isRemoved, reader } = props;
  return (
    <>
      <input type="hidden" name={`media${number}`} value={media.id} />
      <span class="picture">
        {media.preview_url === null ? (
          reader.texts.posts.file
        ) : (
          <img src={media.preview_url} alt={reader.texts.posts.file} width="64" height="64" />
        )}
        <label class="check">
          <input type="checkbox" name={`remove${number}`} value="true" checked={isRemoved} />
          <span>{reader.texts.web.removeFile(number)}</span>
        </label>
      </span>
    </>
  );
}

function PollFields({ reader, draft, hint }: Props & { readonly hint: string | undefined }) {
  const { web } = reader.texts;
  const times = [
    ['1800', web.minutes30],
    ['21600', web.hours6],
    ['86400', web.day],
    ['604800', web.days7],
  ] as const;
  return (
    <fieldset>
      <legend>{web.poll}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {POLL_OPTIONS.map((number, index) => (
        <Labelled key={number} name={`option${number}`} label={web.pollOption(number)}>
          <input id={`option${number}`} name={`option${number}`} maxLength={200} value={draft.options[index]} />
        </Labelled>
      ))}
      <Choice name="expires_in" label={web.pollTime} value={draft.expiresIn} options={times} />
      <Tick name="multiple" label={web.multiple} value={draft.isMultiple} />
    </fieldset>
  );
}
