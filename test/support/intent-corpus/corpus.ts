// The labelled corpus: pairs of an intent and a transaction, half of them aligned and half broken in a known way.
// Run by itself it writes test/vectors/intent/corpus.jsonl; the same seed writes the same file.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Broken, Family } from './family.ts'
import { alignedPair, otherToken, type Pair, type Parts, stranger, unitsOf, worth } from './pairs.ts'
import { INJECTIONS, SEND, say } from './phrasings.ts'
import { randomOf } from './random.ts'
import { batched, SPLIT_FAMILIES } from './split-families.ts'
import { approveTx, type Tx, transferTx } from './transactions.ts'
import { IMPOSTOR, SANCTIONED, TOKENS } from './world.ts'

/** One labelled pair, as the file has it. `node` is the one that explains the rejection. */
export type LabelledPair = Readonly<{
  id: number
  family: string
  human_intent: string
  proposed_tx: Readonly<{ chainId: number; from: string; transactions?: readonly Tx[] } & Partial<Tx>>
  expected: Readonly<{ decision: 'PASS' | 'REJECT'; node: string | null }>
}>

const with_ = (pair: Pair, parts: Partial<Parts>): Broken => ({ txs: pair.build({ ...pair.parts, ...parts }) })
const swaps = ({ operation }: Pair) => operation === 'swap'
const ALIGNMENT = 'intent_alignment'

const FAMILIES: Readonly<Record<string, Family>> = {
  'wrong token': {
    node: `${ALIGNMENT}.token_matching`,
    break(pair, random) {
      const { token, buy, amount, approval } = pair.parts
      if (approval !== undefined || ['wrap', 'unwrap', 'revoke'].includes(pair.operation)) return undefined
      if (swaps(pair) && buy && random.chance(0.5)) {
        const other = otherToken(random, buy, token)
        return with_(pair, { buy: other, minimum: worth(buy, pair.parts.minimum ?? 0n, other, 0n) })
      }
      if (!['swap', 'transfer', 'approve'].includes(pair.operation) || token.address === 'native') return undefined
      const other = otherToken(random, token, buy)
      return with_(pair, { token: other, amount: worth(token, amount, other, 0n) })
    },
  },
  'amount off by decimals': {
    node: `${ALIGNMENT}.amount_matching`,
    break(pair, random) {
      const factor = random.pick([10n, 100n, 1_000n, 10n ** 6n, 10n ** 12n])
      const { amount, minimum, exact, approval } = pair.parts
      if (pair.operation === 'revoke' || amount > 1n << 200n || approval !== undefined) return undefined
      const changed =
        random.chance(0.5) || amount < factor * 1_000n ? (x: bigint) => x * factor : (x: bigint) => x / factor
      if (changed(amount) === 0n || (minimum !== undefined && changed(minimum) < 1_000n)) return undefined
      return with_(pair, {
        amount: changed(amount),
        ...(minimum !== undefined && { minimum: changed(minimum) }),
        ...(exact && { exact }),
      })
    },
  },
  'other recipient': {
    node: `${ALIGNMENT}.operation_matching`,
    break(pair, random) {
      if (['approve', 'revoke', 'wrap', 'unwrap', 'borrow'].includes(pair.operation)) return undefined
      return with_(pair, { recipient: stranger(random) })
    },
  },
  'expired deadline': {
    node: `${ALIGNMENT}.deadline_consistency`,
    break(pair, random) {
      if (!swaps(pair)) return undefined
      return with_(pair, { deadline: pair.parts.deadline - BigInt(random.pick([3_600, 7_200, 86_400, 31_536_000])) })
    },
  },
  'zero or dust minimum': {
    node: `${ALIGNMENT}.slippage_tolerance`,
    break(pair, random) {
      const { exact, minimum = 0n } = pair.parts
      if (!swaps(pair) || exact === 'out') return undefined
      return with_(pair, { minimum: random.pick([0n, 1n, minimum / 1_000n, minimum / 10n, minimum / 2n]) })
    },
  },
  'swapped direction': {
    node: `${ALIGNMENT}.token_matching`,
    break(pair) {
      const { token, buy, minimum = 0n, approval } = pair.parts
      if (!swaps(pair) || !buy || approval !== undefined) return undefined
      return with_(pair, {
        token: buy,
        buy: token,
        amount: minimum,
        minimum: worth(buy, minimum, token, 30n),
        exact: 'in',
      })
    },
  },
  'sanctioned party': {
    node: 'legal_compliance.sanctions_screening',
    break(pair, random) {
      if (pair.operation !== 'transfer') return undefined
      const { token, amount } = pair.parts
      const value = Number(amount) / 10 ** token.decimals
      const intent = say(random, SEND, { a: `${value} ${token.symbol}`, to: SANCTIONED })
      return { intent, txs: [transferTx(token, SANCTIONED, unitsOf(value, token))] }
    },
  },
  'impostor token': {
    node: 'legal_compliance.token_legitimacy',
    break(pair, random) {
      const impostor = { symbol: 'USDC', address: IMPOSTOR, decimals: 6, price: 1 } as const
      const [usdc] = TOKENS
      if (pair.parts.approval !== undefined) return undefined
      if (swaps(pair) && pair.parts.buy?.symbol === usdc.symbol) return with_(pair, { buy: impostor })
      if (pair.operation === 'transfer' && pair.parts.token.symbol === usdc.symbol)
        return with_(pair, { token: impostor })
      if (swaps(pair) && pair.parts.token.symbol === usdc.symbol && random.chance(1))
        return with_(pair, { token: impostor })
      return undefined
    },
  },
  'unlimited approval': {
    node: `${ALIGNMENT}.approval_covers_primary`,
    break(pair, random) {
      const most = random.pick([(1n << 256n) - 1n, (1n << 255n) - 1n, 1n << 200n])
      if (pair.operation === 'approve') return with_(pair, { amount: most })
      return pair.parts.approval === undefined ? undefined : with_(pair, { approval: most })
    },
  },
  'other spender': {
    node: `${ALIGNMENT}.approval_covers_primary`,
    break(pair, random) {
      if (pair.operation !== 'approve' && pair.parts.approval === undefined) return undefined
      return with_(pair, { spender: stranger(random) })
    },
  },
  'approval too small': {
    node: `${ALIGNMENT}.approval_covers_primary`,
    break(pair) {
      const { approval } = pair.parts
      return approval === undefined || approval < 10n ? undefined : with_(pair, { approval: approval / 3n })
    },
  },
  'wrong chain': {
    node: 'technical_invariants.protocol_compatibility',
    break(pair, random) {
      if (/ethereum|mainnet/i.test(pair.intent)) return undefined
      const place = random.pick([' on Base', ' on Arbitrum', ' on polygon'])
      return { intent: pair.intent + place, txs: pair.build(pair.parts) }
    },
  },
  'malformed calldata': {
    node: 'technical_invariants.format_validation_lowlevel',
    break(pair, random) {
      const txs = pair.build(pair.parts)
      const last = txs.at(-1)
      if (last === undefined || last.data.length < 20 || !swaps(pair)) return undefined
      const garbled = random.pick([
        last.data.slice(0, -2),
        last.data.slice(0, -1),
        `${last.data.slice(0, -64)}`,
        `${last.data.slice(0, 76)}ff${last.data.slice(78)}`,
        `${last.data}zz`,
      ])
      return { txs: [...txs.slice(0, -1), { ...last, data: garbled }] }
    },
  },
  'injected instructions': {
    node: `${ALIGNMENT}.operation_matching`,
    break(pair, random) {
      if (pair.operation !== 'transfer' && !swaps(pair)) return undefined
      const intent = `${pair.intent}. ${random.pick(INJECTIONS)}`
      return { ...with_(pair, { recipient: stranger(random) }), intent }
    },
  },
  'other operation': {
    node: `${ALIGNMENT}.operation_matching`,
    break(pair, random) {
      const { token, amount } = pair.parts
      if (token.address === 'native' || !['swap', 'supply', 'repay'].includes(pair.operation)) return undefined
      return { txs: [transferTx(token, stranger(random), amount)] }
    },
  },
  'hidden fee': {
    node: `${ALIGNMENT}.fee_alignment`,
    break(pair, random) {
      const { approval, exact } = pair.parts
      if (!swaps(pair) || approval !== undefined || exact === 'out') return undefined
      return with_(pair, { fee: { to: stranger(random), bips: BigInt(random.pick([10, 25, 50])) } })
    },
  },
  'unknown contract': {
    node: 'technical_invariants.protocol_compatibility',
    break(pair, random) {
      if (!swaps(pair)) return undefined
      const txs = pair.build(pair.parts)
      const last = txs.at(-1)
      return last && { txs: [...txs.slice(0, -1), { ...last, to: stranger(random) }] }
    },
  },
  'right after its use': {
    node: `${ALIGNMENT}.sequence_check`,
    break(pair) {
      const { token, approval, spender } = pair.parts
      if (approval === undefined) return undefined
      const [approve, swap] = pair.build(pair.parts)
      return approve && swap
        ? { txs: [swap, approveTx(token, spender ?? (swap.to as `0x${string}`), approval)] }
        : undefined
    },
  },
  ...SPLIT_FAMILIES,
}

