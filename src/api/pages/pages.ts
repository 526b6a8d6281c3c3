import { join } from 'node:path'
import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import { CHAINS } from '../../registry/index.ts'
import { PAGE_POLICY, readPageFiles } from '../console/page-files.ts'

/** A page on which a person signs: its path, its title, the script that gives it life, and its way to what it asks. */
export type SigningPage = Readonly<{ path: string; title: string; script: string; api: string }>

const PAGES: readonly SigningPage[] = [
  { path: '/api/auth/sign-in', title: 'Sign in', script: 'sign-in.js', api: '../' },
  { path: '/api/auth/connect', title: 'Connect a program', script: 'connect.js', api: '../' },
  { path: '/api/oauth/consent/:uid', title: 'Allow access', script: 'consent.js', api: '../../' },
]

const TEMPLATE = 'page.html'
const FILES = readPageFiles(join(import.meta.dirname, 'page'))

/** Adds the pages on which a person signs in and approves: one file of HTML, and plain modules beside it. */
export function addPages(router: Router, publicUrl: string): void {
  for (const page of PAGES) addSigningPage(router, page, publicUrl)
  addPageFiles(router, '/api/pages')
}

/** Adds one page. Its files are below `api`, in the folder `pages`. */
export function addSigningPage(router: Router, { path, ...fields }: SigningPage, publicUrl: string): void {
  const html = FILES.find(({ name }) => name === TEMPLATE)?.text ?? ''
  const text = filled(html, { ...fields, chains: OPTIONS })
  router.get(path, (ctx) => {
    const address = publicAddressOf(ctx, publicUrl)
    if (address !== undefined) return ctx.redirect(address)
    // Behind a slash, the page's files and what it asks would be elsewhere.
    if (ctx.path.endsWith('/')) return ctx.redirect(`../${ctx.path.split('/').at(-2)}${ctx.search}`)
    ctx.set({ 'Content-Security-Policy': PAGE_POLICY, 'Content-Type': 'text/html; charset=utf-8' })
    ctx.body = text
  })
}

/** Adds the files of the pages to a folder of addresses. */
export function addPageFiles(router: Router, folder: string): void {
  for (const { name, type, text } of FILES)
    if (name !== TEMPLATE)
      router.get(`${folder}/${name}`, (ctx) => {
        ctx.set('Content-Type', type)
        ctx.body = text
      })
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Where a page on this machine is to be opened instead: under the one name that messages to sign have. A wallet warns of
 * any other, and a browser's session under one name is none under another.
 */
function publicAddressOf({ host, path, search }: RouterContext, publicUrl: string): string | undefined {
  const { host: publicHost, hostname, protocol } = new URL(publicUrl)
  const asked = URL.parse(`http://${host}`)
  if (asked === null || asked.host === publicHost || protocol !== 'http:') return undefined
  return LOOPBACK.includes(hostname) && LOOPBACK.includes(asked.hostname)
    ? `http://${publicHost}${path}${search}`
    : undefined
}

const OPTIONS = CHAINS.map(({ id, name }) => `<option value="${id}">${name}</option>`).join('')

/** The template with its fields filled in. All of them are our own constants. */
function filled(template: string, fields: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => fields[name] ?? '')
}
