/** Number of requests allowed in a span of time. */
export interface RateRule {
  readonly limit: number;
  readonly seconds: number;
}

/**
 * Separate counters. `token` and `address` count every request, by token or by address. The others count the requests
 * that they name in addition.
 */
export type RateClass = 'token' | 'address' | 'media' | 'deletes' | 'sign_up' | 'sign_in';
export type RateRules = Readonly<Record<RateClass, RateRule>>;

/** Source: Mastodon, config/initializers/rack_attack.rb. */
export const RATE_RULES: RateRules = {
  token: { limit: 300, seconds: 300 },
  address: { limit: 300, seconds: 300 },
  media: { limit: 30, seconds: 1_800 },
  deletes: { limit: 30, seconds: 1_800 },
  sign_up: { limit: 5, seconds: 1_800 },
  // Forms of the sign-in pages, by address. Many people in an office share one address; Mastodon has 25.
  sign_in: { limit: 60, seconds: 300 },
};

/** Longest window: the counts are in memory only, and a longer window would outlive them. */
const SECONDS_MAX = 86_400;
const LIMIT_MAX = 1_000_000;

/**
 * Returns the default rules overridden by those of a JSON text such as `{"token":{"limit":600,"seconds":300}}`. Returns
 * undefined if the text is malformed, and `off` if there are no limits.
 */
export function rateRules(text: string | undefined): RateRules | 'off' | undefined {
  if (text === 'off') return 'off';
  if (text === undefined || text === '' || text === 'on') return RATE_RULES;
  const given = parsed(text);
  if (given === undefined) return undefined;
  const rules: Record<string, RateRule> = { ...RATE_RULES };
  for (const [name, rule] of Object.entries(given)) {
    const { limit, seconds } = (rule ?? {}) as Partial<RateRule>;
    if (!Object.hasOwn(RATE_RULES, name) || !isCount(limit, LIMIT_MAX) || !isCount(seconds, SECONDS_MAX))
      return undefined;
    rules[name] = { limit, seconds };
  }
  return rules as RateRules;
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isCount = (value: unknown, max: number): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= max;
