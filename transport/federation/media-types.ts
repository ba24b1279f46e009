/** Header `Accept` of requests for ActivityStreams objects (ActivityPub §3.2). */
export const OBJECT_ACCEPT =
  'application/activity+json, application/ld+json; profile="https://www.w3.org/ns/activitystreams"';
/** Header `Accept` of requests for JRD (RFC 7033). */
export const JRD_ACCEPT = 'application/jrd+json, application/json';
/** Header `Content-Type` of deliveries. */
export const ACTIVITY_TYPE = 'application/activity+json';

/** A parameter of a media type (RFC 9110 §5.6.6). */
const PARAMETER = /;[ \t]*([\w-]+)=(?:"([^"\\]*)"|([^\s;"]*))[ \t]*/gy;
const PROFILE = 'https://www.w3.org/ns/activitystreams';

/**
 * Returns true for the media types of ActivityStreams objects. A file that somebody has uploaded to an honest server has
 * none of them, so neither plain JSON nor text is one.
 */
export function isObjectType(text: string | undefined): boolean {
  const { essence, parameters } = partsOf(text);
  if (essence === 'application/activity+json') return true;
  if (essence !== 'application/ld+json') return false;
  for (const [, name = '', quoted, token = ''] of parameters.matchAll(PARAMETER)) {
    if (name.toLowerCase() === 'profile') return (quoted ?? token).split(/\s+/).includes(PROFILE);
  }
  return false;
}

/** Returns true for the media types of JRD; many servers send plain JSON. */
export const isJrdType = (text: string | undefined): boolean =>
  /^application\/(?:jrd\+)?json$/.test(partsOf(text).essence);

/** Longest header that is read. */
const TYPE_CHARS_MAX = 500;

function partsOf(text = ''): { readonly essence: string; readonly parameters: string } {
  const end = text.indexOf(';') === -1 ? text.length : text.indexOf(';');
  const parameters = text.length > TYPE_CHARS_MAX ? '' : text.slice(end);
  return { essence: text.slice(0, end).trim().toLowerCase(), parameters };
}
