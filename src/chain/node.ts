import type { z } from 'zod'
import { CountersignError } from '../lib/errors.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { failureReason, isCallFailure } from './revert.ts'
import { SmallAnswer } from './rpc-answers.ts'
import type { RpcReply, Transport } from './transport.ts'

/** How to read: until when to wait beyond the client's own time limit. */
export type ReadOptions = Readonly<{ signal?: AbortSignal }>

/** One question to a node. */
export type Question = Readonly<{ method: string; params: readonly unknown[]; signal?: AbortSignal | undefined }>

/**
 * A node that was asked for its chain id before anything else, and whose answers are parsed. All methods throw
 * `CountersignError` `unavailable` where it does not answer, answers in another shape or is of another chain.
 */
export type Node = Readonly<{
  verify(signal?: AbortSignal): Promise<void>
  /** The node's reply as it is. */
  reply(question: Question): Promise<RpcReply>
  /** An answer of a shape; the node's own error is a fault. */
  ask<schema extends z.ZodType>(schema: schema, question: Question): Promise<z.output<schema>>
  /** An answer of a shape, or why the call itself fails; any other error of the node is a fault. */
  attempt<schema extends z.ZodType>(schema: schema, question: Question): Promise<Result<z.output<schema>>>
  parse<schema extends z.ZodType>(schema: schema, method: string, result: unknown): z.output<schema>
  fault(method: string, what: string): CountersignError
}>

/** The node behind a transport, held to one chain id. */
export function createNode(chainId: number, name: string, transport: Transport): Node {
  const verify = once((signal) => verifyChainId(signal))

  const fault: Node['fault'] = (method, what) =>
    new CountersignError('unavailable', `The RPC of ${name} ${what} (${method}).`)

  const parse: Node['parse'] = (schema, method, result) => {
    const parsed = schema.safeParse(result)
    if (!parsed.success) throw fault(method, 'gave an answer of the wrong shape')
    return parsed.data
  }

  async function verifyChainId(signal?: AbortSignal): Promise<void> {
    const reply = await transport('eth_chainId', [], signal)
    if (!reply.ok) throw fault('eth_chainId', `refused the call with code ${reply.error.code}`)
    const answered = parse(SmallAnswer, 'eth_chainId', reply.result)
    if (answered !== chainId) throw fault('eth_chainId', `is of chain ${answered}, not of chain ${chainId}`)
  }

  const reply: Node['reply'] = async ({ method, params, signal }) => {
    await verify(signal)
    return transport(method, params, signal)
  }

  return {
    verify,
    reply,
    parse,
    fault,
    async ask(schema, question) {
      const answer = await reply(question)
      if (!answer.ok) throw fault(question.method, `refused the call with code ${answer.error.code}`)
      return parse(schema, question.method, answer.result)
    },
    async attempt(schema, question) {
      const answer = await reply(question)
      if (answer.ok) return ok(parse(schema, question.method, answer.result))
      if (isCallFailure(answer.error)) return refuse(failureReason(answer.error))
      throw fault(question.method, `refused the call with code ${answer.error.code}`)
    },
  }
}

/** Remembers a success only: what failed is tried again by the next caller. */
function once(work: (signal?: AbortSignal) => Promise<void>): (signal?: AbortSignal) => Promise<void> {
  let done = false
  return async (signal) => {
    if (done) return
    await work(signal)
    done = true
  }
}
