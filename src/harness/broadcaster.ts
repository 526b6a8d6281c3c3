import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainClient, Chains, Receipt } from '../chain/index.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import { keccak256 } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import type { Claim } from '../policy/index.ts'
import type { TransactionStatus } from '../schema/action.ts'
import type { Execution, ExecutionState, Storage } from '../storage/index.ts'
import { clear, type Withdrawn } from './clearance.ts'

/** How a journaled transaction ended. `dropped`: its nonce was used by a transaction that is not ours. */
export type Ending = 'mined' | 'reverted' | 'dropped'

/** How long a receipt is waited for, in ms: the first pause, the longest one, and all together. */
export type Patience = Readonly<{ firstMs: number; longestMs: number; totalMs: number }>

/** What the broadcaster works with. It has no signer. */
export type BroadcasterSettings = Readonly<{
  chains: Chains
  storage: Storage
  log: Log
  patience?: Partial<Patience> | undefined
  /** Where another process decided: it hears of each use before the bytes leave. */
  claim?: Claim | undefined
}>

/** Brings journaled bytes to the chain and follows them. It cannot sign. */
export type Broadcaster = Readonly<{
  /** Gives the bytes to the node. Never throws: whether they arrived shows when they are looked up. What may never leave is withdrawn. */
  send(execution: Execution): Promise<Withdrawn | undefined>
  /** Waits for the end, sending the same bytes again while the node does not know them. `pending`: not known yet. */
  follow(execution: Execution): Promise<Ending | Withdrawn | 'pending'>
  /** Takes up everything in the journal that is not final. */
  recover(): Promise<void>
  /** Ends all waiting. What is unfinished stays in the journal. */
  stop(): void
}>

const PATIENCE: Patience = { firstMs: 200, longestMs: 4_000, totalMs: 90_000 }

/** Blocks on top of a transaction after which no reorganisation is expected to undo it. */
const FINAL_DEPTH = 64n

/** A broadcaster over the journal of a store. */
export function createBroadcaster({ chains, storage, log, patience, claim }: BroadcasterSettings): Broadcaster {
  const stopping = new AbortController()
  const signal = stopping.signal
  const work: Work = { chains, storage, log, patience: { ...PATIENCE, ...patience }, signal, claim }
  return {
    send: (execution) => send(work, execution),
    follow: (execution) => follow(work, execution),
    async recover() {
      const unfinished = await storage.stores.executions.unfinished()
      await Promise.all(
        unfinished.map((one) =>
          ENDED.includes(one.state) ? attempt(work, one, () => revisit(work, one)) : follow(work, one),
        ),
      )
    },
    stop: () => stopping.abort(),
  }
}

type Work = Required<Pick<BroadcasterSettings, 'chains' | 'storage' | 'log'>> &
  Readonly<{ patience: Patience; signal: AbortSignal; claim: Claim | undefined }>

/** States in which the chain has spoken. A reorganisation may still take it back. */
const ENDED: readonly ExecutionState[] = ['mined', 'reverted', 'dropped']

function chainOf({ chains }: Work, { chainId }: Execution): ChainClient {
  const chain = chains.of(chainId)
  if (chain === undefined) throw new CountersignError('unavailable', `No RPC is configured for chain ${chainId}.`)
  return chain
}

/** What goes wrong here is not known to have gone wrong on the chain: it is said, and looked up again later. */
async function attempt<T>({ log, signal }: Work, execution: Execution, step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step()
  } catch (thrown) {
    const { requestHash, txHash } = execution
    if (!signal.aborted) log.warn({ requestHash, txHash, error: messageOf(thrown) }, 'Not known yet.')
    return undefined
  }
}

async function send(work: Work, execution: Execution): Promise<Withdrawn | undefined> {
  const cleared = await attempt(work, execution, () => clear(execution, work))
  if (cleared !== 'cleared') return cleared === 'waiting' ? undefined : cleared
  const { requestHash, rawTx, txHash } = execution
  const { storage, log, signal } = work
  await attempt(work, execution, async () => {
    if (keccak256(Buffer.from(rawTx.slice(2), 'hex')) !== txHash)
      throw new CountersignError('internal', 'The journaled bytes do not have the journaled hash.')
    const chain = chainOf(work, execution)
    const reply = await chain.sendRaw(rawTx, { signal })
    if (!reply.accepted) {
      log.warn({ requestHash, txHash, code: reply.code, said: reply.message }, 'The node did not take the bytes.')
      // "Already known", "already imported", "nonce too low" and all else: only the hash tells what is so.
      if ((await chain.transactionByHash(txHash, { signal })) === null) return
    }
    await storage.stores.executions.advance(requestHash, ['signed'], 'broadcast')
  })
  return undefined
}

