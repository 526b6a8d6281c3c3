// What the tests of the operations share: a wallet whose policy lets a swap of 100 US dollars pass.
import assert from 'node:assert/strict'
import type { Hex } from '../../../src/lib/hash.ts'
import type { DecodedAction } from '../../../src/policy/decoded-action.ts'
import type { Facts } from '../../../src/policy/facts.ts'
import type { AnySource, PolicyService, Principal } from '../../../src/policy/index.ts'
import type { ProposedTx } from '../../../src/schema/action.ts'
import type { Policy } from '../../../src/schema/policy.ts'
import type { Storage } from '../../../src/storage/index.ts'
import { decoded, factsOf, swap, WALLET } from '../../support/actions.ts'
import { type ServiceOptions, startService } from '../../support/app.ts'
import { fixedSources } from '../../support/fixed-sources.ts'

export const CHAIN_ID = 1
export const POLICY: Policy = { slippage: { maxBps: 100 }, caps: { perTxUsd: 500, outflow24hUsd: 2_000 } }
export const TX_HASH: Hex = `0x${'cd'.repeat(32)}`

/** Sources that know everything about the tokens of an action, and sanction nobody. */
export function sourcesFor(action: DecodedAction, change: Facts = {}): readonly AnySource[] {
  const facts = { ...factsOf(action), ...change }
  return fixedSources(facts).map((source) =>
    source.fact === 'sanctions'
      ? {
          ...source,
          // Whoever is asked about is screened, whichever action it is.
          ask: async (question) => {
            const { value, ...rest } = await source.ask(question)
            return { ...rest, value: { ...value, screened: question.addresses } }
          },
        }
      : source,
  )
}

/** A request to swap 100 US dollars, or to do what is given. */
export function requestOf(proposedTx: ProposedTx = swap(), change: object = {}) {
  return { escrowAddress: WALLET, prompt: 'Swap 100 USDC.', proposedTx, ...change }
}

/** A service in which the wallet is registered and has a policy. */
export async function openService(options: ServiceOptions = {}, policy: Policy = POLICY) {
  const service = await startService({ sources: sourcesFor(decoded(swap())), ...options })
  const principal = await service.agentOf(WALLET, [CHAIN_ID], policy)
  return { ...service, principal }
}

/** Submits, and waits for the decision. */
export async function decide(
  policy: PolicyService,
  principal: Principal,
  request: ReturnType<typeof requestOf> = requestOf(),
) {
  const { record, decided } = await policy.submit(principal, request)
  const { verdict, approval } = await decided
  return { requestHash: record.requestHash as Hex, verdict, approval }
}

/** An approved submission. */
export async function approved(policy: PolicyService, principal: Principal): Promise<Hex> {
  const { requestHash, verdict } = await decide(policy, principal)
  assert.equal(verdict.outcome, 'approved', verdict.humanReason)
  return requestHash
}

/** Every row of the audit log that is about a subject, oldest first. */
export async function auditOf({ stores }: Storage, subject: string): Promise<readonly string[]> {
  const { items } = await stores.audit.list({ limit: 100_000 })
  return items
    .filter((row) => row.subject === subject)
    .map(({ kind }) => kind)
    .reverse()
}

/** Micro-USD that count against the wallet's limit now. */
export async function outflow(storage: Storage): Promise<bigint> {
  return storage.stores.holds.outflowSince(WALLET, (await storage.now()) - 86_400_000)
}

/** A promise that others settle, and whether anybody came to wait for it. */
export function barrier(): Readonly<{ arrived: Promise<void>; wait(): Promise<void>; open(): void }> {
  const arrival = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  return {
    arrived: arrival.promise,
    wait() {
      arrival.resolve()
      return gate.promise
    },
    open: () => gate.resolve(),
  }
}
