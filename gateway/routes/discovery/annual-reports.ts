import { Type } from '@sinclair/typebox';
import { entity, nullable, oneOf, uri } from '../../http/entity.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { Account } from '../../pages/account/account.js';
import { Status } from '../../pages/status/status.js';
import { notFound } from '../../viewing/visible.js';

/** The REST API's AnnualReport. */
const AnnualReport = entity('AnnualReport', {
  year: Type.Integer(),
  account_id: Type.Optional(nullable(Type.String())),
  data: Type.Optional(
    nullable(
      Type.Object({
        archetype: oneOf('lurker', 'booster', 'pollster', 'replier', 'oracle'),
        type_distribution: Type.Record(Type.String(), Type.Unknown()),
        top_statuses: Type.Optional(nullable(Type.Record(Type.String(), Type.Unknown()))),
        most_used_apps: Type.Array(Type.Record(Type.String(), Type.Unknown())),
        commonly_interacted_with_accounts: Type.Array(Type.Record(Type.String(), Type.Unknown())),
        time_series: Type.Optional(nullable(Type.Array(Type.Record(Type.String(), Type.Unknown())))),
        top_hashtags: Type.Optional(nullable(Type.Array(Type.Record(Type.String(), Type.Unknown())))),
        most_reblogged_accounts: Type.Array(Type.Record(Type.String(), Type.Unknown())),
        percentiles: Type.Number(),
      }),
    ),
  ),
  schema_version: Type.Optional(nullable(Type.Integer())),
  share_url: Type.Optional(nullable(uri())),
});

const PATH = '/api/v1/annual_reports';
const READ = 'read:accounts';
const WRITE = 'write:accounts';
/** Bounds the input: years have four digits. */
const yearParams = Type.Object({ year: Type.String({ maxLength: 20 }) });

/**
 * Routes of annual reports. This server generates none and answers as a server on which no user has requested one.
 * Source: Mastodon AnnualReportsController.
 */
export const annualReportRoutes: readonly AnyRoute[] = [
  route({
    method: 'GET',
    path: PATH,
    auth: 'user',
    scope: READ,
    answer: Type.Object({
      annual_reports: Type.Array(AnnualReport),
      accounts: Type.Array(Account),
      statuses: Type.Array(Status),
    }),
    handle: () => json({ annual_reports: [], accounts: [], statuses: [] }),
  }),
  route({
    method: 'GET',
    path: `${PATH}/:year`,
    auth: 'user',
    scope: READ,
    params: yearParams,
    answer: Type.Object({
      annual_reports: Type.Array(AnnualReport),
      accounts: Type.Array(Account),
      statuses: Type.Array(Status),
    }),
    handle: () => notFound(),
  }),
  route({
    method: 'GET',
    path: `${PATH}/:year/state`,
    auth: 'user',
    scope: READ,
    params: yearParams,
    answer: Type.Object({ state: oneOf('available', 'generating', 'eligible', 'ineligible') }),
    handle: () => json({ state: 'ineligible' }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:year/generate`,
    auth: 'user',
    scope: WRITE,
    params: yearParams,
    answer: Type.Object({}),
    successes: [200, 202],
    handle: () => json({}),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:year/read`,
    auth: 'user',
    scope: WRITE,
    params: yearParams,
    answer: Type.Object({}),
    handle: () => notFound(),
  }),
];
