import { ok, refuse } from '../../lib/result.ts'
import { wrappedNative } from '../../registry/index.ts'
import {
  abiFunction,
  array,
  bytes,
  callFunction,
  functionTable,
  MAX_TRAILING_BYTES,
  refusedFunction,
  uint,
} from '../calldata.ts'
import { defineDecoder } from '../decoder.ts'
import { runPlan } from '../router-plan.ts'
import type { Step } from '../router-step.ts'
import { planSteps } from './uniswap-universal-router/commands.ts'
import type { CommandContext, RouterVersion } from './uniswap-universal-router/version.ts'

type Plan = readonly Step[]

// Source: universal-router's UniversalRouter and RouteSigner.
const functions = functionTable<CommandContext, Plan>([
  abiFunction('execute', [bytes, array(bytes), uint(256)], ([commands, inputs, deadline], context) => {
    const steps = planSteps(commands, inputs, context)
    return steps.ok ? ok<Plan>([{ step: 'expire', at: deadline }, ...steps.value]) : steps
  }),
  abiFunction('execute', [bytes, array(bytes)], ([commands, inputs], context) => planSteps(commands, inputs, context)),
  refusedFunction(
    'executeSigned(bytes,bytes[],bytes32,bytes32,bool,bytes32,bytes,uint256)',
    'it carries an intent that somebody signed and that hooks may act on, which is not decoded; "execute" has none',
  ),
])

const VERSIONS: ReadonlySet<string> = new Set<RouterVersion>(['1.2', '2.0', '2.1', '2.1.2'])

/**
 * Uniswap's Universal Router: a plan of one-byte commands, each with its input. One selector serves several versions
 * that differ in commands and inputs, so the registry's version decides how a command is read; what a version does not
 * have, or is not decoded, refuses the whole plan.
 */
export const uniswapUniversalRouter = defineDecoder({
  kind: 'uniswap-universal-router',
  decode(call, contract) {
    const version = contract?.version
    const wrapped = wrappedNative(call.chainId)
    if (!isVersion(version) || wrapped === undefined)
      return refuse(`Universal Router ${version ?? ''} is not decoded on chain ${call.chainId}.`)
    const { chainId, wallet, to: router, value } = call
    const plan = callFunction(functions, call.data, { version, chainId, wallet, router, depth: 0 }, MAX_TRAILING_BYTES)
    if (!plan.ok) return refuse(`Universal Router ${version}: ${plan.reason}.`)
    const outcome = runPlan('uniswap', plan.value.value, {
      chainId,
      wallet,
      router,
      wrapped,
      value,
      wrapsToPay: false,
      // In 1.2 anybody may at any time have the router pass on rewards that it holds.
      locked: version !== '1.2',
    })
    if (!outcome.ok) return refuse(`Universal Router ${version}: ${outcome.reason}.`)
    return ok({ ...outcome.value, trailingBytes: plan.value.trailing })
  },
})

function isVersion(version: string | undefined): version is RouterVersion {
  return version !== undefined && VERSIONS.has(version)
}
