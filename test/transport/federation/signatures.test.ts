import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { CachedSchemes } from '../../../transport/federation/scheme-memory.js';
import { contentDigestOf, digestOf } from '../../../transport/federation/signatures/digests.js';
import type { SignatureScheme, SignedRequest } from '../../../transport/federation/signed-request.js';
import { parseSignature, SignatureVerifier } from '../../../transport/federation/verification.js';
import { fc } from '../../kit/property.js';
import { newKey, pemOf, received, requestOf } from './signed.js';

const NOW_MS = Date.UTC(2026, 5, 1, 12);
const HOUR_MS = 3_600_000;
const SCHEMES = ['cavage', 'rfc9421'] as const;
const key = newKey();
const other = newKey();
const verifier = new SignatureVerifier(undefined);
const inbox = new URL('https://far.example/inbox?from=here');
const body = Buffer.from('{"type":"Like"}');

const verify = (request: SignedRequest, nowMs = NOW_MS) => verifier.verify(request, key.publicPem, nowMs);
const post = (scheme: SignatureScheme, signer = key.signer) =>
  received(scheme, { method: 'POST', url: inbox, body }, signer, NOW_MS);
const withHeaders = (request: SignedRequest, headers: Readonly<Record<string, string | undefined>>): SignedRequest => ({
  ...request,
  headers: new Map(
    [...Object.entries({ ...Object.fromEntries(request.headers), ...headers })].flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  ),
});
async function refused(request: SignedRequest, why: RegExp, nowMs = NOW_MS): Promise<void> {
  const found = await verify(request, nowMs);
  assert.ok(found !== true, `accepted: ${[...request.headers].join('; ')}`);
  assert.match(found.problem, why);
}

/** Signs by the draft with any parameters, as no honest server would. */
function byDraft(
  covered: string,
  { parameters = 'algorithm="rsa-sha256"', ...told }: Readonly<Record<string, string>> & { parameters?: string } = {},
  method = 'POST',
  target = '/inbox?from=here',
): SignedRequest {
  const headers: Record<string, string> = {
    ...{ date: new Date(NOW_MS).toUTCString(), digest: digestOf(body), host: 'far.example' },
    ...told,
  };
  const derived: Record<string, string | undefined> = {
    '(request-target)': `${method.toLowerCase()} ${target}`,
    '(created)': /created=(\d+)/.exec(parameters)?.[1],
    '(expires)': /expires=(\d+)/.exec(parameters)?.[1],
  };
  const text = covered.split(' ').map((name) => `${name}: ${derived[name] ?? headers[name]}`);
  const signature = sign('sha256', Buffer.from(text.join('\n')), key.privateKey).toString('base64');
  const header = `keyId="k",${parameters},headers="${covered}",signature="${signature}"`;
  return { ...requestOf(method, inbox, { ...headers, signature: header }, body), target: '/inbox?from=here' };
}

/** Signs by the RFC with any parameters. */
function byRfc(
  covered: readonly string[],
  parameters = `;created=${NOW_MS / 1_000};keyid="k";alg="rsa-v1_5-sha256"`,
  { label = 'sig1', ...told }: Readonly<Record<string, string>> = {},
): SignedRequest {
  const headers: Record<string, string> = { 'content-digest': contentDigestOf(body), ...told };
  const values: Record<string, string> = {
    ...{ '@method': 'POST', '@target-uri': inbox.href, '@authority': 'far.example', '@path': '/inbox' },
    ...{ '@query': '?from=here', '@scheme': 'https', '@request-target': '/inbox?from=here' },
  };
  const input = `(${covered.map((name) => `"${name}"`).join(' ')})${parameters}`;
  const lines = covered.map((name) => `"${name}": ${values[name] ?? headers[name]}`);
  const base = [...lines, `"@signature-params": ${input}`].join('\n');
  const signature = sign('sha256', Buffer.from(base), key.privateKey).toString('base64');
  const both = { 'signature-input': `${label}=${input}`, signature: `${label}=:${signature}:` };
  return requestOf('POST', inbox, { ...headers, ...both }, body);
}
const COVERED = ['@method', '@target-uri', 'content-digest'];

