import type { Address } from '../../../lib/address.ts'
import type { Hex } from '../../../lib/hash.ts'
import { type Result, refuse } from '../../../lib/result.ts'
import { type AbiTypes, argumentsOf } from '../../calldata.ts'
import type { Step } from '../../router-step.ts'

/** Versions whose commands are decoded, by their names in the registry. `2.1` is 2.1.1. */
export type RouterVersion = '1.2' | '2.0' | '2.1' | '2.1.2'

/** Whose plan it is, of which router, and how many plans deep. */
export type CommandContext = Readonly<{
  version: RouterVersion
  chainId: number
  wallet: Address
  router: Address
  depth: number
}>

export type Steps = Result<readonly Step[]>

/** How one command, or one action of a command, is read. */
export type Command = (input: Hex, context: CommandContext) => Steps

/** A command of these inputs, which must be all that there is. */
export function command<A extends readonly unknown[]>(
  types: AbiTypes<A>,
  run: (values: A, context: CommandContext) => Steps,
): Command {
  const reader = argumentsOf<A>(...types)
  return (input, context) => {
    const read = reader.read(input)
    if (!read.ok) return read
    if (read.value.trailing > 0) return refuse(`its input is followed by ${read.value.trailing} bytes`)
    return run(read.value.values, context)
  }
}

/** A command that is known and refused: why, in words. */
export function refused(why: string): Command {
  return () => refuse(why)
}

/** Whether a version has lowest prices of hops: 2.1.1 and what came after it. */
export function hasHopPrices({ version }: Pick<CommandContext, 'version'>): boolean {
  return version === '2.1' || version === '2.1.2'
}

const SENDER: Address = '0x0000000000000000000000000000000000000001'
const ROUTER: Address = '0x0000000000000000000000000000000000000002'

/** Whom a recipient means: two addresses stand for the sender and the router itself. */
export function recipient(to: Address, { wallet, router }: Pick<CommandContext, 'wallet' | 'router'>): Address {
  if (to === SENDER) return wallet
  return to === ROUTER ? router : to
}

/** Stands for all that the router holds. */
export const WHOLE_BALANCE = 1n << 255n
/** The whole of a share in basis points. */
export const FULL_BIPS = 10_000n