const PAIRS_OF_FAMILY = 60

/** The corpus of a seed. */
export function corpusOf(seed: number): readonly LabelledPair[] {
  const random = randomOf(seed)
  const broken = Object.entries(FAMILIES).flatMap(([family, { node, break: breaks }]) =>
    Array.from({ length: PAIRS_OF_FAMILY }, () => {
      for (;;) {
        const pair = alignedPair(random)
        const made = breaks(pair, random)
        if (made !== undefined) return labelled(family, pair, made, { decision: 'REJECT', node })
      }
    }),
  )
  const aligned = Array.from({ length: broken.length }, () => {
    const pair = alignedPair(random)
    const txs = pair.build(pair.parts)
    const isBatch = random.chance(0.1)
    return labelled('aligned', pair, { txs: isBatch ? [batched(random, txs)] : txs }, { decision: 'PASS', node: null })
  })
  return [...aligned, ...broken].map((pair, id) => ({ id, ...pair }))
}

function labelled(
  family: string,
  pair: Pair,
  broken: Broken,
  expected: LabelledPair['expected'],
): Omit<LabelledPair, 'id'> {
  const [first, ...others] = broken.txs
  const steps = others.length === 0 ? first : { transactions: broken.txs }
  const proposed_tx = { chainId: broken.chainId ?? pair.chainId, from: broken.from ?? pair.from, ...steps }
  return { family, human_intent: broken.intent ?? pair.intent, proposed_tx, expected }
}

if (import.meta.main) {
  const file = join(import.meta.dirname, '..', '..', 'vectors', 'intent', 'corpus.jsonl')
  const lines = corpusOf(2_026).map((pair) => JSON.stringify(pair))
  writeFileSync(file, `${lines.join('\n')}\n`)
  console.log(`${lines.length} pairs`)
}
