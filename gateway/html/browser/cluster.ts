// The script of the operators' page: it renews the figures while the page is visible.

const place = document.getElementById('live');
let source: EventSource | undefined;

function connect(): void {
  source?.close();
  source = undefined;
  if (place === null || document.hidden) return;
  source = new EventSource(place.dataset.stream ?? '');
  source.addEventListener('message', ({ data }) => show(place, JSON.parse(data as string) as string));
}

/** Shows the figures, unless the reader is on a link or button among them, which would be replaced. */
function show(target: HTMLElement, html: string): void {
  if (target.contains(document.activeElement)) return;
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  target.replaceChildren(...body.childNodes);
}

document.addEventListener('visibilitychange', connect);
connect();
