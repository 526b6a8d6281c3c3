import type { AssetChange, Chains, FeeCaps, Hyperliquid } from '../chain/index.ts'
import type { Signer } from '../chain/signer.ts'
import type { Address } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import type { Approval, Claim } from '../policy/index.ts'
import { isEvmTx } from '../schema/action.ts'
import type { Storage } from '../storage/index.ts'
import type { Patience } from './broadcaster.ts'
import { createExecutor, type DirectExecution } from './executor.ts'
import type { OrderVenue } from './order-venue.ts'
import { callOf } from './preflight.ts'
import { createVenueExecutor, type VenueExecution } from './venue-executor.ts'

/** What a dry run found. `assetChanges` is null where no node could trace it. Nothing left the process. */
export type DryRun =
  | Readonly<{ mode: 'dry-run'; ok: true; assetChanges: readonly AssetChange[] | null; words?: string }>
  /** `stops` says that what comes after needs this one to have happened. */
  | Readonly<{ mode: 'dry-run'; ok: false; reason: string; stops?: true }>

/** What became of an approved action. */
export type Execution = DryRun | DirectExecution | VenueExecution

type Shared = Readonly<{ chains: Chains; wallet: Address; log: Log }>

/** How the gate executes. Only direct mode is given a signer: a dry run has nothing to sign with. */
export type GateSettings =
  | (Shared & Readonly<{ mode: 'dry-run' }>)
  | (Shared &
      Readonly<{
        mode: 'direct'
        storage: Storage
        signer: Signer
        /** Ed25519: the key that receipts of approvals are signed with. */
        publicKey: Hex
        /** Where another process decides: it hears of each use of an approval before anything leaves. */
        claim?: Claim | undefined
        /** Whether nothing may be sent now, asked before any other work; by default the kill switch in the store. An answer that fails counts as paused. */
        paused?: () => Promise<boolean>
        /** Caps other than the chains' own, in wei and gas. */
        caps?: Partial<FeeCaps>
        patience?: Partial<Patience>
        /** Where orders of Hyperliquid go; without it they are refused. */
        venue?: Hyperliquid | undefined
        /** Where orders of other venues go. */
        venues?: readonly OrderVenue[] | undefined
      }>)

/** Where an approved action is executed, or would be. There is no other way out of the process. */
export type Gate = Readonly<{
  execute(approval: Approval): Promise<Execution>
  /** In direct mode: takes up what an earlier process left unfinished, without signing. To be called at start and now and then. */
  recover(): Promise<void>
  /** Ends the waiting for receipts. */
  stop(): void
}>

/**
 * The gate of a mode.
 *
 * @throws CountersignError `invalid_request` in direct mode, when the key does not control the wallet
 */
export function createGate(settings: GateSettings): Gate {
  if (settings.mode === 'dry-run') {
    return {
      execute: (approval) => rehearse(approval, settings),
      recover: async () => undefined,
      stop: () => undefined,
    }
  }
  const { signer, wallet, storage } = settings
  const { paused = async () => (await storage.stores.killSwitch.read()) !== undefined } = settings
  if (signer.address !== wallet)
    throw new CountersignError('invalid_request', 'PRIVATE_KEY does not control WALLET_ADDRESS.')
  const executor = createExecutor({ ...settings, paused })
  const arm = createVenueExecutor({ ...settings, paused, signDigest: signer.signDigest })
  return {
    execute: (approval) => (isEvmTx(approval.tx) ? executor.execute(approval) : arm.execute(approval)),
    async recover() {
      await Promise.all([executor.recover(), arm.recover()])
    },
    stop: executor.stop,
  }
}

async function rehearse({ tx, wallet }: Approval, { chains, wallet: own }: Shared): Promise<DryRun> {
  if (wallet !== own)
    return { mode: 'dry-run', ok: false, reason: 'The action is of another wallet than the one that signs.' }
  if (!isEvmTx(tx))
    return { mode: 'dry-run', ok: true, assetChanges: null, words: 'Dry run: decided, and nothing was signed or sent.' }
  const chain = chains.of(tx.chainId)
  if (chain === undefined) return { mode: 'dry-run', ok: true, assetChanges: null }
  try {
    const simulation = await chain.simulate(callOf(tx, wallet))
    if (!simulation.ok) return { mode: 'dry-run', ok: false, reason: simulation.reason }
    return { mode: 'dry-run', ok: true, assetChanges: simulation.assetChanges }
  } catch (thrown) {
    if (!(thrown instanceof CountersignError)) throw thrown
    return { mode: 'dry-run', ok: false, reason: `The simulation could not be run. ${thrown.message}` }
  }
}
