import { endSession, listen, post, readSession } from './connection.js'
import { createConversationView } from './conversation-view.js'
import {
  addItem,
  keepConversation,
  keepToken,
  keptConversation,
  newConversation,
  randomId,
  takeToken,
  tokenOf,
} from './kept.js'

const part = Object.fromEntries(
  [...document.querySelectorAll('[id]')].map((one) => [one.id.replace(/-(\w)/g, (_, c) => c.toUpperCase()), one]),
)
const view = createConversationView(part.log, document.querySelector('main'), press)
const STATES = { opening: 'Connecting', open: 'Connected', lost: 'Connection lost, trying again' }

let token = takeToken()
/** The owner's wallet that is signed in, where no token is used. */
let wallet
let conversation = keptConversation()
let listening = new AbortController()
/** Whether an answer was awaited when the stream was opened, and nothing was said since. */
let awaited = false

function start() {
  listening.abort()
  const isOpen = token !== undefined || wallet !== undefined
  part.signIn.hidden = isOpen
  for (const one of [part.chat, part.composer, part.new, part.connection]) one.hidden = !isOpen
  part.leave.hidden = wallet === undefined
  if (!isOpen) return part.token.focus()
  view.clear()
  for (const item of conversation.items) {
    if (item.type === 'said') addSaid(item)
    else view.addOutbound(item, false)
  }
  showRunning()
  listening = new AbortController()
  const { signal } = listening
  showConnection('opening')
  void listen({
    token,
    conversation: conversation.id,
    after: conversation.lastEventId,
    signal,
    onState: (state) => !signal.aborted && (state === 'refused' ? refuse() : showConnection(state)),
    onConnect: () => {
      awaited = conversation.running
    },
    onIdle: () => !signal.aborted && lost(),
    onEvent: (id, message) => !signal.aborted && told(id, message),
  })
  part.text.focus()
}

function told(id, message) {
  conversation.lastEventId = id
  if (message.type === 'end') conversation.running = false
  else addItem(conversation, message)
  view.addOutbound(message, true)
  if (message.type !== 'text') keepConversation(conversation)
  showRunning()
}

/** The harness knows nothing of an answer that is awaited: it was started anew, with nothing kept. */
function lost() {
  if (!awaited || !conversation.running) return
  conversation.running = false
  const item = { type: 'error', text: 'The harness was started anew, and this was not answered. Say it again.' }
  addItem(conversation, item)
  view.addOutbound(item, true)
  keepConversation(conversation)
  showRunning()
}

function press(button) {
  conversation.running = true
  awaited = false
  keepConversation(conversation)
  showRunning()
  void post(token, { conversation: conversation.id, id: randomId(), button }).catch((error) => {
    conversation.running = false
    view.addOutbound({ type: 'error', text: error.message }, true)
    showRunning()
    if (error.status === 401) refuse()
  })
}

function say(text) {
  const item = { type: 'said', id: randomId(), text, failed: undefined }
  addItem(conversation, item)
  const fail = view.addSaid(text)
  void deliver(item, fail)
}

function addSaid(item) {
  const fail = view.addSaid(item.text)
  if (item.failed !== undefined) fail(item.failed, () => void deliver(item, fail))
}

/** A message keeps its id however often it is sent: the harness takes it once. */
async function deliver(item, fail) {
  conversation.running = true
  awaited = false
  item.failed = undefined
  keepConversation(conversation)
  showRunning()
  try {
    await post(token, { conversation: conversation.id, id: item.id, text: item.text })
  } catch (error) {
    conversation.running = false
    item.failed = error.message
    keepConversation(conversation)
    fail(error.message, () => void deliver(item, fail))
    showRunning()
    if (error.status === 401) refuse()
  }
}

/** Neither token nor session is taken: most often the harness was started anew. */
function refuse() {
  part.signInWhy.textContent = wallet
    ? 'Your session has ended. Sign in again with your wallet, or open the address that the harness printed.'
    : 'This token is not accepted. A harness that was started anew has a new one: open the address that it printed.'
  part.signInWhy.classList.add('refused')
  token = undefined
  keepToken(undefined)
  wallet = undefined
  start()
}

/** Without a token, the session of a wallet opens the chat. */
async function begin() {
  if (token !== undefined) start()
  const session = await readSession()
  part.byWallet.hidden = !session.wallets
  if (token !== undefined) return
  wallet = session.wallet ?? undefined
  start()
}

async function leave() {
  await endSession().catch(() => undefined)
  wallet = undefined
  conversation = newConversation()
  keepConversation(conversation)
  start()
}

function stop() {
  void post(token, { conversation: conversation.id, id: randomId(), text: '/stop' }).catch(() => showConnection('lost'))
}

function showConnection(state) {
  part.connection.dataset.state = state
  part.connection.textContent = STATES[state]
}

function showRunning() {
  view.follow(() => {
    part.empty.hidden = conversation.items.length > 0
    part.working.hidden = !conversation.running
    part.stop.hidden = !conversation.running
  })
}

part.composer.addEventListener('submit', (event) => {
  event.preventDefault()
  const text = part.text.value.trim()
  if (text === '') return
  part.text.value = ''
  say(text)
})

part.text.addEventListener('keydown', (event) => {
  if (event.isComposing) return
  if (event.key === 'Enter' && !event.shiftKey) {
    event.preventDefault()
    part.composer.requestSubmit()
  } else if (event.key === 'Escape' && conversation.running) stop()
})

part.stop.addEventListener('click', () => {
  stop()
  part.text.focus()
})

part.new.addEventListener('click', () => {
  if (conversation.running) stop()
  conversation = newConversation()
  keepConversation(conversation)
  start()
})

part.empty.addEventListener('click', ({ target }) => {
  const chip = target.closest('.chip')
  if (!chip) return
  say(chip.textContent)
  part.text.focus()
})

part.signIn.addEventListener('submit', (event) => {
  event.preventDefault()
  const given = part.token.value.trim()
  part.token.value = ''
  // A pasted address will do as well.
  token = tokenOf(given) ?? given
  keepToken(token)
  start()
})

part.leave.addEventListener('click', () => void leave())

addEventListener('hashchange', () => {
  token = takeToken()
  if (token !== undefined) wallet = undefined
  start()
})
addEventListener('pagehide', () => keepConversation(conversation))

void begin()
