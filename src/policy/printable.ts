const WORDS = /^[\p{L}\p{N}\p{P}\p{S}]+( [\p{L}\p{N}\p{P}\p{S}]+)*$/u
/** Letters and signs that leave no ink, the empty Braille pattern with them. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/u

/** Whether a name that others gave may be shown to people and to the model: nothing invisible, one line, single spaces, and short. */
export function isPrintable(name: string, longest: number): boolean {
  return name.length <= longest && WORDS.test(name) && !INVISIBLE.test(name)
}
