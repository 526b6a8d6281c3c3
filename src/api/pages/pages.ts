import { join } from 'node:path'
import type Router from '@koa/router'
import { CHAINS } from '../../registry/index.ts'
import { readPageFiles } from '../console/page-files.ts'

/** Each page: its path, its title, the script that gives it life, and its way back to the API's root. */
const PAGES = [
  { path: '/api/auth/sign-in', title: 'Sign in', script: 'sign-in.js', api: '../' },
  { path: '/api/auth/connect', title: 'Connect a program', script: 'connect.js', api: '../' },
  { path: '/api/oauth/consent/:uid', title: 'Allow access', script: 'consent.js', api: '../../' },
] as const

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Adds the pages on which a person signs in and approves: one file of HTML, and plain modules beside it. */
export function addPages(router: Router): void {
  const files = readPageFiles(join(import.meta.dirname, 'page'))
  const html = files.find(({ name }) => name === 'page.html')
  for (const { path, ...fields } of PAGES)
    router.get(path, (ctx) => {
      ctx.set({ 'Content-Security-Policy': PAGE_POLICY, 'Content-Type': 'text/html; charset=utf-8' })
      ctx.body = filled(html?.text ?? '', { ...fields, chains: OPTIONS })
    })
  for (const { name, type, text } of files)
    if (name !== html?.name)
      router.get(`/api/pages/${name}`, (ctx) => {
        ctx.set('Content-Type', type)
        ctx.body = text
      })
}

const OPTIONS = CHAINS.map(({ id, name }) => `<option value="${id}">${name}</option>`).join('')

/** The template with its fields filled in. All of them are our own constants. */
function filled(template: string, fields: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => fields[name] ?? '')
}
