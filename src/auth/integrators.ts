import { CountersignError } from '../lib/errors.ts'
import type { IntegratorWallet, IssuedIntegrator, NewIntegrator } from '../schema/integrator.ts'
import type { Storage } from '../storage/index.ts'
import type { Auth } from './auth.ts'
import type { Principal } from './principal.ts'

/** Partners, their wallets and their first keys (contract section 3). */
export type Integrators = Readonly<{
  /** Registers a partner with a first key, which is shown this once. */
  register(integrator: NewIntegrator, by: Principal): Promise<IssuedIntegrator>
  /**
   * Registers a wallet for more chains. The same again changes nothing.
   *
   * @returns the wallet with all its chains
   * @throws CountersignError `not_found`
   */
  addWallet(appId: string, wallet: IntegratorWallet, by: string): Promise<IntegratorWallet>
}>

/** Builds the register of partners over a store. */
export function createIntegrators({ storage, auth }: Readonly<{ storage: Storage; auth: Auth }>): Integrators {
  return {
    async register({ name }, by) {
      const { appId } = await storage.transaction(async (stores) => {
        const integrator = await stores.integrators.create(name)
        const payload = { name, by: by.keyId }
        await stores.audit.append({ kind: 'integrator_registered', subject: integrator.appId, payload })
        return integrator
      })
      const { apiKey } = await auth.issueKey({ type: 'INTEGRATION', appId, name }, by)
      return { appId, name, apiKey }
    },

    addWallet: (appId, { walletAddress, chainIds }, by) =>
      storage.transaction(async ({ integrators, audit }) => {
        if ((await integrators.get(appId)) === undefined)
          throw new CountersignError('not_found', 'No integrator has this appId.')
        await integrators.addWallet(appId, { address: walletAddress, chainIds })
        const all = await integrators.chainsOf(appId, walletAddress)
        const payload = { appId, chainIds, by }
        await audit.append({ kind: 'integrator_wallet_registered', subject: walletAddress, payload })
        return { walletAddress, chainIds: all }
      }),
  }
}
