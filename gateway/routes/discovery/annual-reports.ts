import { Type } from '@sinclair/typebox';
import { type AnyRoute, json, route } from '../../http/route.js';
import { notFound } from '../../viewing/visible.js';

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
    handle: () => json({ annual_reports: [], accounts: [], statuses: [] }),
  }),
  route({
    method: 'GET',
    path: `${PATH}/:year`,
    auth: 'user',
    scope: READ,
    params: yearParams,
    handle: () => notFound(),
  }),
  route({
    method: 'GET',
    path: `${PATH}/:year/state`,
    auth: 'user',
    scope: READ,
    params: yearParams,
    handle: () => json({ state: 'ineligible' }),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:year/generate`,
    auth: 'user',
    scope: WRITE,
    params: yearParams,
    handle: () => json({}),
  }),
  route({
    method: 'POST',
    path: `${PATH}/:year/read`,
    auth: 'user',
    scope: WRITE,
    params: yearParams,
    handle: () => notFound(),
  }),
];
