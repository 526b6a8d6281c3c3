import { z } from 'zod'
import { timeZoneNamed } from './lib/time-zone.ts'
import { PriceTable } from './policy/index.ts'
import { CHAINS } from './registry/index.ts'
import { Policy } from './schema/policy.ts'
import { Address } from './schema/primitives.ts'

const SUPPORTED = CHAINS.map(({ id }) => id)

const HYPERLIQUID_URL = 'https://api.hyperliquid.xyz'
const POLYMARKET = {
  url: 'https://clob.polymarket.com',
  marketsUrl: 'https://gamma-api.polymarket.com',
  dataUrl: 'https://data-api.polymarket.com',
}

const Name = z.string().min(1).max(64)
const HttpUrl = z.url({ protocol: /^https?$/, error: 'expected an http(s) address' })

/** A secret stands in the environment; the file only names the variable. */
const Secret = z.strictObject(
  { env: z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'expected the name of an environment variable, like OPENAI_API_KEY') },
  { error: 'expected {"env": "<name of an environment variable>"}: secrets are never written into this file' },
)

const SupportedChainId = z.int().refine((id) => SUPPORTED.includes(id), `expected one of ${SUPPORTED.join(', ')}`)

const Allowance = z.strictObject({
  tokens: z.int().positive().optional(),
  usd: z.number().positive().max(1_000_000).optional(),
})

const Agent = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected lower-case letters, digits and hyphens'),
  name: Name,
  /** A key of `providers`. Without one: the first provider whose key is set, else the rule-based stand-in. */
  provider: Name.optional(),
  model: Name.optional(),
  /** Who the agent is and how it works, in the owner's words. */
  identity: z.string().max(8_000).optional(),
  /** Names of the tools that it may use; all by default. */
  tools: z.array(Name).optional(),
  /** Names of the skills that it may use; all by default. */
  skills: z.array(Name).optional(),
  /** When a person confirms before anything is executed in direct mode; always by default. */
  confirm: z
    .union([z.enum(['always', 'never']), z.templateLiteral(['above:', z.string().regex(/^\d{1,12}(\.\d{1,6})?$/)])], {
      error: "expected 'always', 'never' or 'above:<usd>', like 'above:100'",
    })
    .optional(),
  /** Model calls for one message. */
  maxTurns: z.int().min(1).max(50).optional(),
  /** Models that take over, in this order, where its own cannot be reached. */
  fallbacks: z
    .array(z.strictObject({ provider: Name, model: Name.optional() }))
    .max(8)
    .optional(),
  /** What its models may use: for one message, in one conversation in a day, and in a day (UTC). */
  budget: z
    .strictObject({ turn: Allowance.optional(), chat: Allowance.optional(), day: Allowance.optional() })
    .optional(),
})

const Price = z.number().min(0).max(10_000)

const PerMinute = z.int().min(0).max(10_000)

const Provider = z.strictObject({
  api: z.enum(['openai-completions', 'openai-responses', 'anthropic-messages']),
  baseUrl: HttpUrl.optional(),
  apiKey: Secret.optional(),
  models: z
    .array(
      z.strictObject({
        id: Name,
        name: Name.optional(),
        contextWindow: z.int().positive().optional(),
        supportsToolUse: z.boolean().optional(),
        /** US dollars per million tokens. */
        price: z
          .strictObject({ input: Price, output: Price, cachedInput: Price.optional(), cacheWrite: Price.optional() })
          .optional(),
      }),
    )
    .default([]),
})

const PlatformId = z.string().regex(/^-?\d{1,20}$/, "expected a numeric id of the platform as text, like '123456789'")

/** One bot of a platform (contract section 1). An empty or absent `allowFrom` without pairing means nobody. */
const Account = z.strictObject({
  botToken: Secret,
  allowFrom: z.array(PlatformId).optional(),
  owners: z.array(PlatformId).optional(),
  groups: z.record(PlatformId, z.strictObject({ requireMention: z.boolean().optional() })).optional(),
  pairing: z.boolean().optional(),
  /** Id of the agent that answers here; the first one by default. */
  agent: z.string().optional(),
})

const Channels = z.strictObject({
  telegram: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Where the Bot API is. */
      apiRoot: HttpUrl.optional(),
      /** Updates are brought to <url>/<account> where this is set, and fetched where it is not. */
      webhook: z.strictObject({ url: z.url({ protocol: /^https$/ }), secret: Secret }).optional(),
      accounts: z.record(Name, Account).default({}),
    })
    .optional(),
  discord: z
    .strictObject({
      enabled: z.boolean().default(true),
      restUrl: HttpUrl.optional(),
      gatewayUrl: z.url({ protocol: /^wss?$/, error: 'expected a ws(s) address' }).optional(),
      accounts: z.record(Name, Account).default({}),
    })
    .optional(),
  web: z
    .strictObject({
      enabled: z.boolean().default(true),
      /** Wallets whose keys open the console, beside the token that is printed at the start. */
      owners: z.array(Address).optional(),
    })
    .optional(),
})

