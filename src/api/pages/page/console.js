import { ask } from './service.js'
import { attempt, offerSigning } from './signing.js'
import { say, show } from './view.js'

say(
  'Open the console',
  'Sign with a wallet of an owner of this harness. It costs nothing, and approves no transaction.',
)

void attempt(() =>
  offerSigning({
    messageFor: async (walletAddress, chainId) =>
      (await ask('POST', 'session/message', { body: { walletAddress, chainId } })).message,
    async submit(signed) {
      await ask('POST', 'session', { body: signed })
      show([], ['signing'])
      say('Signed in', 'The console opens.')
      location.assign('chat')
    },
  }),
)
