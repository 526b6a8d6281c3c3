import { ask } from './service.js'
import { attempt, offerSigning, readRequest } from './signing.js'
import { $, listFacts, listRights, say, show, WALLET_FACT } from './view.js'

const id = encodeURIComponent(new URLSearchParams(location.search).get('request') ?? '')
const path = `auth/connect/requests/${id}`

void attempt(async () => {
  const request = await readRequest(path)
  if (request === undefined)
    return say('Nothing to approve', 'This request was answered already, or has expired. Start again in the program.')
  say('Connect a program', 'Approve this only if you started it yourself, just now.')
  listFacts([
    ['Program', request.clientName ?? 'It gave no name', 'strong-text'],
    ['Gets', 'An API key'],
    WALLET_FACT,
    ['Expires', `At ${new Date(request.expiresAt).toLocaleTimeString()}`],
  ])
  listRights(request.rights)
  show(['request', 'decline'])
  $('decline').onclick = () =>
    void attempt(async () => {
      await ask('POST', `${path}/decline`)
      end('Declined', 'The program gets nothing. You can close this page.')
    })
  await offerSigning({
    messageFor: async (walletAddress, chainId) =>
      (await ask('POST', `${path}/message`, { body: { walletAddress, chainId } })).message,
    async submit(signed) {
      await ask('POST', `${path}/approve`, { body: signed })
      end('Connected', 'The program gets its key now. You can close this page.')
    },
  })
})

function end(title, lead) {
  show([], ['request', 'signing'])
  say(title, lead)
}
