import { call, type Person } from '../cluster/people.js';
import type { Fitting } from './fitting-request.js';

/** The smallest possible picture. */
const DOT = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=', 'base64');
const BOUNDARY = 'a-boundary';
/** Number of uses of one upload: an account keeps a hundred uploads without a status, and others push it out. */
const KEPT_MAX = 50;

/** A form that contains the picture. */
const form = {
  type: `multipart/form-data; boundary=${BOUNDARY}`,
  bytes: Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="dot.gif"\r\n\r\n`),
    DOT,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]),
};

/** No server is known here whose files could be shown. */
const unknownFile: Fitting = { id: '1', rest: { hash: '0'.repeat(32) } };

/** Returns successful requests of the routes of uploads. */
export function mediaRequests(url: string, viewer: Person): Readonly<Record<string, () => Promise<Fitting>>> {
  let lent = 0;
  let kept: ReturnType<typeof fresh> | undefined;
  const fresh = async () => {
    const headers = { authorization: `Bearer ${viewer.token}`, 'content-type': form.type };
    const answer = await fetch(`${url}/api/v1/media`, { method: 'POST', headers, body: form.bytes });
    return (await answer.json()) as { id: string; url: string };
  };
  /** Concurrent callers get the same upload. */
  const upload = () => {
    if (kept === undefined || lent++ % KEPT_MAX === 0) kept = fresh();
    return kept;
  };
  const ownStatus = async () => {
    const posted = (await call(url, viewer, 'POST', '/api/v1/statuses', { status: 'embedded' })) as { url: string };
    return posted.url;
  };
  return {
    'POST /api/v1/media': async () => ({ form }),
    'POST /api/v2/media': async () => ({ form }),
    'GET /api/v1/media/:id': async () => ({ id: (await upload()).id }),
    'PUT /api/v1/media/:id': async () => ({ id: (await upload()).id, body: { description: 'a dot' } }),
    'DELETE /api/v1/media/:id': async () => ({ id: (await fresh()).id }),
    'GET /api/oembed': async () => ({ query: `url=${encodeURIComponent(await ownStatus())}` }),
    'GET /media_proxy/statuses/:id/:hash': async () => unknownFile,
    'GET /media_proxy/accounts/:id/:hash': async () => unknownFile,
    'GET /media/:id': async () => ({ id: new URL((await upload()).url).pathname.split('/').at(-1) ?? '' }),
  };
}
