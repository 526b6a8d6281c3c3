import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { completeLock, type LockFile } from '../../scripts/complete-lock.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Files of the repository, those not yet added among them. */
const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)))
const TEXTS = FILES.filter((file) => !/\.(png|jpg|ico|woff2)$/.test(file))
const PAGES = FILES.filter((file) => file.endsWith('.md'))

const { version, scripts } = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> }

describe('repository', () => {
  it('has a lock file that installs from any registry, on any system', () => {
    const text = read('package-lock.json')
    assert.doesNotMatch(text, /"resolved": "http/)
    assert.deepEqual(completeLock(JSON.parse(text) as LockFile).added, [])
  })

  it('names no path of a machine and no private registry', () => {
    const machine = /(^|[^\w.])\/(work|farm|root|Users)\/|(^|[^\w.])\/home\/(?!node\b)\w/m
    const named = TEXTS.filter((file) => !file.includes('/vectors/') && machine.test(read(file)))
    assert.deepEqual(
      named.filter((file) => file !== 'test/house/repository.test.ts'),
      [],
    )
    assert.deepEqual(
      FILES.filter((file) => file.endsWith('.npmrc')).filter((file) => /registry=|_auth/.test(read(file))),
      [],
    )
  })

  it('tells of the version in the changelog', () => {
    assert.match(read('CHANGELOG.md'), new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\]`, 'm'))
  })

  it('has every command that its pages name', () => {
    const named = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\bnpm run (?:--?\S+ )?([a-z][\w:-]*)/g)].map((m) => [page, m[1]]),
    )
    assert.ok(named.length > 0)
    assert.deepEqual(
      named.filter(([, command]) => scripts[command ?? ''] === undefined),
      [],
    )
    for (const command of ['npm ci', 'npm test', 'npm start', 'npm run demo', 'npm run chat'])
      assert.ok(read('README.md').includes(command), command)
  })

  it('has a file for every command', () => {
    const files = Object.values(scripts).flatMap((line) => /^node (\S+)/.exec(line)?.[1] ?? [])
    assert.deepEqual(
      files.filter((file) => !existsSync(join(ROOT, file))),
      [],
    )
  })

  it('hands to the build of its image all that is copied into it', () => {
    const handed = new Set([...read('.dockerignore').matchAll(/^!(\S+)$/gm)].map((m) => m[1]))
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      (m) => m[1]?.split(' ') ?? [],
    )
    assert.ok(copied.includes('src'))
    assert.deepEqual(
      copied.filter((file) => !handed.has(file)),
      [],
    )
  })

  it('keeps out what holds secrets, also as it was before', () => {
    const secret = ['.env', '.env.bak', 'countersign.sqlite', 'countersign.sqlite-wal']
    const ignored = execFileSync('git', ['check-ignore', ...secret], { cwd: ROOT, encoding: 'utf8' })
    assert.deepEqual(ignored.trim().split('\n'), secret)
  })

  it('has no link that leads nowhere', () => {
    const dead = PAGES.flatMap((page) =>
      linksOf(read(page))
        .filter((link) => !leadsSomewhere(page, link))
        .map((link) => `${page}: ${link}`),
    )
    assert.deepEqual(dead, [])
  })
})

/** Links and pictures of a page that stay inside the repository. */
function linksOf(markdown: string): readonly string[] {
  const prose = markdown.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)[^)]*\)|\b(?:src|href|srcset)="([^"]+)"/g)].map(
    (m) => m[1] ?? m[2] ?? '',
  )
  return targets.filter((target) => !/^[a-z]+:/.test(target))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(ROOT, file))) return false
  return anchor === undefined || headingsOf(read(file)).includes(anchor)
}

/** Anchors of a page's headings, as GitHub makes them. */
function headingsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
