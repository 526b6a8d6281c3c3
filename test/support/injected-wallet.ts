// A wallet inside a browser page: announced by EIP-6963, signing with a key that the test holds.
import type { Page } from 'playwright-core'
import type { TestWallet } from './person.ts'

const ICON =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><rect width='8' height='8' rx='2' fill='%23e2761b'/></svg>"

/** Puts a wallet into every page that is opened from now on. `declines` says no to every signature. */
export async function injectWallet(page: Page, wallet: TestWallet, { declines = false } = {}): Promise<void> {
  await page.exposeFunction('signForTest', (raw: `0x${string}`) => wallet.signMessage({ message: { raw } }))
  await page.addInitScript(`(${WALLET})(${JSON.stringify({ address: wallet.address, icon: ICON, declines })})`)
}

const WALLET = `({ address, icon, declines }) => {
  const answers = {
    eth_requestAccounts: () => [address],
    eth_chainId: () => '0x2105',
    personal_sign: ([raw]) => {
      if (declines) throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
      return signForTest(raw)
    },
  }
  const provider = {
    async request({ method, params = [] }) {
      if (!answers[method]) throw new Error('The test wallet knows no ' + method)
      return answers[method](params)
    },
  }
  const info = { uuid: '00000000-0000-4000-8000-000000000001', name: 'Test Wallet', icon, rdns: 'example.wallet' }
  addEventListener('eip6963:requestProvider', () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) })),
  )
}`
