import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { composeSiwe, parseSiwe, type SiweFields, wrongInSiwe } from '../../src/auth/siwe-message.ts'
import { voucherOf } from '../../src/auth/siwe-signature.ts'
import { toAddress } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'

type Entry<T> = readonly [name: string, value: T]
type Good = Readonly<{ message: string; fields: SiweFields }>
type Signed = SiweFields & Readonly<{ signature: Hex; time?: string; domainBinding?: string; matchNonce?: string }>

function vectors<T>(name: string, count: number): readonly Entry<T>[] {
  const file = new URL(`../vectors/siwe/${name}.json`, import.meta.url)
  const entries = Object.entries<T>(JSON.parse(readFileSync(file, 'utf8')) as Record<string, T>)
  assert.equal(entries.length, count)
  return entries
}

describe('the grammar of EIP-4361', () => {
  for (const [name, { message, fields }] of vectors<Good>('parsing_positive', 19))
    it(`takes: ${name}`, () => {
      const parsed = parseSiwe(message)
      assert.ok(parsed.ok, JSON.stringify(parsed))
      const { domain, address, statement, uri, chainId, nonce } = parsed.value
      assert.deepEqual(
        [domain, address, uri, chainId, nonce],
        [fields.domain, fields.address.toLowerCase(), fields.uri, fields.chainId, fields.nonce],
      )
      assert.equal(statement ?? '', fields.statement ?? '')
      assert.equal(parsed.value.issuedAt, Date.parse(fields.issuedAt))
    })

  for (const [name, message] of vectors<string>('parsing_negative', 29))
    it(`refuses: ${name}`, () => assert.equal(parseSiwe(message).ok, false))

  for (const [name, fields] of vectors<SiweFields>('parsing_negative_objects', 18))
    it(`writes no message: ${name}`, () => assert.equal(composeSiwe(fields).ok, false))

  for (const [name, { message, fields }] of vectors<Good>('parsing_positive', 19).filter(
    ([, { message }]) => !/^https?:/.test(message),
  ))
    it(`writes a message with the same meaning: ${name}`, () => {
      const composed = composeSiwe(fields)
      assert.ok(composed.ok, JSON.stringify(composed))
      assert.deepEqual(parseSiwe(composed.value), parseSiwe(message))
    })

  it('refuses what is too long before it reads it, and says nothing of it', () => {
    const secret = 'words-of-the-message'
    for (const text of [secret.repeat(1_000), `${secret} wants you to sign in`, '', '\0', '\ud800']) {
      const parsed = parseSiwe(text)
      assert.ok(!parsed.ok)
      assert.equal(parsed.reason.includes(secret), false)
    }
  })
})

describe('verification', () => {
  const chains = { of: () => undefined }
  const verify = async ({ time, domainBinding, matchNonce, signature, ...fields }: Signed): Promise<boolean> => {
    const composed = composeSiwe(fields)
    if (!composed.ok) return false
    const parsed = parseSiwe(composed.value)
    if (!parsed.ok) return false
    const { value } = parsed
    const now = time === undefined ? Date.now() : Date.parse(time)
    const expected = { domains: [domainBinding ?? fields.domain], origins: [new URL(fields.uri).origin], now }
    if (wrongInSiwe(value, expected) !== undefined || (matchNonce ?? value.nonce) !== value.nonce) return false
    const signed = { text: composed.value, signature, address: toAddress(fields.address), chainId: fields.chainId }
    return (await voucherOf(signed, chains)) === 'key'
  }
  for (const [name, signed] of vectors<Signed>('verification_positive', 4))
    it(`takes: ${name}`, async () => assert.equal(await verify(signed), true))
  for (const [name, signed] of vectors<Signed>('verification_negative', 10))
    it(`refuses: ${name}`, async () => assert.equal(await verify(signed), false))
})

describe('a message for another place or time', () => {
  const fields: SiweFields = {
    domain: 'verify.example',
    address: '0x9D85ca56217D2bb651b00f15e694EB7E713637D4',
    uri: 'https://verify.example/api',
    version: '1',
    chainId: 1,
    nonce: 'abcdefgh12345678',
    issuedAt: '2026-01-01T00:00:00.000Z',
    notBefore: '2026-01-01T00:00:00.000Z',
    expirationTime: '2026-01-01T00:10:00.000Z',
  }
  const at = Date.parse('2026-01-01T00:05:00.000Z')
  const wrongIn = (changed: Partial<SiweFields>, now = at, scheme = '') => {
    const composed = composeSiwe({ ...fields, ...changed })
    assert.ok(composed.ok)
    const parsed = parseSiwe(scheme + composed.value)
    assert.ok(parsed.ok)
    const expected = { domains: ['verify.example'], origins: ['https://verify.example'], now }
    return wrongInSiwe(parsed.value, expected)?.path
  }
  const HOSTS = ['evil.example', 'verify.example.evil', 'verify.example:8443', 'sub.verify.example', 'VERIFY.example']
  it('is refused by the field that names it', () => {
    assert.equal(wrongIn({}), undefined)
    assert.equal(wrongIn({}, at, 'https://'), undefined)
    for (const domain of [...HOSTS, 'user@verify.example']) assert.equal(wrongIn({ domain }), 'message.domain', domain)
    for (const uri of [
      'http://verify.example/api',
      'https://verify.example:8443/api',
      'https://verify.example.evil/api',
      'https://verify.example@evil.example/',
      'urn:verify.example',
      'did:key:verify.example',
    ])
      assert.equal(wrongIn({ uri }), 'message.uri', uri)
    assert.equal(wrongIn({}, at, 'http://'), 'message.scheme')
    assert.equal(wrongIn({}, Date.parse('2026-01-01T00:10:00.000Z')), 'message.expirationTime')
    assert.equal(wrongIn({}, Date.parse('2025-12-31T23:59:59.999Z')), 'message.notBefore')
  })
})
