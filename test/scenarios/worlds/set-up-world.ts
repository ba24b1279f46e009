import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../kit/time/until.js';
import { call, type Person } from '../cluster/people.js';

/** The people of the world. */
export interface Tenants {
  readonly url: string;
  readonly viewer: Person;
  readonly other: Person;
  readonly third: Person;
  /** Muted by the viewer. */
  readonly shunned: Person;
  /** Owns the instance. */
  readonly chief: Person;
}

/** The smallest possible picture. */
export const DOT = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=', 'base64');
const ARRIVAL_MS_MAX = 60_000;
type Made = { readonly id: string };

/** Adds a custom emoji as an operator. */
export async function addOwl(folder: string, run: (...args: string[]) => Promise<unknown>): Promise<void> {
  const path = join(folder, 'owl.gif');
  await writeFile(path, DOT);
  await run('emoji', 'add', 'owl', path);
}

/** Uploads the picture. */
export async function uploadDot(url: string, { token }: Person): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([DOT], { type: 'image/gif' }), 'dot.gif');
  form.append('description', 'a dot');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/api/v2/media`, { method: 'POST', headers, body: form });
  if (answer.status !== 200) throw new Error(`upload: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as Made).id;
}

/** Fills every list of the people with entries that the requests of single routes do not change. */
export async function furnish({ url, viewer, other, third, shunned, chief }: Tenants): Promise<void> {
  const as = (who: Person) => (method: string, path: string, body?: object) => call(url, who, method, path, body);
  const [ada, ben, cleo, boss] = [as(viewer), as(other), as(third), as(chief)] as const;
  const post = async (by: typeof ada, body: object) => ((await by('POST', '/api/v1/statuses', body)) as Made).id;
  const fields = { fields_attributes: { 0: { name: 'Nest', value: 'https://nest.example/' } } };
  for (const [by, display_name] of [
    [ada, 'Ada :owl:'],
    [ben, 'Ben of the birds :owl:'],
    [as(shunned), 'Eve :owl:'],
  ] as const)
    await by('PATCH', '/api/v1/accounts/update_credentials', { ...fields, display_name });
  await ada('POST', `/api/v1/accounts/${third.id}/follow`);

  const media_ids = [await uploadDot(url, other)];
  const kept = await post(ben, { status: 'to keep', media_ids });
  for (const verb of ['favourite', 'bookmark']) await ada('POST', `/api/v1/statuses/${kept}/${verb}`);
  await ben('PUT', `/api/v1/statuses/${kept}`, { status: 'to keep #owls :owl:', media_ids });
  await ben('POST', `/api/v1/statuses/${kept}/pin`);
  const answer = await post(cleo, { status: '@ada @ben kept', in_reply_to_id: kept });
  const said = await post(ada, { status: '@cleo by both #birds #rails', in_reply_to_id: answer });
  for (const by of [ben, cleo]) await by('POST', `/api/v1/statuses/${said}/favourite`);
  // An account that the viewer could follow.
  await boss('PATCH', '/api/v1/accounts/update_credentials', { discoverable: true });
  await post(boss, { status: 'hello' });
  await post(ben, { status: 'owls?', poll: { options: ['yes :owl:', 'no'], expires_in: 86_400 } });
  const later = { status: 'later', scheduled_at: new Date(Date.now() + 86_400_000).toISOString() };
  await post(ada, { ...later, media_ids: [await uploadDot(url, viewer)] });

  await ben('POST', `/api/v1/accounts/${third.id}/endorse`);
  for (const by of [ben, ada]) await by('POST', '/api/v1/featured_tags', { name: 'bees' });
  const { id: owner } = (await boss('GET', '/api/v1/accounts/verify_credentials')) as Made;
  const collection = { name: 'Birds', tag_name: 'owls', account_ids: [other.id, owner] };
  const { collection: birds } = (await ben('POST', '/api/v1/collections', collection)) as { collection: Made };
  await ben('PATCH', `/api/v1/collections/${birds.id}`, { description: 'All of them' });
  await post(ben, { status: `${url}/collections/${birds.id}` });
  const filter = { title: 'kept', context: ['account'], keywords_attributes: [{ keyword: 'neversaid' }] };
  const { id } = (await ada('POST', '/api/v2/filters', filter)) as Made;
  await ada('POST', `/api/v2/filters/${id}/statuses`, { status_id: kept });
  await ada('POST', '/api/v1/markers', { home: { last_read_id: kept }, notifications: { last_read_id: '1' } });
  const [rule] = (await ada('GET', '/api/v1/instance/rules')) as Made[];
  await ada('POST', '/api/v1/reports', { account_id: other.id, rule_ids: [rule?.id], category: 'violation' });
  const [announcement] = (await ada('GET', '/api/v1/announcements')) as Made[];
  await ada('PUT', `/api/v1/announcements/${announcement?.id}/reactions/%F0%9F%A6%89`);
  await boss('POST', `/api/v1/admin/accounts/${viewer.id}/action`, { type: 'none', text: 'Mind the owls' });
  await boss('POST', '/api/v1/admin/canonical_email_blocks', { email: 'a@example.org' });
  for (const [by, type] of [
    [ada, 'moderation_warning'],
    [boss, 'admin.report'],
    [boss, 'collection_update'],
  ] as const) {
    const told = async () => ((await by('GET', `/api/v1/notifications?types[]=${type}`)) as Made[]).length > 0;
    await until(`a notification of ${type}`, told, ARRIVAL_MS_MAX);
  }
}

/** Returns the thread of the viewer's bookmark: its first status, and one with a parent and a reply. */
export async function keptThread(url: string, viewer: Person): Promise<{ first: string; middle: string }> {
  const first = ((await call(url, viewer, 'GET', '/api/v1/bookmarks')) as Made[])[0]?.id ?? '';
  const context = await call(url, viewer, 'GET', `/api/v1/statuses/${first}/context`);
  return { first, middle: (context as { descendants: Made[] }).descendants[0]?.id ?? '' };
}
