import type { Hex } from '../../lib/hash.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { wrappedNative } from '../../registry/index.ts'
import { abiFunction, array, bytes, callFunction, functionTable, MAX_TRAILING_BYTES, uint } from '../calldata.ts'
import { defineDecoder } from '../decoder.ts'
import { runPlan } from '../router-plan.ts'
import type { Step } from '../router-step.ts'
import { type CommandContext, commandSteps, type RouterVersion } from './uniswap-universal-router/commands.ts'

type Plan = readonly Step[]

// Source: universal-router's UniversalRouter and RouteSigner. `executeSigned` is refused: it adds an intent of others.
const functions = functionTable<CommandContext, Plan>([
  abiFunction('execute', [bytes, array(bytes), uint(256)], ([commands, inputs, deadline], context) => {
    const steps = stepsOf(commands, inputs, context)
    return steps.ok ? ok<Plan>([{ step: 'expire', at: deadline }, ...steps.value]) : steps
  }),
  abiFunction('execute', [bytes, array(bytes)], ([commands, inputs], context) => stepsOf(commands, inputs, context)),
])

/**
 * Uniswap's Universal Router: a plan of one-byte commands, each with its input. One selector serves several versions
 * that differ in commands and inputs, so the registry's version decides how a command is read; what a version does not
 * have, or is not decoded, refuses the whole plan.
 */
export const uniswapUniversalRouter = defineDecoder({
  kind: 'uniswap-universal-router',
  decode(call, contract) {
    const version = versionOf(contract?.version)
    const wrapped = wrappedNative(call.chainId)
    if (version === undefined || wrapped === undefined)
      return refuse(`Universal Router ${contract?.version ?? ''} is not decoded on chain ${call.chainId}.`)
    const { chainId, wallet, to: router, value } = call
    const plan = callFunction(functions, call.data, { version, chainId, wallet, router }, MAX_TRAILING_BYTES)
    if (!plan.ok) return refuse(`Universal Router ${version}: ${plan.reason}.`)
    const outcome = runPlan('uniswap', plan.value.value, {
      chainId,
      wallet,
      router,
      wrapped,
      value,
      wrapsToPay: false,
      locked: true,
    })
    if (!outcome.ok) return refuse(`Universal Router ${version}: ${outcome.reason}.`)
    return ok({ ...outcome.value, trailingBytes: plan.value.trailing })
  },
})

function versionOf(text: string | undefined): RouterVersion | undefined {
  return text === '2.0' || text === '2.1' ? text : undefined
}

function stepsOf(commands: Hex, inputs: readonly Hex[], context: CommandContext): Result<Plan> {
  const count = (commands.length - 2) / 2
  if (count !== inputs.length) return refuse(`${count} commands have ${inputs.length} inputs`)
  const steps: Step[] = []
  for (const [i, input] of inputs.entries()) {
    const byte = Number.parseInt(commands.slice(2 + 2 * i, 4 + 2 * i), 16)
    const result = commandSteps(byte, input, context)
    if (!result.ok) return refuse(`command ${i} (0x${byte.toString(16).padStart(2, '0')}): ${result.reason}`)
    steps.push(...result.value)
  }
  return ok(steps)
}
