import { isProblem, type Problem, Unavailable } from '../../actors/domain/problem.js';
import { catalogueFor } from '../../actors/domain/text/catalogue/catalogue.js';
import type { Alert, AlertedPush, Alerts, NoAlert } from '../../actors/push/alerts.js';
import type { AccountPushSubscription } from '../../proto/gen/types.js';
import { tokenHash } from '../http/authenticator.js';
import type { Services } from '../http/services.js';
import { MISSING_AVATAR_PATH, renderAccount } from '../pages/account/account.js';
import { renderRelationships } from '../pages/account/relationship.js';
import { storedNotification } from '../paging/notification-cursor.js';
import { isOfDuty } from '../viewing/judge-accounts.js';
import type { ReadServices } from '../viewing/read-services.js';
import { alertBody, alertTitle } from './alert-text.js';
import { doubtMissing, statusStored } from './late-rows.js';
import { type SeenNotification, seenNotifications } from './seen-notifications.js';

/** The services of the gateway that decide what a push shows. */
export type AlertServices = ReadServices & Pick<Services, 'keyedTokens'>;

/** Decides by the rules of the list of notifications, at each attempt anew. */
export class NotificationAlerts implements Alerts {
  constructor(private readonly services: AlertServices) {}

  async of(account: string, subscription: string, id: string, { kind, atMs }: AlertedPush): Promise<Alert | NoAlert> {
    const { services } = this;
    const target = await services.askAccount(account, 'pushTarget', { id: subscription, notificationId: id });
    if (isProblem(target)) return stopped(target);
    const { subscription: to, locale, current } = target;
    if (to === undefined) return 'stopped';
    if (kind === 'test') return testAlert(services, account, to, locale);
    if (!current || !to.alerts.includes(kind)) return 'hidden';
    const record = await storedNotification(services, account, id);
    if (record === undefined) {
      doubtMissing(services.clock, atMs);
      return 'hidden';
    }
    if (record.filtered === true) return 'hidden';
    await statusStored(services, record.statusId, atMs);
    const [seen] = await seenNotifications(services, account, [{ id, record }]);
    if (seen === undefined || !(await isAccepted(services, account, seen, to.policy))) return 'hidden';
    return alertOf(services, account, to, locale, seen);
  }
}

function stopped(refusal: Problem): NoAlert {
  if (refusal.problem === 'unavailable') throw new Unavailable(refusal.detail);
  return 'stopped';
}

/**
 * Returns true if the subscription's policy accepts the sender, and the conversation is not muted. The policy does not
 * apply to notifications that nobody else caused, or that the owner gets as a moderator.
 */
async function isAccepted(
  services: ReadServices,
  viewer: string,
  { record, status }: SeenNotification,
  policy: string,
): Promise<boolean> {
  const { lens } = await services.lenses.of(viewer);
  if (status !== undefined && lens.mutesConversation(status.record.conversationId)) return false;
  if (policy === 'all' || record.from === viewer || isOfDuty(record)) return true;
  if (policy === 'followed') return lens.follows(record.from);
  if (policy !== 'follower') return false;
  const [relationship] = await renderRelationships(services, viewer, [record.from]);
  return relationship?.followed_by === true;
}

function alertOf(
  services: AlertServices,
  viewer: string,
  subscription: AccountPushSubscription,
  locale: string,
  seen: SeenNotification,
): Alert {
  const texts = catalogueFor(locale);
  return {
    subscription,
    accessToken: accessTokenOf(services, viewer, subscription),
    locale: texts.language,
    icon: renderAccount(services.instance, seen.account).avatar_static,
    title: alertTitle(texts, seen, viewer),
    body: alertBody(texts, seen),
  };
}

function testAlert(
  services: AlertServices,
  viewer: string,
  subscription: AccountPushSubscription,
  locale: string,
): Alert {
  const { push, language } = catalogueFor(locale);
  return {
    subscription,
    accessToken: accessTokenOf(services, viewer, subscription),
    locale: language,
    icon: `${services.instance.baseUrl}${MISSING_AVATAR_PATH}`,
    title: push.test.title,
    body: push.test.text(services.instance.domain),
  };
}

/** Returns the token of the subscription; empty after the key of tokens has changed. */
function accessTokenOf(
  { keyedTokens }: Pick<Services, 'keyedTokens'>,
  account: string,
  { tokenNonce, tokenHash: hash }: AccountPushSubscription,
): string {
  if (tokenNonce === undefined) return '';
  const token = keyedTokens.make('access', { account, nonce: tokenNonce });
  return tokenHash(token) === hash ? token : '';
}
