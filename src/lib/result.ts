/** Something that worked, or a sentence saying why it did not. Refusals are values, never thrown. */
export type Result<T> = Readonly<{ ok: true; value: T }> | Readonly<{ ok: false; reason: string }>

/** A result that worked. */
export function ok<T>(value: T): Result<T> {
  return { ok: true, value }
}

/** A result that did not, and why. */
export function refuse(reason: string): Result<never> {
  return { ok: false, reason }
}
