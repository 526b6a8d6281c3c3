// `npm run init`: asks a few questions, and writes agents.config.json and .env where there are none.
import { randomBytes } from 'node:crypto'
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { readConfig } from '../src/config.ts'
import { isAddress } from '../src/lib/address.ts'
import { CHAINS } from '../src/registry/index.ts'
import { type Answers, configOf, DIALECTS, envOf } from './init/files.ts'

const CONFIG = 'agents.config.json'
const ENV = '.env'
const ask = createInterface({ input: process.stdin, output: process.stdout })
const lines = ask[Symbol.asyncIterator]()

/** One question: asked again until the answer fits. */
async function question(text: string, fits: (answer: string) => string | undefined, fallback = ''): Promise<string> {
  for (;;) {
    process.stdout.write(`${text}${fallback === '' ? '' : ` [${fallback}]`} `)
    const { value, done } = await lines.next()
    if (done === true) throw new Error('The answers ended too early: nothing was written.')
    const answer = value.trim() || fallback
    const problem = fits(answer)
    if (problem === undefined) return answer
    process.stdout.write(`  ${problem}\n`)
  }
}

const oneOf = (values: readonly string[]) => (answer: string) =>
  values.includes(answer) ? undefined : `One of: ${values.join(', ')}.`
const webAddress = (answer: string) =>
  answer === '' || (/^https?:\/\//.test(answer) && URL.canParse(answer)) ? undefined : 'An http(s) address.'
const amount = (answer: string) => (/^\d{1,9}(\.\d+)?$/.test(answer) ? undefined : 'A number of US dollars, like 100.')

async function main(): Promise<void> {
  const taken = [CONFIG, ENV].filter((file) => existsSync(file))
  if (taken.length > 0) {
    const kept = `${taken.join(' and ')}: there already. Replace, and keep what was as *.bak (yes, no)?`
    if ((await question(kept, oneOf(['yes', 'no']), 'no')) === 'no') throw new Error('Nothing was written.')
  }
  process.stdout.write('A dry run is written: nothing is ever signed until EXECUTION_MODE says direct.\n\n')
  const answers: Answers = {
    name: await question(
      'Name of the agent?',
      (text) => (text.length <= 64 ? undefined : 'At most 64 characters.'),
      'Countersign',
    ),
    dialect: await question(`Model server: ${DIALECTS.join(', ')}?`, oneOf(DIALECTS), 'none'),
    model: '',
    baseUrl: '',
    chainId: await question(
      `Chain id: ${CHAINS.map(({ id, name }) => `${id} ${name}`).join(', ')}?`,
      oneOf(CHAINS.map(({ id }) => String(id))),
      '8453',
    ),
    wallet: await question('Address of the wallet (empty: decide later)?', (text) =>
      text === '' || isAddress(text) ? undefined : '0x and 40 hex digits.',
    ),
    rpcUrl: await question('Address of a node of that chain (empty: decide later)?', webAddress),
    perTxUsd: await question('At most how many US dollars may leave in one transaction?', amount, '100'),
    outflow24hUsd: await question('And in 24 hours?', amount, '500'),
  }
  const served = answers.dialect === 'none' ? {} : await modelAnswers()
  const all = { ...answers, ...served }
  const [config, env] = [configOf(all), envOf(all, () => randomBytes(32).toString('base64url'))]
  // What is written is what the process would read.
  readConfig({
    env: Object.fromEntries(env.flatMap(({ name, value }) => (value === '' ? [] : [[name, value]]))),
    file: config,
  })
  for (const file of taken) renameSync(file, `${file}.bak`)
  writeFileSync(CONFIG, `${JSON.stringify(config, null, 2)}\n`, { flag: 'wx' })
  writeFileSync(ENV, env.map(({ name, value }) => `${name}=${value}\n`).join(''), { flag: 'wx', mode: 0o600 })
  process.stdout.write(`\nWritten: ${CONFIG} and ${ENV} (readable by you alone).\n`)
  if (answers.dialect !== 'none') process.stdout.write('Put the key of the model server into .env.\n')
  process.stdout.write('Next: npm run doctor, then npm start.\n')
}

async function modelAnswers(): Promise<Pick<Answers, 'model' | 'baseUrl'>> {
  const model = await question('Name of the model?', (text) =>
    text === '' ? 'A name, as the server knows it.' : undefined,
  )
  return { model, baseUrl: await question('Address of the server (empty: the public one)?', webAddress) }
}

try {
  await main()
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : 'It did not work.'}\n`)
  process.exitCode = 1
} finally {
  ask.close()
}
