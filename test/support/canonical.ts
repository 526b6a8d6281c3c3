// Whether a transaction's data is exactly what viem would write for what viem reads in it, to the last nested call.
import {
  type Abi,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbiParameters,
} from 'viem'
import { type Encoded, FUNCTIONS, inputOf, uniswap, type Version } from './encode.ts'
import { ROUTER_FUNCTIONS } from './encode-routers.ts'
import { actionInputOf } from './encode-v4.ts'

const UNIVERSAL: readonly string[] = [uniswap.universalRouter20, uniswap.universalRouter21].map((a) => a.toLowerCase())
const SWAP_ROUTERS: Abi = [...FUNCTIONS.swapRouter02, ...ROUTER_FUNCTIONS.v3SwapRouter]
const ABIS = new Map<string, Abi>([
  [uniswap.permit2.toLowerCase(), FUNCTIONS.permit2],
  [uniswap.swapRouter02.toLowerCase(), SWAP_ROUTERS],
  [uniswap.v3SwapRouter.toLowerCase(), SWAP_ROUTERS],
  [uniswap.v2Router02.toLowerCase(), ROUTER_FUNCTIONS.v2Router02],
])

/** Why the data is not canonical, or null where it is. `trailing` bytes at its end are left out. */
export function notCanonical({ to, data }: Pick<Encoded, 'to' | 'data'>, trailing: number): string | null {
  const target = to.toLowerCase()
  const whole = data.slice(0, data.length - 2 * trailing) as Hex
  if (whole === '0x') return null
  if (!UNIVERSAL.includes(target)) return callFault(ABIS.get(target) ?? FUNCTIONS.token, whole)
  return callFault(FUNCTIONS.universalRouter, whole) ?? planFault(whole, versionAt(target))
}

function versionAt(target: string): Version {
  return target === uniswap.universalRouter20.toLowerCase() ? '2.0' : '2.1'
}

/** viem reads whatever it can; what it writes is canonical. A batch's calls are functions again. */
function callFault(abi: Abi, data: Hex): string | null {
  const { functionName, args = [] } = decodeFunctionData({ abi, data })
  const overloads = abi.filter((item) => item.type === 'function' && item.name === functionName)
  const again = overloads.map((item) => attempt(() => encodeFunctionData({ abi: [item], args })))
  if (!again.includes(data.toLowerCase() as Hex)) return `${functionName}: viem would write other bytes`
  if (functionName !== 'multicall') return null
  const calls = args.at(-1) as readonly Hex[]
  return calls.map((call) => callFault(abi, call)).find((fault) => fault !== null) ?? null
}

function attempt(encode: () => Hex): Hex | null {
  try {
    return encode()
  } catch {
    return null
  }
}

function planFault(data: Hex, version: Version): string | null {
  const { args } = decodeFunctionData({ abi: FUNCTIONS.universalRouter, data })
  return partsFault('command', args[0], args[1], version)
}

const PLAN = parseAbiParameters('bytes, bytes[]')

/** The parts of a plan, and of the plans within it: V4_SWAP holds actions, EXECUTE_SUB_PLAN commands. */
function partsFault(part: 'command' | 'action', bytes: Hex, inputs: readonly Hex[], version: Version): string | null {
  for (const [i, input] of inputs.entries()) {
    const byte = Number.parseInt(bytes.slice(2 + 2 * i, 4 + 2 * i), 16)
    const nested = part === 'command' ? NESTED.get(byte & 0x7f) : undefined
    const parameters = nested ? PLAN : part === 'command' ? inputOf(version, byte) : actionInputOf(version, byte)
    if (parameters === undefined) return `${part} ${i}: ${byte} is unknown`
    const values = decodeAbiParameters(parameters, input)
    if (encodeAbiParameters(parameters, values) !== input.toLowerCase())
      return `${part} ${i}: viem would write other bytes`
    if (nested === undefined) continue
    const [inner, innerInputs] = decodeAbiParameters(PLAN, input)
    const fault = partsFault(nested, inner, innerInputs, version)
    if (fault !== null) return `${part} ${i}: ${fault}`
  }
  return null
}

const NESTED = new Map<number, 'command' | 'action'>([
  [0x10, 'action'],
  [0x21, 'command'],
])
