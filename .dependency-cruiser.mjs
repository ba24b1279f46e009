// Directions between folders. Type-only imports count.
const rule = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });
const OWN = '^(actors|bench|cli|cluster|compose|gateway|load|media|parsers|proto|store|test|transport|main)';
const except = (...folders) => ({ path: OWN, pathNot: folders.map((folder) => `^${folder}`) });

/** Only these folders import the library, so that replacing it changes them alone. */
const library = (name, ...folders) =>
  rule(
    `only-${folders[0]}-knows-${name}`,
    { path: OWN, pathNot: [...folders, 'test', 'bench'].map((folder) => `^${folder}`) },
    { path: `node_modules/${name}(?:/|$)` },
  );

/** Ports and pure functions for messages of other servers: the edge and the actors use them. */
const federationPort = 'transport/federation/(port|bounded-json|media-types|signed-request|verification)';

/** Everything that the HTTP server may use of other folders. */
const forGateway = [
  'gateway',
  'proto',
  'actors/(domain|account|archive|conversation|imports|instance|mail/templates|push/alerts|web-page|report|timelines|runtime/(kind|slice))',
  'store/[^/]+$',
  'store/cache/(cache|cached-tables)',
  'media/workshop',
  'transport/[^/]+$',
  federationPort,
  'package.json',
];

// biome-ignore lint/style/noDefaultExport: the tool reads the default export.
export default {
  forbidden: [
    rule('no-cycles', {}, { circular: true }, 'A cycle hides which of two parts is the lower one.'),
    rule(
      'domain-is-pure',
      { path: '^actors/domain' },
      except('actors/domain', 'proto/gen/types'),
      'Rules need nothing but themselves.',
    ),
    rule('proto-stands-alone', { path: '^proto' }, except('proto'), 'Messages know nobody.'),
    rule(
      'runtime',
      { path: '^actors/runtime' },
      except('actors/(domain|runtime)', 'proto', 'store/[^/]+$', 'store/cache/cache', 'transport/[^/]+$'),
    ),
    rule(
      'slices',
      {
        path: '^actors/(account|archive|conversation|imports|instance|mail|report|web-page|reactions|timelines|[^/]+$)',
      },
      except(
        'actors/(account|archive|conversation|domain|federation|imports|instance|mail|push|remote-host|report|web-page|reactions|runtime|timelines|[^/]+$)',
        'proto',
        'store/[^/]+$',
        'store/cache/cache',
        'transport/[^/]+$',
        federationPort,
      ),
      'Kinds stand above slices and reactions.',
    ),
    rule(
      'activities-and-alerts',
      { path: '^actors/(federation|remote-host|push)' },
      except(
        'actors/(account|conversation|domain|federation|instance|push|remote-host|report|runtime)',
        'proto',
        'store/[^/]+$',
        'store/cache/cache',
        'transport/[^/]+$',
        federationPort,
      ),
      'They turn events into messages to others, and messages of others into commands.',
    ),
    rule(
      'only-reactions-know-activities-and-alerts',
      { path: '^actors', pathNot: '^actors/(federation|kinds|push|reactions|remote-host)' },
      { path: '^actors/(federation|push)' },
      'A slice decides what happens. Reactions tell others.',
    ),
    rule(
      'kinds',
      { path: '^actors/kinds' },
      except('actors', 'proto', 'store/[^/]+$', 'transport/[^/]+$', federationPort),
    ),
    rule('store', { path: '^store' }, except('store', 'proto', 'actors/domain')),
    rule('transport', { path: '^transport' }, except('transport', 'proto', 'actors/domain', 'store/cache/cache')),
    rule(
      'cluster',
      { path: '^cluster' },
      except(
        'cluster',
        'proto',
        'transport/[^/]+$',
        'actors/domain',
        'actors/runtime/placement/placement',
        'store/[^/]+$',
      ),
    ),
    rule(
      'gateway',
      { path: '^gateway', pathNot: '^gateway/activitypub' },
      except(...forGateway, 'actors/federation/remote/port'),
    ),
    rule('activitypub', { path: '^gateway/activitypub' }, except(...forGateway, 'actors/(federation|remote-host)')),
    rule(
      'html-is-made-of-records',
      { path: '^gateway/html' },
      { path: '^gateway/(activitypub|oauth|routes|streaming)' },
      'Pages show what viewing permits and pages render, as routes do.',
    ),
    rule(
      'only-routes-serve-activities-and-html',
      { path: '^gateway/', pathNot: '^gateway/(activitypub|html|oauth/pages|routes|server)' },
      { path: '^gateway/(activitypub|html)' },
      'Both are entrances, as routes are.',
    ),
    rule('media', { path: '^media' }, except('media', 'proto', 'actors/domain', 'store/[^/]+$', 'store/cache/cache')),
    rule('parsers', { path: '^parsers' }, except('parsers', 'media', 'transport/web', 'actors/domain')),
    rule('load', { path: '^load' }, except('load'), 'It knows a server by its API only, whoever made it.'),
    rule('only-the-command-line-loads', { pathNot: '^(load|cli|test|bench)' }, { path: '^load' }),
    library('uWebSockets.js', 'gateway'),
    library('(nats|@grpc/grpc-js|nodemailer)', 'transport'),
    library('web-push', 'transport/push'),
    library('undici', 'transport', 'load/clients'),
    library('cassandra-driver', 'store/cassandra', 'cluster/local'),
    library('lmdb', 'store/lmdb'),
    library('sharp', 'media'),
    rule('only-the-runtime-knows-nact', { pathNot: '^actors/runtime' }, { path: 'node_modules/nact' }),
    rule('nobody-imports-the-gateway', { pathNot: '^(gateway|compose|cli|test|bench|main)' }, { path: '^gateway' }),
    rule('nobody-imports-the-top', { pathNot: '^(compose|cli|test|bench|main)' }, { path: '^(compose|cli|main)' }),
    rule('nobody-imports-tests', { pathNot: '^(test|bench)' }, { path: '^(test|bench)' }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|\\.build|\\.cache)' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    moduleSystems: ['es6', 'cjs'],
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
