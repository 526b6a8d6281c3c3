import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/** A file of the page, as it is served. */
export type PageFile = Readonly<{ name: string; type: string; text: string }>

/** What a page may load, and where it may be shown: its own files, and no frame (Content-Security-Policy). */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** A page's files, read once: what is served is named here, and no path of a request reaches the file system. */
export function readPageFiles(folder = join(import.meta.dirname, 'page')): readonly PageFile[] {
  return readdirSync(folder).flatMap((name) => {
    const type = TYPES[extname(name)]
    return type === undefined ? [] : [{ name, type, text: readFileSync(join(folder, name), 'utf8') }]
  })
}
