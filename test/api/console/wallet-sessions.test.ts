import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createWalletSessions, SESSION_SECONDS } from '../../../src/api/console/wallet-sessions.ts'
import { toAddress } from '../../../src/lib/address.ts'

const WALLET = toAddress('0x2222222222222222222222222222222222222222')
const OTHER = toAddress('0x3333333333333333333333333333333333333333')

describe('sessions of wallets', () => {
  it('are found by their secret, and by nothing else', () => {
    const sessions = createWalletSessions()
    const [first, second] = [sessions.open(WALLET), sessions.open(OTHER)]
    assert.match(first, /^[A-Za-z0-9_-]{43}$/)
    assert.deepEqual([sessions.find(first), sessions.find(second)], [WALLET, OTHER])
    for (const none of [undefined, '', 'undefined', 'null', first.slice(1), `${first}x`, first.toUpperCase()])
      assert.equal(sessions.find(none), undefined)
  })

  it('end when they are ended, and after their time', () => {
    let now = 0
    const sessions = createWalletSessions(() => now)
    const [first, second] = [sessions.open(WALLET), sessions.open(WALLET)]
    sessions.end(first)
    sessions.end(undefined)
    now = SESSION_SECONDS * 1000 - 1
    assert.deepEqual([sessions.find(first), sessions.find(second)], [undefined, WALLET])
    now += 1
    assert.equal(sessions.find(second), undefined)
  })

  it('are a hundred at most: the oldest makes room', () => {
    const sessions = createWalletSessions()
    const secrets = Array.from({ length: 101 }, () => sessions.open(WALLET))
    assert.equal(sessions.find(secrets[0]), undefined)
    assert.ok(secrets.slice(1).every((secret) => sessions.find(secret) === WALLET))
  })
})
