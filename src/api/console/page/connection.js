// The token is sent in a header, never in an address: an EventSource could not, so the stream is read by fetch.

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

/** Without even a heartbeat for this long, a stream is dead. */
const SILENCE_MS = 40_000

// Without a token the browser's own session opens it, in a cookie that no script can read.
const authorizationOf = (token) => (token === undefined ? {} : { authorization: `Bearer ${token}` })

/** Whether a wallet's session is open in this browser, and whether a wallet may open one. */
export async function readSession() {
  try {
    const response = await fetch('/console/session')
    if (response.ok) return await response.json()
  } catch {
    // The page says what to do without one.
  }
  return { wallet: null, wallets: false }
}

/** Ends a wallet's session. */
export async function endSession() {
  await fetch('/console/session', { method: 'DELETE' })
}

/** Sends a message. Throws an error with a `status`, 0 where the harness could not be reached. */
export async function post(token, message) {
  let response
  try {
    response = await fetch('/console/chat/messages', {
      method: 'POST',
      headers: { ...authorizationOf(token), 'content-type': 'application/json' },
      body: JSON.stringify({ ...message, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    })
  } catch {
    throw Object.assign(new Error('The harness could not be reached.'), { status: 0 })
  }
  if (response.ok) return
  const problem = await response.json().catch(() => ({}))
  throw Object.assign(new Error(problem.detail ?? 'The message was refused.'), { status: response.status })
}

/**
 * Listens to a conversation until the signal, coming back after every break where it was.
 * `onState` is told `open`, `lost` and, where the token is not taken, `refused`, which ends it. `onIdle` is called when the
 * harness says, as it is connected to, that it has nothing to answer here.
 */
export async function listen({ token, conversation, after, onEvent, onIdle, onState, onConnect, signal }) {
  let lastId = after
  let wait = FIRST_WAIT_MS
  while (!signal.aborted) {
    const silence = createSilence(signal)
    onConnect()
    try {
      const response = await fetch(`/console/chat/events?conversation=${encodeURIComponent(conversation)}`, {
        headers: { ...authorizationOf(token), ...(lastId > 0 && { 'last-event-id': String(lastId) }) },
        signal: silence.signal,
      })
      if (response.status === 401) return onState('refused')
      if (!response.ok) throw new Error('not served')
      onState('open')
      wait = FIRST_WAIT_MS
      for await (const { id, message, isIdle } of eventsOf(response.body, silence.heard)) {
        if (isIdle) {
          onIdle()
          continue
        }
        lastId = id
        onEvent(id, message)
      }
    } catch {
      // Whatever broke it, it is tried again.
    } finally {
      silence.end()
    }
    if (signal.aborted) return
    onState('lost')
    await pause(wait * (0.75 + Math.random() / 2), signal)
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  }
}

async function* eventsOf(body, heard) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let held = ''
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      heard()
      const blocks = (held + value).split('\n\n')
      held = blocks.pop()
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => [line.split(': ', 1)[0], line]))
        const data = fields.get('data')?.slice('data: '.length)
        if (fields.get('event') === 'event: idle') yield { isIdle: true }
        else if (data !== undefined)
          yield { id: Number(fields.get('id')?.slice('id: '.length)), message: JSON.parse(data) }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function createSilence(signal) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  signal.addEventListener('abort', abort, { once: true })
  let timer = setTimeout(abort, SILENCE_MS)
  return {
    signal: controller.signal,
    heard() {
      clearTimeout(timer)
      timer = setTimeout(abort, SILENCE_MS)
    },
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    },
  }
}

/** Waits, but no longer than until the network or the person is back. */
async function pause(ms, signal) {
  await new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      document.removeEventListener('visibilitychange', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
    document.addEventListener('visibilitychange', end)
    signal.addEventListener('abort', end)
  })
}
