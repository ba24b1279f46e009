const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';

/** Shape of a domain field in the OpenAPI document. The code that reads the field decides which values it accepts. */
export const DOMAIN_SHOWN = { minLength: 1, pattern: `^(?:${LABEL}\\.){1,3}[A-Za-z]{2,20}$` };
