import type { AssetChange, Chains, FeeCaps } from '../chain/index.ts'
import type { Signer } from '../chain/signer.ts'
import type { Address } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Log } from '../lib/log.ts'
import type { Approval } from '../policy/index.ts'
import type { Storage } from '../storage/index.ts'
import type { Patience } from './broadcaster.ts'
import { createExecutor, type DirectExecution } from './executor.ts'
import { callOf } from './preflight.ts'

/** What a dry run found. `assetChanges` is null where no node could trace it. Nothing left the process. */
export type DryRun =
  | Readonly<{ mode: 'dry-run'; ok: true; assetChanges: readonly AssetChange[] | null }>
  | Readonly<{ mode: 'dry-run'; ok: false; reason: string }>

/** What became of an approved action. */
export type Execution = DryRun | DirectExecution

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
        /** Whether nothing may be sent now, asked before any other work; by default the kill switch in the store. An answer that fails counts as paused. */
        paused?: () => Promise<boolean>
        /** Caps other than the chains' own, in wei and gas. */
        caps?: Partial<FeeCaps>
        patience?: Partial<Patience>
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
  return createExecutor({ ...settings, paused })
}

async function rehearse({ tx, wallet }: Approval, { chains, wallet: own }: Shared): Promise<DryRun> {
  if (wallet !== own)
    return { mode: 'dry-run', ok: false, reason: 'The action is of another wallet than the one that signs.' }
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
