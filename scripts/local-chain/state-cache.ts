import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { artifactPackages, packageVersion } from './artifacts.ts'

const here = import.meta.dirname
const folder = path.join(here, '../../node_modules/.cache/countersign')

/** The file for the state that these sources build from the installed packages on a chain of this id. */
export async function stateFile(chainId: number): Promise<string> {
  const hash = createHash('sha256').update(`chain ${chainId}\n`)
  for (const name of [...artifactPackages, '@foundry-rs/anvil']) hash.update(`${packageVersion(name)}\n`)
  const sources = (await readdir(here)).filter((name) => name.endsWith('.ts')).sort()
  for (const name of sources) hash.update(`${name}\n`).update(await readFile(path.join(here, name)))
  return path.join(folder, `local-chain-${hash.digest('hex').slice(0, 16)}.hex`)
}

export async function readState(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    return undefined // not built yet
  }
}

/** Writes beside the file and renames: two processes that build at once never see half a state of the other. */
export async function writeState(file: string, state: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.${Date.now()}`
  await mkdir(folder, { recursive: true })
  await writeFile(unfinished, state)
  await rename(unfinished, file)
}

/** Forgets a state that anvil refused. */
export async function dropState(file: string): Promise<void> {
  await rm(file, { force: true })
}
