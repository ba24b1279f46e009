import { isBusy, settled } from './buttons.js';
import { news, pageAt, send } from './forms.js';

/** New posts that are inserted into the page; for more the page is loaded again. A page of the timeline has 20. */
const INSERTED_MAX = 15;

/** Ids of what has arrived and is not shown yet. */
const waiting = new Set<string>();
let source: EventSource | undefined;
/** Position from which a stream resumes: that of the last event, or that of the page. */
let last = '';

/** Watches the stream of the signed-in person while the page is visible: a browser has few connections for one server. */
export function watchNews(): void {
  const place = news();
  if (place === null) return;
  last = place.dataset.since ?? '';
  document.addEventListener('visibilitychange', connect);
  connect();
  void markRead();
}

function connect(): void {
  source?.close();
  source = undefined;
  if (document.hidden) return;
  source = new EventSource(`/web/streaming?since=${encodeURIComponent(last)}`);
  const on = (name: string, act: (data: string) => void) =>
    source?.addEventListener(name, ({ data, lastEventId }) => {
      last = lastEventId || last;
      act(data);
    });
  on('update', (data) => arrived('home', data));
  on('notification', (data) => {
    count(1);
    arrived('notifications', data);
  });
  on('delete', gone);
  on('status.update', (data) => void changed((JSON.parse(data) as Post).id));
  on('reset', () => location.reload());
}

interface Post {
  readonly id: string;
}

/** Offers to show what the page's list lacks. */
function arrived(list: string, data: string): void {
  const { id } = JSON.parse(data) as Post;
  const place = news();
  if (place?.dataset.list !== list || document.getElementById(`post-${id}`) !== null) return;
  waiting.add(id);
  offer(place);
}

function offer(place: HTMLElement): void {
  place.replaceChildren();
  if (waiting.size === 0) return;
  const { one = '', many = '' } = place.dataset;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain';
  button.textContent = waiting.size === 1 ? one : many.replace('%', String(waiting.size));
  button.addEventListener('click', () => void show(place));
  place.append(button);
}

/** Puts the new posts above the list, as the server renders them. */
async function show(place: HTMLElement): Promise<void> {
  const feed = document.querySelector('.feed');
  const newest = feed?.querySelector('article')?.id.replace('post-', '');
  const isShort = place.dataset.list === 'home' && waiting.size <= INSERTED_MAX && newest !== undefined;
  const fresh = isShort ? (await pageAt(`/web?since_id=${newest}`))?.querySelectorAll('.feed > li') : undefined;
  if (feed === null || fresh === undefined) {
    location.assign(location.pathname);
    return;
  }
  waiting.clear();
  offer(place);
  const items = [...fresh].map((one) => document.adoptNode(one));
  feed.prepend(...items);
  items[0]?.querySelector<HTMLElement>('a')?.focus();
}

function gone(id: string): void {
  waiting.delete(id);
  const place = news();
  if (place !== null) offer(place);
  const post = document.getElementById(`post-${id}`);
  (post?.closest('.feed > li') ?? post)?.remove();
}

/** Shows an edited post as it is now, once its buttons have their answers. */
async function changed(id: string): Promise<void> {
  const shown = document.getElementById(`post-${id}`);
  if (shown === null) return;
  for (;;) {
    await settled(shown);
    const fresh = (await pageAt(`/web/posts/${id}`))?.getElementById(`post-${id}`);
    if (isBusy(shown)) continue;
    if (fresh) shown.replaceChildren(...document.adoptNode(fresh).childNodes);
    return;
  }
}

const counter = (): HTMLElement | null => document.getElementById('unread');

/** Adds to the number of unread notifications; without one, it becomes 0. */
function count(more?: number): void {
  const place = counter();
  if (place === null) return;
  const { max = '' } = place.dataset;
  const next = more === undefined ? 0 : Number.parseInt(place.textContent ?? '', 10) + more || more;
  place.textContent = next > Number(max) ? `${max}+` : String(next);
  place.hidden = next === 0;
}

/** Marks the notifications of the page as read; without the script a button does it. */
async function markRead(): Promise<void> {
  const form = document.querySelector<HTMLFormElement>('form#read');
  if (form === null || (await send(form.action, new FormData(form))) !== undefined) return;
  form.remove();
  count();
}
