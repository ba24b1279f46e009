import { hostname } from 'node:os';
import ipaddr from 'ipaddr.js';
import { withoutFinalSlashes } from '../actors/domain/addresses.js';
import { rateRules } from '../gateway/http/limits/rate-rules.js';
import { masked } from '../transport/masked-url.js';

/** An unusable setting; the message is one line that names it. */
export class BadSetting extends Error {
  override readonly name = 'BadSetting';
}

interface Definition {
  /** Absent: no default; null: derived from others. */
  readonly fallback?: string;
  /** Shown as ••• by `config`. */
  readonly secret?: boolean;
  /** Returns what is wrong with the text; undefined if it is valid. */
  readonly check?: (text: string) => string | undefined;
}

const oneOf =
  (...allowed: readonly string[]) =>
  (text: string) =>
    allowed.includes(text) ? undefined : `must be one of ${allowed.join(', ')}`;
const port = (text: string) =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? undefined : 'must be a port number, 0 to 65535';
const count = (text: string) => (/^[1-9]\d{0,2}$/.test(text) ? undefined : 'must be a whole number from 1 to 999');
const url =
  (...protocols: readonly string[]) =>
  (text: string) =>
    URL.canParse(text) && protocols.includes(new URL(text).protocol)
      ? undefined
      : `must be an address that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`;
const hostPort = (text: string) => {
  const found = /^(?:\[[0-9a-fA-F:]+\]|[^:\s]+):(\d{1,5})$/.exec(text);
  return found !== null && port(found[1] ?? '') === undefined ? undefined : 'must be host:port';
};
const contactPoint = (text: string) =>
  /^[^:\s]+$/.test(text) || ipaddr.isValid(text) || hostPort(text) === undefined
    ? undefined
    : 'must be hosts or host:port, separated by commas';
