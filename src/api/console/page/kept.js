// What this tab remembers over a reload. Another tab has its own conversation, and a closed one leaves nothing.

const MOST_ITEMS = 600

/** The token of the address's fragment, which is taken out of the address, or the one entered before. */
export function takeToken() {
  const given = tokenOf(location.hash)
  if (given !== undefined) {
    history.replaceState(null, '', location.pathname)
    keepToken(given)
  }
  return sessionStorage.getItem('token') ?? undefined
}

/** The token in an address; nothing where it has none. */
export function tokenOf(address) {
  const [, given] = /#token=(.+)$/.exec(address) ?? []
  try {
    return given && decodeURIComponent(given)
  } catch {
    return given
  }
}

/** Remembers a token; without one, forgets it. */
export function keepToken(token) {
  if (token === undefined) sessionStorage.removeItem('token')
  else sessionStorage.setItem('token', token)
}

/** The conversation of this tab: its id, the last event that was seen, and what was said and told, in order. */
export function keptConversation() {
  try {
    const kept = JSON.parse(sessionStorage.getItem('conversation'))
    if (typeof kept?.id === 'string' && Array.isArray(kept.items)) return kept
  } catch {
    // It is begun anew.
  }
  return newConversation()
}

/** A conversation that nobody has heard of. */
export function newConversation() {
  return { id: randomId(), lastEventId: 0, running: false, items: [] }
}

/** Adds an item; pieces of an answer are joined. */
export function addItem(conversation, item) {
  const last = conversation.items.at(-1)
  if (item.type === 'text' && last?.type === 'text') last.text += item.text
  else conversation.items.push(item.type === 'text' ? { ...item } : item)
  if (conversation.items.length > MOST_ITEMS) conversation.items.splice(0, MOST_ITEMS / 2)
}

/** Writes the conversation down; where there is no room, its newer half. */
export function keepConversation(conversation) {
  try {
    sessionStorage.setItem('conversation', JSON.stringify(conversation))
  } catch {
    conversation.items.splice(0, Math.ceil(conversation.items.length / 2))
    if (conversation.items.length > 0) keepConversation(conversation)
  }
}

/** 128 random bits. `crypto.randomUUID` is only there under TLS and on this machine. */
export function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
