import type { ComponentChildren } from 'preact';
import { Choice, Csrf, Labelled, Tick } from '../parts/form.js';
import type { Staff } from './frame.js';

/** Actions about an account, in the order of their weight. The API's types, with those about single posts. */
const OF_POSTS = ['mark_statuses_as_sensitive', 'delete_statuses'] as const;
const OF_ACCOUNTS = ['none', 'sensitive', 'silence', 'disable', 'suspend'] as const;
export const ACTIONS = [...OF_ACCOUNTS, ...OF_POSTS];

/** The form as it was sent. */
export interface TypedAction {
  readonly type: string;
  readonly text: string;
  readonly isMailed: boolean;
  readonly statusIds: readonly string[];
}

export const NO_ACTION: TypedAction = { type: 'none', text: '', isMailed: true, statusIds: [] };

/** Form of a decision about an account. `children`: its posts, if it is about some. */
export function DecisionForm(props: {
  readonly reader: Staff;
  readonly path: string;
  readonly typed: TypedAction;
  readonly isLocal: boolean;
  readonly fault?: string | undefined;
  readonly children?: ComponentChildren;
}) {
  const { reader, path, typed, isLocal, fault, children } = props;
  const texts = reader.texts.moderation;
  const types = ACTIONS.filter(
    (type) =>
      (isLocal || type !== 'disable') && (children !== undefined || !(OF_POSTS as readonly string[]).includes(type)),
  );
  return (
    <form class="card" method="post" action={path}>
      <Csrf reader={reader} />
      {children}
      <Choice
        name="type"
        label={texts.decision}
        hint={children === undefined ? texts.decisionHintAlone : texts.decisionHint}
        wrong={fault}
        value={typed.type}
        options={types.map((type) => [type, texts.actions[type]] as const)}
      />
      {isLocal && (
        <>
          <Labelled name="text" label={texts.message} hint={texts.messageHint}>
            <textarea id="text" name="text" aria-describedby="text-hint">
              {typed.text}
            </textarea>
          </Labelled>
          <Tick name="send_email_notification" label={texts.sendMail} value={typed.isMailed} />
        </>
      )}
      <p class="actions">
        <button type="submit" class="danger">
          {texts.decide}
        </button>
      </p>
    </form>
  );
}
