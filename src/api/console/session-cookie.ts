import type { RouterContext } from '@koa/router'
import { SESSION_SECONDS } from './wallet-sessions.ts'

/** The cookie of a wallet's session. */
export type SessionCookie = Readonly<{
  read(ctx: RouterContext): string | undefined
  /** Gives it to the browser; null takes it away. */
  write(ctx: RouterContext, secret: string | null): void
}>

/** A cookie that no script can read and no other site can have sent; under TLS, where the public address has it. */
export function sessionCookie(publicUrl: string): SessionCookie {
  const { protocol, port } = new URL(publicUrl)
  // A cookie is for all ports of a host: two harnesses on one machine must not sign each other's owners out.
  const name = `cs_console${port === '' ? '' : `_${port}`}`
  const secure = protocol === 'https:'
  const options = {
    httpOnly: true,
    sameSite: 'strict',
    secure,
    path: '/console',
    overwrite: true,
    signed: false,
  } as const
  return {
    read: (ctx) => ctx.cookies.get(name),
    write(ctx, secret) {
      // The proxy in front, if there is one, has the certificate.
      ctx.cookies.secure = secure
      ctx.cookies.set(name, secret, secret === null ? options : { ...options, maxAge: SESSION_SECONDS * 1000 })
    },
  }
}
