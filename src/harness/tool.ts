import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { type Result, refuse } from '../lib/result.ts'
import type { MicroUsd } from '../lib/usd.ts'
import type { TokenInfo } from '../registry/index.ts'
import type { ProposedTx } from '../schema/action.ts'
import type { Policy } from '../schema/policy.ts'
import type { Verdict } from '../schema/verdict.ts'
import type { Perps } from './perps.ts'
import type { Predictions } from './predictions.ts'

/** One transaction of a proposal, and what it is for in a few words. */
export type ProposedStep = Readonly<{ summary: string; tx: ProposedTx }>

/**
 * What a tool proposes: the steps in the order in which they must run, the last one being what was asked for.
 * All are decided before the first is executed.
 */
export type Proposal = Readonly<{ steps: readonly [...ProposedStep[], ProposedStep] }>

/** A token amount on the wallet. */
export type Balance = Readonly<{ token: TokenInfo | NativeInfo; amount: bigint }>

/** A right of a contract to take a token from the wallet. */
export type Approval = Readonly<{ token: TokenInfo; spender: Address; name: string; amount: bigint }>

/** What lies in a pool or vault, in the token's smallest unit. `shares` is for vaults. */
export type Deposit = Readonly<{
  venue: string
  market: string
  address: Address
  token: TokenInfo
  supplied: bigint
  debt: bigint
  shares: bigint | null
}>

/** An action that was submitted, and how it stands. */
export type PastAction = Readonly<{ requestHash: string; description: string; status: string; createdAt: string }>

/** The chain's own coin, described like a token. */
export type NativeInfo = Readonly<{ address: 'native'; symbol: string; decimals: number }>

/** What tools may read of the world. Handed in: a tool reaches neither the chain nor the policy by itself. */
export type Reader = Readonly<{
  /** A token by symbol or address, on the harness's chain; the chain's coin by its symbol or `native`. Look-alikes are refused. */
  token(symbolOrAddress: string): Promise<Result<TokenInfo | NativeInfo>>
  balances(): Promise<readonly Balance[]>
  balance(token: TokenInfo | NativeInfo): Promise<bigint>
  /** What known contracts may take from the wallet. */
  approvals(): Promise<readonly Approval[]>
  /** What lies in known pools and vaults, and what is owed there. */
  deposits(): Promise<readonly Deposit[]>
  /** Fees for each gas now, in wei. */
  fees(): Promise<Readonly<{ base: bigint; tip: bigint }>>
  /** The latest actions of this agent, newest first. */
  history(limit: number): Promise<readonly PastAction[]>
  /** The policy of the wallet, and micro-USD that left it in 24 hours; undefined where only the service knows. */
  limits(): Promise<
    Readonly<{ policy: Policy | undefined; version: number | undefined; outflow: MicroUsd | undefined }>
  >
  allowance(token: Address, spender: Address): Promise<bigint>
  permit2Allowance(token: Address, spender: Address): Promise<Readonly<{ amount: bigint; expiresAt: number }>>
  /** The best route found on chain, and what it gives now. */
  quote(
    sell: TokenInfo | NativeInfo,
    buy: TokenInfo | NativeInfo,
    amount: bigint,
    side: 'exact-in' | 'exact-out',
  ): Promise<Result<Quote>>
  /** US dollars of one whole token, where a source knows it. */
  usdPrice(token: TokenInfo | NativeInfo): Promise<number | undefined>
  /** The venue of perpetuals, where one is configured. */
  perps?: Perps | undefined
  /** The venue of predictions, where one is configured. */
  predictions?: Predictions | undefined
  /** An earlier decision about this agent; the latest one by default. */
  verdict(requestHash?: string): Promise<Result<PastVerdict>>
}>

/** A decision, and what had been asked for in the words of the request. */
export type PastVerdict = Readonly<{ requestHash: string; description: string; verdict: Verdict }>

/** What a tool read: one plain sentence that says it, and the data behind it. Amounts are decimal texts. */
export type Answer = Readonly<{ message: string }> & object

/** A route through one pool, and the amounts it gives: what goes in and what comes out. */
export type Quote = Readonly<{
  pool: 'v2' | 'v3'
  /** Fee in hundredths of a basis point (500 = 0.05 %). */
  fee: number
  amountIn: bigint
  amountOut: bigint
}>

/** What a tool is told beside its arguments. */
export type ToolContext = Readonly<{
  chainId: number
  wallet: Address
  reader: Reader
  /** Basis points that the policy allows between the quote and the minimum output. */
  slippageBps: number
  now(): Date
  /** Whether what another tool would propose is what a person asked for; missing where that cannot be told. */
  checkIntent?: (intent: string, call: Readonly<{ name: string; arguments: unknown }>) => Promise<Result<IntentCheck>>
  /** What another tool would propose, and how that would be decided now; missing where that cannot be told. */
  simulate?: (call: Readonly<{ name: string; arguments: unknown }>) => Promise<Result<readonly SimulatedStep[]>>
}>

