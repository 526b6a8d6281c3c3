/** Letters of other scripts and of the phonetic alphabet that look like a Latin one, in the shape they look like. */
const LOOKS_LIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'АаΑαɑᴀ',
    b: 'ВвΒβʙЬь',
    c: 'СсϹϲᴄ',
    d: 'ԀԁᴅĐđÐð',
    e: 'ЕеΕεᴇЄє€',
    g: 'Ԍԍɡɢ',
    h: 'НнΗһҺʜ',
    i: 'ІіΙιɪıӀӏ|!',
    j: 'Јјᴊ',
    k: 'КкΚκᴋ',
    l: 'ʟŁł£',
    m: 'МмΜᴍ',
    n: 'ΝνИиɴ₦',
    o: 'ОоΟοσØøᴏՕօ',
    p: 'РрΡρᴘ',
    q: 'Ԛԛ',
    r: 'Ггʀ',
    s: 'ЅѕꜱՏ$',
    t: 'ТтΤτᴛ₮Ŧŧ',
    u: 'υᴜՍսʋ',
    v: 'Ѵѵᴠ',
    w: 'Ԝԝωᴡ₩',
    x: 'ХхΧχ',
    y: 'УуΥүҮʏ¥',
    z: 'Ζᴢ',
  }).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)),
)

/** Digits and letters that are read for each other, as one of them. */
const READ_AS: ReadonlyMap<string, string> = new Map(Object.entries({ '0': 'o', '1': 'l', i: 'l', '5': 's' }))

/**
 * The shape of a symbol: two symbols of one shape are taken for each other by people. Case, accents, width, signs
 * between the letters and letters of other scripts make no difference.
 */
export function shapeOf(symbol: string): string {
  const plain = symbol.normalize('NFKD').replace(/\p{M}/gu, '').replace(/^\$/, '')
  const latin = Array.from(plain, (sign) => LOOKS_LIKE.get(sign) ?? sign.toLowerCase()).join('')
  const letters = latin
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
  return Array.from(letters, (sign) => READ_AS.get(sign) ?? sign).join('')
}

/** Whether a symbol passes for a known one, or mixes scripts so that it may pass for any. */
export function isLookAlike(symbol: string, known: readonly string[]): boolean {
  const shape = shapeOf(symbol)
  const mixed = /[a-z]/.test(shape) && /[^\p{ASCII}]/u.test(shape)
  return mixed || known.some((other) => shapeOf(other) === shape)
}
