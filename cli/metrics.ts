import { createServer } from 'node:http';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Node } from '../compose/node.js';
import type { CacheFigures } from '../store/cache/cache.js';

/** Serves Prometheus text about the process and the runtime's counters on its own address. */
export async function serveMetrics(listen: string, node: Node): Promise<() => Promise<void>> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const runtime: Readonly<Record<string, unknown>> = { ...node.runtime.metrics };
  for (const name of Object.keys(runtime)) {
    const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    new Gauge({
      name: `murmuration_runtime_${snake}`,
      help: `The runtime's count of ${snake.replaceAll('_', ' ')}`,
      registers: [registry],
      collect() {
        const value = (node.runtime.metrics as unknown as Record<string, unknown>)[name];
        if (typeof value === 'number') this.set(value);
      },
    });
  }
  const timelines: Readonly<Record<keyof Node['rings']['figures'], string>> = {
    rings: 'Home timelines kept in memory',
    deliveries: 'Insertions of statuses into home timelines',
    refused: 'Home timelines from other nodes that were discarded because a status might be missing',
    bytes: 'Memory reserved for home timelines',
  };
  for (const [name, help] of Object.entries(timelines) as [keyof typeof timelines, string][]) {
    new Gauge({
      name: `murmuration_home_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(node.rings.figures[name]);
      },
    });
  }
  addProgram(registry, node);
  addCaches(registry, node);
  addRefusals(registry, node);
  addPushes(registry, node);
  addDeliveries(registry, node);
  addFederation(registry, node);
  addMails(registry, node);
  const server = createServer((_request, response) => {
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  const colon = listen.lastIndexOf(':');
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(Number(listen.slice(colon + 1)), listen.slice(0, colon).replace(/^\[|\]$/g, ''), done);
  });
  return () => new Promise((done) => void server.close(() => done()));
}

/** Gauges of caches by the name of the figure. */
const CACHE_FIGURES: readonly (readonly [keyof Omit<CacheFigures, 'name'>, string, string])[] = [
  ['entries', 'entries', 'Cached values'],
  ['entriesMax', 'entries_max', 'Bound of the number of cached values'],
  ['weight', 'weight', 'Weight of the cached values, in bytes, rows or another unit of the cache'],
  ['weightMax', 'weight_max', 'Bound of that weight'],
  ['hits', 'hits', 'Lookups that found a cached value'],
  ['misses', 'misses', 'Lookups that found none'],
];

/** Adds size, bounds, hits and misses of each cache. */
function addCaches(registry: Registry, node: Node): void {
  for (const [figure, name, help] of CACHE_FIGURES) {
    new Gauge({
      name: `murmuration_cache_${name}`,
      help,
      labelNames: ['cache'],
      registers: [registry],
      collect() {
        for (const one of node.figures.caches()) {
          const value = one[figure];
          if (value !== undefined) this.set({ cache: one.name }, value);
        }
      },
    });
  }
}

/** Adds what the node has refused: requests of clients, messages on the bus, calls of peers. */
function addRefusals(registry: Registry, node: Node): void {
  const refusals = [
    ['http', 'Requests refused with 503 before any work was done', () => node.server?.refused],
    [
      'bus',
      'Messages between nodes that could not be decoded, or that came while too many were handled',
      () => node.figures.bus(),
    ],
    ['peer', 'Calls of nodes and operators that failed before their answer', () => node.figures.peers()],
  ] as const;
  for (const [what, help, counts] of refusals) {
    new Gauge({
      name: `murmuration_${what}_refused`,
      help,
      labelNames: ['reason'],
      registers: [registry],
      collect() {
        for (const [reason, count] of Object.entries(counts() ?? {})) this.set({ reason }, count);
      },
    });
  }
}

/** Adds the program's version, its active format and its clock. */
function addProgram(registry: Registry, node: Node): void {
  const { version, format } = node.status();
  new Gauge({
    name: 'murmuration_build_info',
    help: 'Always 1: version of the program and of Node.js, and the newest format that the program knows',
    labelNames: ['version', 'node_version', 'format'],
    registers: [registry],
  }).set({ version, node_version: process.version, format: String(format) }, 1);
  new Gauge({
    name: 'murmuration_active_format',
    help: 'The newest format that every node of the cluster knows, in which data are written',
    registers: [registry],
    collect() {
      this.set(node.status().activeFormat);
    },
  });
  new Gauge({
    name: 'murmuration_clock_offset_seconds',
    help: 'How far the wall clock is ahead of the median of the other members; 0 without any',
    registers: [registry],
    collect() {
      this.set(node.status().clockOffsetMs / 1_000);
    },
  });
}

/** Adds the requests of this node to other servers since its start, and the stamps that it has verified. */
function addFederation(registry: Registry, { federation, stamps }: Node): void {
  const counts = {
    fetches: 'Fetches of objects of other servers',
    deliveries: 'Deliveries to inboxes of other servers',
  };
  for (const [name, help] of Object.entries(counts) as [keyof typeof counts, string][]) {
    new Gauge({
      name: `murmuration_federation_${name}`,
      help: `${help}, by outcome`,
      labelNames: ['outcome'],
      registers: [registry],
      collect() {
        for (const [outcome, count] of Object.entries<number>(federation[name])) this.set({ outcome }, count);
      },
    });
  }
  new Gauge({
    name: 'murmuration_federation_stamps',
    help: 'Verified stamps of other servers (QuoteAuthorization, FeatureAuthorization), by type and outcome',
    labelNames: ['type', 'outcome'],
    registers: [registry],
    collect() {
      for (const [type, counted] of Object.entries(stamps))
        for (const [outcome, count] of Object.entries(counted)) this.set({ type, outcome }, count);
    },
  });
}

/** Adds the pushes of this node since its start, and the age of the oldest that waits for another attempt. */
function addPushes(registry: Registry, { pushes, services }: Node): void {
  new Gauge({
    name: 'murmuration_push_sent',
    help: 'Push messages that a push service has accepted',
    registers: [registry],
    collect() {
      this.set(pushes.sent);
    },
  });
  const counts = { failed: 'Failed attempts to send a push message', dropped: 'Push messages that were given up' };
  for (const [name, help] of Object.entries(counts) as ['failed' | 'dropped', string][]) {
    new Gauge({
      name: `murmuration_push_${name}`,
      help,
      labelNames: ['reason'],
      registers: [registry],
      collect() {
        for (const [reason, count] of Object.entries<number>(pushes[name])) this.set({ reason }, count);
      },
    });
  }
  new Gauge({
    name: 'murmuration_push_oldest_seconds',
    help: 'Age of the oldest notification whose push waits for another attempt; 0 if none waits',
    registers: [registry],
    collect() {
      this.set(pushes.oldestMs(services.clock.nowMs()) / 1_000);
    },
  });
}

/** Adds the activities that this node delivers to other servers, and those that wait for another attempt. */
function addDeliveries(registry: Registry, { delivery, services, waitingInbox }: Node): void {
  new Gauge({
    name: 'murmuration_inbox_waiting',
    help: 'Received activities that wait for something that must be fetched',
    registers: [registry],
    collect() {
      this.set(waitingInbox());
    },
  });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `murmuration_delivery_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  const waiting = () => delivery.waiting(services.clock.nowMs());
  gauge('delivered', 'Activities that an inbox of another server has accepted', () => delivery.delivered);
  gauge('waiting', 'Deliveries that wait for another attempt', () => waiting().count);
  gauge('waiting_hosts', 'Hosts for which deliveries wait', () => waiting().hosts);
  gauge('paused_hosts', 'Hosts among them that get one attempt at a time', () => waiting().pausedHosts);
  gauge('oldest_seconds', 'Age of the oldest waiting delivery; 0 if none waits', () => waiting().oldestMs / 1_000);
  const counts = { failed: 'Failed attempts to deliver an activity', dropped: 'Deliveries that were given up' };
  for (const [name, help] of Object.entries(counts) as ['failed' | 'dropped', string][]) {
    new Gauge({
      name: `murmuration_delivery_${name}`,
      help,
      labelNames: ['reason'],
      registers: [registry],
      collect() {
        for (const [reason, count] of Object.entries<number>(delivery[name])) this.set({ reason }, count);
      },
    });
  }
}

/** Adds the mails of this node. An alert belongs on the age of the oldest that waits. */
function addMails(registry: Registry, { mails }: Node): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `murmuration_mail_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('sent', 'Mails that the mail server has accepted from this node', () => mails.figures.sent);
  gauge('waiting', 'Mails that wait on this node for their next attempt', () => mails.waiting().count);
  gauge(
    'oldest_waiting_seconds',
    'Age of the oldest mail that waits on this node; 0 without any',
    () => mails.waiting().oldestMs / 1_000,
  );
  new Gauge({
    name: 'murmuration_mail_failed',
    help: 'Attempts at mails that failed, by class; rejected and expired mails are given up',
    labelNames: ['class'],
    registers: [registry],
    collect() {
      for (const [name, count] of Object.entries(mails.figures.failed)) this.set({ class: name }, count);
    },
  });
}