/** A step that was not submitted: what its bytes do, what it costs, and how it would be decided. All for people and models. */
export type SimulatedStep = Readonly<{
  step: string
  effects: readonly string[]
  verdict: Pick<Verdict, 'outcome' | 'reasonCode' | 'humanReason' | 'triggeringPolicyField'>
  gas: string | null
  onChain: string
}>

/** How a proposal compares with a person's words. `node` names what explains a mismatch best. */
export type IntentCheck = Readonly<{ matches: boolean; reason: string; node: string | null }>

/** What is remembered of the person who speaks, for all their conversations. */
export type PersonMemory = Readonly<{
  facts(): Promise<readonly Readonly<{ seq: number; fact: string }>[]>
  remember(fact: string): Promise<Result<string>>
  /** Forgets one fact by its number. */
  forget(seq: number): Promise<boolean>
  /** Forgets all. How many there were. */
  forgetAll(): Promise<number>
  /** The zone in which they are told times, by its IANA name; nothing where they named none. */
  timeZone(): Promise<string | undefined>
  /** Nothing is the usual one again. */
  setTimeZone(name: string | undefined): Promise<void>
}>

/** Reads a skill: its instructions, or one of the files beside them. */
export type SkillReader = Readonly<{
  read(name: string, file?: string): Promise<Result<Readonly<{ text: string; files: readonly string[] }>>>
}>

/** What a command that was run said. */
export type ShellOutput = Readonly<{ exitCode: number | null; stdout: string; stderr: string; cut: boolean }>

/** Runs one command of those that the owner allowed. */
export type Shell = Readonly<{ run(line: string, signal: AbortSignal): Promise<Result<ShellOutput>> }>

/** What tools of the harness itself work with. None of it needs a wallet, none of it reaches a verdict. */
export type HarnessContext = Readonly<{
  /** Missing in a scheduled run: nobody is there to remember. */
  memory: PersonMemory | undefined
  skills: SkillReader
  /** Only where the owner switched it on. */
  shell: Shell | undefined
  signal: AbortSignal
}>

type Shared<input extends z.ZodType> = Readonly<{
  name: string
  description: string
  input: input
}>

/** A tool as the harness sees it, its types closed over. */
export type Tool = Readonly<{ name: string; description: string; parameters: object }> &
  (
    | Readonly<{ kind: 'action'; propose(args: unknown, context: ToolContext): Promise<Result<Proposal>> }>
    | Readonly<{ kind: 'read'; read(args: unknown, context: ToolContext): Promise<Result<Answer>> }>
    | Readonly<{ kind: 'harness'; run(args: unknown, context: HarnessContext): Promise<Result<Answer>> }>
  )

/** Declares a tool that changes something: it proposes, it cannot act. The harness submits, gates and executes. */
export function defineActionTool<input extends z.ZodType>(
  spec: Shared<input> & Readonly<{ propose(args: z.output<input>, context: ToolContext): Promise<Result<Proposal>> }>,
): Tool {
  return {
    kind: 'action',
    ...described(spec),
    async propose(args, context) {
      const parsed = parse(spec.input, args)
      return parsed.ok ? spec.propose(parsed.value, context) : parsed
    },
  }
}

/** Declares a tool that only reads. */
export function defineReadTool<input extends z.ZodType>(
  spec: Shared<input> & Readonly<{ read(args: z.output<input>, context: ToolContext): Promise<Result<Answer>> }>,
): Tool {
  return {
    kind: 'read',
    ...described(spec),
    async read(args, context) {
      const parsed = parse(spec.input, args)
      return parsed.ok ? spec.read(parsed.value, context) : parsed
    },
  }
}

/** Declares a tool of the harness itself: it needs no wallet, and trades nothing. */
export function defineHarnessTool<input extends z.ZodType>(
  spec: Shared<input> & Readonly<{ run(args: z.output<input>, context: HarnessContext): Promise<Result<Answer>> }>,
): Tool {
  return {
    kind: 'harness',
    ...described(spec),
    async run(args, context) {
      const parsed = parse(spec.input, args)
      return parsed.ok ? spec.run(parsed.value, context) : parsed
    },
  }
}

function described<input extends z.ZodType>({ name, description, input }: Shared<input>) {
  return { name, description, parameters: z.toJSONSchema(input, { io: 'input' }) }
}

function parse<input extends z.ZodType>(input: input, args: unknown): Result<z.output<input>> {
  const parsed = input.safeParse(args)
  if (parsed.success) return { ok: true, value: parsed.data }
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`)
  return refuse(`Invalid arguments. ${problems.join('; ')}`)
}
