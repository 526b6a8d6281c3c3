// Sign-in, sessions, connection codes and keys of users, over every kind of store.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decodeJwt, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { createAuth, createIdentity, type Identity } from '../../src/auth/index.ts'
import { composeSiwe } from '../../src/auth/siwe-message.ts'
import type { Chains } from '../../src/chain/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import { CountersignError, type ErrorCode } from '../../src/lib/errors.ts'
import { sha256 } from '../../src/lib/hash.ts'
import { ok } from '../../src/lib/result.ts'
import { forget } from '../../src/process/forget.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

const PUBLIC_URL = 'https://verify.example/api'
const AT_ONCE = 50
const MAGIC = `0x1626ba7e${'00'.repeat(28)}` as const

let server: TestPostgres
describe('the identity of users', () => {
  before(async () => {
    server = await startPostgres()
  })
  after(() => server.stop())

  async function refused(work: Promise<unknown>, code: ErrorCode, field?: string): Promise<string> {
    const thrown: unknown = await work.then(
      () => undefined,
      (error: unknown) => error,
    )
    assert.ok(thrown instanceof CountersignError, `expected ${code}, not ${String(thrown)}`)
    assert.equal(thrown.code, code, thrown.message)
    if (field !== undefined) assert.equal(thrown.fields[0]?.path, field)
    return thrown.message
  }

  const DATABASES = { 'SQLite in memory': async () => undefined, PostgreSQL: () => server.createDatabase() } as const

  for (const [name, urlOf] of Object.entries(DATABASES))
    describe(`identity over ${name}`, () => {
      let storage: Storage
      let identity: Identity
      let auth: ReturnType<typeof createAuth>
      let contractSays: typeof MAGIC | '0x' = '0x'
      const chains = { of: (id: number) => (id === 1 ? { call: async () => ok(contractSays) } : undefined) } as Chains
      before(async () => {
        storage = await openStorage({ url: await urlOf(), poolSize: 20 })
        auth = createAuth({ storage, adminKey: undefined })
        identity = createIdentity({ storage, auth, chains, publicUrl: PUBLIC_URL })
      })
      after(() => storage.close())

      const wallet = () => privateKeyToAccount(generatePrivateKey())
      type Account = ReturnType<typeof wallet>
      const messageFor = (account: Account, nonce: string, changed: object = {}) => {
        const composed = composeSiwe({
          domain: 'verify.example',
          address: account.address,
          statement: 'Sign in.',
          uri: PUBLIC_URL,
          version: '1',
          chainId: 1,
          nonce,
          issuedAt: new Date().toISOString(),
          ...changed,
        })
        assert.ok(composed.ok, JSON.stringify(composed))
        return composed.value
      }
      const signedBy = async (account: Account, message: string) => ({
        message,
        signature: await account.signMessage({ message }),
      })
      const signIn = async (account = wallet()) => {
        const { nonce } = await identity.signIn.nonce()
        return identity.signIn.prove(await signedBy(account, messageFor(account, nonce)), 'sign-in')
      }

      describe('signing in', () => {
        it('knows the same wallet as the same user', async () => {
          const account = wallet()
          const first = await signIn(account)
          assert.deepEqual(await signIn(account), first)
          assert.equal(first.address, account.address.toLowerCase())
          assert.equal(first.chainId, null)
          assert.deepEqual(await identity.user(first.id), first)
          assert.notEqual((await signIn()).id, first.id)
        })

        it('uses each nonce once, of any number at once', async () => {
          const account = wallet()
          const { nonce } = await identity.signIn.nonce()
          const signed = await signedBy(account, messageFor(account, nonce))
          const tries = await Promise.allSettled(
            Array.from({ length: AT_ONCE }, () => identity.signIn.prove(signed, 'sign-in')),
          )
          assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1)
          await refused(identity.signIn.prove(signed, 'sign-in'), 'unauthenticated', 'message.nonce')
        })

        it('refuses a nonce of nobody, of another purpose and of another wallet', async () => {
          const [account, other] = [wallet(), wallet()]
          const unknown = await signedBy(account, messageFor(account, 'abcdefgh12345678'))
          await refused(identity.signIn.prove(unknown, 'sign-in'), 'unauthenticated', 'message.nonce')
          const { nonce } = await identity.signIn.nonce(toAddress(other.address))
          const foreign = await signedBy(account, messageFor(account, nonce))
          await refused(identity.signIn.prove(foreign, 'sign-in'), 'unauthenticated', 'message.nonce')
          const request = {
            purpose: 'connect x',
            address: toAddress(account.address),
            chainId: 1,
            statement: 'Approve.',
          }
          const message = await identity.signIn.message({ ...request, purpose: 'connect x' })
          const elsewhere = await signedBy(account, message)
          await refused(identity.signIn.prove(elsewhere, 'sign-in'), 'unauthenticated', 'message.nonce')
          await refused(identity.signIn.prove(elsewhere, 'connect y'), 'unauthenticated', 'message.nonce')
          assert.equal((await identity.signIn.prove(elsewhere, 'connect x')).address, toAddress(account.address))
        })

        it('refuses a message that says something else than the one it was given for', async () => {
          const account = wallet()
          const address = toAddress(account.address)
          for (const purpose of ['connect x', 'oauth x', 'console'] as const) {
            const statement = "Let the program 'p' act for this wallet: CHANGE THE POLICY."
            const shown = await identity.signIn.message({ purpose, address, chainId: 1, statement })
            const prove = async (message: string) =>
              identity.signIn.prove({ message, signature: await account.signMessage({ message }) }, purpose)
            for (const said of [shown.replace('CHANGE', 'READ'), shown.replace(`${statement}\n`, '')])
              await refused(prove(said), 'unauthenticated', 'message.nonce')
            assert.equal((await prove(shown)).address, address)
          }
        })

        it('refuses each wrong field by its name, and keeps the nonce for a right one', async () => {
          const account = wallet()
          const { nonce } = await identity.signIn.nonce()
          const wrong: readonly [object, string, ErrorCode][] = [
            [{ domain: 'evil.example' }, 'message.domain', 'unauthenticated'],
            [{ uri: 'https://evil.example/api' }, 'message.uri', 'unauthenticated'],
            [{ chainId: 31337 }, 'message.chainId', 'invalid_request'],
            [{ issuedAt: new Date(Date.now() + 3_600_000).toISOString() }, 'message.issuedAt', 'unauthenticated'],
            [{ issuedAt: new Date(Date.now() - 3_600_000).toISOString() }, 'message.issuedAt', 'unauthenticated'],
            [{ expirationTime: new Date(Date.now() - 1).toISOString() }, 'message.expirationTime', 'unauthenticated'],
            [{ notBefore: new Date(Date.now() + 60_000).toISOString() }, 'message.notBefore', 'unauthenticated'],
          ]
          for (const [changed, field, code] of wrong) {
            const signed = await signedBy(account, messageFor(account, nonce, changed))
            await refused(identity.signIn.prove(signed, 'sign-in'), code, field)
          }
          const message = messageFor(account, nonce)
          const foreign = await signedBy(wallet(), message)
          await refused(identity.signIn.prove({ ...foreign, message }, 'sign-in'), 'unauthenticated', 'signature')
          const other = await signedBy(account, `${message} `)
          await refused(identity.signIn.prove({ ...other, message }, 'sign-in'), 'unauthenticated', 'signature')
          await refused(
            identity.signIn.prove({ message: 'x', signature: '0x' }, 'sign-in'),
            'invalid_request',
            'message',
          )
          await identity.signIn.prove(await signedBy(account, message), 'sign-in')
        })

        it('lets a contract speak for itself on its chain, and for nobody who has a key', async () => {
          const [account, contract] = [wallet(), wallet()]
          await signIn(account)
          contractSays = MAGIC
          try {
            const { nonce } = await identity.signIn.nonce()
            const forged = { message: messageFor(account, nonce), signature: '0x1234' } as const
            await refused(identity.signIn.prove(forged, 'sign-in'), 'unauthenticated', 'signature')
            const real = { message: messageFor(contract, nonce), signature: '0x1234' } as const
            assert.equal((await identity.signIn.prove(real, 'sign-in')).chainId, 1)
          } finally {
            contractSays = '0x'
          }
        })
      })

      describe('a session', () => {
        it('has access tokens that say who, and refresh tokens that are good once', async () => {
          const user = await signIn()
          const first = await identity.sessions.open(user)
          const principal = await identity.sessions.authenticate(first.accessToken)
          assert.deepEqual(principal.user, user)
          assert.equal(principal.type, 'USER')
          const second = await identity.sessions.refresh(first.refreshToken)
          assert.deepEqual(second.user, user)
          assert.deepEqual((await identity.sessions.authenticate(second.accessToken)).user, user)
        })

        it('is revoked as a whole when a refresh token comes again', async () => {
          const first = await identity.sessions.open(await signIn())
          const second = await identity.sessions.refresh(first.refreshToken)
          const third = await identity.sessions.refresh(second.refreshToken)
          await refused(identity.sessions.refresh(first.refreshToken), 'unauthenticated')
          await refused(identity.sessions.refresh(third.refreshToken), 'unauthenticated')
          for (const { accessToken } of [first, second, third])
            await refused(identity.sessions.authenticate(accessToken), 'unauthenticated')
        })

        it('gives new tokens to one of any number at once', async () => {
          const { refreshToken } = await identity.sessions.open(await signIn())
          const tries = await Promise.allSettled(
            Array.from({ length: AT_ONCE }, () => identity.sessions.refresh(refreshToken)),
          )
          assert.ok(tries.filter(({ status }) => status === 'fulfilled').length <= 1)
        })

        it('ends with either token, at once and elsewhere too', async () => {
          const replica = createIdentity({ storage, auth, chains, publicUrl: PUBLIC_URL })
          for (const kind of ['accessToken', 'refreshToken'] as const) {
            const tokens = await identity.sessions.open(await signIn())
            await replica.sessions.authenticate(tokens.accessToken)
            await identity.sessions.end(tokens[kind])
            await refused(replica.sessions.authenticate(tokens.accessToken), 'unauthenticated')
            await refused(replica.sessions.refresh(tokens.refreshToken), 'unauthenticated')
          }
        })

        it('takes no token that it did not make for this', async () => {
          const user = await signIn()
          const { accessToken, refreshToken } = await identity.sessions.open(user)
          const claims = decodeJwt(accessToken)
          const [key] = await identity.tokenKeys.list()
          const signer = await importJWK(key, 'EdDSA')
          const forge = (changed: object, header: object = {}) =>
            new SignJWT({ ...claims, ...changed })
              .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: key.kid ?? '', ...header })
              .sign(signer)
          assert.deepEqual((await identity.sessions.authenticate(await forge({}))).user, user)
          const publicBytes = Buffer.from(key.x ?? '', 'base64url')
          const confused = await new SignJWT(claims)
            .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key.kid ?? '' })
            .sign(publicBytes)
          const { apiKey } = await identity.userKeys.issue({}, await identity.sessions.authenticate(accessToken))
          const past = Math.floor(Date.now() / 1000) - 1
          const bad = [
            undefined,
            '',
            ' ',
            'undefined',
            'null',
            '[object Object]',
            refreshToken,
            apiKey,
            accessToken.slice(0, -1),
            `${accessToken}A`,
            `${accessToken} `,
            accessToken.split('.').slice(0, 2).join('.'),
            new UnsecuredJWT(claims).encode(),
            confused,
            await forge({ aud: 'https://verify.example/api/mcp' }),
            await forge({ iss: 'https://evil.example' }),
            await forge({ sub: crypto.randomUUID() }),
            await forge({ sid: crypto.randomUUID() }),
            await forge({ exp: past }),
            await forge({ exp: undefined }),
            await forge({}, { typ: 'JWT' }),
            await forge({}, { kid: 'another' }),
          ]
          const answers = await Promise.all(
            bad.map((token) => refused(identity.sessions.authenticate(token), 'unauthenticated')),
          )
          assert.equal(new Set(answers).size, 1)
          for (const token of ['', 'undefined', 'null', accessToken, apiKey, `cs_refresh_${'A'.repeat(43)}`])
            await refused(identity.sessions.refresh(token), 'unauthenticated')
        })

        it('outlives a change of keys', async () => {
          const { accessToken } = await identity.sessions.open(await signIn())
          const [before] = await identity.tokenKeys.list('fresh')
          const next = { ...before, kid: 'next' }
          await storage.stores.tokenKeys.rotate(
            { id: 'next', jwk: { kty: 'OKP', crv: 'Ed25519', x: next.x ?? '', d: next.d ?? '' } },
            -1,
            86_400_000,
          )
          assert.equal((await identity.tokenKeys.list('fresh'))[0].kid, 'next')
          await identity.sessions.authenticate(accessToken)
          const { accessToken: newer } = await identity.sessions.open(await signIn())
          const replica = createIdentity({ storage, auth, chains, publicUrl: PUBLIC_URL })
          await replica.sessions.authenticate(newer)
        })
      })

      describe('the keys of a user', () => {
        it('are issued, listed without their text, and revoked by nobody else', async () => {
          const owner = await identity.sessions.authenticate((await identity.sessions.open(await signIn())).accessToken)
          const other = await identity.sessions.authenticate((await identity.sessions.open(await signIn())).accessToken)
          const key = await identity.userKeys.issue({ name: 'bot', scopes: ['verdicts:create:own'] }, owner)
          assert.match(key.apiKey, /^cs_user_/)
          assert.deepEqual((await auth.authenticate(key.apiKey)).user, owner.user)
          const { items } = await identity.userKeys.list(owner, {})
          assert.deepEqual(
            items.map(({ id, name, scopes }) => [id, name, scopes]),
            [[key.id, 'bot', ['verdicts:create:own']]],
          )
          assert.equal(JSON.stringify(items).includes(key.apiKey), false)
          assert.deepEqual((await identity.userKeys.list(other, {})).items, [])
          await refused(identity.userKeys.revoke(key.id, other), 'not_found')
          await identity.userKeys.revoke(key.id, owner)
          await refused(auth.authenticate(key.apiKey), 'unauthenticated')
          await refused(identity.userKeys.revoke(key.id, owner), 'not_found')
        })

        it('can do no more than their type, nor than who makes them', async () => {
          const owner = await identity.sessions.authenticate((await identity.sessions.open(await signIn())).accessToken)
          await refused(
            identity.userKeys.issue({ scopes: ['transactions:approve:own'] }, owner),
            'invalid_request',
            'scopes.0',
          )
          await refused(
            identity.userKeys.issue({ scopes: ['transactions:read:any'] }, owner),
            'invalid_request',
            'scopes.0',
          )
          const narrow = await auth.authenticate(
            (await identity.userKeys.issue({ scopes: ['keys:write:own'] }, owner)).apiKey,
          )
          await refused(identity.userKeys.issue({ scopes: ['policies:write:own'] }, narrow), 'insufficient_scope')
          const usual = await auth.authenticate((await identity.userKeys.issue({}, owner)).apiKey)
          assert.equal(usual.scopes.includes('keys:write:own'), false)
          await refused(
            identity.userKeys.issue({}, { keyId: 'admin', type: 'ADMIN', agentId: null, scopes: ['keys:write:any'] }),
            'insufficient_scope',
          )
        })
      })

      describe('a connection code', () => {
        it('is 32 hex digits, pending until it is approved, and delivers one key to one of 100 polls at once', async () => {
          const { code, requestId } = await identity.connections.initiate({ clientName: 'a bot' })
          assert.match(code, /^[0-9a-f]{32}$/)
          assert.deepEqual(await identity.connections.status(code), { status: 'pending' })
          await refused(identity.connections.status(requestId), 'not_found')
          const user = await signIn()
          assert.equal((await identity.connections.read(requestId)).clientName, 'a bot')
          await identity.connections.decide(requestId, user)
          await refused(identity.connections.read(requestId), 'gone')
          const polls = await Promise.allSettled(Array.from({ length: 100 }, () => identity.connections.status(code)))
          const delivered = polls.flatMap((poll) =>
            poll.status === 'fulfilled' && poll.value.status === 'ready' ? [poll.value] : [],
          )
          assert.equal(delivered.length, 1)
          for (const poll of polls)
            if (poll.status === 'rejected') assert.equal((poll.reason as CountersignError).code, 'gone')
          assert.equal(delivered[0]?.walletAddress, user.address)
          const principal = await auth.authenticate(delivered[0]?.apiKey)
          assert.deepEqual(principal.user, user)
          assert.deepEqual(principal.scopes, ['verdicts:create:own', 'transactions:read:own', 'policies:read:own'])
          await refused(identity.connections.status(code), 'gone')
          assert.equal((await identity.userKeys.list(principal, {})).items.length, 1)
        })

        it('gives nothing when it is declined, unknown, or asks for too much', async () => {
          const { code, requestId } = await identity.connections.initiate({ scopes: ['policies:write:own'] })
          await identity.connections.decide(requestId, null)
          await refused(identity.connections.status(code), 'gone')
          await refused(identity.connections.decide(requestId, await signIn()), 'gone')
          await refused(identity.connections.status('0'.repeat(32)), 'not_found')
          for (const scope of ['transactions:read:any', 'transactions:approve:own', 'agents:write:own'] as const)
            await refused(identity.connections.initiate({ scopes: [scope] }), 'invalid_request', 'scopes.0')
        })

        it('is decided once, of any number at once', async () => {
          const { requestId } = await identity.connections.initiate({})
          const user = await signIn()
          const tries = await Promise.allSettled(
            Array.from({ length: AT_ONCE }, (_, i) =>
              identity.connections.decide(requestId, i % 2 === 0 ? user : null),
            ),
          )
          assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1)
        })

        it('runs out', async () => {
          const digest = sha256('f'.repeat(32))
          await storage.stores.connections.create({ digest, requestId: 'out', clientName: null, scopes: [], ttlMs: 0 })
          await refused(identity.connections.status('f'.repeat(32)), 'gone')
          await refused(identity.connections.decide('out', await signIn()), 'gone')
        })
      })

      it('forgets what ended long ago, and nothing else', async () => {
        const { code } = await identity.connections.initiate({})
        const day = 86_400_000
        await storage.stores.signInNonces.give('long-ago', 'sign-in', null, -2 * day)
        await storage.stores.connections.create({
          digest: 'd',
          requestId: 'r',
          clientName: null,
          scopes: [],
          ttlMs: -2 * day,
        })
        await forget(storage)
        assert.equal(await storage.stores.connections.byDigest('d'), undefined)
        assert.deepEqual(await identity.connections.status(code), { status: 'pending' })
      })
    })
})
