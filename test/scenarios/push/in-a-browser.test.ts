import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { PushReceiver } from '../../kit/network/push-receiver.js';
import { launchWholeChromium } from '../../kit/services/chromium.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { makePeople, type Person } from '../cluster/people.js';

/** Timeout of a step, on a busy machine. */
const STEP_MS_MAX = 120_000;

/** The service worker of a web client: shows each alert. */
const WORKER = `self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('push', (event) => {
  const { title, body, icon, preferred_locale: lang, notification_id: id, notification_type: type } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, icon, lang, tag: String(id), data: { type } }));
});`;
const PAGE = `<!doctype html><title>a web client</title><script>
window.registered = navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready);
</script>`;

let server: ServerProcess;
let receiver: PushReceiver;
let client: Server;
let clientUrl: string;
let browser: Browser;
let ada: Person;
let ben: Person;

before(async () => {
  server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  [ada, ben] = (await makePeople(server.dataDir, ['ada', 'ben'])) as [Person, Person];
  receiver = await PushReceiver.open();
  client = createServer((request, response) => {
    const isWorker = request.url === '/worker.js';
    response.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html').end(isWorker ? WORKER : PAGE);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => client.once('listening', resolve));
  clientUrl = `http://127.0.0.1:${(client.address() as AddressInfo).port}`;
  browser = await launchWholeChromium(STEP_MS_MAX);
});
after(async () => {
  await browser?.close();
  client?.close();
  await receiver?.close();
  await server?.dispose();
});

async function post(person: Person, path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 200, await answer.clone().text());
  return answer.json();
}

/** Interval after which a message without an alert is delivered again. */
const REDELIVERY_MS = 10_000;

/**
 * Returns the delivery of a decrypted message to the page's service worker, as the browser does when its push service
 * delivers one.
 */
async function deliveryTo(page: Page): Promise<(data: string) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page);
  const found = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL.startsWith(clientUrl) && !isDeleted);
      if (own !== undefined) resolve(own.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const registrationId = await found;
  return (data) => session.send('ServiceWorker.deliverPushMessage', { origin: clientUrl, registrationId, data });
}

interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly lang: string;
  readonly type: string;
}

// The browser's own push service needs the Internet: the receiver stands for it, and the browser shows its messages.
test('a service worker shows the alert of a mention, in the words that the server wrote', async () => {
  const context = await browser.newContext();
  await context.grantPermissions(['notifications'], { origin: clientUrl });
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_MS_MAX);
  await page.goto(clientUrl);
  await page.evaluate('window.registered.then(() => true)');
  const subscription = receiver.subscription();
  await post(ada, '/api/v1/push/subscription', { subscription, data: { alerts: { mention: true }, policy: 'all' } });
  await post(ben, '/api/v1/statuses', { status: '@ada <b>look</b> & a murmuration 🐦', visibility: 'public' });
  const [message] = await receiver.arrived(subscription.endpoint, 1, STEP_MS_MAX);
  assert.deepEqual(receiver.complaints, []);
  const deliver = await deliveryTo(page);
  const read =
    'navigator.serviceWorker.ready.then((ready) => ready.getNotifications())' +
    '.then((all) => all.map(({ title, body, tag, lang, data }) => ({ title, body, tag, lang, type: data.type })))';
  let deliveredMs = Number.NEGATIVE_INFINITY;
  const [shown] = await until(
    'a notification of the page',
    async () => {
      // A busy browser drops a message whose worker does not start in time. The tag keeps repeats to one alert.
      if (performance.now() - deliveredMs > REDELIVERY_MS) {
        await deliver(message?.text ?? '');
        deliveredMs = performance.now();
      }
      const all = (await page.evaluate(read)) as Shown[];
      return all.length > 0 && all;
    },
    STEP_MS_MAX,
  );
  const alert = JSON.parse(message?.text ?? '{}');
  assert.deepEqual([shown?.title, shown?.body], [alert.title, alert.body]);
  assert.deepEqual([shown?.tag, shown?.type], [String(alert.notification_id), 'mention']);
  assert.match(shown?.title ?? '', /ben/);
  assert.match(shown?.body ?? '', /<b>look<\/b> & a murmuration 🐦/);
});
