import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Abi, Hex } from 'viem'

/** A compiled contract of an installed package. */
export type Artifact = Readonly<{ abi: Abi; bytecode: Hex }>

const resolve = createRequire(import.meta.url).resolve

/** The packages whose contracts are installed; their versions are part of the cached state's name. */
export const artifactPackages = [
  '@aave/core-v3',
  '@uniswap/swap-router-contracts',
  '@uniswap/universal-router',
  '@uniswap/v2-core',
  '@uniswap/v2-periphery',
  '@uniswap/v3-core',
  '@uniswap/v3-periphery',
  '@uniswap/v4-core',
  '@uniswap/v4-periphery',
  'canonical-weth',
  'universal-router-2.0',
] as const

/** Reads an artifact in any of the shapes that Hardhat, Foundry, Truffle and Waffle write. */
export function readArtifact(file: string): Artifact {
  const json = JSON.parse(readFileSync(resolve(file), 'utf8')) as {
    abi: Abi
    bytecode?: string | { object: string }
    evm?: { bytecode: { object: string } }
  }
  const code = typeof json.bytecode === 'object' ? json.bytecode.object : (json.bytecode ?? json.evm?.bytecode.object)
  if (!code) throw new Error(`${file} has no bytecode`)
  return { abi: json.abi, bytecode: code.startsWith('0x') ? (code as Hex) : `0x${code}` }
}

/** Reads an artifact of Hardhat whose code calls libraries, and writes their addresses, by name, into it. */
export function readLinkedArtifact(file: string, libraries: Readonly<Record<string, Hex>>): Artifact {
  const { linkReferences } = JSON.parse(readFileSync(resolve(file), 'utf8')) as {
    linkReferences: Record<string, Record<string, readonly { start: number; length: number }[]>>
  }
  const { abi, bytecode } = readArtifact(file)
  let linked = bytecode.slice(2)
  for (const [name, places] of Object.values(linkReferences).flatMap((one) => Object.entries(one))) {
    const address = libraries[name]?.slice(2).toLowerCase()
    if (address === undefined) throw new Error(`${file} calls ${name}, which is not placed`)
    for (const { start, length } of places)
      linked = linked.slice(0, start * 2) + address + linked.slice((start + length) * 2)
  }
  return { abi, bytecode: `0x${linked}` }
}

/**
 * Permit2's deployed code. Its package is not on the registry; the copy in v4-periphery carries the code as a literal
 * of the test helper that etches it to the production address.
 */
export function readPermit2Code(): Hex {
  const file = '@uniswap/v4-periphery/lib/permit2/test/utils/DeployPermit2.sol'
  const code = /hex"([0-9a-f]+)"/.exec(readFileSync(resolve(file), 'utf8'))?.[1]
  if (code === undefined) throw new Error(`${file} has no code literal`)
  return `0x${code}`
}

/** `name@version` of an installed package. */
export function packageVersion(name: string): string {
  const manifest = JSON.parse(readFileSync(resolve(`${name}/package.json`), 'utf8')) as { version: string }
  return `${name}@${manifest.version}`
}
