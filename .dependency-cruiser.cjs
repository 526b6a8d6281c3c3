// What may import what. Imports point down: schema, lib, registry < chain, storage < policy, validation, auth < harness < api < app < main, chat.
// test/house/boundaries.test.ts plants a violation of every rule below and sees it found.

const LAYERS = [
  ['schema', 'lib', 'registry'],
  ['chain', 'storage', 'client'],
  ['policy', 'validation', 'auth'],
  ['harness'],
  ['api'],
]
/** Modules that are entered by their index.ts alone. The files of schema and lib are entered one by one. */
const ENTERED_BY_INDEX = 'registry|chain|storage|client|policy|validation|auth|harness|api'
/** Folders of members of a kind. */
const PLURAL =
  'policy/checks|policy/decoders|policy/typed-decoders|policy/sources|policy/operations|validation/nodes|harness/tools|harness/channels|harness/providers|harness/order-venues|storage/stores|api/mcp/tools'
/** What acts in policy/. All else there decides: no I/O, no clock, no storage. A new file decides until it is listed here. */
const ACTS =
  '(?:index|service|operation|decide|principal|record|follow-orders|gather|contract-reads|attestor|wallet-owner|standing-approvals|store-decisions|submission|until-decided|work|activity|decision-port|remote-decisions|service-questions|back-off|mirror)\\.ts$|(?:operations|sources)/'
const PURE = `^src/policy/(?!${ACTS})`
const IMPURE_LIB = '^src/lib/(log|clock|mailbox)\\.ts$'

const modules = (names) => `^src/(${names.join('|')})/`
const npm = (names) => `(^|node_modules/)(${names})(/|$)`

const down = LAYERS.slice(0, -1).map((layer, i) => ({
  name: `${layer.join('-')}-imports-down`,
  comment: 'A module imports what lies below it, never what lies above.',
  severity: 'error',
  from: { path: modules(layer) },
  to: { path: modules(LAYERS.slice(i + 1).flat()) },
}))

const siblings = LAYERS.slice(1)
  .filter((layer) => layer.length > 1)
  .flatMap((layer) =>
    layer.map((name) => ({
      name: `${name}-knows-no-sibling`,
      comment: 'The modules of one layer do not know each other; whoever needs both stands above them.',
      severity: 'error',
      from: { path: modules([name]) },
      to: { path: modules(layer.filter((other) => other !== name)) },
    })),
  )

const oneHome = (name, packages, home, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^src/', pathNot: home },
  to: { path: npm(packages) },
})

