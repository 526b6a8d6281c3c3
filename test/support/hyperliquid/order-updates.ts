// The WebSocket interface of the stand-in: who subscribes to a user's orders is told of each change, at once.
import type { Server } from 'node:http'
import { WebSocket, WebSocketServer } from 'ws'
import type { StandInOrder } from './book.ts'

/** Serves `/ws` of a server. `coinOf` names markets by their numbers. */
export function orderUpdates(server: Server, coinOf: (asset: number) => string | undefined) {
  const sockets = new Map<WebSocket, Set<string>>()
  /** `refuse` takes no connection; `mute` takes them, and says nothing. */
  const state: { refuse: boolean; mute: boolean; opened: number; pings: number } = {
    refuse: false,
    mute: false,
    opened: 0,
    pings: 0,
  }
  const upgrades = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (state.refuse || request.url !== '/ws') return void socket.destroy()
    upgrades.handleUpgrade(request, socket, head, (opened) => {
      state.opened += 1
      sockets.set(opened, new Set())
      opened.on('close', () => sockets.delete(opened))
      opened.on('message', (data) => hear(opened, JSON.parse((data as Buffer).toString('utf8')) as Message))
    })
  })

  function hear(socket: WebSocket, { method, subscription }: Message): void {
    if (method === 'ping') {
      state.pings += 1
      if (!state.mute) socket.send(JSON.stringify({ channel: 'pong' }))
    }
    if (method !== 'subscribe' || subscription?.type !== 'orderUpdates') return
    sockets.get(socket)?.add(subscription.user.toLowerCase())
    if (!state.mute) socket.send(JSON.stringify({ channel: 'subscriptionResponse', data: { method, subscription } }))
  }

  const send = (user: string, message: string) => {
    for (const [socket, users] of sockets)
      if (users.has(user) && socket.readyState === WebSocket.OPEN) socket.send(message)
  }

  return {
    state,
    /** Users whom somebody watches. */
    watched: () => new Set([...sockets.values()].flatMap((users) => [...users])),
    /** Tells of an order as it is now. */
    tell({ user, asset, isBuy, price, left, size, oid, cloid, status }: StandInOrder): void {
      if (state.mute) return
      const order = { coin: coinOf(asset), side: isBuy ? 'B' : 'A', limitPx: String(price), sz: String(left), oid }
      const data = [
        {
          order: { ...order, timestamp: 0, origSz: String(size), ...(cloid !== null && { cloid }) },
          status,
          statusTimestamp: 0,
        },
      ]
      send(user, JSON.stringify({ channel: 'orderUpdates', data }))
    },
    /** Says anything to whoever watches a user. */
    say: (user: string, text: string) => send(user, text),
    /** Ends every connection. */
    drop() {
      for (const socket of sockets.keys()) socket.terminate()
    },
    stop() {
      for (const socket of sockets.keys()) socket.terminate()
      upgrades.close()
    },
  }
}

type Message = Readonly<{ method: string; subscription?: Readonly<{ type: string; user: string }> }>
