import { parseArgs } from 'node:util'
import { loadConsoleEnv } from '../config.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import { CONSOLE_FILE } from '../process/console-token.ts'
import { answerLines } from './answer-lines.ts'
import { talk } from './talk.ts'
import { readNote, type Target, targetOf } from './target.ts'

const USAGE = `npm run chat                          talk to the harness that runs in this directory
npm run chat -- --url http://host:port   to another one; its token in CONSOLE_TOKEN or --token
echo "What do I hold?" | npm run --silent chat   one message a line

/help lists what the harness understands. Ctrl-C stops an answer, and again leaves.
`

/** The terminal's side of the chat. Returns the exit code; what went wrong is said in one sentence. */
export async function run(): Promise<number> {
  // Who reads the output may leave before its end.
  process.stdout.on('error', () => process.exit(1))
  try {
    const { url, token, help } = flags()
    if (help) {
      process.stdout.write(USAGE)
      return 0
    }
    const target = targetOf({ flags: { url, token }, note: readNote(CONSOLE_FILE), env: loadConsoleEnv() })
    if (target.token === undefined) throw await withoutToken(target)
    const { stdin: input, stdout: output } = process
    return await (input.isTTY ? talk(target, { input, output }) : answerLines(target))
  } catch (thrown) {
    const known = thrown instanceof CountersignError
    process.stderr.write(`${known ? messageOf(thrown) : 'The chat met a fault of its own.'}\n`)
    return 1
  }
}

function flags() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({ options: { url: text, token: text, help: { type: 'boolean', default: false } } }).values
  } catch (thrown) {
    throw new CountersignError('invalid_request', messageOf(thrown))
  }
}

async function withoutToken({ origin }: Target): Promise<CountersignError> {
  const answers = await fetch(`${origin}/health`).then(
    () => true,
    () => false,
  )
  return answers
    ? new CountersignError(
        'unauthenticated',
        `A harness answers at ${origin}, and its token is not known here: set CONSOLE_TOKEN, or go to the directory in which it was started.`,
      )
    : new CountersignError('unavailable', `No harness answers at ${origin}: run npm start first.`)
}
