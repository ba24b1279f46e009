import { PUSH_PAYLOAD_BYTES_MAX, type PushOutcome, type PushSender } from '../../transport/push-sender.js';
import type { Clock, Random } from '../domain/time.js';
import type { Alert, Alerts, NoAlert } from '../push/alerts.js';
import type { DropReason, PushFigures } from '../push/figures.js';
import { payloadOf, topicOf } from '../push/payload.js';
import { type Commands, type Events, RETRY_ALARM, type State, type WaitingPush } from '../push/push.js';
import { PUSH_TRIED_MS_MAX, pushRule } from '../push/urgency.js';
import type { Effects, Happened, Reaction } from '../runtime/kind.js';

export interface PushContext {
  readonly alerts: Alerts;
  readonly sender: PushSender;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly figures: PushFigures;
}

/**
 * Shortest pause after the first failure, and the factor of each further one. Each pause is random up to PAUSE_SPREAD
 * times as long, so that the subscriptions of one push service do not return at the same moment. A shorter one
 * would add attempts during an outage and hardly deliver earlier.
 */
const PAUSE_FIRST_MS = 30_000;
const PAUSE_GROWTH = 3;
const PAUSE_SPREAD = 3;
/** Enough to reach PAUSE_MOST_MS. */
const GROWTHS_MAX = 4;
/**
 * The first pause after a push service, or the sender for it, has asked for time: then many subscriptions wait for the
 * same service. Ten thousand of them return at 28 a second, each for 1.5 CPU-ms.
 */
const PAUSE_ASKED_MS = 180_000;
/** With the spread an hour at most. Ten thousand subscriptions of a dead push service cost four attempts a second. */
const PAUSE_MOST_MS = 1_200_000;
/** Longest pause that a push service may ask for: nothing is tried for longer. */
const RETRY_AFTER_MS_MAX = PUSH_TRIED_MS_MAX;
/** Pushes of one attempt: the most that are sent again after a crash. */
const ATTEMPT_PUSHES_MAX = 10;
/** Characters of the body at the first attempt, and after the push service has called the push too large. */
const BODY_CHARS = [200, 60, 0];

type Later = Extract<PushOutcome, { kind: 'later' }>;

/** Result of one push: the answer of the push service, or the reason why it got none. */
type Result = PushOutcome | { readonly kind: NoAlert | 'expired' };

/**
 * Sends waiting pushes in order, after the reply. A push is settled by a journal entry after the push service has
 * answered, so a crash repeats at most the pushes of one attempt, under the same topics.
 */
export function pushReactions(context: PushContext): readonly Reaction<State, Events>[] {
  return [
    {
      surface: 'push service',
      beforeReply: false,
      on: {
        queued({ droppedId }, now, effects) {
          if (droppedId !== undefined) context.figures.dropped.overflow++;
          return attempt(context, now, effects);
        },
        reported({ pausedUntilMs }, now, effects) {
          const { self, state } = now;
          const [oldest] = state.waiting.values();
          context.figures.waits(self, oldest?.atMs, pausedUntilMs);
          if (pausedUntilMs === 0) return attempt(context, now, effects);
          return state.pausedUntilMs === pausedUntilMs ? effects.setAlarm(pausedUntilMs, RETRY_ALARM) : undefined;
        },
        resumed: (_event, now, effects) => attempt(context, now, effects),
      },
    },
  ];
}

/** Sends the oldest waiting pushes until one fails, and reports which of them are settled. */
async function attempt(context: PushContext, { self, seq, state }: Happened<State>, effects: Effects): Promise<void> {
  if (seq <= state.reportedSeq || state.pausedUntilMs > context.clock.nowMs()) return;
  const settled: string[] = [];
  let pauseMs: number | undefined;
  for (const [id, push] of [...state.waiting].slice(0, ATTEMPT_PUSHES_MAX)) {
    const result = await effects.outside(sent(context, { subscription: self, account: state.account, id }, push));
    count(context.figures, result);
    if (result.kind === 'later') {
      pauseMs = pauseOf(context, state, result);
      break;
    }
    if (result.kind === 'gone') await effects.tell('account', state.account, 'pushGone', { id: self });
    if (result.kind === 'gone' || result.kind === 'stopped') {
      settled.splice(0, settled.length, ...state.waiting.keys());
      break;
    }
    settled.push(id);
  }
  if (settled.length === 0 && pauseMs === undefined) return;
  const report: Commands['report']['in'] = { seq, settled, pauseMs };
  await effects.tell('push', self, 'report', report);
}

interface Named {
  readonly subscription: string;
  readonly account: string;
  /** Id of the notification. */
  readonly id: string;
}

/** Sends one push. @throws Unavailable when it cannot be decided what the push shows */
async function sent(context: PushContext, { subscription, account, id }: Named, push: WaitingPush): Promise<Result> {
  const { worthMs, urgency } = pushRule(push.kind);
  const ageMs = Math.max(0, context.clock.nowMs() - push.atMs);
  if (ageMs >= Math.min(worthMs, PUSH_TRIED_MS_MAX)) return { kind: 'expired' };
  const alert = await context.alerts.of(account, subscription, id, push);
  if (typeof alert === 'string') return { kind: alert };
  const { endpoint, p256dh, auth, standard } = alert.subscription;
  let outcome: PushOutcome = { kind: 'too-large' };
  for (const payload of payloads(alert, id, push.kind)) {
    outcome = await context.sender.send({
      ...{ endpoint, p256dh, auth, payload, urgency },
      encoding: standard ? 'aes128gcm' : 'aesgcm',
      ttlSeconds: Math.ceil((worthMs - ageMs) / 1_000),
      topic: topicOf(subscription, id),
    });
    if (outcome.kind !== 'too-large') break;
  }
  return outcome;
}

/** Returns the payload with bodies of decreasing length, without those that no push service takes. */
const payloads = (alert: Alert, id: string, kind: string): string[] =>
  BODY_CHARS.map((chars) => payloadOf(alert, id, kind, chars)).filter(
    (payload) => Buffer.byteLength(payload) <= PUSH_PAYLOAD_BYTES_MAX,
  );

/** A wish of the push service lengthens the pause, and never shortens it. */
function pauseOf({ random }: PushContext, { failures }: Readonly<State>, { afterMs }: Later): number {
  const firstMs = afterMs === undefined ? PAUSE_FIRST_MS : PAUSE_ASKED_MS;
  const leastMs = Math.min(PAUSE_MOST_MS, firstMs * PAUSE_GROWTH ** Math.min(failures, GROWTHS_MAX));
  const ownMs = leastMs * (1 + (PAUSE_SPREAD - 1) * random.fraction());
  return Math.min(RETRY_AFTER_MS_MAX, Math.max(ownMs, afterMs ?? 0));
}

function count(figures: PushFigures, result: Result): void {
  if (result.kind === 'sent') figures.sent++;
  else if (result.kind === 'later') figures.failed[result.reason]++;
  else {
    figures.dropped[result.kind satisfies DropReason]++;
    if (result.kind === 'gone' || result.kind === 'refused' || result.kind === 'too-large')
      figures.failed[result.kind]++;
  }
}