module.exports = {
  forbidden: [
    { name: 'no-cycles', comment: 'Type-only imports count too.', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      comment: 'A file that nothing imports is not part of the product.',
      severity: 'error',
      from: { orphan: true, pathNot: '^src/(main|chat|audit-verify)\\.ts$' },
      to: {},
    },
    {
      name: 'no-unresolvable',
      comment: 'The import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-development-package',
      comment: 'A production install does not have it.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'source-stands-alone',
      comment: 'src imports nothing of the repository but itself.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts|bench|examples)/' },
    },
    ...down,
    ...siblings,
    {
      name: 'entry-points-are-the-top',
      comment:
        'app.ts builds, process/ and chat/ run, main.ts and chat.ts start, config.ts reads the environment: no module reaches up to them.',
      severity: 'error',
      from: { path: '^src/(?!(?:process|chat)/)[^/]+/' },
      to: { path: '^src/([^/]+\\.ts$|(process|chat)/)' },
    },
    {
      name: 'front-door',
      comment: 'A module is entered by its index.ts; chain/signer.ts is a door of its own, with its own rule.',
      severity: 'error',
      from: { path: '^src/([^/]+)(?:/|\\.ts$)' },
      to: { path: `^src/(${ENTERED_BY_INDEX})/(?!index\\.ts$)`, pathNot: ['^src/$1/', '^src/chain/signer\\.ts$'] },
    },
    {
      name: 'one-signer-caller',
      comment: 'Only the gate, its executor and the composition root reach the key.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(harness/(gate|executor)|app)\\.ts$' },
      to: { path: '^src/chain/signer\\.ts$' },
    },
    {
      name: 'pure',
      comment: 'What decides sees data only: the schema, the registry, pure helpers and its own kind.',
      severity: 'error',
      from: { path: PURE },
      to: { pathNot: [PURE, '^src/(schema|registry|lib)/', npm('viem|zod')] },
    },
    {
      name: 'pure-reads-no-clock-and-writes-no-log',
      comment: 'What decides is given the time and says its piece in its result.',
      severity: 'error',
      from: { path: PURE },
      to: { path: IMPURE_LIB },
    },
    {
      name: 'tools-only-propose',
      comment: 'A tool proposes; it cannot decide, sign, store or execute.',
      severity: 'error',
      from: { path: '^src/harness/tools/' },
      to: {
        path: '^src/(policy/|storage/|chain/(signer|index)\\.ts$|harness/(gate|executor|run-tool|turn|session)\\.ts$)',
      },
    },
    {
      name: 'members-do-not-know-each-other',
      comment: "What members share moves up to their kind's file. A member may have a private folder of its own name.",
      severity: 'error',
      from: { path: `^src/(${PLURAL})/([^/.]+)`, pathNot: '/index\\.ts$' },
      to: { path: '^src/$1/', pathNot: '^src/$1/$2(\\.ts$|/)' },
    },
    {
      name: 'routes-do-not-know-each-other',
      comment: 'What routes share moves up to api/.',
      severity: 'error',
      from: { path: '^src/api/routes/', pathNot: '^src/api/routes/index\\.ts$' },
      to: { path: '^src/api/routes/' },
    },
    {
      name: 'schema-is-zod-only',
      comment: 'The wire contract rests on zod and on the words of lib.',
      severity: 'error',
      from: { path: '^src/schema/' },
      to: { pathNot: ['^src/(schema|lib)/', npm('zod')] },
    },
    oneHome('http-only-in-api', 'koa|@koa', '^src/api/', 'HTTP is spoken in api/ alone.'),
    oneHome(
      'database-only-in-storage',
      'kysely|pg|sqlite|node:sqlite',
      '^src/storage/',
      'SQL is written in storage/ alone.',
    ),
    oneHome(
      'model-kits-only-in-providers',
      'openai|@anthropic-ai',
      '^src/harness/providers/',
      'A model is spoken to by its dialect.',
    ),
    oneHome('telegram-kit-in-one-file', 'grammy', '^src/harness/channels/telegram(\\.ts$|/)', 'One channel, one file.'),
    oneHome(
      'discord-kit-in-one-file',
      'discord\\.js',
      '^src/harness/channels/discord(\\.ts$|/)',
      'One channel, one file.',
    ),
    oneHome('oauth-server-in-one-folder', 'oidc-provider', '^src/api/oauth/', 'One authorization server, one folder.'),
    oneHome('mcp-kit-in-one-folder', '@modelcontextprotocol', '^src/api/mcp/', 'One MCP endpoint, one folder.'),
    oneHome('siwe-grammar-in-one-file', '@spruceid', '^src/auth/siwe-message\\.ts$', 'One reader of sign-in messages.'),
    {
      name: 'whole-viem-in-the-signer-alone',
      comment: 'All of it costs each start 12 MB of memory: viem/utils has what is needed.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/chain/signer\\.ts$' },
      to: { path: '(^|node_modules/)viem/(_esm/)?index\\.js$' },
    },
    oneHome(
      'chain-list-nowhere',
      'viem/chains|viem/_esm/chains|viem/chains/index',
      '^$',
      'The full chain list costs 26 MB of memory.',
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      conditionNames: ['import', 'node', 'default'],
      exportsFields: ['exports'],
    },
  },
}
