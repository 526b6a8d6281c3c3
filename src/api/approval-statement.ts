import type { Scope } from '../schema/scope.ts'

const WORDS: Readonly<Partial<Record<Scope, string>>> = {
  'verdicts:create:own': 'submit actions for a verdict',
  'transactions:create:own': 'submit actions for a verdict',
  'transactions:read:own': 'read actions and verdicts',
  'policies:read:own': 'read the policy',
  'policies:write:own': 'CHANGE THE POLICY',
  'keys:read:own': 'list API keys',
  'keys:write:own': 'MAKE AND REVOKE API KEYS',
}

/** What scopes allow, in plain words, each once. */
export function rightsOf(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes.map((scope) => WORDS[scope as Scope] ?? scope))]
}

/**
 * What a wallet shows to the person who signs: who asks, and for what. It keeps to the characters that EIP-4361 allows
 * in a statement; a client's own name cannot add a line to it.
 */
export function approvalStatement(client: string, scopes: readonly string[]): string {
  const rights = rightsOf(scopes).join(', ')
  return `Let the program '${plain(client)}' act for this wallet: ${rights}.`
}

function plain(name: string): string {
  const kept = name.replace(/[^A-Za-z0-9 ._:/@-]/g, '').trim()
  return kept === '' ? 'unnamed' : kept.slice(0, 100)
}
