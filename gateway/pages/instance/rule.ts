import type { InstanceEntry } from '../../../proto/gen/types.js';

/** Renders the REST API's Rule. */
export function renderRule({ id, text }: InstanceEntry) {
  return { id, text: text?.text ?? '', hint: text?.hint ?? '', translations: {} };
}
