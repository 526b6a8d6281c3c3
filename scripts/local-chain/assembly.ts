import type { Hex } from 'viem'

const opcodes: Readonly<Record<string, string>> = {
  add: '01',
  mul: '02',
  sub: '03',
  div: '04',
  gt: '11',
  eq: '14',
  iszero: '15',
  shl: '1b',
  shr: '1c',
  keccak256: '20',
  address: '30',
  caller: '33',
  calldataload: '35',
  timestamp: '42',
  pop: '50',
  mload: '51',
  mstore: '52',
  sload: '54',
  sstore: '55',
  jump: '56',
  jumpi: '57',
  gas: '5a',
  dup1: '80',
  swap1: '90',
  log3: 'a3',
  call: 'f1',
  return: 'f3',
  staticcall: 'fa',
  revert: 'fd',
}
const jumpdest = '5b'
const push1 = 0x60
const push2 = '61'

/**
 * Turns EVM assembly into bytecode, so that the stand-ins need no compiler and stay readable. Words are separated by
 * white space: `0x…` is pushed, `name:` marks a jump target, `@name` pushes it, the rest are opcodes; `;` comments.
 */
export function assemble(source: string): Hex {
  const words = source
    .replaceAll(/;.*$/gm, '')
    .split(/\s+/)
    .filter((word) => word !== '')
  const labels = new Map<string, number>()
  let position = 0
  for (const word of words) {
    if (word.endsWith(':')) labels.set(word.slice(0, -1), position)
    position += encode(word, () => 0).length / 2
  }
  const target = (label: string) => labels.get(label) ?? fail(`no jump target ${label}`)
  return `0x${words.map((word) => encode(word, target)).join('')}`
}

function encode(word: string, target: (label: string) => number): string {
  if (word.endsWith(':')) return jumpdest
  if (word.startsWith('@')) return push2 + target(word.slice(1)).toString(16).padStart(4, '0')
  if (word.startsWith('0x')) return (push1 + word.length / 2 - 2).toString(16) + word.slice(2)
  return opcodes[word] ?? fail(`unknown opcode ${word}`)
}

function fail(message: string): never {
  throw new Error(message)
}
