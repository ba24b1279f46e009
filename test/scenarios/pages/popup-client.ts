/** The result that the page of the client shows as JSON. */
export interface Outcome {
  readonly fault?: string;
  readonly scope?: string;
  /** Status code of a request to the API for administrators. */
  readonly administration?: number;
  readonly status?: { readonly id: string };
}

/** Page to which the server redirects the popup: it hands the answer to its opener, and closes. */
export const CALLBACK_PAGE = `<!doctype html><html lang="en"><title>Callback</title><script>
  opener.postMessage(location.search, location.origin);
  close();
</script>`;

/**
 * Page of a client without a server of its own. It registers itself, opens the consent page in a popup, exchanges the
 * code, and posts. All its requests go to another origin.
 */
export const clientPage = (serverUrl: string): string => `<!doctype html><html lang="en"><title>Client</title>
<button data-scopes="read write">Sign in as a person</button>
<button data-scopes="read write admin:read admin:write">Sign in as an administrator</button>
<output></output>
<script>
  const server = ${JSON.stringify(serverUrl)};
  const redirect_uri = location.origin + '/callback';
  const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
  let opened;

  async function send(path, body, headers = {}) {
    const answer = await fetch(server + path, { method: 'POST', headers, body: new URLSearchParams(body) });
    if (!answer.ok) throw new Error(path + ' ' + answer.status + ' ' + await answer.text());
    return answer.json();
  }

  /** Resolves with the query that the callback page hands over. */
  const handedOver = () => new Promise((resolve) => {
    addEventListener('message', ({ source, origin, data }) => {
      if (source === opened && origin === location.origin) resolve(new URLSearchParams(data));
    });
  });

  async function signIn(scope) {
    // The popup opens within the click. A later one would be blocked.
    opened = open('about:blank', 'sign-in', 'popup,width=500,height=700');
    const app = await send('/api/v1/apps', { client_name: 'Popup', redirect_uris: redirect_uri, scopes: scope });
    const [verifier, state] = [random() + random(), random()];
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
    const query = {
      response_type: 'code', client_id: app.client_id, redirect_uri, scope, state,
      code_challenge: base64url(digest), code_challenge_method: 'S256',
    };
    const received = handedOver();
    opened.location = server + '/oauth/authorize?' + new URLSearchParams(query);
    const answer = await received;
    if (answer.get('state') !== state) return { fault: 'the state differs' };
    if (answer.has('error')) return { fault: answer.get('error') };
    const token = await send('/oauth/token', {
      grant_type: 'authorization_code', code: answer.get('code'), redirect_uri,
      client_id: app.client_id, client_secret: app.client_secret, code_verifier: verifier,
    });
    const headers = { authorization: 'Bearer ' + token.access_token };
    const status = await send('/api/v1/statuses', { status: 'posted by the page that opened the popup' }, headers);
    const administration = (await fetch(server + '/api/v1/admin/accounts', { headers })).status;
    return { scope: token.scope, status, administration };
  }

  for (const button of document.querySelectorAll('button'))
    button.addEventListener('click', () => {
      signIn(button.dataset.scopes).catch((error) => ({ fault: String(error) })).then((outcome) => {
        document.querySelector('output').textContent = JSON.stringify(outcome);
      });
    });
</script>`;
