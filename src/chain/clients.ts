import type { ChainClient } from './chain-client.ts'
import { createChainClient } from './client.ts'
import { createTransport } from './transport.ts'

/** A chain as configured. Without an RPC there is no client for it. */
export type ChainSettings = Readonly<{ id: number; name: string; rpcUrl: string | undefined }>

/** The clients of all configured chains. */
export type Chains = Readonly<{
  /** The client of a chain id; nothing where no RPC is configured for it. */
  of(chainId: number): ChainClient | undefined
}>

/** Limits on what a node may take: milliseconds a call, bytes an answer. */
export type RpcLimits = Readonly<{ timeoutMs: number; maxBytes: number }>

const LIMITS: RpcLimits = { timeoutMs: 5_000, maxBytes: 4 * 1024 * 1024 }

/** Clients for the chains of a configuration. Nothing is asked of a node before the first read. */
export function createChains(settings: readonly ChainSettings[], limits: Partial<RpcLimits> = {}): Chains {
  const clients = new Map<number, ChainClient>()
  for (const { id, name, rpcUrl } of settings) {
    if (rpcUrl === undefined) continue
    clients.set(id, createChainClient(id, name, createTransport({ url: rpcUrl, name, ...LIMITS, ...limits })))
  }
  return { of: (chainId) => clients.get(chainId) }
}
