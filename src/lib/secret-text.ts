import type { FieldError } from './errors.ts'

/** What a text holds that no field may hold, in a word for people. */
type Kind = 'a private key' | 'a recovery phrase' | 'a token or API key' | 'a password' | 'a secret'

// No pattern may begin anew at each character of a long text: it would be searched for seconds.
const TOKENS: readonly RegExp[] = [
  /(?<![\w-])(?=[\w-]{11,}\.[\w-]{8,}\.)(?:[\w-]*-)?eyJ[\w-]{8}/, // JWT
  /\bcs_(agent|user|admin|reviewer|integration)_[A-Za-z0-9_-]{16,}/,
  /\b(sk|pk|rk)[-_](ant|proj|live|test|or|svcacct)[-_][A-Za-z0-9_-]{8,}/,
  /\bsk-[A-Za-z0-9_-]{16,}/,
  /\b(AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bAIza[0-9A-Za-z_-]{30,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}/,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}|\bgsk_[A-Za-z0-9]{20,}/,
  /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/,
  /\b\d{8,10}:[A-Za-z0-9_-]{35}\b/, // Telegram
  /\b[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}/, // Discord
  /\bbearer\s+[A-Za-z0-9._~+/-]{16,}/i,
  /\b(api[-_ ]?key|access[-_ ]?token|client[-_ ]?secret)\s*[:=]\s*["']?[A-Za-z0-9._~+/-]{12,}/i,
]
const PASSWORD = /\b(password|passphrase|passwd)\s*[:=]\s*\S{4,}|[a-z0-9+.-]:\/\/[^\s/:@]+:[^\s/@]+@/i
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----/
const EXTENDED_KEY = /\b[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{80,}/

/** 32 bytes in hex: a private key, or a hash. The words before it tell. */
const WORD_OF_32_BYTES = /(?<![0-9a-fA-Fx])(?:0x)?[0-9a-fA-F]{64}(?![0-9a-fA-F])/g
const KEY_WORDS = /(priv|secret|seed|sign(ing|er)?[-_ ]?key|wallet[-_ ]?key|\bkey)\W{0,12}(?:\w+\W+){0,3}$/i
const HASH_WORDS =
  /(hash|digest|tx|transaction|txid|receipt|block|root|request|order|intent|quote|pool|market|condition|trace|span|commit|salt|topic|id)\W{0,12}$/i

/** Names of members whose value is a secret, whatever it looks like. */
const SECRET_NAME =
  /(^|_)(private_?key|secret(_key)?|client_secret|mnemonic|seed(_phrase)?|recovery_phrase|password|passphrase|passwd|api_?key|x_api_key|access_token|refresh_token|auth_token|id_token|bot_token|bearer|authorization|jwt|session_token|credentials?)$/
/** Names of members whose 32 bytes are no key. */
const HASH_NAME =
  /(hash|digest|root|id|tx|transaction|topic|trace|span|salt|nonce|signature|block|receipt|commit|data|slot|ref|order|quote|pool|intent)s?$/

const PHRASE_WORDS = 12

/**
 * The fields that hold private keys, recovery phrases, tokens, API keys or passwords: such a text is refused, and
 * neither kept nor repeated (specification 2.1). 32 bytes of hex count as a private key unless their name, or the word
 * before them, says that they are a hash or an id.
 */
export async function secretsIn(value: unknown, path: string): Promise<readonly FieldError[]> {
  const found: FieldError[] = []
  await visit(value, path, undefined, found)
  return found
}

async function visit(value: unknown, path: string, name: string | undefined, found: FieldError[]): Promise<void> {
  if (typeof value === 'string') {
    const kind = kindOfName(name, value) ?? (await kindOf(value, name))
    if (kind !== undefined)
      found.push({ path, message: `must not hold ${kind}: take it out, and replace what was shown` })
    return
  }
  if (Array.isArray(value)) {
    const words = value.filter((item) => typeof item === 'string')
    if (words.length >= PHRASE_WORDS && (await isPhrase(words.join(' ')))) {
      found.push({ path, message: 'must not hold a recovery phrase: take it out, and replace what was shown' })
      return
    }
    for (const [i, item] of value.entries()) await visit(item, `${path}.${i}`, name, found)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [member, inner] of Object.entries(value)) {
    const kind = await kindOf(member, undefined)
    // The name itself is not repeated where it is the secret.
    if (kind === undefined) await visit(inner, `${path}.${member}`, snake(member), found)
    else found.push({ path, message: `must not hold ${kind} as the name of a member` })
  }
}

function kindOfName(name: string | undefined, value: string): Kind | undefined {
  if (name === undefined || value.trim() === '' || !SECRET_NAME.test(name)) return undefined
  return /^(\[?redacted\]?|\*+|x{3,}|none|null|undefined)$/i.test(value.trim()) ? undefined : 'a secret'
}

async function kindOf(raw: string, name: string | undefined): Promise<Kind | undefined> {
  // What is put between the characters to hide them does not hide them.
  const text = raw.normalize('NFKC').replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/g, '')
  if (PEM.test(text) || EXTENDED_KEY.test(text) || holdsKey(text, name)) return 'a private key'
  if (TOKENS.some((token) => token.test(text))) return 'a token or API key'
  if (PASSWORD.test(text)) return 'a password'
  return (await isPhrase(text)) ? 'a recovery phrase' : undefined
}

function holdsKey(text: string, name: string | undefined): boolean {
  for (const { 0: match, index } of text.matchAll(WORD_OF_32_BYTES)) {
    if (/^(0x)?(0{64}|f{64})$/i.test(match)) continue
    const before = text.slice(Math.max(0, index - 60), index)
    if (KEY_WORDS.test(before)) return true
    const isHash = HASH_WORDS.test(before) || (name !== undefined && before.trim() === '' && HASH_NAME.test(name))
    if (!isHash) return true
  }
  return false
}

/** Whether a text has twelve words of the list of BIP-39 in a row. */
async function isPhrase(text: string): Promise<boolean> {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  if (longestRun(words, ({ length }) => length >= 3 && length <= 8) < PHRASE_WORDS) return false
  const list = await (english ??= wordList())
  return longestRun(words, (word) => list.has(word)) >= PHRASE_WORDS
}

let english: Promise<ReadonlySet<string>> | undefined

// Loaded when a text first looks like a phrase: most never do.
async function wordList(): Promise<ReadonlySet<string>> {
  return new Set((await import('viem/accounts')).english)
}

function longestRun(words: readonly string[], fits: (word: string) => boolean): number {
  let [run, longest] = [0, 0]
  for (const word of words) {
    run = fits(word) ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

/** `apiKey`, `API-KEY` → `api_key`. */
function snake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
}