/** One look: the end, if there is one; else whether the node has the transaction. */
async function look(work: Work, execution: Execution): Promise<Ending | 'waiting' | 'unknown'> {
  const { signal } = work
  const chain = chainOf(work, execution)
  const receipt = await chain.receipt(execution.txHash, { signal })
  if (receipt !== null) return settle(work, execution, endingOf(receipt), receipt)
  return (await chain.transactionByHash(execution.txHash, { signal })) === null ? 'unknown' : 'waiting'
}

async function follow(work: Work, execution: Execution): Promise<Ending | Withdrawn | 'pending'> {
  const { patience, signal } = work
  const until = performance.now() + patience.totalMs
  for (let pause = patience.firstMs; !signal.aborted; pause = Math.min(pause * 2, patience.longestMs)) {
    const seen = await attempt(work, execution, () => look(work, execution))
    if (seen === 'mined' || seen === 'reverted' || seen === 'dropped') return seen
    if (performance.now() + pause > until) return seen === 'unknown' ? giveUp(work, execution) : 'pending'
    const withdrawn = seen === 'unknown' ? await send(work, execution) : undefined
    if (withdrawn) return withdrawn
    await sleep(pause, undefined, { signal }).catch(() => undefined)
  }
  return 'pending'
}

/** After all the waiting: bytes whose nonce is used, and which the node does not know, can never be mined. */
async function giveUp(work: Work, execution: Execution): Promise<'dropped' | 'pending'> {
  const { signal } = work
  const overtaken = await attempt(work, execution, async () => {
    const chain = chainOf(work, execution)
    const used = (await chain.transactionCount(execution.address, 'latest', { signal })) > execution.nonce
    if (!used || (await chain.receipt(execution.txHash, { signal })) !== null) return false
    await settle(work, execution, 'dropped')
    return true
  })
  return overtaken === true ? 'dropped' : 'pending'
}

/** An ended one: final once it is deep enough. Where a reorganisation took it back, its bytes go out again. */
async function revisit(work: Work, execution: Execution): Promise<void> {
  const { storage, signal } = work
  const chain = chainOf(work, execution)
  const receipt = await chain.receipt(execution.txHash, { signal })
  if (receipt === null && execution.state !== 'dropped') {
    await send(work, execution)
    return
  }
  if (receipt !== null) {
    await settle(work, execution, endingOf(receipt), receipt)
    if ((await chain.blockNumber({ signal })) - receipt.blockNumber < FINAL_DEPTH) return
  }
  await storage.stores.executions.advance(execution.requestHash, ENDED, 'final')
}

function endingOf({ status }: Receipt): 'mined' | 'reverted' {
  return status === 'success' ? 'mined' : 'reverted'
}

/** Writes an end down, in one database transaction with the ledger. Of several at once, one does; the same again does nothing. */
async function settle(
  { storage, log }: Work,
  { requestHash, txHash }: Execution,
  ending: Ending,
  receipt?: Receipt,
): Promise<Ending> {
  const others = (['signed', 'broadcast', ...ENDED] as const).filter((state) => state !== ending)
  const settled = await storage.transaction(async ({ executions, holds, transactions, audit }) => {
    const detail = receipt === undefined ? {} : { blockNumber: Number(receipt.blockNumber) }
    if (!(await executions.advance(requestHash, others, ending, detail))) return false
    await holds.settle(requestHash, ending === 'mined' ? 'posted' : 'voided')
    const [from, to]: [TransactionStatus[], TransactionStatus] =
      ending === 'mined' ? [['APPROVED', 'FAILED'], 'EXECUTED'] : [['APPROVED', 'EXECUTED'], 'FAILED']
    await transactions.move(requestHash, from, to, { txHash })
    await audit.append({ kind: `execution.${ending}`, subject: requestHash, payload: { txHash, ...detail } })
    return true
  })
  if (settled) log.info({ requestHash, txHash, ending }, 'The transaction has ended.')
  return ending
}