/** `agents.config.json` (specification 2.16, contract section 1). Every key has a default: `{}` is a valid file. */
export const ConfigFile = z
  .strictObject({
    $schema: z.string().optional(),
    port: z.int().min(0).max(65_535).optional(),
    agents: z
      .tuple([Agent], Agent)
      .refine(
        (agents) => new Set(agents.map(({ id }) => id)).size === agents.length,
        'every agent needs an id of its own',
      )
      .default([{ id: 'main', name: 'Countersign' }]),
    providers: z.record(Name, Provider).default({}),
    channels: Channels.default({}),
    /** Where the harness trades. */
    chain: z.strictObject({ id: SupportedChainId, name: Name.optional() }).default({ id: 1 }),
    /** Further chains that can be read, each with its own node. */
    chains: z
      .array(z.strictObject({ id: SupportedChainId, name: Name.optional(), rpcUrl: HttpUrl.optional() }))
      .default([]),
    tools: z
      .strictObject({
        typed: z.boolean().default(true),
        bash: z
          .strictObject({
            enabled: z.boolean().default(false),
            allow: z
              .strictObject({
                /** Names or absolute paths of programs. */
                commands: z.array(z.string().min(1).max(200)).default([]),
                /** Folders that their arguments may point into. */
                paths: z.array(z.string().min(1).max(1_000)).default([]),
              })
              .optional(),
            /** Lets curl speak to the policy service with SERVICE_API_KEY, as the skill shell-verification does. */
            serviceKey: z.boolean().default(false),
          })
          .optional(),
      })
      .default({ typed: true }),
    sessions: z
      .strictObject({
        /** Days after which conversations, runs of schedules and counts of tokens are forgotten. */
        retentionDays: z.int().min(1).max(3_650).default(90),
      })
      .default({ retentionDays: 90 }),
    paper: z
      .strictObject({
        /** Whether a dry run keeps a paper portfolio. */
        enabled: z.boolean().default(true),
        /** What it begins with, as decimal texts by symbol; what the wallet has by default. */
        balances: z
          .record(Name, z.string().regex(/^\d{1,30}(\.\d{1,30})?$/, "expected a decimal number as text, like '1000'"))
          .optional(),
        /** US dollars in the margin account of perpetuals; what is in it by default. */
        margin: z
          .string()
          .regex(/^\d{1,12}(\.\d{1,6})?$/, "expected US dollars as text, like '1000'")
          .optional(),
      })
      .default({ enabled: true }),
    /** The zone in which people are told times who named none with /timezone. */
    timeZone: z
      .string()
      .refine((name) => timeZoneNamed(name) !== undefined, 'expected a time zone like Europe/Zurich')
      .default('UTC'),
    /** First policy of the harness's wallet: written at the first start, changed through the API afterwards. */
    policy: Policy.optional(),
    service: z
      .strictObject({
        /** The policy service that decides in place of this process: its address, which usually ends in /api. */
        url: HttpUrl.optional(),
        /** The key that its receipts must verify with; by default the one that it published when it was first asked. */
        publicKey: z
          .string()
          .regex(/^0x[0-9a-f]{64}$/, 'expected 0x and 64 lower-case hex digits')
          .optional(),
        /** The API's address as clients see it. */
        publicUrl: HttpUrl.optional(),
        approvalTtlSeconds: z.int().min(5).max(86_400).optional(),
        /** Requests a minute of one key, integrator or address; 0 is without limit. */
        rateLimits: z
          .strictObject({
            agentPerMinute: PerMinute.optional(),
            partnerPerMinute: PerMinute.optional(),
            partnerPolicyPerMinute: PerMinute.optional(),
            publicPerMinute: PerMinute.optional(),
            authPerMinute: PerMinute.optional(),
            adminPerMinute: PerMinute.optional(),
          })
          .optional(),
      })
      .default({}),
    validation: z
      .strictObject({
        /** Whether the validation interface takes requests without a key. */
        public: z.boolean().default(false),
      })
      .prefault({}),
    sources: z
      .strictObject({
        prices: z.strictObject({ table: PriceTable.optional() }).default({}),
        sanctions: z.strictObject({ maxAgeDays: z.int().positive().optional() }).default({}),
        hyperliquid: z
          .strictObject({
            /** Where the venue's interfaces are. */
            url: HttpUrl.default(HYPERLIQUID_URL),
            /** How much is asked of the venue in a minute; it allows 1,200 from one address, for all processes there. */
            weightPerMinute: z.int().min(60).max(1_200).default(1_000),
          })
          .default({ url: HYPERLIQUID_URL, weightPerMinute: 1_000 }),
        polymarket: z
          .strictObject({
            /** Where its order books are, its list of markets, and its records of accounts. */
            url: HttpUrl.default(POLYMARKET.url),
            marketsUrl: HttpUrl.default(POLYMARKET.marketsUrl),
            dataUrl: HttpUrl.default(POLYMARKET.dataUrl),
            /** The contract that orders are for, which the wallet's key signs for; the wallet itself by default. */
            account: z
              .strictObject({
                address: Address,
                /** 1 is a proxy, 2 a Safe, 3 a deposit wallet. */
                signatureType: z.union([z.literal(1), z.literal(2), z.literal(3)]),
              })
              .optional(),
          })
          .default(POLYMARKET),
      })
      .default({
        prices: {},
        sanctions: {},
        hyperliquid: { url: HYPERLIQUID_URL, weightPerMinute: 1_000 },
        polymarket: POLYMARKET,
      }),
  })
  .meta({ title: 'agents.config.json', description: 'Configuration of a countersign harness.' })
export type ConfigFile = z.output<typeof ConfigFile>
