import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const called = '--yes pnpm@1.2.3 install --frozen-lockfile --reporter=ndjson'

/** Stands for pnpm, run by npx: notes how it was called, and "installs" a compiler, a test runner and its record of both. */
const fakePnpm = `
echo "$*" >> calls.log
case "$*" in *--prod*) dev=false ;; *) dev=true ;; esac
mkdir -p node_modules/.bin node_modules/vitest
echo '"included": { "devDependencies": '$dev' }' > node_modules/.modules.yaml
printf '#!/bin/sh\\necho compiled; exit 0\\n' > node_modules/.bin/tsc
chmod +x node_modules/.bin/tsc
ln -sf ${process.execPath} node_modules/.bin/node
echo 'console.log("tested", process.argv.slice(2).join(" ")); process.exitCode = 3' > node_modules/vitest/vitest.mjs
echo "installed noisily"
`

/** Stands for the command: tells what it hears in heard.log, and ends with 7 half a second after a signal. */
const fakeCommand = `
import { appendFileSync } from 'node:fs'
const hear = (what) => { appendFileSync('heard.log', what + ' '); setTimeout(() => process.exit(7), 500) }
process.on('SIGTERM', () => hear('SIGTERM'))
process.on('disconnect', () => hear('disconnect'))
console.log('ready', process.argv.slice(2).join(' '))
if (process.argv.includes('--once')) process.exit(5)
setInterval(() => {}, 1000)
`

