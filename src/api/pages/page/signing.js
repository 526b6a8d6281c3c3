import { ask } from './service.js'
import { $, complain, copy, element, say, show, showWallet } from './view.js'
import { connect, findWallets, isRejection, sign } from './wallets.js'

const GONE = [400, 404, 410]

/** What waits for the person; nothing where it waits no longer. */
export async function readRequest(path) {
  try {
    return await ask('GET', path)
  } catch (refusal) {
    if (GONE.includes(refusal.status)) return undefined
    say('Not now', 'The request could not be read. Load the page again in a moment.')
    throw refusal
  }
}

/**
 * Lets a person sign: with a wallet of this browser, or elsewhere. `messageFor` gets the message for a wallet and a
 * chain, `submit` takes the signed message; what it throws is shown, and the person may try again.
 */
export async function offerSigning({ messageFor, submit }) {
  show(['signing'])
  $('ask').onsubmit = (event) => {
    event.preventDefault()
    void attempt(async () => {
      const address = $('address').value.trim()
      $('message').value = await messageFor(address, Number($('chain').value))
      showWallet(address.toLowerCase())
      show(['paste'])
      $('message').focus()
      $('message').setSelectionRange(0, 0)
      $('message').scrollTop = 0
    })
  }
  $('copy').onclick = () => void attempt(() => copy($('message').value, $('copy')))
  $('paste').onsubmit = (event) => {
    event.preventDefault()
    void attempt(() => submit({ message: $('message').value, signature: $('signature').value.trim() }))
  }
  const wallets = await findWallets()
  $('wallets').replaceChildren(...wallets.map((wallet) => walletButton(wallet, { messageFor, submit })))
  $('no-wallet').hidden = wallets.length > 0
  $('elsewhere').open = wallets.length === 0
}

function walletButton(wallet, { messageFor, submit }) {
  const label = element('span', '', `Sign with ${wallet.name}`)
  const button = element('button', 'strong-text', ...(wallet.icon ? [picture(wallet.icon)] : []), label)
  button.type = 'button'
  button.onclick = () =>
    void attempt(async () => {
      const { address, chainId } = await connect(wallet)
      showWallet(address)
      const message = await messageFor(address, isListed(chainId) ? chainId : 1)
      await submit({ message, signature: await sign(wallet, message, address) })
    })
  return element('li', '', button)
}

function picture(source) {
  const image = element('img', '')
  image.src = source
  image.alt = ''
  return image
}

// A key's own signature is good on every chain: a wallet on a chain that is not supported signs for the first.
function isListed(chainId) {
  return [...$('chain').options].some(({ value }) => Number(value) === chainId)
}

/** One thing at a time: the buttons wait for it, and what goes wrong is said. */
export async function attempt(work) {
  const buttons = [...document.querySelectorAll('button')]
  for (const button of buttons) button.disabled = true
  complain()
  try {
    await work()
  } catch (thrown) {
    complain(
      isRejection(thrown) ? 'You declined in your wallet. Nothing was signed.' : (thrown?.message ?? 'It failed.'),
    )
  } finally {
    for (const button of buttons) button.disabled = false
  }
}
