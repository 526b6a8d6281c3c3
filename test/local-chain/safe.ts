// Safe's own contracts, version 1.4.1, on the local chain: wallets of several owners that vouch for signatures (ERC-1271),
// and that can sign before they are deployed (ERC-6492).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  getContractAddress,
  type Hex,
  hashMessage,
  keccak256,
  type PrivateKeyAccount,
  zeroAddress,
} from 'viem'
import { readArtifact } from '../../scripts/local-chain/artifacts.ts'
import type { LocalChain } from '../../scripts/local-chain/index.ts'
import { createWallet } from './wallet.ts'

const ARTIFACTS = '@safe-global/safe-contracts/build/artifacts/contracts'
const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'
const COUNTERFACTUAL: Hex = `0x${'6492'.repeat(16)}`

/** Multicall3's creation code. viem keeps it for chains that have none, and exports it by no name. */
function multicall3Code(): Hex {
  const file = createRequire(import.meta.url)
    .resolve('viem')
    .replace(/_cjs.*/, '_cjs/constants/contracts.js')
  const code = /multicall3Bytecode = '(0x[0-9a-f]+)'/.exec(readFileSync(file, 'utf8'))?.[1]
  return code === undefined ? assert.fail('viem has Multicall3 elsewhere now') : (code as Hex)
}

/** Safe's factory on a chain, with Multicall3 where it is on every chain. */
export async function placeSafes(chain: LocalChain) {
  const deployer = createWallet(chain)
  await chain.fund(deployer.address, { native: 10n ** 20n })
  const place = async (bytecode: Hex) => {
    const { contractAddress } = await deployer.create(bytecode)
    return contractAddress ?? assert.fail('It was not created.')
  }
  const code = await chain.request('eth_getCode', [await place(multicall3Code()), 'latest'])
  await chain.request('anvil_setCode', [MULTICALL3, code])
  const safe = readArtifact(`${ARTIFACTS}/Safe.sol/Safe.json`)
  const proxies = readArtifact(`${ARTIFACTS}/proxies/SafeProxyFactory.sol/SafeProxyFactory.json`)
  const handlers = readArtifact(
    `${ARTIFACTS}/handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json`,
  )
  const singleton = await place(safe.bytecode)
  const factory = await place(proxies.bytecode)
  const handler = await place(handlers.bytecode)
  const proxyCode = await deployer.reader.readContract({
    address: factory,
    abi: proxies.abi,
    functionName: 'proxyCreationCode',
  })

  /** A wallet that needs the signatures of all its owners. It is not on the chain before `deploy`. */
  function safeOf(owners: readonly PrivateKeyAccount[], salt = 0n) {
    const people = owners.map(({ address }) => address)
    const setup = [people, BigInt(owners.length), zeroAddress, '0x', handler, zeroAddress, 0n, zeroAddress]
    const initializer = encodeFunctionData({ abi: safe.abi, functionName: 'setup', args: setup })
    const args = [singleton, initializer, salt]
    const factoryData = encodeFunctionData({ abi: proxies.abi, functionName: 'createProxyWithNonce', args })
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: keccak256(encodePacked(['bytes32', 'uint256'], [keccak256(initializer), salt])),
      bytecode: concatHex([proxyCode as Hex, encodeAbiParameters([{ type: 'address' }], [singleton])]),
    })
    return {
      address,
      deploy: () => deployer.send(factory, factoryData),
      /** The signatures of some of its owners over a text, in the order that Safe wants. */
      async sign(text: string, signers = owners): Promise<Hex> {
        const domain = { chainId: chain.chainId, verifyingContract: address }
        const types = { SafeMessage: [{ name: 'message', type: 'bytes' }] }
        const typed = { domain, types, primaryType: 'SafeMessage', message: { message: hashMessage(text) } } as const
        const sorted = signers.toSorted((a, b) => (a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1))
        return concatHex(await Promise.all(sorted.map((owner) => owner.signTypedData(typed))))
      },
      /** A signature together with what deploys the wallet (ERC-6492). */
      wrapped(signature: Hex, data: Hex = factoryData): Hex {
        const types = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }]
        return concatHex([encodeAbiParameters(types, [factory, data, signature]), COUNTERFACTUAL])
      },
      factoryData,
    }
  }
  return { safeOf }
}
