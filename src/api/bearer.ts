/** The token of an `Authorization: Bearer` header; nothing where there is none. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer ([\x21-\x7e]{1,4096})$/i.exec(authorization ?? '')?.[1]
}
