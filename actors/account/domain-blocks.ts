import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { edgePage } from '../domain/edge-page.js';
import { type Problem, problem } from '../domain/problem.js';
import { domainName } from '../domain/servers/domain-name.js';
import type { Slice } from '../runtime/slice.js';
import type { RelationState } from './relations.js';

export interface Commands {
  blockDomain: { in: P.AccountDomain; out: P.AccountEmpty };
  unblockDomain: { in: P.AccountDomain; out: P.AccountEmpty };
  domainBlocks: { in: P.AccountEdgeBounds; out: P.AccountDomainPage };
  partFromDomain: { in: P.AccountPartFromDomain; out: P.AccountEmpty };
  partSome: { in: P.AccountPartSome; out: P.AccountEmpty };
}
export interface Events {
  domainBlocked: P.AccountDomainBlocked;
  domainUnblocked: P.AccountDomainUnblocked;
  domainParted: P.AccountDomainParted;
  someParted: P.AccountPartSome;
}

/** Bounds what each page looks up, and the size of the list in a message beside the filters: 253 bytes each. */
export const DOMAIN_BLOCKS_MAX = 1_000;
const empty = codec('murmuration.account.Empty');

/** Servers that the owner blocks: the owner does not see their accounts, and these cannot follow the owner. */
export const domainBlocks: Slice<RelationState, Commands, Events> = {
  decide: {
    blockDomain(state, command, { nowMs, newId }) {
      const domain = domainName(command.domain);
      if (domain === undefined) return noDomain();
      if (state.blockedDomains.has(domain)) return { events: [], reply: {} };
      if (state.blockedDomains.size >= DOMAIN_BLOCKS_MAX)
        return problem('limit_reached', `Validation failed: You cannot block more than ${DOMAIN_BLOCKS_MAX} domains`);
      const edgeId = newId();
      return {
        events: [
          { type: 'domainBlocked', domain, edgeId, atMs: nowMs },
          { type: 'domainParted', domain, following: true, blockId: edgeId, atMs: nowMs },
        ],
        reply: {},
      };
    },
    unblockDomain(state, command) {
      const domain = domainName(command.domain);
      if (domain === undefined) return noDomain();
      return { events: state.blockedDomains.has(domain) ? [{ type: 'domainUnblocked', domain }] : [], reply: {} };
    },
    domainBlocks(state, bounds) {
      const rows = Array.from(state.blockedDomains, ([domain, edgeId]) => ({ domain, edgeId }));
      const { edges, more } = edgePage(rows, bounds);
      return { events: [], reply: { domains: edges, more } };
    },
    partFromDomain(_state, { domain: named, following }, { nowMs }) {
      const domain = domainName(named);
      if (domain === undefined) return noDomain();
      return { events: [{ type: 'domainParted', domain, following, atMs: nowMs }], reply: {} };
    },
    partSome: (_state, some) => ({ events: [{ type: 'someParted', ...some }], reply: {} }),
  },
  apply: {
    domainBlocked: (state, { domain, edgeId }) => void state.blockedDomains.set(domain, edgeId),
    domainUnblocked: (state, { domain }) => void state.blockedDomains.delete(domain),
    domainParted() {},
    someParted() {},
  },
  commands: {
    blockDomain: { in: codec('murmuration.account.Domain'), out: empty, repeats: 'idempotent', local: true },
    unblockDomain: { in: codec('murmuration.account.Domain'), out: empty, repeats: 'idempotent', local: true },
    domainBlocks: {
      in: codec('murmuration.account.EdgeBounds'),
      out: codec('murmuration.account.DomainPage'),
      repeats: 'query',
      local: true,
    },
    partFromDomain: { in: codec('murmuration.account.PartFromDomain'), out: empty, repeats: 'idempotent', local: true },
    partSome: { in: codec('murmuration.account.PartSome'), out: empty, repeats: 'idempotent', local: true },
  },
  events: {
    domainBlocked: { codec: codec('murmuration.account.DomainBlocked'), invalidates: true, changesRelations: true },
    domainUnblocked: {
      codec: codec('murmuration.account.DomainUnblocked'),
      invalidates: false,
      changesRelations: true,
    },
    domainParted: { codec: codec('murmuration.account.DomainParted'), invalidates: false },
    someParted: { codec: codec('murmuration.account.PartSome'), invalidates: false },
  },
};

function noDomain(): Problem {
  const description = 'is not a valid domain name';
  return problem('invalid', `Validation failed: Domain ${description}`, {
    domain: [{ error: 'ERR_INVALID', description }],
  });
}
