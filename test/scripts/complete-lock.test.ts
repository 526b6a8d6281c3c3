import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { completeLock } from '../../scripts/complete-lock.ts'

describe('completing the lock file', () => {
  it('adds an entry for an optional package that has none, bound to the system that its name says', () => {
    const { lock, added } = completeLock({
      packages: {
        '': {},
        'node_modules/fmt': {
          version: '2.0.0',
          dev: true,
          optionalDependencies: {
            '@fmt/cli-linux-x64-musl': '2.0.0',
            '@fmt/cli-darwin-arm64': '2.0.0',
            '@fmt/wasm': '2.0.0',
          },
        },
        'node_modules/anvil': { version: '1.7.1', optionalDependencies: { 'anvil-win32-amd64': '1.7.1' } },
      },
    })
    assert.deepEqual(added, [
      'node_modules/@fmt/cli-linux-x64-musl',
      'node_modules/@fmt/cli-darwin-arm64',
      'node_modules/@fmt/wasm',
      'node_modules/anvil-win32-amd64',
    ])
    const packages: Readonly<Record<string, unknown>> = lock.packages
    assert.deepEqual(packages['node_modules/@fmt/cli-linux-x64-musl'], {
      version: '2.0.0',
      cpu: ['x64'],
      dev: true,
      libc: ['musl'],
      optional: true,
      os: ['linux'],
    })
    assert.deepEqual(packages['node_modules/@fmt/wasm'], { version: '2.0.0', dev: true, optional: true, os: ['none'] })
    assert.deepEqual(packages['node_modules/anvil-win32-amd64'], {
      version: '1.7.1',
      cpu: ['x64'],
      optional: true,
      os: ['win32'],
    })
    assert.deepEqual(Object.keys(packages), Object.keys(packages).toSorted())
  })

  it('leaves what is locked, wherever Node would find it', () => {
    const nested = {
      packages: {
        '': { optionalDependencies: { top: '1.0.0' } },
        'node_modules/top': { version: '1.0.0' },
        'node_modules/@a/b': { optionalDependencies: { own: '1.0.0' } },
        'node_modules/@a/b/node_modules/own': { version: '1.0.0' },
        'node_modules/@a/b/node_modules/@c/d': { optionalDependencies: { own: '1.0.0', top: '1.0.0' } },
      },
    }
    const { lock, added } = completeLock(nested)
    assert.deepEqual(added, [])
    assert.deepEqual(lock.packages, nested.packages)
  })

  it('does not look into the folder of a neighbour', () => {
    const { added } = completeLock({
      packages: {
        'node_modules/a': { optionalDependencies: { own: '1.0.0' } },
        'node_modules/b/node_modules/own': { version: '1.0.0' },
      },
    })
    assert.deepEqual(added, ['node_modules/own'])
  })

  it('adds nothing the second time', () => {
    const once = completeLock({
      packages: { 'node_modules/a': { optionalDependencies: { 'a-linux-arm64': '1.0.0' } } },
    })
    assert.deepEqual(completeLock(once.lock).added, [])
  })

  it('refuses a range, because there is nothing to pin', () => {
    const lock = { packages: { 'node_modules/a': { optionalDependencies: { 'a-linux-x64': '^1.0.0' } } } }
    assert.throws(() => completeLock(lock), /node_modules\/a wants a-linux-x64 \^1\.0\.0: not exact/)
  })
})
