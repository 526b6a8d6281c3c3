import { $, complain, copy, element, show } from './view.js'
import { connect, findWallets, isRejection, sign } from './wallets.js'

/**
 * Lets a person sign: with a wallet of this browser, or elsewhere. `messageFor` gets the message for a wallet and a
 * chain, `submit` takes the signed message; what it throws is shown, and the person may try again.
 */
export async function offerSigning({ messageFor, submit }) {
  show(['signing'])
  $('ask').onsubmit = (event) => {
    event.preventDefault()
    void attempt(async () => {
      $('message').value = await messageFor($('address').value.trim(), Number($('chain').value))
      show(['paste'])
      $('message').focus()
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
