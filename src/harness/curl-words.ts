import { ok, type Result, refuse } from '../lib/result.ts'

/** What a curl command asks for, in words that are safe to run. */
export type CurlCall = Readonly<{ words: readonly string[]; urls: readonly URL[] }>

/** Options that take no value. None of them reads or writes a file. */
const FLAGS = new Set([
  '-s',
  '--silent',
  '-S',
  '--show-error',
  '-f',
  '--fail',
  '--fail-with-body',
  '-i',
  '--include',
  '-I',
  '--head',
  '-G',
  '--get',
  '--compressed',
])
/** Options with a value that curl takes as it stands, unless it begins with @. */
const VALUES = new Set([
  '-X',
  '--request',
  '-H',
  '--header',
  '-d',
  '--data',
  '--data-raw',
  '--json',
  '-m',
  '--max-time',
  '--connect-timeout',
  '-A',
  '--user-agent',
  '--url',
])

/** No configuration file, no globs, no other protocol, no redirect, no proxy. */
const ALWAYS = [
  '-q',
  '--globoff',
  '--proto',
  '=http,https',
  '--noproxy',
  '*',
  '--max-redirs',
  '0',
  '--max-filesize',
  '1048576',
]

/** Reads the words behind `curl`: options of a short list, and http(s) addresses. Everything else is refused by name. */
export function curlCall(given: readonly string[]): Result<CurlCall> {
  const words: string[] = []
  const urls: URL[] = []
  for (let i = 0; i < given.length; i++) {
    const word = given[i] ?? ''
    if (FLAGS.has(word) || isFlags(word)) {
      words.push(word)
      continue
    }
    if (!VALUES.has(word)) {
      if (word.startsWith('-') || word === '') return refuse(`curl: the option ${word.slice(0, 40)} is not allowed.`)
      const url = urlOf(word)
      if (!url.ok) return url
      urls.push(url.value)
      continue
    }
    const value = given[++i]
    if (value === undefined) return refuse(`curl: the option ${word} needs a value.`)
    if (word === '--url') {
      const url = urlOf(value)
      if (!url.ok) return url
      urls.push(url.value)
      continue
    }
    if (value.startsWith('@')) return refuse(`curl: ${word} takes its value here, not from a file.`)
    words.push(word, value)
  }
  if (urls.length === 0) return refuse('curl: an http(s) address is needed.')
  return ok({ words: [...ALWAYS, ...words, ...urls.flatMap((url) => ['--url', url.href])], urls })
}

/** Several flags in one word, like -sSf. */
function isFlags(word: string): boolean {
  if (!/^-[a-zA-Z]{2,}$/.test(word)) return false
  return Array.from(word.slice(1), (letter) => FLAGS.has(`-${letter}`)).every(Boolean)
}

function urlOf(text: string): Result<URL> {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return refuse('curl: only http(s) addresses are allowed, written out.')
  if (url.username !== '' || url.password !== '') return refuse('curl: no credentials in an address.')
  // Where clouds keep the keys of their machines, in IPv6's ways of writing it too.
  if (/^169\.254\.|^\[(::ffff:|64:ff9b::)a9fe:|^\[fe80:|^\[fd00:ec2::254\]$|^metadata\b/i.test(url.hostname))
    return refuse('curl: that address is not allowed.')
  return ok(url)
}
