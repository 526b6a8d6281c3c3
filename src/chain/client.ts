import { broadcasting } from './broadcasting.ts'
import type { ChainClient } from './chain-client.ts'
import { createNode } from './node.ts'
import { reading } from './reading.ts'
import { simulating } from './simulating.ts'
import type { Transport } from './transport.ts'

/** The client of one chain over a transport. */
export function createChainClient(id: number, name: string, transport: Transport): ChainClient {
  const node = createNode(id, name, transport)
  return {
    id,
    name,
    verify: (options) => node.verify(options?.signal),
    ...reading(id, node),
    ...simulating(id, node),
    ...broadcasting(node),
  }
}
