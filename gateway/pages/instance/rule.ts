import { Type } from '@sinclair/typebox';
import type { InstanceEntry } from '../../../proto/gen/types.js';
import { entity, type Shape } from '../../http/entity.js';

/** The REST API's Rule. */
export const Rule = entity('Rule', {
  id: Type.String(),
  text: Type.String(),
  hint: Type.String(),
  translations: Type.Record(Type.String(), Type.Unknown()),
});
export type Rule = Shape<typeof Rule>;

export function renderRule({ id, text }: InstanceEntry): Rule {
  return { id, text: text?.text ?? '', hint: text?.hint ?? '', translations: {} };
}