const origin = (text: string) => {
  const fault = url('http:', 'https:')(text);
  if (fault !== undefined) return fault;
  const { username, password, pathname, search, hash } = new URL(text);
  return username + password + search + hash === '' && /^\/*$/.test(pathname)
    ? undefined
    : 'must be a protocol and a host, nothing else';
};
const list = (check: (item: string) => string | undefined) => (text: string) =>
  text
    .split(',')
    .map((item) => check(item.trim()))
    .find((fault) => fault !== undefined);
const cidr = (text: string) =>
  text === 'loopback' || ipaddr.isValid(text) || ipaddr.isValidCIDR(text) ? undefined : 'must be addresses or CIDRs';
const identifier = (text: string) =>
  /^[a-z][a-z0-9_]{0,47}$/i.test(text) ? undefined : 'must be letters, digits and _ (at most 48)';
const domain = (text: string) =>
  /^[a-z0-9.-]+(:\d+)?$/i.test(text) && !text.startsWith('.') ? undefined : 'must be a host name';
/** A part of the cache must hold the largest file several times. */
const cacheBytes = (text: string) =>
  /^\d{1,15}$/.test(text) && Number(text) >= 2 ** 30 ? undefined : 'must be a number of bytes, at least 1073741824';
/** A ZIP that every program can open has less than 4 GiB. */
const archiveBytes = (text: string) =>
  /^\d{1,10}$/.test(text) && Number(text) >= 2 ** 20 && Number(text) <= 4_000_000_000
    ? undefined
    : 'must be a number of bytes, 1048576 to 4000000000';
const rateLimits = (text: string) =>
  rateRules(text) === undefined ? 'must be on, off or a JSON object of limits' : undefined;

/** Every setting: environment variable MURMURATION_<NAME>, or flag --name with dashes. */
const definitions = {
  PORT: { fallback: '3000', check: port },
  BIND: { fallback: '127.0.0.1', check: (text) => (ipaddr.isValid(text) ? undefined : 'must be an IP address') },
  BASE_URL: { check: origin },
  DOMAIN: { check: domain },
  DATA_DIR: { fallback: './data' },
  STORE: { fallback: 'lmdb', check: oneOf('lmdb', 'cassandra') },
  CASSANDRA_CONTACT_POINTS: { check: list(contactPoint) },
  CASSANDRA_LOCAL_DC: { fallback: 'datacenter1' },
  CASSANDRA_KEYSPACE: { fallback: 'murmuration', check: identifier },
  CASSANDRA_REPLICATION: { fallback: '3', check: count },
  CASSANDRA_USERNAME: {},
  CASSANDRA_PASSWORD: { secret: true },
  NATS_URL: { check: list(url('nats:', 'tls:')) },
  NATS_TOKEN: { secret: true },
  NODE_NAME: {
    check: (text) => (/^[\w.-]{1,64}$/.test(text) ? undefined : 'must be letters, digits, . _ - (at most 64)'),
  },
  GRPC_LISTEN: { fallback: '127.0.0.1:0', check: hostPort },
  GRPC_ADVERTISE: { check: hostPort },
  CLUSTER_SECRET: { secret: true },
  CLUSTER_TLS_CA: {},
  CLUSTER_TLS_CERT: {},
  CLUSTER_TLS_KEY: {},
  STREAMING_BASE_URL: { check: url('http:', 'https:', 'ws:', 'wss:') },
  SMTP_URL: { check: url('smtp:', 'smtps:'), secret: true },
  MAIL_FROM: {},
  MEDIA_DIR: {},
  MEDIA_CACHE_BYTES: { fallback: `${10 * 2 ** 30}`, check: cacheBytes },
  ARCHIVE_BYTES: { fallback: '4000000000', check: archiveBytes },
  TRUSTED_PROXIES: { fallback: 'loopback', check: list(cidr) },
  FEDERATION_ALLOW_CIDRS: { check: list(cidr) },
  LIMITED_FEDERATION: { fallback: 'off', check: oneOf('on', 'off') },
  AUTHORIZED_FETCH: { fallback: 'off', check: oneOf('on', 'off') },
  COMPRESSION: { fallback: 'on', check: oneOf('on', 'off') },
  RATE_LIMITS: { fallback: 'on', check: rateLimits },
  INVITES: { fallback: 'staff', check: oneOf('everyone', 'staff') },
  REGISTRATIONS: { fallback: 'open', check: oneOf('open', 'approval', 'closed') },
  PASSWORD_GRANT: { fallback: 'off', check: oneOf('on', 'off') },
  DEV_PAGES: { fallback: 'off', check: oneOf('on', 'off') },
  METRICS_LISTEN: { check: hostPort },
  LOG_LEVEL: { fallback: 'info', check: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent') },
} as const satisfies Record<string, Definition>;

export type SettingName = keyof typeof definitions;
export const settingNames = Object.keys(definitions) as SettingName[];
const PREFIX = 'MURMURATION_';
const MASK = '•••';

/** Returns an error that names a setting and says what is wrong with it. */
export const badSetting = (name: SettingName, fault: string): BadSetting =>
  new BadSetting(`${PREFIX}${name} (${flagOf(name)}): ${fault}`);

/** The effective settings as text, including derived ones. */
export type Settings = Readonly<Partial<Record<SettingName, string>>> & {
  readonly [Name in 'PORT' | 'BIND' | 'BASE_URL' | 'DOMAIN' | 'DATA_DIR' | 'STORE' | 'NODE_NAME']: string;
};

export const flagOf = (name: SettingName): string => `--${name.toLowerCase().replaceAll('_', '-')}`;

/**
 * Reads the settings: flags take precedence over the environment, the environment over defaults.
 * @throws BadSetting on an unknown MURMURATION_ variable, a malformed value, or contradicting settings
 */
export function readSettings(
  flags: Readonly<Partial<Record<SettingName, string>>>,
  env: Readonly<Record<string, string | undefined>>,
): Settings {
  const values: Partial<Record<SettingName, string>> = {};
  for (const name of Object.keys(env)) {
    if (name.startsWith(PREFIX) && !Object.hasOwn(definitions, name.slice(PREFIX.length))) {
      throw new BadSetting(`${name}: there is no such setting`);
    }
  }
  for (const name of settingNames) {
    const definition: Definition = definitions[name];
    const given = env[PREFIX + name];
    const text = flags[name] ?? (given === '' ? undefined : given) ?? definition.fallback;
    if (text === undefined) continue;
    // An empty flag would be an empty secret, or a folder without a name.
    const fault = text === '' ? 'must not be empty' : definition.check?.(text);
    if (fault !== undefined) throw badSetting(name, fault);
    values[name] = text;
  }
  return checkedTogether(derived(values));
}

function derived(values: Partial<Record<SettingName, string>>): Settings {
  const baseUrl = withoutFinalSlashes(values.BASE_URL ?? `http://localhost:${values.PORT}`);
  return {
    ...values,
    BASE_URL: baseUrl,
    DOMAIN: values.DOMAIN ?? new URL(baseUrl).host,
    NODE_NAME:
      values.NODE_NAME ??
      (hostname()
        .replace(/[^\w.-]/g, '-')
        .slice(0, 64) ||
        'node'),
    // Nodes with a shared store keep files there, unless they share a folder.
    ...(values.MEDIA_DIR === undefined && values.STORE === 'lmdb' ? { MEDIA_DIR: `${values.DATA_DIR}/media` } : {}),
  } as Settings;
}

function checkedTogether(settings: Settings): Settings {
  const { STORE, NATS_URL, CLUSTER_SECRET } = settings;
  if (STORE === 'cassandra' && settings.CASSANDRA_CONTACT_POINTS === undefined) {
    throw badSetting('CASSANDRA_CONTACT_POINTS', 'is needed with STORE=cassandra');
  }
  if (NATS_URL !== undefined && STORE === 'lmdb') {
    throw badSetting('NATS_URL', 'a cluster needs a shared store, so STORE must be cassandra');
  }
  const tls = [settings.CLUSTER_TLS_CA, settings.CLUSTER_TLS_CERT, settings.CLUSTER_TLS_KEY];
  const given = tls.filter((path) => path !== undefined).length;
  if (given !== 0 && given !== tls.length) throw badSetting('CLUSTER_TLS_CA', 'CA, CERT and KEY go together');
  if (NATS_URL !== undefined && CLUSTER_SECRET === undefined && given === 0) {
    throw badSetting('CLUSTER_SECRET', 'is needed with NATS_URL (or the CLUSTER_TLS files)');
  }
  if (!isLoopback(new URL(settings.BASE_URL).hostname)) {
    if (settings.DEV_PAGES === 'on') throw badSetting('DEV_PAGES', 'must be off unless BASE_URL is localhost');
    for (const name of ['CLUSTER_SECRET', 'NATS_TOKEN'] as const) {
      if (settings[name] === TRIAL_SECRET)
        throw badSetting(name, `must not be ${TRIAL_SECRET} unless BASE_URL is localhost`);
    }
  }
  return settings;
}

/** The public secret of compose.yaml. */
const TRIAL_SECRET = 'only-to-try-out';

const isLoopback = (hostname: string) =>
  /^(.+\.)?localhost$/.test(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === '[::1]';

/** Returns the lines that `config` prints: one `NAME=value` each; secrets are masked, including those in addresses. */
export function printable(settings: Settings): string[] {
  return settingNames.map((name) => {
    const definition: Definition = definitions[name];
    const value = settings[name];
    const shown = definition.secret === true ? MASK : value && masked(value);
    return `${PREFIX}${name}=${value === undefined ? '' : shown}`;
  });
}
