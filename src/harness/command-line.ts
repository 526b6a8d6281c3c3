import { parse, type Word, type WordPart } from 'unbash'
import { ok, type Result, refuse } from '../lib/result.ts'

const PLAIN = 'Only one command with plain words is run: '

/**
 * The words of one command line, as a shell would hand them to the command. Whatever a shell would do beside that (pipes,
 * redirections, variables, globs, further commands) is refused, never done in part.
 */
export function wordsOf(line: string): Result<readonly [string, ...string[]]> {
  if (/[\0\r\n]/.test(line)) return refuse(`${PLAIN}no line breaks.`)
  const script = attempt(line)
  if (!script || (script.errors?.length ?? 0) > 0) return refuse('The command line is not complete or not valid.')
  const [statement, ...more] = script.commands
  if (statement === undefined) return refuse('There is no command.')
  if (more.length > 0) return refuse(`${PLAIN}not several.`)
  const { command } = statement
  if (statement.background) return refuse(`${PLAIN}none in the background.`)
  if (command.type !== 'Command') return refuse(`${PLAIN}no pipes, groups, conditions or functions.`)
  if (command.prefix.length > 0) return refuse(`${PLAIN}no variables before it.`)
  const words: string[] = []
  for (const part of [command.name, ...command.suffix]) {
    if (part?.type !== 'Word') return refuse(`${PLAIN}no redirections.`)
    if (!isPlain(part))
      return refuse(`${PLAIN}no variables, substitutions, globs, braces or ~ (quote them to mean the characters).`)
    words.push(part.value)
  }
  const [name, ...rest] = words
  return name === undefined || name === '' ? refuse('There is no command.') : ok([name, ...rest])
}

function isPlain({ text, parts = [] }: Word): boolean {
  return !text.startsWith('~') && parts.every(isLiteral)
}

function isLiteral(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every((inner) => inner.type === 'Literal')
  return part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted'
}

function attempt(line: string): ReturnType<typeof parse> | undefined {
  try {
    return parse(line)
  } catch {
    return undefined
  }
}
