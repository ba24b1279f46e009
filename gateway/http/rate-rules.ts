/** How much of something may be asked for in a span of time. */
export interface RateRule {
  readonly limit: number;
  readonly seconds: number;
}

/** What is counted apart. `token` and `address`: every request, by who asks; the others what they name, besides. */
export type RateClass = 'token' | 'address' | 'media' | 'deletes' | 'sign_up' | 'sign_in';
export type RateRules = Readonly<Record<RateClass, RateRule>>;

/** Source: Mastodon, config/initializers/rack_attack.rb. */
export const RATE_RULES: RateRules = {
  token: { limit: 300, seconds: 300 },
  address: { limit: 300, seconds: 300 },
  media: { limit: 30, seconds: 1_800 },
  deletes: { limit: 30, seconds: 1_800 },
  sign_up: { limit: 5, seconds: 1_800 },
  // Forms of the sign-in pages, by address: an office behind one address; Mastodon has 25.
  sign_in: { limit: 60, seconds: 300 },
};

/** Windows longer than a day would outlive what is remembered of them. */
const SECONDS_MAX = 86_400;
const LIMIT_MAX = 1_000_000;

/** The rules with those of the text in their place; undefined when it is no such JSON; `off`: there are none. `{"token":{"limit":600,"seconds":300}}` */
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
