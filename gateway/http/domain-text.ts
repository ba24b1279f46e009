const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

/** What a field for a domain is shown as in the OpenAPI document; what it takes is for whoever reads it to judge. */
export const DOMAIN_SHOWN = { minLength: 1, pattern: `^(?:${LABEL}\\.){1,3}[A-Za-z]{2,20}$` };
