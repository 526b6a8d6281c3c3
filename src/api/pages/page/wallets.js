// Wallets of this browser: announced by EIP-6963, else the one at window.ethereum (EIP-1193).

const ANNOUNCED_WITHIN_MS = 300
const USER_REJECTED = 4001

/** The wallets that there are, each once. */
export async function findWallets() {
  const found = new Map()
  const hear = ({ detail }) => {
    const { info, provider } = detail ?? {}
    if (typeof info?.uuid === 'string' && provider)
      found.set(info.uuid, { name: nameOf(info), icon: iconOf(info), provider })
  }
  addEventListener('eip6963:announceProvider', hear)
  dispatchEvent(new Event('eip6963:requestProvider'))
  await new Promise((resolve) => setTimeout(resolve, ANNOUNCED_WITHIN_MS))
  removeEventListener('eip6963:announceProvider', hear)
  const known = [...found.values()]
  const injected = globalThis.ethereum
  if (injected && !known.some(({ provider }) => provider === injected) && known.length === 0)
    known.push({ name: 'Browser wallet', icon: undefined, provider: injected })
  return known
}

/** Account and chain that a wallet opens to this page. */
export async function connect({ provider }) {
  const [address] = await provider.request({ method: 'eth_requestAccounts' })
  if (typeof address !== 'string') throw new Error('The wallet opened no account.')
  const chainId = Number(await provider.request({ method: 'eth_chainId' }))
  return { address: address.toLowerCase(), chainId }
}

/** The wallet's signature over a message (EIP-191). */
export async function sign({ provider }, message, address) {
  const bytes = new TextEncoder().encode(message)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return provider.request({ method: 'personal_sign', params: [`0x${hex}`, address] })
}

/** Whether the person said no in the wallet. */
export function isRejection(thrown) {
  return thrown?.code === USER_REJECTED
}

function nameOf({ name }) {
  return typeof name === 'string' && name !== '' ? name.slice(0, 40) : 'Wallet'
}

// A picture inside the announcement itself: nothing is fetched for it.
function iconOf({ icon }) {
  return typeof icon === 'string' && icon.startsWith('data:image/') ? icon : undefined
}
