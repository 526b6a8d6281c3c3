import { ask } from './service.js'
import { attempt, offerSigning } from './signing.js'
import { $, copy, element, say, show } from './view.js'

// Kept in this page alone: closing it forgets them.
let token

const CHOICES = [
  ['verdicts:create:own', 'Submit actions for a verdict', true],
  ['transactions:read:own', 'Read actions and verdicts', true],
  ['policies:read:own', 'Read the policy', true],
  ['policies:write:own', 'Change the policy', false],
]

say('Sign in', 'Show that a wallet is yours. It costs nothing, and approves no transaction.')
$('choices').replaceChildren(...CHOICES.map(choice))
$('new-key').onsubmit = (event) => {
  event.preventDefault()
  void attempt(makeKey)
}
$('copy-key').onclick = () => void attempt(() => copy($('key').value, $('copy-key')))
$('leave').onclick = () =>
  void attempt(async () => {
    await ask('POST', 'auth/logout', { token })
    token = undefined
    show([], ['account', 'made'])
    say('Signed out', 'Your keys go on working until you revoke them.')
    show(['signing'])
  })

void attempt(() =>
  offerSigning({
    messageFor: async (walletAddress, chainId) =>
      (await ask('POST', 'auth/siwe/message', { body: { walletAddress, chainId } })).message,
    async submit(signed) {
      const { accessToken, user } = await ask('POST', 'auth/siwe/verify', { body: signed })
      token = accessToken
      $('own').textContent = user.ethereumAddress
      show(['account'], ['signing', 'paste'])
      say('Your keys', 'Each program gets a key of its own, so that you can take it away again.')
      await listKeys()
    },
  }),
)

function choice([scope, words, usual]) {
  const box = element('input', '')
  Object.assign(box, { type: 'checkbox', name: 'scope', value: scope, checked: usual })
  return element('label', 'choice', box, words)
}

async function makeKey() {
  const scopes = [...document.querySelectorAll('[name=scope]:checked')].map(({ value }) => value)
  const name = $('name').value.trim()
  const body = { ...(name && { name }), ...(scopes.length > 0 && { scopes }) }
  const { apiKey } = await ask('POST', 'user-api-keys', { body, token })
  $('key').value = apiKey
  show(['made'])
  $('key').focus()
  await listKeys()
}

async function listKeys() {
  const { items } = await ask('GET', 'user-api-keys?limit=100', { token })
  const working = items.filter(({ revokedAt }) => revokedAt === null)
  $('no-keys').hidden = working.length > 0
  $('keys').replaceChildren(...working.map(keyRow))
}

function keyRow({ id, name, prefix, createdAt }) {
  const made = new Date(createdAt).toLocaleDateString()
  const about = element('div', 'about', name ?? 'Unnamed', element('small', 'mono', `${prefix}… · ${made}`))
  const revoke = element('button', 'second', 'Revoke')
  revoke.type = 'button'
  revoke.setAttribute('aria-label', `Revoke ${name ?? prefix}`)
  revoke.onclick = () =>
    void attempt(async () => {
      await ask('DELETE', `user-api-keys/${id}`, { token })
      await listKeys()
    })
  return element('li', '', about, revoke)
}
