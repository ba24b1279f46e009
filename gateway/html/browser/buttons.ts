import { pageAt, send } from './forms.js';
import { settle } from './settle.js';

/** Forms whose answers are awaited, and the end of the wait. */
const running = new Map<HTMLFormElement, Promise<void>>();

const formsIn = (place: Element): HTMLFormElement[] => [...place.querySelectorAll('form')];

/** Returns true while a button of the element waits for an answer: what the server shows of it may be old. */
export const isBusy = (place: Element): boolean => formsIn(place).some((form) => running.has(form));

/** Resolves when all buttons of the element have their answers. */
export async function settled(place: Element): Promise<void> {
  await Promise.all(formsIn(place).map((form) => running.get(form)));
}

/**
 * Makes buttons that can be undone answer at once. A form with `data-undo` names the path of the opposite action; its button
 * shows the new state before the server has answered, and the old one again if the server refuses. A button that is pressed
 * again before the answer sends the opposite action after it.
 */
export function watchButtons(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.undo === undefined) return;
    event.preventDefault();
    flip(form);
    if (!running.has(form)) running.set(form, press(form));
  });
}

async function press(form: HTMLFormElement): Promise<void> {
  const fields = new FormData(form);
  form.parentElement?.querySelector(':scope > .fault')?.remove();
  const refusal = await settle({
    wanted: () => form.dataset.undo ?? '',
    flip: () => flip(form),
    send: (action) => send(action, fields),
  });
  running.delete(form);
  if (refusal === undefined) await refresh(form);
  else complain(form, refusal);
}

/** Shows the opposite state: path, pressed or not, count and text. Twice is no change. */
function flip(form: HTMLFormElement): void {
  const button = form.querySelector('button');
  if (button === null) return;
  const { undo = '', text } = form.dataset;
  form.dataset.undo = new URL(form.action).pathname;
  form.setAttribute('action', undo);
  if (text !== undefined) {
    form.dataset.text = button.textContent ?? '';
    button.textContent = text;
    button.classList.toggle('plain');
  }
  const isPressed = button.getAttribute('aria-pressed') === 'true';
  if (button.hasAttribute('aria-pressed')) button.setAttribute('aria-pressed', String(!isPressed));
  const count = button.querySelector<HTMLElement>('.count');
  if (count === null) return;
  const next = Math.max(0, Number(count.textContent) + (isPressed ? -1 : 1));
  count.textContent = ` ${next}`;
  count.hidden = next === 0;
}

/** Number of the last look at the buttons of a person: an older one shows an old state. */
let looks = 0;

/**
 * Takes the buttons of a person from the server: a follow may have become a request. The buttons stay the same elements, so
 * that focus and a click that has begun are not lost.
 */
async function refresh(form: HTMLFormElement): Promise<void> {
  const place = form.closest('#connect');
  if (place === null) return;
  const look = ++looks;
  const fresh = (await pageAt(location.href))?.getElementById('connect');
  if (!fresh || look !== looks || isBusy(place)) return;
  const forms = formsIn(fresh);
  for (const [index, shown] of formsIn(place).entries()) update(shown, forms[index]);
}

function update(shown: HTMLFormElement, fresh: HTMLFormElement | undefined): void {
  const [button, model] = [shown.querySelector('button'), fresh?.querySelector('button')];
  if (!fresh || !button || !model) return;
  shown.setAttribute('action', fresh.getAttribute('action') ?? '');
  for (const name of ['undo', 'text'] as const) {
    const value = fresh.dataset[name];
    if (value === undefined) delete shown.dataset[name];
    else shown.dataset[name] = value;
  }
  button.textContent = model.textContent;
  button.className = model.className;
}

function complain(form: HTMLFormElement, refusal: string): void {
  const message = document.createElement('p');
  message.className = 'fault';
  message.role = 'alert';
  message.textContent = refusal;
  form.parentElement?.append(message);
}