describe('the bootstrap script', () => {
  let folder: string
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  const program = (file: string, script: string) => {
    write(file, `#!/bin/sh\n${script}`)
    chmodSync(join(folder, file), 0o755)
  }
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'wayleave-bootstrap-'))
    write('package.json', '{ "packageManager": "pnpm@1.2.3+sha512.00" }')
    write('packages/one/package.json', '{}')
    write('apps/cli/dist/main.js', fakeCommand)
    write('apps/cli/package.json', '{ "type": "module" }')
    write('tooling/bootstrap.mjs', '')
    mkdirSync(join(folder, 'apps/cli/bin'))
    mkdirSync(join(folder, 'tooling/bootstrap'))
    for (const file of ['tooling/bootstrap.mjs', 'tooling/bootstrap/pnpm-events.mjs'])
      copyFileSync(join(root, file), join(folder, file))
    copyFileSync(join(root, 'apps/cli/bin/wayleave.js'), join(folder, 'apps/cli/bin/wayleave.js'))
    write('packages/console/build-page.mjs', '')
    program('bin/npx', fakePnpm)
    program('bin/npm', 'exit 0')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function bootstrap(...args: string[]) {
    return bootstrapWith({}, ...args)
  }

  function bootstrapWith(more: Readonly<Record<string, string>>, ...args: string[]) {
    const env = { ...process.env, ...more, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` }
    const child = spawn(process.execPath, ['tooling/bootstrap.mjs', ...args], { cwd: folder, env })
    const seen = { stdout: '', stderr: '' }
    child.stdout.on('data', (bytes: Buffer) => (seen.stdout += bytes.toString()))
    child.stderr.on('data', (bytes: Buffer) => (seen.stderr += bytes.toString()))
    const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
      child.on('close', (code, signal) => resolve(code ?? signal))
    })
    return { child, seen, ended }
  }

  it('installs what start needs, builds, and leaves stdout and the exit code to the program', async () => {
    const { seen, ended } = bootstrap('start', '--once', '--port', '0')
    expect(await ended).toBe(5)
    expect(seen.stdout).toBe('ready dev --once --port 0\n')
    expect(seen.stderr).toMatch(/^Installing… [\d.]+ s\nBuilding… [\d.]+ s\n$/)
    expect(read('calls.log')).toBe(`${called} --prod\n`)
  })

  it('installs the rest for the tests, and nothing twice', async () => {
    await bootstrap('start', '--once').ended
    await bootstrap('start', '--once').ended
    const { seen, ended } = bootstrap('test', '--bail', '1')
    expect(await ended).toBe(3)
    expect(seen.stdout).toBe('tested run --bail 1\n')
    await bootstrap('test').ended
    await bootstrap('start', '--once').ended
    expect(read('calls.log')).toBe(`${called} --prod\n${called}\n`)
  })

  it('installs again when a manifest changes, and then keeps what the tests need', async () => {
    await bootstrap('test').ended
    appendFileSync(join(folder, 'packages/one/package.json'), '\n')
    await bootstrap('start', '--once').ended
    expect(read('calls.log')).toBe(`${called}\n`.repeat(2))
  })

  it('prints what a failing install said, on stderr, and ends with its code', async () => {
    const event = {
      time: 1,
      level: 'error',
      code: 'ERR_PNPM_OUTDATED_LOCKFILE',
      message: 'It is older.',
      hint: 'Do this.',
    }
    program('bin/npx', `echo '{"time":1,"level":"debug"}'; echo Hm.; echo '${JSON.stringify(event)}'; exit 4`)
    const { seen, ended } = bootstrap('start')
    expect(await ended).toBe(4)
    expect(seen.stdout).toBe('')
    expect(seen.stderr).toMatch(
      /^Installing… failed, [\d.]+ s\nHm.\nERR_PNPM_OUTDATED_LOCKFILE It is older. Do this.\n$/,
    )
  })

  describe('without a network', () => {
    const refused = `
echo "npm notice PING http://user:password@127.0.0.1:9/" >&2
echo "npm error code ECONNREFUSED" >&2
exit 1`

    it('says which registry npm cannot reach and what to do, and ends with 1', async () => {
      program('bin/npm', refused)
      program('bin/npx', `echo "$*" >> calls.log; exit 1`)
      const { seen, ended } = bootstrap('start')
      expect(await ended).toBe(1)
      expect(seen.stdout).toBe('')
      expect(seen.stderr.split('\n')).toEqual([
        expect.stringMatching(/^Installing… failed, [\d.]+ s$/),
        'npm cannot reach its registry http://127.0.0.1:9 (ECONNREFUSED), and not every package is on this machine yet.',
        'Connect to the network, or set npm\'s "registry" or "proxy", then run this again. Packages that have come are kept.',
        '',
      ])
      expect(read('calls.log')).toBe(`${called} --prod --offline\n`)
    })

    it.each([
      ['refuses', 'ECONNREFUSED', (registry: Server) => registry.close()],
      ['never answers', 'no answer within 1 s', () => {}],
    ])('tells what npm itself comes to over a registry that %s', async (_what, why, change) => {
      rmSync(join(folder, 'bin/npm'))
      program('bin/npx', 'exit 1')
      const registry = createServer().listen(0, '127.0.0.1')
      await once(registry, 'listening')
      const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
      change(registry)
      const settings = { npm_config_registry: url, npm_config_fetch_timeout: '1000', npm_config_offline: 'false' }
      const { seen, ended } = bootstrapWith(settings, 'start')
      expect(await ended).toBe(1)
      registry.close()
      expect(seen.stdout).toBe('')
      expect(seen.stderr).toContain(
        `\nnpm cannot reach its registry ${url} (${why}), and not every package is on this machine yet.\nConnect to the network, `,
      )
    })

    it('installs from what this machine has, if that is all', async () => {
      program('bin/npm', refused)
      const { seen, ended } = bootstrap('start', '--once')
      expect(await ended).toBe(5)
      expect(seen.stderr).toMatch(/^Installing… [\d.]+ s\nBuilding… [\d.]+ s\n$/)
      expect(read('calls.log')).toBe(`${called} --prod --offline\n`)
    })

    it('leaves a registry that answers, whatever it says, to the installation', async () => {
      program('bin/npm', 'echo "npm error code E404" >&2; exit 1')
      expect(await bootstrap('start', '--once').ended).toBe(5)
      expect(read('calls.log')).toBe(`${called} --prod\n`)
    })

    it('gives up on a registry that answers and then sends nothing, and says so', async () => {
      program('bin/npm', 'echo "npm notice PING https://npm.example/" >&2')
      program('bin/npx', 'echo \'{"time":1,"name":"pnpm:stats","added":7}\'; sleep 60')
      const { seen, ended } = bootstrapWith({ npm_config_fetch_timeout: '300' }, 'start')
      expect(await ended).toBe(1)
      expect(seen.stderr).toMatch(/^Installing… 0 of 7 packages… failed, [\d.]+ s\n/)
      expect(seen.stderr).toContain('npm cannot reach its registry https://npm.example (it has sent nothing for 0.3 s)')
    })

    it('tells how many packages and bytes have come', async () => {
      const events = [
        { time: 1, name: 'pnpm:stats', added: 2 },
        { time: 1, name: 'pnpm:fetching-progress', status: 'in_progress', packageId: 'big', downloaded: 7_400_000 },
        { time: 1, name: 'pnpm:progress', status: 'fetched' },
      ]
      program('bin/npx', `cat <<'END'\n${events.map((event) => JSON.stringify(event)).join('\n')}\nEND\nsleep 60`)
      const { seen, ended } = bootstrapWith({ npm_config_fetch_timeout: '300' }, 'start')
      expect(await ended).toBe(1)
      expect(seen.stderr).toMatch(/^Installing… 1 of 2 packages, 7 MB… failed, /)
    })

    it('asks npm only when there is something to install', async () => {
      await bootstrap('start', '--once').ended
      program('bin/npm', 'echo asked >> asked.log')
      await bootstrap('start', '--once').ended
      expect(existsSync(join(folder, 'asked.log'))).toBe(false)
    })
  })

  it('names a home folder that cannot be written, and what to do', async () => {
    write('home', '')
    const home = join(folder, 'home')
    const { seen, ended } = bootstrapWith({ HOME: home, npm_config_cache: join(home, '.npm') }, 'start')
    expect(await ended).toBe(1)
    expect(seen.stderr).toMatch(
      /^The folder .*home cannot be written \((?:EEXIST|ENOTDIR)\), and packages are kept there\.\n/,
    )
    expect(seen.stderr).toContain('`HOME=/tmp/wayleave npm start`')
    expect(existsSync(join(folder, 'calls.log'))).toBe(false)
  })

  it.each(['--help', '-h'])('prints the help of the command for %s, and installs nothing', async (flag) => {
    mkdirSync(join(folder, 'apps/cli/src/commands'), { recursive: true })
    copyFileSync(join(root, 'apps/cli/src/commands/dev.ts'), join(folder, 'apps/cli/src/commands/dev.ts'))
    const { seen, ended } = bootstrap('start', flag)
    expect(await ended).toBe(0)
    expect(seen.stderr).toBe('')
    expect(seen.stdout).toMatch(/^npm start \[-- options\]: .*\n\nUsage: wayleave dev \[options\]\n/)
    expect(seen.stdout).toMatch(/ {2}--port N .*default 8545\n[^]*Ctrl-C or SIGTERM stops it\.\n$/)
    expect(existsSync(join(folder, 'calls.log'))).toBe(false)
  })

  it('asks an older Node for a newer one, in a sentence', async () => {
    write(
      'old.mjs',
      "Object.defineProperty(process.versions, 'node', { value: '18.20.4' }); delete Array.prototype.toSorted",
    )
    const { seen, ended } = bootstrapWith({ NODE_OPTIONS: `--import ${join(folder, 'old.mjs')}` }, 'start')
    expect(await ended).toBe(1)
    expect(seen.stderr).toBe(
      'Wayleave needs Node 20.19 or newer, and this is 18.20.4: install a newer one, such as from https://nodejs.org, then run this again.\n',
    )
  })

  it('is named by what npm says to who installs with it', async () => {
    copyFileSync(join(root, 'package.json'), join(folder, 'package.json'))
    const child = spawn('npm', ['install', '--offline'], { cwd: folder })
    let said = ''
    child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()))
    expect((await once(child, 'close'))[0]).toBe(1)
    expect(said).toContain('type-npm-start-instead')
  })

  it('does not wait for what a tool leaves behind', async () => {
    program('bin/npx', `${fakePnpm}sleep 30 &`)
    program('bin/npm', 'sleep 30 &')
    const { seen, ended } = bootstrap('start', '--once')
    expect(await ended).toBe(5)
    expect(seen.stdout).toBe('ready dev --once\n')
  })

  it('ends a question to the registry that gets no answer, with all that npm has started', async () => {
    program('bin/npm', 'sleep 60; echo late >> calls.log')
    program('bin/npx', 'exit 1')
    const { seen, ended } = bootstrapWith({ npm_config_fetch_timeout: '300' }, 'start')
    expect(await ended).toBe(1)
    expect(seen.stderr).toContain('npm cannot reach its registry (no answer within 0.3 s)')
  })

  it('tells for how many minutes it has been at it', async () => {
    // A clock that goes a thousand times as fast.
    write('fast.mjs', 'const now = performance.now.bind(performance); performance.now = () => now() * 1000')
    program('bin/npx', 'sleep 60')
    const more = { NODE_OPTIONS: `--import ${join(folder, 'fast.mjs')}`, npm_config_fetch_timeout: '300' }
    const { seen, ended } = bootstrapWith(more, 'start')
    expect(await ended).toBe(1)
    expect(seen.stderr).toMatch(/^Installing… nothing new for \d+ s, \d+ min so far… failed, /)
  })

  it('ends an installation with all that it has started', async () => {
    program('bin/npx', 'sleep 60; echo late >> calls.log')
    const { child, seen, ended } = bootstrap('start')
    await expect.poll(() => seen.stderr).toContain('Installing')
    await sleep(300)
    child.kill('SIGTERM')
    expect(await ended).toBe('SIGTERM')
  })

  it('passes a signal that comes twice in a moment on once, and waits for the program', async () => {
    const { child, seen, ended } = bootstrap('start')
    await expect.poll(() => seen.stdout).toContain('ready')
    child.kill('SIGTERM')
    await sleep(50)
    child.kill('SIGTERM')
    expect(await ended).toBe(7)
    expect(read('heard.log')).toBe('SIGTERM ')
  })

  it('leaves a program that hears of its sudden death', async () => {
    const { child, seen } = bootstrap('start')
    await expect.poll(() => seen.stdout).toContain('ready')
    child.kill('SIGKILL')
    await expect.poll(() => read('heard.log')).toBe('disconnect ')
  })
})
