import type { User } from '../auth/index.ts'

type Tokens = Readonly<{ accessToken: string; refreshToken: string; expiresIn: number }>

/** Tokens and their holder as the wire has them (contract section 8). */
export function sessionTokensOf({ id, address }: User, { accessToken, refreshToken, expiresIn }: Tokens) {
  const tokenType = 'Bearer' as const
  return { accessToken, refreshToken, tokenType, expiresIn, user: { id, ethereumAddress: address } }
}
