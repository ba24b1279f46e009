import { type Static, Type } from '@sinclair/typebox';
import { isId } from '../../../actors/domain/ids.js';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import type { StoreAppRecord } from '../../../proto/gen/types.js';
import { accounts, tokens } from '../../../store/tables.js';
import { tokenHash } from '../../http/authenticator.js';
import { entity, type Shape, uri } from '../../http/entity.js';
import { addressKey } from '../../http/limits/client-address.js';
import { type Answer, type AnyRoute, json, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { authenticateClient } from '../../oauth/clients.js';
import { field, oauthError } from '../../oauth/form.js';
import { guardsOf } from '../../oauth/guards.js';
import { checkPassword } from '../../oauth/password-check.js';
import { challengeOf } from '../../oauth/pkce.js';
import { ALL_SCOPES, grantable, isSubset, parseScopes, SCOPES_CHARS_MAX } from '../../oauth/scopes.js';
import { describedSignIn } from '../../oauth/sign-in-origin.js';
import { issueAppToken, issueToken, newAccessToken, renderToken, Token } from '../../oauth/tokens.js';
import { renderAccount } from '../../pages/account/account.js';

/** The REST API's DiscoverOauthServerConfigurationResponse. */
const DiscoverOauthServerConfigurationResponse = entity('DiscoverOauthServerConfigurationResponse', {
  app_registration_endpoint: uri(),
  authorization_endpoint: uri(),
  code_challenge_methods_supported: Type.Array(Type.String()),
  grant_types_supported: Type.Array(Type.String()),
  issuer: uri(),
  response_modes_supported: Type.Array(Type.String()),
  response_types_supported: Type.Array(Type.String()),
  revocation_endpoint: uri(),
  scopes_supported: Type.Array(Type.String()),
  service_documentation: uri(),
  token_endpoint: uri(),
  token_endpoint_auth_methods_supported: Type.Array(Type.String()),
  userinfo_endpoint: uri(),
});

const GRANTS = ['authorization_code', 'client_credentials', 'password'];
const TokenRequest = Type.Object(
  {
    grant_type: field(),
    client_id: field(),
    client_secret: field(),
    code: field(),
    redirect_uri: field(2_000),
    code_verifier: field(),
    scope: field(SCOPES_CHARS_MAX),
    username: field(),
    password: field(),
  },
  { shown: { required: ['grant_type', 'client_id', 'client_secret'], properties: { grant_type: { enum: GRANTS } } } },
);
type TokenRequest = Static<typeof TokenRequest>;
type Client = StoreAppRecord & { readonly clientId: string };
interface Grant {
  readonly services: Services;
  readonly body: TokenRequest;
  readonly client: Client;
  readonly remoteAddress: string;
  readonly userAgent: string | undefined;
}

const INVALID_GRANT =
  'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.';
const NO_STORE = { 'cache-control': 'no-store' };

/** Token endpoint. Source: RFC 6749 §3.2. */
const token = route({
  method: 'POST',
  path: '/oauth/token',
  auth: 'none',
  body: TokenRequest,
  answer: Token,
  handle: async ({ services, body, headers, remoteAddress }) => {
    if (body.grant_type === '') return oauthError(400, 'invalid_request', 'Missing required parameter: grant_type.');
    const client = await authenticateClient(services, headers.authorization, body);
    if (client === undefined)
      return oauthError(
        401,
        'invalid_client',
        'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
      );
    const grant: Grant = { services, body, client, remoteAddress, userAgent: headers['user-agent'] };
    switch (body.grant_type) {
      case 'authorization_code':
        return byCode(grant);
      case 'client_credentials':
        return byClient(grant);
      case 'password':
        return services.instance.passwordGrant ? byPassword(grant) : unsupported();
      default:
        return unsupported();
    }
  },
});

const unsupported = (): Answer<never> =>
  oauthError(
    400,
    'unsupported_grant_type',
    'The authorization grant type is not supported by the authorization server.',
  );

async function byCode({ services, body, client }: Grant): Promise<Answer<Shape<typeof Token>>> {
  const refused = oauthError(400, 'invalid_grant', INVALID_GRANT);
  const accountId = body.code.split('.')[0] ?? '';
  if (!isId(accountId)) return refused;
  const challenge = body.code_verifier === '' ? undefined : challengeOf(body.code_verifier);
  if (body.code_verifier !== '' && challenge === undefined) return refused;
  const made = await issueByCode(services, accountId, client.clientId, body, challenge);
  return made === undefined ? refused : json(renderToken(made.token, made.scopes, made.atMs), NO_STORE);
}

async function issueByCode(
  services: Pick<Services, 'random' | 'keyedTokens' | 'askAccount'>,
  accountId: string,
  clientId: string,
  body: TokenRequest,
  challenge: string | undefined,
) {
  const fresh = newAccessToken(services, accountId);
  const exchanged = await services.askAccount(accountId, 'exchangeCode', {
    codeHash: tokenHash(body.code),
    clientId,
    redirectUri: body.redirect_uri,
    tokenHash: tokenHash(fresh),
    ...(challenge === undefined ? {} : { challenge }),
  });
  if (isProblem(exchanged) || exchanged.reused) return undefined;
  return { token: fresh, scopes: exchanged.scopes, atMs: exchanged.atMs };
}

/** Returns the requested scopes, by default `read`; undefined if the application may not have them. */
function wantedScopes(body: TokenRequest, client: Client): string[] | undefined {
  if (body.scope === '') return client.scopes.includes('read') ? ['read'] : [...client.scopes];
  const scopes = parseScopes(body.scope);
  return scopes !== undefined && isSubset(scopes, client.scopes) ? scopes : undefined;
}

const invalidScope = (): Answer<never> =>
  oauthError(400, 'invalid_scope', 'The requested scope is invalid, unknown, or malformed.');

async function byClient({ services, body, client, remoteAddress }: Grant): Promise<Answer<Shape<typeof Token>>> {
  const scopes = wantedScopes(body, client);
  if (scopes === undefined) return invalidScope();
  const { appTokens, appTokensOfAddress } = guardsOf(services);
  const isWithin = appTokensOfAddress.take(addressKey(remoteAddress)) && appTokens.take(client.clientId);
  if (services.instance.rateLimits && !isWithin) return oauthError(429, 'invalid_request', 'Too many requests');
  const made = await issueAppToken(services, client.clientId, scopes);
  return json(renderToken(made, scopes, services.clock.nowMs()), NO_STORE);
}

async function byPassword({
  services,
  body,
  client,
  remoteAddress,
  userAgent,
}: Grant): Promise<Answer<Shape<typeof Token>>> {
  const wanted = wantedScopes(body, client);
  if (wanted === undefined) return invalidScope();
  const { username: login, password } = body;
  const checked = await checkPassword(services, { login, password, remoteAddress });
  if (checked === 'too_many') return oauthError(429, 'invalid_request', 'Too many requests');
  if (checked === undefined || checked.disabled) return oauthError(400, 'invalid_grant', INVALID_GRANT);
  // This grant has no place for a code, so it would be a way around the second factor.
  const factor = await services.askAccount(checked.id, 'secondFactor', {});
  if (isProblem(factor) || factor.nonce !== undefined) return oauthError(400, 'invalid_grant', INVALID_GRANT);
  const scopes = grantable(checked.role, wanted);
  if (scopes.length === 0) return invalidScope();
  const signedIn = describedSignIn(services, checked.id, remoteAddress, userAgent);
  const made = await issueToken(services, checked.id, client.clientId, scopes, 'access', signedIn);
  if (isProblem(made)) return oauthError(400, 'invalid_grant', INVALID_GRANT);
  return json(renderToken(made, scopes, services.clock.nowMs()), NO_STORE);
}

const Revocation = Type.Object({
  token: field(),
  token_type_hint: field(),
  client_id: field(),
  client_secret: field(),
});

/** Revocation endpoint (RFC 7009). An unknown token gets the same answer as a revoked one. */
const revoke = route({
  method: 'POST',
  path: '/oauth/revoke',
  auth: 'none',
  body: Revocation,
  answer: Type.Object({}),
  handle: async ({ services, body, headers }) => {
    const refused = () => oauthError(403, 'unauthorized_client', 'You are not authorized to revoke this token');
    const client = await authenticateClient(services, headers.authorization, body);
    if (client === undefined) return refused();
    const hash = tokenHash(body.token);
    const record = await services.tables.get(tokens, { hash });
    if (record !== undefined && record.kind !== 'access') return json({}, NO_STORE);
    if (record !== undefined && record.clientId !== client.clientId) return refused();
    // The row of a new token may be written after its reply, when the store was slow. Its account knows it by then.
    const accountId =
      record === undefined ? services.keyedTokens.read('access', body.token)?.account : record.accountId;
    if (accountId !== undefined) {
      const revoked = await services.askAccount(accountId, 'revokeToken', { tokenHash: hash });
      if (isProblem(revoked)) return revoked;
    } else if (record !== undefined) await services.registry.removeAppToken(hash, record);
    return json({}, NO_STORE);
  },
});

async function userInfo({ services, viewer = '' }: Request<unknown, unknown, unknown>) {
  const record = await services.tables.get(accounts, { account: viewer });
  if (record === undefined) return problem('not_found', 'Record not found');
  const account = renderAccount(services.instance, record);
  return json({
    iss: `${services.instance.baseUrl}/`,
    sub: account.uri,
    name: account.display_name,
    preferred_username: account.username,
    profile: account.url,
    picture: account.avatar,
  });
}

const UserInfo = Type.Object({
  iss: uri(),
  sub: uri(),
  name: Type.String(),
  preferred_username: Type.String(),
  profile: uri(),
  picture: uri(),
});
const userInfoScopes = ['profile', 'read', 'read:accounts'];
const getUserInfo = route({
  method: 'GET',
  path: '/oauth/userinfo',
  auth: 'user',
  scope: userInfoScopes,
  answer: UserInfo,
  handle: userInfo,
});
const postUserInfo = route({
  method: 'POST',
  path: '/oauth/userinfo',
  auth: 'user',
  scope: userInfoScopes,
  answer: UserInfo,
  handle: userInfo,
});

/** Metadata of the authorization server. Source: RFC 8414. */
const metadata = route({
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  auth: 'none',
  answer: DiscoverOauthServerConfigurationResponse,
  handle: async ({ services: { instance } }) => {
    const at = (path: string) => `${instance.baseUrl}${path}`;
    return json({
      issuer: `${instance.baseUrl}/`,
      service_documentation: at('/api/openapi.json'),
      authorization_endpoint: at('/oauth/authorize'),
      token_endpoint: at('/oauth/token'),
      revocation_endpoint: at('/oauth/revoke'),
      userinfo_endpoint: at('/oauth/userinfo'),
      app_registration_endpoint: at('/api/v1/apps'),
      scopes_supported: [...ALL_SCOPES],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: [
        'authorization_code',
        'client_credentials',
        ...(instance.passwordGrant ? ['password'] : []),
      ],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    });
  },
});

export const tokenRoutes: readonly AnyRoute[] = [token, revoke, getUserInfo, postUserInfo, metadata];
