import type { Address } from '../../../lib/address.ts'
import type { Hex } from '../../../lib/hash.ts'
import { ok, refuse } from '../../../lib/result.ts'
import { address, array, bytes, tuple, uint } from '../../calldata.ts'
import type { Leg } from '../../decoded-action.ts'
import { permitBatch, permitLegs, permitSignature, permitSingle } from '../../permit2-permit.ts'
import type { Step } from '../../router-step.ts'
import { SWAPS } from './swaps.ts'
import { assetOf, V4_SWAP } from './v4-actions.ts'
import {
  type Command,
  type CommandContext,
  command,
  FULL_BIPS,
  type RouterVersion,
  recipient,
  refused,
  type Steps,
  WHOLE_BALANCE,
} from './version.ts'

/**
 * Beside a command's number: the plan goes on where the command says that it failed. Of the commands that are decoded
 * only a sub-plan, a permit and a balance check can say so; any other reverts all the same.
 */
const ALLOW_REVERT = 0x80

/** Plans within plans are decoded so deep. */
const MAX_DEPTH = 4

const FULL_PRECISION = 10n ** 18n

/** The steps of a plan: one command a byte, each with its input. */
export function planSteps(commands: Hex, inputs: readonly Hex[], context: CommandContext): Steps {
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

/**
 * What one command does. A byte counts as a command only where it is written as the command's own number, with or
 * without the flag: other bits mean different things to different versions.
 */
function commandSteps(byte: number, input: Hex, context: CommandContext): Steps {
  const number = byte & ~ALLOW_REVERT
  const found = COMMANDS[context.version].get(number)
  if (found === undefined) return refuse(`this command of version ${context.version} is not decoded`)
  const steps = found(input, context)
  return steps.ok && byte !== number && number === SUB_PLAN ? ok([{ step: 'attempt', steps: steps.value }]) : steps
}

function permits(legs: readonly Leg[]): Steps {
  return ok(legs.map((leg) => ({ step: 'grant', leg })))
}

/** Pays somebody a part of all that the router holds of a token. */
function payShare(
  [token, to, share]: readonly [Address, Address, bigint],
  whole: bigint,
  context: CommandContext,
): Steps {
  if (share === 0n) return refuse('a share of 0 pays nothing')
  return ok([{ step: 'share', asset: assetOf(token), share, whole, to: recipient(to, context) }])
}

const SUB_PLAN = 0x21

// Source: universal-router, libraries/Commands.sol and base/Dispatcher.sol of each version (decision 5).
const COMMON = new Map<number, Command>([
  ...SWAPS,
  [
    0x02, // PERMIT2_TRANSFER_FROM
    command([address, address, uint(160)], ([asset, to, amount], at) =>
      ok([{ step: 'collect', asset, amount, to: recipient(to, at) }]),
    ),
  ],
  [
    0x03, // PERMIT2_PERMIT_BATCH
    command([permitBatch, permitSignature], ([[details, spender, until]], { wallet }) =>
      permits(permitLegs(wallet, spender, details, until)),
    ),
  ],
  [
    0x04, // SWEEP: the router reads only the low 160 bits of the minimum, so one with more would be no guard
    command([address, address, uint(160)], ([token, to, min], at) =>
      ok([{ step: 'pay', asset: assetOf(token), amount: 'balance', min, to: recipient(to, at) }]),
    ),
  ],
  [
    0x05, // TRANSFER: of tokens alone the mark stands for the whole balance
    command([address, address, uint(256)], ([token, to, value], at) => {
      const asset = assetOf(token)
      const amount = asset !== 'native' && value === WHOLE_BALANCE ? 'balance' : value
      return ok([{ step: 'pay', asset, amount, min: 0n, to: recipient(to, at) }])
    }),
  ],
  [0x06, command([address, address, uint(256)], (values, at) => payShare(values, FULL_BIPS, at))], // PAY_PORTION
  [
    0x0a, // PERMIT2_PERMIT
    command([permitSingle, permitSignature], ([[details, spender, until]], { wallet }) =>
      permits(permitLegs(wallet, spender, [details], until)),
    ),
  ],
  [
    0x0b, // WRAP_ETH
    command([address, uint(256)], ([to, amount], at) =>
      ok([{ step: 'wrap', amount: amount === WHOLE_BALANCE ? 'balance' : amount, to: recipient(to, at) }]),
    ),
  ],
  [
    0x0c, // UNWRAP_WETH
    command([address, uint(256)], ([to, min], at) => ok([{ step: 'unwrap', min, to: recipient(to, at) }])),
  ],
  [
    0x0d, // PERMIT2_TRANSFER_FROM_BATCH: its receivers are literal
    command([array(tuple(address, address, uint(160), address))], ([transfers], { wallet }) =>
      transfers.every(([from]) => from === wallet)
        ? ok(transfers.map(([, to, amount, asset]) => ({ step: 'collect', asset, amount, to })))
        : refuse('it takes tokens of somebody else'),
    ),
  ],
  [
    0x0e, // BALANCE_CHECK_ERC20: a guard of somebody's balance, which says nothing of what this plan brings
    command([address, address, uint(256)], ([owner, token]) =>
      ok([
        { step: 'touch', address: owner },
        { step: 'touch', address: token },
      ]),
    ),
  ],
])

const executeSubPlan = command([bytes, array(bytes)], ([commands, inputs], context) =>
  context.depth >= MAX_DEPTH
    ? refuse(`plans within plans are decoded ${MAX_DEPTH} deep`)
    : planSteps(commands, inputs, { ...context, depth: context.depth + 1 }),
)

const SECOND = new Map<number, Command>([
  ...COMMON,
  [0x10, V4_SWAP],
  [0x11, refused('a permit for a position of version 3 is not decoded')],
  [0x12, refused('a call of the position manager of version 3 is not decoded')],
  [0x13, refused('the creation of a pool is not decoded')],
  [0x14, refused('a call of the position manager of version 4 is not decoded')],
  [SUB_PLAN, executeSubPlan],
])

const PRICED = new Map<number, Command>([
  ...SECOND,
  // PAY_PORTION_FULL_PRECISION
  [0x07, command([address, address, uint(256)], (values, at) => payShare(values, FULL_PRECISION, at))],
  [0x40, refused('a deposit for another chain, through Across, is not decoded')],
])

const NFTS = refused('a market of NFTs is not decoded')

const COMMANDS: Readonly<Record<RouterVersion, ReadonlyMap<number, Command>>> = {
  '1.2': new Map([
    ...COMMON,
    [
      0x02, // before 1.4 the receiver was literal
      command([address, address, uint(160)], ([asset, to, amount], at) =>
        recipient(to, at) === to
          ? ok([{ step: 'collect', asset, amount, to }])
          : refuse('whether version 1.2 takes this receiver for an address or for a word is not certain'),
      ),
    ],
    ...Array.from({ length: 17 }, (_, i) => [0x10 + i, NFTS] as const),
    [SUB_PLAN, refused('whether this command of version 1.2 is a plan or a swap is not certain, so it is not decoded')],
  ]),
  '2.0': SECOND,
  '2.1': PRICED,
  '2.1.2': PRICED,
}
