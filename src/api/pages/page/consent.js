import { ask } from './service.js'
import { attempt, offerSigning, readRequest } from './signing.js'
import { $, listFacts, listRights, say, show, WALLET_FACT } from './view.js'

const path = `oauth/consent/${encodeURIComponent(location.pathname.split('/').at(-1))}`

void attempt(async () => {
  const request = await readRequest(`${path}/request`)
  if (request === undefined)
    return say(
      'Nothing to approve',
      'This request has expired, or belongs to another browser. Start again in the program.',
    )
  say('Allow access', 'A program asks to act for your wallet. Approve it only if you know it.')
  listFacts([
    ['Program', request.clientName ?? 'It gave no name', 'strong-text'],
    ['Known as', request.clientId, 'mono'],
    ['Answer goes to', request.redirectHost, 'mono'],
    WALLET_FACT,
  ])
  listRights(request.rights)
  show(['request', 'decline'])
  $('decline').onclick = () => void attempt(async () => leave(await ask('POST', `${path}/decline`)))
  await offerSigning({
    messageFor: async (walletAddress, chainId) =>
      (await ask('POST', `${path}/message`, { body: { walletAddress, chainId } })).message,
    submit: async (signed) => leave(await ask('POST', `${path}/approve`, { body: signed })),
  })
})

function leave({ redirectTo }) {
  show([], ['request', 'signing'])
  say('Going back', 'Your browser returns to the program.')
  location.assign(redirectTo)
}
