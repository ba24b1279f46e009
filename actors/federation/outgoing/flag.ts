/** A report that is forwarded to the server of the reported account. */
interface Forwarded {
  /** Address of the instance's actor, which hides the reporter. */
  readonly actor: string;
  readonly reportId: string;
  readonly comment: string;
  /** Address of the reported account, and of its reported statuses. */
  readonly account: string;
  readonly statuses: readonly string[];
}

/** Renders a report in the name of the instance. Source: ActivityStreams Vocabulary, Flag; Mastodon FlagSerializer. */
export const flagActivity = ({ actor, reportId, comment, account, statuses }: Forwarded) => ({
  id: `${actor}#reports/${reportId}`,
  type: 'Flag',
  actor,
  content: comment,
  object: [account, ...statuses],
});
