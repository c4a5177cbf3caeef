import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

export const executablePath: string | undefined = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
/** Whether tests in Chromium are to be skipped. */
export const isSkipped: boolean = executablePath === undefined && process.env['REQUIRE_SERVICES'] === undefined

/** Starts Chromium, which then asks nobody but the pages that it is sent to. */
export async function launch(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('expected Chromium in /usr/bin')
  const quiet = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
  // Chromium has no sandbox for root.
  return chromium.launch({ executablePath, args: [...quiet, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] })
}
