// The script of pages with passkeys: it shows their forms where the browser can fill them. Source: Web Authentication
// Level 3, §5.1 (WebAuthn JSON).

type Kind = 'create' | 'get';

/** Asks the browser for a passkey or a signature; returns its answer as JSON. */
async function answerOf(kind: Kind, options: unknown): Promise<string> {
  const credential =
    kind === 'create'
      ? await navigator.credentials.create({
          publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
            options as PublicKeyCredentialCreationOptionsJSON,
          ),
        })
      : await navigator.credentials.get({
          publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON),
        });
  return JSON.stringify((credential as PublicKeyCredential).toJSON());
}

/** Shows a message above a form. */
function complain(form: HTMLFormElement): void {
  const message = document.createElement('p');
  message.className = 'fault';
  message.role = 'alert';
  message.textContent = form.dataset.unable ?? '';
  form.before(message);
}

async function fill(form: HTMLFormElement): Promise<void> {
  const { passkey, options = '' } = form.dataset;
  document.querySelector('.fault')?.remove();
  try {
    const field = form.elements.namedItem('answer') as HTMLInputElement;
    field.value = await answerOf(passkey as Kind, JSON.parse(options));
    form.submit();
  } catch {
    complain(form);
  }
}

const canFill = 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
for (const hint of document.querySelectorAll<HTMLElement>('[data-without-passkeys]')) hint.hidden = canFill;
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
  form.hidden = !canFill;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void fill(form);
  });
}