for (const scheme of SCHEMES) {
  test(`${scheme}: our signatures verify, for GET and POST, and name their key`, async () => {
    const posted = await post(scheme);
    assert.equal(await verify(posted), true);
    const fetched = await received(scheme, { method: 'GET', url: inbox }, key.signer, NOW_MS);
    assert.equal(await verify(fetched), true);
    const found = parseSignature(posted);
    assert.ok('keyId' in found);
    assert.deepEqual([found.keyId, found.scheme, found.signature.length], [key.signer.keyId, scheme, 256]);
  });

  test(`${scheme}: the time may differ by an hour, not by more`, async () => {
    const request = await post(scheme);
    for (const differs of [-HOUR_MS, HOUR_MS]) assert.equal(await verify(request, NOW_MS + differs), true);
    for (const differs of [-HOUR_MS - 1_000, HOUR_MS + 1_000]) await refused(request, /too far/, NOW_MS + differs);
  });

  test(`${scheme}: another key, method, target, host, body or digest fails`, async () => {
    const request = await post(scheme);
    assert.ok((await verifier.verify(request, other.publicPem, NOW_MS)) !== true);
    await refused({ ...request, method: 'PUT' }, /not that of the key/);
    await refused({ ...request, target: '/inbox?from=there' }, /not that of the key/);
    await refused({ ...request, target: '/users/ada/inbox' }, /not that of the key/);
    await refused({ ...request, host: 'v.example' }, /not that of the key/);
    await refused({ ...request, body: Buffer.from('{"type":"Flag"}') }, /digest/);
    const name = scheme === 'cavage' ? 'digest' : 'content-digest';
    await refused(withHeaders(request, { [name]: undefined }), /digest/);
    const forged = { body: Buffer.from('{}'), digest: { cavage: digestOf, rfc9421: contentDigestOf }[scheme] };
    await refused(
      { ...withHeaders(request, { [name]: forged.digest(forged.body) }), body: forged.body },
      /not that of the key/,
    );
  });

  test(`${scheme}: each change of a character of a covered part or of the signature fails`, async () => {
    const request = await post(scheme);
    const parts = ['date', 'digest', 'content-digest', 'signature', 'signature-input'].filter((name) =>
      request.headers.has(name),
    );
    // The RFC's signature does not cover the date.
    const covered = scheme === 'cavage' ? parts : parts.filter((name) => name !== 'date');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...covered),
        fc.nat(),
        fc.integer({ min: 33, max: 126 }),
        async (name, at, code) => {
          const before = request.headers.get(name) ?? '';
          const index = at % before.length;
          const after = before.slice(0, index) + String.fromCharCode(code) + before.slice(index + 1);
          const changed = withHeaders(request, { [name]: after });
          if (after === before || (await verify(changed)) !== true) return;
          // Some spellings have the same bytes (base64) or mean another key, which the caller looks up.
          assert.ok(name === 'signature' && sameSignature(request, parseSignature(changed)), `${name}: ${after}`);
        },
      ),
      { numRuns: 400 },
    );
  });

  test(`${scheme}: any headers give a key or a problem, and mutated ones never verify by chance`, async () => {
    const request = await post(scheme);
    const texts = [request.headers.get('signature') ?? '', request.headers.get('signature-input') ?? ''];
    const mutated = (text: string) =>
      fc.tuple(fc.nat(), fc.nat(), fc.string({ maxLength: 20 })).map(([from, count, by]) => {
        const start = from % (text.length + 1);
        return text.slice(0, start) + by + text.slice(start + (count % 50));
      });
    const some = (text: string) => fc.oneof(fc.constant(text), mutated(text), fc.string(), fc.constant(undefined));
    await fc.assert(
      fc.asyncProperty(some(texts[0] ?? ''), some(texts[1] ?? ''), async (signature, input) => {
        const hostile = withHeaders(request, { signature, 'signature-input': input });
        const parsed = parseSignature(hostile);
        assert.ok('problem' in parsed || parsed.keyId.length > 0);
        const found = await verify(hostile);
        if (found === true) assert.ok(sameSignature(request, parsed));
      }),
      { numRuns: 400 },
    );
  });

  test(`${scheme}: headers of 64 KB are refused in bounded time`, async () => {
    const request = await post(scheme);
    const long = ['a="b",', ',', '"', '\\', ' ', '(', '"a" ', ';a=1', 'a=1,', '\\"', ':', '='].map((piece) =>
      piece.repeat(65_536 / piece.length),
    );
    const startedMs = performance.now();
    for (const text of long) {
      for (const prefix of ['', 'sig1=', 'sig1=(', 'sig1=("', 'keyId="']) {
        assert.ok('problem' in parseSignature(withHeaders(request, { signature: prefix + text })));
        const both = { 'signature-input': prefix + text, signature: 'sig1=:aaaa:' };
        assert.ok('problem' in parseSignature(withHeaders(request, both)));
        const cut = (prefix + text).slice(0, 8_192);
        parseSignature(withHeaders(request, { signature: cut }));
        parseSignature(withHeaders(request, { 'signature-input': cut, signature: 'sig1=:aaaa:' }));
      }
    }
    assert.ok(performance.now() - startedMs < 1_000, `${performance.now() - startedMs} ms for 240 headers`);
  });
}

