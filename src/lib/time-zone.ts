/** The name of a time zone as it is written in the IANA database (`europe/zurich` → `Europe/Zurich`); nothing for none. */
export function timeZoneNamed(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name.trim() }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
