import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { folder } from './helpers.ts'

const launcher = fileURLToPath(new URL('../bin/wayleave.js', import.meta.url))
/** Makes a Node say that it is an old one. */
const old = `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.0.0'})`

it('gives the watchdog of a service manager to the Node that serves, and no other one’s', async () => {
  const dir = await folder()
  for (const name of ['bin', 'dist', 'node_modules/.bin']) mkdirSync(join(dir, name), { recursive: true })
  copyFileSync(launcher, join(dir, 'bin', 'wayleave.js'))
  symlinkSync(process.execPath, join(dir, 'node_modules/.bin/node'))
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(dir, 'dist/main.js'), `console.log(process.version, process.env.WATCHDOG_PID); process.exit()`)
  const run = (watched: string): string =>
    execFileSync(
      'sh',
      [
        '-c',
        `WATCHDOG_PID=${watched} exec "$0" --import "$1" "$2"`,
        process.execPath,
        old,
        join(dir, 'bin/wayleave.js'),
      ],
      { encoding: 'utf8' },
    )
  expect(run('$$')).toBe(`${process.version} undefined\n`)
  expect(run('1')).toBe(`${process.version} 1\n`)
})
