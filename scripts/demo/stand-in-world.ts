import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { Policy } from '../../src/schema/policy.ts'
import type { Scene } from './conversation.ts'
import type { Opened, World } from './world.ts'

/** A stand-in of a venue, with accounts by their addresses. */
type StandIn = Readonly<{ url: string; fund(wallet: string, dollars: number): void; stop(): Promise<void> }>

/** What the demo of a venue is about. */
export type VenueDemo<standIn extends StandIn> = Readonly<{
  start(): Promise<standIn>
  chain: Readonly<{ id: number; name: string }>
  policy: Policy
  conversation: readonly Scene[]
  /** Settings of sources beside the sanctions, with the venue at its address. */
  sources(url: string): object
  /** What is there at the end, in a sentence. */
  ending(standIn: standIn, wallet: string): string
}>

/** Dollars of the account at the start. */
const FUNDS = 1_000

/** A stand-in of a venue with an account that the wallet signs for. */
export function standInWorld<standIn extends StandIn>(demo: VenueDemo<standIn>) {
  return async ({ opened, progress }: Opened): Promise<World> => {
    progress('starting a stand-in of the venue')
    const standIn = await demo.start()
    opened.push(() => standIn.stop())
    const privateKey = generatePrivateKey()
    const wallet = privateKeyToAddress(privateKey)
    standIn.fund(wallet, FUNDS)
    const { chain, policy, conversation } = demo
    // There is no node to ask the oracle at: the bundled list alone clears an address here.
    const sources = { sanctions: { maxAgeDays: 36_500 }, ...demo.sources(standIn.url) }
    return {
      conversation,
      env: { PRIVATE_KEY: privateKey, WALLET_ADDRESS: wallet, RPC_URL: standIn.url },
      file: { chain, policy, sources },
      ending: async () => `\n${demo.ending(standIn, wallet.toLowerCase())}`,
    }
  }
}
