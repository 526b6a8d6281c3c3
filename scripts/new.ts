// npm run new <kind> <name>: writes a member of a kind and its test, and brings the registries up to date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { KINDS, type Kind, type Member } from './member-templates.ts'
import { exportName, updateRegistries } from './registries.ts'

const WORD = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const SAYS_NOTHING = /(^|-)(utils?|helpers?|common|manager|handler|base|impl|index|misc)(-|$)/
const USAGE = `usage: npm run new <kind> <name>, where kind is one of ${[...KINDS.keys()].join(', ')}`

/** Writes a member's two files under `root`. Returns their paths and what is left to do; throws a sentence for people. */
export function newMember(
  root: string,
  kindName = '',
  name = '',
): Readonly<{ files: readonly string[]; next: string }> {
  const kind = KINDS.get(kindName)
  if (kind === undefined) throw new Error(USAGE)
  const member = memberOf(kindName, name)
  const problem = kindName === 'check' ? undeclared(root, member) : undefined
  if (problem !== undefined) throw new Error(problem)
  const files = filesOf(kind, member)
  const [taken] = Object.keys(files).filter((file) => existsSync(join(root, file)))
  if (taken !== undefined) throw new Error(`${taken} exists already`)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return { files: Object.keys(files), next: kind.next(member) }
}

function memberOf(kind: string, name: string): Member {
  const parts = name.split('/')
  const group = parts.length === 2 ? parts[0] : undefined
  const file = parts.at(-1) ?? ''
  if ((kind === 'route') !== (group !== undefined) || parts.length > 2)
    throw new Error(
      kind === 'route'
        ? 'a route is named <group>/<verb>-<noun>, as in admin/list-agents'
        : `"${name}": a name, no path`,
    )
  for (const word of [...(group === undefined ? [] : [group]), file])
    if (!WORD.test(word) || word.length > 40)
      throw new Error(`"${word}": a name is lower-case words joined by dashes, as in per-tx-cap`)
  if (SAYS_NOTHING.test(file)) throw new Error(`"${file}": a name says what it does, in the words of the field`)
  if (kind === 'route' && !file.includes('-'))
    throw new Error(`"${file}": a route is named verb-noun, as in list-agents`)
  return { file, id: exportName(file), snake: file.replaceAll('-', '_'), group }
}

/** The checks are part of the wire contract: a new one is declared there first. */
function undeclared(root: string, { snake }: Member): string | undefined {
  const schema = readFileSync(join(root, 'src/schema/check.ts'), 'utf8')
  if (new RegExp(`^  ${snake}: \\[`, 'm').test(schema)) return undefined
  return `declare ${snake} first: its failure codes and its place in the order, in CHECKS of src/schema/check.ts`
}

function filesOf({ dir, code, test }: Kind, member: Member): Readonly<Record<string, string>> {
  const path = join(dir, member.group ?? '', member.file)
  return { [`src/${path}.ts`]: code(member), [`test/${path}.test.ts`]: test(member) }
}

if (import.meta.main) {
  try {
    const { files, next } = newMember(process.cwd(), process.argv[2], process.argv[3])
    const { written, problems } = updateRegistries(process.cwd(), { check: false })
    for (const file of [...files, ...written]) console.log(`wrote ${file}`)
    if (problems.length > 0) throw new Error(problems.join('\n'))
    console.log(`${next}\nIts test fails until it is filled in: npm test -- ${files.at(-1)}`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