/** Returns true if two requests have the same bytes as their signature. */
function sameSignature(request: SignedRequest, changed: ReturnType<typeof parseSignature>): boolean {
  const before = parseSignature(request);
  return 'keyId' in before && 'keyId' in changed && Buffer.compare(before.signature, changed.signature) === 0;
}

test('cavage: the target counts as received, or without its query', async () => {
  const all = '(request-target) host date digest';
  assert.equal(await verify(byDraft(all)), true);
  assert.equal(await verify(byDraft(all, {}, 'POST', '/inbox')), true);
  await refused(byDraft(all, {}, 'POST', '/inbox?from=there'), /not that of the key/);
  await refused(byDraft(all, {}, 'POST', '/'), /not that of the key/);
});

test('cavage: every required part must be covered', async () => {
  for (const covered of ['host date digest', '(request-target) date digest', '(request-target) host digest']) {
    await refused(byDraft(covered), /must cover/);
  }
  await refused(byDraft('(request-target) host date'), /must cover the digest/);
  assert.equal(await verify(byDraft('(request-target) host date', {}, 'GET')), true);
  await refused(byDraft('(request-target) host date date digest'), /malformed/);
  await refused(byDraft('(request-target) host date digest x-missing'), /missing/);
});

test('cavage: hs2019 may state its times itself, rsa-sha256 may not', async () => {
  const covered = '(request-target) host (created) digest';
  const created = NOW_MS / 1_000;
  assert.equal(await verify(byDraft(covered, { parameters: `algorithm="hs2019",created=${created}` })), true);
  await refused(byDraft(covered, { parameters: `algorithm="rsa-sha256",created=${created}` }), /neither/);
  await refused(byDraft(covered, { parameters: 'algorithm="hs2019"' }), /missing or malformed/);
  await refused(byDraft(covered, { parameters: `algorithm="hs2019",created=${created - 3_601}` }), /too far/);
  await refused(byDraft(covered, { parameters: `algorithm="hs2019",created=${created + 3_601}` }), /too far/);
});

test('cavage: a covered expiry prolongs a signature to 12 hours, an uncovered one does not', async () => {
  const [created, expires] = [NOW_MS / 1_000, NOW_MS / 1_000 + 86_400];
  const parameters = `algorithm="hs2019",created=${created},expires=${expires}`;
  const request = byDraft('(request-target) host (created) (expires) digest', { parameters });
  assert.equal(await verify(request, NOW_MS + 13 * HOUR_MS), true);
  await refused(request, /too far/, NOW_MS + 13 * HOUR_MS + 1_000);
  const uncovered = byDraft('(request-target) host (created) digest', { parameters });
  await refused(uncovered, /too far/, NOW_MS + HOUR_MS + 1_000);
  const short = byDraft('(request-target) host (created) digest', {
    parameters: `algorithm="hs2019",created=${created},expires=${created + 60}`,
  });
  assert.equal(await verify(short, NOW_MS + 60_000), true);
  await refused(short, /expired/, NOW_MS + 61_000);
});

test('cavage: unknown algorithms, repeated parameters and other dates are refused', async () => {
  const all = '(request-target) host date digest';
  for (const algorithm of ['rsa-sha1', 'hmac-sha256', 'rsa-sha512', 'none', '']) {
    await refused(byDraft(all, { parameters: `algorithm="${algorithm}"` }), /not supported/);
  }
  await refused(byDraft(all, { parameters: 'algorithm="rsa-sha256",algorithm="rsa-sha256"' }), /malformed/);
  await refused(byDraft(all, { parameters: 'algorithm="rsa-sha256",keyId="other"' }), /malformed/);
  for (const date of ['2026-06-01T12:00:00Z', String(NOW_MS), 'Mon, 1 Jun 2026 12:00:00 GMT', 'now', ''])
    await refused(byDraft(all, { date }), /missing or malformed/);
  assert.equal(await verify(byDraft(all, { parameters: 'algorithm="hs2019",unknown="x"' })), true);
});

test('a digest counts when every known one is that of the body', async () => {
  const all = '(request-target) host date digest';
  const [own, foreign] = [digestOf(body), digestOf(Buffer.from('other'))];
  assert.equal(await verify(byDraft(all, { digest: `MD5=abcd,${own.replace('SHA', 'sha')}` })), true);
  for (const digest of [foreign, `${own},${foreign}`, 'MD5=abcd', '', `${own},${own},${own},${own},${own}`])
    await refused(byDraft(all, { digest }), /digest/);
  for (const digest of [
    contentDigestOf(Buffer.from('other')),
    own,
    `${contentDigestOf(body)}, ${contentDigestOf(Buffer.from(''))}`,
  ])
    await refused(byRfc(COVERED, undefined, { 'content-digest': digest }), /digest/);
});

