/** What a connection is told and tells. Milliseconds: between signs of life, and until the first new attempt. */
export type SteadySocketSettings = Readonly<{
  address: string
  pingMs: number
  retryMs: number
  opened(): void
  /** A message in JSON. What is none is dropped. */
  heard(message: unknown): void
  ended(): void
}>

/** A WebSocket that is opened again when it ends. */
export type SteadySocket = Readonly<{
  /** Opens it where it is not open, and keeps it so. */
  open(): void
  /** Sends where it is open; nothing is kept for later. */
  send(message: object): void
  /** Ends it, until it is opened again. */
  close(): void
}>

const LONGEST_RETRY_MS = 60_000
const LARGEST_MESSAGE = 1_000_000
/** Signs of life without an answer, after which a connection is none. */
const MOST_UNANSWERED = 2

/** A connection that asks for signs of life, and tries again later and later while it cannot be had. */
export function steadySocket({ address, pingMs, retryMs, ...told }: SteadySocketSettings): SteadySocket {
  const state = { wanted: false, failures: 0, unanswered: 0 }
  let socket: WebSocket | undefined
  let timer: NodeJS.Timeout | undefined

  function connect(): void {
    if (!state.wanted || socket !== undefined) return
    state.unanswered = 0
    const opened = listen(address, {
      opened: () => opened === socket && told.opened(),
      ended: () => opened === socket && lose(),
      heard(message) {
        if (opened !== socket) return
        state.unanswered = 0
        state.failures = 0
        told.heard(message)
      },
    })
    socket = opened
    beat()
  }

  function beat(): void {
    later(pingMs, () => {
      if (state.unanswered >= MOST_UNANSWERED) return lose()
      state.unanswered += 1
      send({ method: 'ping' })
      beat()
    })
  }

  function lose(): void {
    drop()
    const wait = Math.min(retryMs * 2 ** Math.min(state.failures, 10), LONGEST_RETRY_MS)
    state.failures += 1
    if (state.wanted) later(wait, connect)
  }

  function drop(): void {
    const dropped = socket
    socket = undefined
    clearTimeout(timer)
    timer = undefined
    dropped?.close()
    if (dropped) told.ended()
  }

  function later(ms: number, act: () => void): void {
    timer = setTimeout(act, ms).unref()
  }

  function send(message: object): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }

  return {
    open() {
      state.wanted = true
      if (timer === undefined) connect()
    },
    send,
    close() {
      state.wanted = false
      drop()
    },
  }
}

type Listener = Readonly<{ opened(): unknown; ended(): unknown; heard(message: unknown): void }>

/** Opens a connection. An error is followed by its end. */
function listen(address: string, { opened, ended, heard }: Listener): WebSocket {
  const socket = new WebSocket(address)
  socket.addEventListener('open', opened)
  socket.addEventListener('close', ended)
  socket.addEventListener('error', () => undefined)
  socket.addEventListener('message', ({ data }) => {
    const message = typeof data === 'string' && data.length <= LARGEST_MESSAGE ? jsonOf(data) : undefined
    if (message !== undefined) heard(message)
  })
  return socket
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
