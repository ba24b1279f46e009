import { Type } from '@sinclair/typebox';
import type { AccountList } from '../../../proto/gen/types.js';
import { entity, oneOf, type Shape } from '../../http/entity.js';

/** The REST API's List. */
export const List = entity('List', {
  id: Type.String(),
  title: Type.String(),
  replies_policy: oneOf('followed', 'list', 'none'),
  exclusive: Type.Boolean(),
});
export type List = Shape<typeof List>;

export function renderList({ id, title, repliesPolicy, exclusive }: AccountList): List {
  return { id, title, replies_policy: repliesPolicy, exclusive };
}
