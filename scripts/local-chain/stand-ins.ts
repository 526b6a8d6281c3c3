import { type Address, type Hex, numberToHex, pad, stringToHex } from 'viem'
import { addresses, type FeedPair } from './addresses.ts'
import { assemble } from './assembly.ts'
import type { Rpc } from './rpc.ts'

/** `isSanctioned(address) view returns (bool)`: true when the slot numbered like the address is not zero. */
const sanctionsOracleCode = assemble(`
  0x00 calldataload 0xe0 shr          ; the selector
  0xdf592f7d eq @isSanctioned jumpi
  0x00 0x00 revert
isSanctioned:
  0x04 calldataload sload
  iszero iszero                       ; any value to 0 or 1
  0x00 mstore
  0x20 0x00 return
`)

/** A Chainlink aggregator that answers from storage; the slots are named below. */
const feedCode = assemble(`
  0x00 calldataload 0xe0 shr          ; the selector
  dup1 0xfeaf968c eq @latestRoundData jumpi
  dup1 0x313ce567 eq @decimals jumpi
  dup1 0x7284e416 eq @description jumpi
  dup1 0x50d25bcd eq @latestAnswer jumpi
  0x00 0x00 revert
latestAnswer:
  0x00 sload 0x00 mstore
  0x20 0x00 return
decimals:
  0x08 0x00 mstore
  0x20 0x00 return
description:
  0x20 0x00 mstore                    ; where the string starts
  0x02 sload 0x20 mstore              ; its length
  0x03 sload 0x40 mstore              ; its text
  0x60 0x00 return
latestRoundData:
  0x01 0x00 mstore                    ; roundId
  0x00 sload 0x20 mstore              ; answer
  0x01 sload dup1 @dated jumpi        ; updatedAt, unless it is zero:
  pop timestamp                       ; then the feed is always fresh
dated:
  dup1 0x40 mstore                    ; startedAt
  0x60 mstore                         ; updatedAt
  0x01 0x80 mstore                    ; answeredInRound
  0xa0 0x00 return
`)
const feedSlots = { answer: 0, updatedAt: 1, descriptionLength: 2, descriptionText: 3 } as const

/** What the feeds answer at first, in units of 1e-8 USD. The pools are built at these prices. */
export const initialPrices: Readonly<Record<FeedPair, bigint>> = {
  'ETH/USD': 3_000_00000000n,
  'USDC/USD': 1_00000000n,
  'DAI/USD': 1_00000000n,
}

/** Installs the price feeds and the sanctions oracle, whose own contracts are not published as packages. */
export async function placeStandIns(rpc: Rpc): Promise<void> {
  await rpc('anvil_setCode', [addresses.sanctionsOracle, sanctionsOracleCode])
  for (const [pair, feed] of Object.entries(addresses.feeds)) {
    const description = pair.replace('/', ' / ')
    await rpc('anvil_setCode', [feed, feedCode])
    await setSlot(rpc, feed, feedSlots.descriptionLength, word(BigInt(description.length)))
    await setSlot(rpc, feed, feedSlots.descriptionText, stringToHex(description, { size: 32 }))
    await setPrice(rpc, pair as FeedPair, initialPrices[pair as FeedPair], 0)
  }
}

/** Sets what a feed answers, in units of 1e-8 USD; `updatedAt` (Unix seconds) 0 follows the block's timestamp. */
export async function setPrice(rpc: Rpc, pair: FeedPair, answerE8: bigint, updatedAt: number): Promise<void> {
  const feed = addresses.feeds[pair]
  await setSlot(rpc, feed, feedSlots.answer, word(answerE8))
  await setSlot(rpc, feed, feedSlots.updatedAt, word(BigInt(updatedAt)))
}

/** Puts an address on the oracle's list, or takes it off. */
export async function setSanctioned(rpc: Rpc, address: Address, listed: boolean): Promise<void> {
  await rpc('anvil_setStorageAt', [addresses.sanctionsOracle, pad(address, { size: 32 }), word(listed ? 1n : 0n)])
}

async function setSlot(rpc: Rpc, address: Address, slot: number, value: Hex): Promise<void> {
  await rpc('anvil_setStorageAt', [address, numberToHex(slot, { size: 32 }), value])
}

/** A signed 256-bit word: a feed may answer a negative number. */
function word(value: bigint): Hex {
  return numberToHex(BigInt.asUintN(256, value), { size: 32 })
}
