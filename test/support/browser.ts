// A headless Chromium that comes inside an npm package.
import chromium from '@sparticuz/chromium'
import { type Browser, chromium as driver } from 'playwright-core'

// Not the package's own list of arguments: it is made for one page in one process, and turns the web's security off.
const ARGUMENTS = ['--headless=shell', '--no-sandbox', '--font-render-hinting=none']

/** Starts a browser. To be closed by whoever started it. */
export async function launchBrowser(): Promise<Browser> {
  return await driver.launch({ args: ARGUMENTS, executablePath: await chromium.executablePath(), headless: true })
}