test('rfc9421: every required part must be covered, each once, without parameters', async () => {
  assert.equal(await verify(byRfc(COVERED)), true);
  assert.equal(await verify(byRfc([...COVERED, '@authority', '@path', '@query', '@scheme', '@request-target'])), true);
  await refused(byRfc(['@target-uri', 'content-digest']), /must cover/);
  await refused(byRfc(['@method', 'content-digest']), /must cover/);
  await refused(byRfc(['@method', '@target-uri']), /must cover the content-digest/);
  await refused(byRfc([...COVERED, '@method']), /malformed/);
  await refused(byRfc([...COVERED, 'x-missing']), /missing/);
  await refused(byRfc([...COVERED, '@status']), /not supported/);
  await refused(byRfc([...COVERED, '@query-param";name="from']), /not supported/);
});

test('rfc9421: exactly one label, a time, a known algorithm, and no parameter twice', async () => {
  const created = NOW_MS / 1_000;
  const good = byRfc(COVERED);
  const [input = '', signature = ''] = [good.headers.get('signature-input'), good.headers.get('signature')];
  const two = {
    'signature-input': `${input}, sig2=${input.slice(5)}`,
    signature: `${signature}, sig2=${signature.slice(5)}`,
  };
  await refused(withHeaders(good, two), /one labelled|malformed/);
  await refused(withHeaders(good, { 'signature-input': `${input}, ${input}` }), /one labelled|malformed/);
  await refused(withHeaders(good, { signature: `${signature}, ${signature}` }), /one labelled|malformed/);
  await refused(withHeaders(good, { signature: signature.replace('sig1', 'sig2') }), /one labelled/);
  await refused(byRfc(COVERED, ';keyid="k"'), /when it was created/);
  await refused(byRfc(COVERED, `;created=${created}`), /names no key/);
  for (const alg of ['rsa-pss-sha512', 'ed25519', 'hmac-sha256', 'none', '']) {
    await refused(byRfc(COVERED, `;created=${created};keyid="k";alg="${alg}"`), /not supported/);
  }
  await refused(byRfc(COVERED, `;created=${created};keyid="k";keyid="l"`), /twice/);
  await refused(byRfc(COVERED, `;created=${created};keyid="k";expires=${created - 1}`), /expired/);
  await refused(byRfc(COVERED, `;created=${created - 3_601};keyid="k"`), /too far/);
  assert.equal(await verify(byRfc(COVERED, `;created=${created};keyid="k;x";nonce="a";tag="b"`)), true);
});

test('a request with both schemes counts by RFC 9421 alone', async () => {
  const [draft, rfc] = [await post('cavage'), await post('rfc9421')];
  const input = rfc.headers.get('signature-input');
  await refused(withHeaders(draft, { 'signature-input': input }), /one labelled|malformed/);
  await refused({ ...draft, headers: new Map([...draft.headers, ['signature-input', '']]) }, /one labelled|malformed/);
});

test('unsigned requests and unusable keys are refused', async () => {
  await refused(requestOf('POST', inbox, {}, body), /not signed/);
  const request = await post('cavage');
  const small = pemOf(generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey);
  const curve = pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const privatePem = key.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  for (const pem of ['', 'x', privatePem, key.publicPem.replace('MII', 'MIJ'), small, curve])
    assert.match(JSON.stringify(await verifier.verify(request, pem, NOW_MS)), /not an RSA key/, pem);
});

test('a host that signs by RFC 9421 is remembered, unless its answers say otherwise', async () => {
  const schemes = new CachedSchemes(undefined);
  const noting = new SignatureVerifier(undefined, schemes);
  await noting.verify(await post('cavage'), key.publicPem, NOW_MS);
  await noting.verify(await post('rfc9421'), other.publicPem, NOW_MS);
  assert.equal(schemes.schemeOf('near.example'), undefined);
  await noting.verify(await post('rfc9421'), key.publicPem, NOW_MS);
  assert.equal(schemes.schemeOf('near.example'), 'rfc9421');
  schemes.remember('near.example', 'cavage');
  await noting.verify(await post('rfc9421'), key.publicPem, NOW_MS);
  assert.equal(schemes.schemeOf('near.example'), 'cavage');
  const nameless = newKey('no address');
  assert.equal(await noting.verify(await post('rfc9421', nameless.signer), nameless.publicPem, NOW_MS), true);
});
