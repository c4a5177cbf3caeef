import { randomBytes } from 'node:crypto'
import { type EventEmitter, once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UsageError } from '../../src/command.ts'
import { ipfs } from '../../src/commands/ipfs.ts'
import { file, folder, key, runProcess, secret, serveHttp, wayleave, within } from '../helpers.ts'
import { type IpfsRun, type IpfsRunOptions, runIpfs, startIpfsGateway } from './helpers.ts'

const helloCid = 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN'

let dataDir: string
let gateway: RunningGateway
let env: Record<string, string>

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'wayleave-cli-ipfs-'))
  gateway = await startIpfsGateway(dataDir)
  env = { WAYLEAVE_IPFS_URL: gateway.ipfs!, WAYLEAVE_API_KEY: key, WAYLEAVE_API_KEY_SECRET: secret }
})

afterAll(async () => {
  await gateway.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** A run that must succeed, without a word on stderr. */
async function done(args: readonly string[], options: IpfsRunOptions = {}): Promise<IpfsRun> {
  const run = await runIpfs(args, { env, ...options })
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' })
  return run
}

async function failed(args: readonly string[], options: IpfsRunOptions = {}): Promise<string> {
  const { code, stderr, stdout } = await runIpfs(args, { env, ...options })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[^\n]+\n$/)
  return stderr
}

/** `site/a.txt`, `site/sub/b.txt`, `site/sub/link` and `site/.hidden` in a new folder. */
async function site(): Promise<string> {
  const path = join(await folder(), 'site')
  await mkdir(join(path, 'sub'), { recursive: true })
  await writeFile(join(path, 'a.txt'), 'a\n')
  await writeFile(join(path, 'sub/b.txt'), 'b\n')
  await writeFile(join(path, '.hidden'), 'h\n')
  await symlink('../a.txt', join(path, 'sub/link'))
  return path
}

const stdinOf = (...texts: string[]): Readable => Readable.from(texts.map((text) => Buffer.from(text)))

describe('wayleave ipfs add', () => {
  it('adds a file, which cat writes again, whole or in part', async () => {
    expect((await done(['add', await file('hello.txt', 'hello\n')])).stdout).toBe(`added ${helloCid} hello.txt\n`)
    expect((await done(['cat', helloCid])).stdout).toBe('hello\n')
    expect((await done(['cat', `/ipfs/${helloCid}`, '--offset', '1', '--length=3'])).stdout).toBe('ell')
    expect((await done(['cat', helloCid, '--verify', 'proven'])).stdout).toBe('hello\n')
  })

  it('takes a directory with -r only, hidden names with --hidden only', async () => {
    const path = await site()
    await expect(runIpfs(['add', path], { env })).rejects.toThrow(/is a directory: -r adds it/)
    const { stdout } = await done(['add', '-r', path])
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.split(' ')[2])).toEqual([
      'site/a.txt',
      'site/sub/b.txt',
      'site/sub/link',
      'site/sub',
      'site',
    ])
    const root = lines.at(-1)!.split(' ')[1]!
    expect((await done(['add', '-rq', path])).stdout.split('\n').at(-2)).toBe(root)
    expect((await done(['add', '-rQ', path])).stdout).toBe(`${root}\n`)
    expect((await done(['add', '-rQ', '--hidden', path])).stdout).not.toBe(`${root}\n`)
    expect((await done(['cat', `${root}/sub/b.txt`])).stdout).toBe('b\n')
    expect(await failed(['cat', root])).toBe(
      'wayleave ipfs cat: it is a directory: `wayleave ipfs get` writes it to disk\n',
    )
  })

  it('reads stdin where it is named, beside other files; each has a root of its own', async () => {
    const { stdout } = await done(['add', '-Q', '-', await file('x', 'x')], { stdin: stdinOf('hel', 'lo\n') })
    expect(stdout.split('\n')).toEqual([helloCid, expect.stringMatching(/^Qm/), ''])
    const wrapped = await done(['add', '-w', '-'], { stdin: stdinOf('hello\n') })
    expect(wrapped.stdout).toMatch(new RegExp(`^added ${helloCid} ${helloCid}\nadded Qm\\w+\n$`))
  })

  it('follows a symlink that is named', async () => {
    const path = join(await folder(), 'link')
    await symlink(await file('hello.txt', 'hello\n'), path)
    expect((await done(['add', path])).stdout).toBe(`added ${helloCid} link\n`)
  })

  it('prints a line of JSON for each, and no name that looks like another line', async () => {
    const path = await file('a\nb\x1b[2J', 'hello\n')
    const { stdout } = await done(['add', '--json', path])
    expect(JSON.parse(stdout)).toEqual({ cid: helloCid, size: 14, path: 'a\nb\x1b[2J', verification: 'proven' })
    expect((await done(['add', path])).stdout).toBe(`added ${helloCid} a\\nb\\u001b[2J\n`)
  })

  it('escapes C1 controls in names and messages, in text and in JSON', async () => {
    const path = await file('a\u009b2J', 'hello\n')
    expect((await done(['add', path])).stdout).toBe(`added ${helloCid} a\\u009b2J\n`)
    const { stdout } = await done(['add', '--json', path])
    expect(stdout).toContain('"a\\u009b2J"')
    expect(JSON.parse(stdout)).toMatchObject({ path: 'a\u009b2J' })
    const { url } = await serveHttp((request, response) => {
      request.resume()
      response.writeHead(500).end('{"Message":"a\\u009b2J\\nb\\u202ec"}')
    })
    expect(await failed(['pin', 'rm', helloCid], { env: { WAYLEAVE_IPFS_URL: url } })).toBe(
      'wayleave ipfs pin rm: HTTP 500: a\\u009b2J b\\u202ec\n',
    )
  })

  it('takes what decides a CID: version, leaves, chunker, a directory around it', async () => {
    const path = await file('hello.txt', 'hello\n')
    const cidOf = async (...flags: string[]): Promise<string> =>
      (await done(['add', '-Q', ...flags, path])).stdout.trim()
    expect(await cidOf('--cid-version', '1')).toMatch(/^bafkrei/)
    expect(await cidOf('--cid-version=1', '--raw-leaves=false')).toMatch(/^bafybei/)
    expect(await cidOf('--chunker', 'size-2')).not.toBe(helloCid)
    // The profile is that of IPIP-499.
    const greeting = await file('greeting', 'hello world')
    const { stdout } = await done(['add', '-Q', '--profile', 'unixfs-v1-2025', greeting])
    expect(stdout).toBe('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e\n')
    const wrapped = await cidOf('-w')
    expect((await done(['cat', `${wrapped}/hello.txt`])).stdout).toBe('hello\n')
  })

  it('leaves out empty directories, and follows symlinks below a directory, where it is told to', async () => {
    const path = await site()
    await mkdir(join(path, 'empty'))
    const namesOf = async (...flags: string[]): Promise<readonly string[]> =>
      (await done(['add', '-r', ...flags, path])).stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[2]!)
    expect(await namesOf()).toContain('site/empty')
    expect(await namesOf('--empty-dirs=false')).not.toContain('site/empty')
    const [root] = (await done(['add', '-rQ', '--dereference-symlinks', path])).stdout.split('\n')
    expect((await done(['cat', `${root}/sub/link`])).stdout).toBe('a\n')
  })

  it('keeps modes and times where it is told to, and get brings them back', async () => {
    const path = await file('run', 'x')
    await chmod(path, 0o750)
    const { stdout } = await runIpfs(
      ['add', '--json', '--cid-version', '1', '--preserve-mode', '--preserve-mtime', path],
      { env },
    )
    const { cid, mode, mtime } = JSON.parse(stdout) as { cid: string; mode: number; mtime: { secs: number } }
    const { mtimeMs } = await stat(path)
    expect({ mode, secs: mtime.secs }).toEqual({ mode: 0o750, secs: Math.floor(mtimeMs / 1_000) })
    const output = join(await folder(), 'back')
    await done(['get', cid, '-o', output])
    const back = await stat(output)
    expect([back.mode & 0o777, Math.floor(back.mtimeMs)]).toEqual([0o750, Math.floor(mtimeMs)])
  })

  it('pins, under a name; does not with --pin=false; keeps nothing with -n', async () => {
    const pinned = async (cid: string): Promise<boolean> => (await runIpfs(['pin', 'ls', cid], { env })).code === 0
    const add = async (...args: string[]): Promise<string> =>
      (await done(['add', '-Q', '-', ...args], { stdin: stdinOf(randomBytes(8).toString('hex')) })).stdout.trim()
    const named = await add('--pin-name', 'mine')
    expect((await done(['pin', 'ls', named])).stdout).toBe(`${named}\trecursive\tmine\n`)
    expect(await pinned(await add('--pin=false'))).toBe(false)
    expect(await pinned(await add('--no-pin'))).toBe(false)
    expect(await pinned(await add('-n'))).toBe(false)
  })

  it('sends what is too much for one request in several, with the CID of one', async () => {
    const path = join(await folder(), 'site')
    await mkdir(path)
    for (let at = 0; at < 40; at++) await writeFile(join(path, `${at}`), randomBytes(10_000))
    const inOne = (await done(['add', '-rQ', path])).stdout
    const inMany = ['--max-request-bytes', '300000']
    expect((await done(['add', '-rQ', ...inMany, path])).stdout).toBe(inOne)
    expect((await done(['add', '-rQ', '--max-parts', '7', path])).stdout).toBe(inOne)
    expect((await done(['add', '-rQ', '--max-request-bytes', 'Infinity', path])).stdout).toBe(inOne)
    const large = randomBytes(9 << 20)
    const whole = (await done(['add', '-Q', '-'], { stdin: Readable.from([large]) })).stdout.trim()
    expect((await done(['cat', whole])).bytes.equals(large)).toBe(true)
    expect((await done(['pin', 'ls'])).stdout).toContain(`${whole}\trecursive`)
    for (const cid of [inOne.trim(), whole]) await done(['pin', 'rm', cid])
    expect(await failed(['add', '-rQ', '--max-request-bytes', '10000', path])).toMatch(
      /--max-request-bytes \(10000\) has no room for a block of 10\d{3} bytes and its frame: raise it to 14\d{3}\n$/,
    )
    await expect(runIpfs(['add', '--max-parts', 'x', path], { env })).rejects.toThrow('--max-parts')
    await expect(runIpfs(['add', '--max-request-bytes', '0', path], { env })).rejects.toThrow('--max-request-bytes')
  })

  it('refuses a directory of 10,000 files that no host could take before it reads one, and says what to do', async () => {
    const calls: (string | undefined)[] = []
    const { url } = await serveHttp((request, response) => {
      calls.push(request.url)
      request.resume()
      response.writeHead(404).end('404 page not found\n')
    })
    const path = join(await folder(), 'site')
    await mkdir(path)
    for (let at = 0; at < 10_000; at++) await writeFile(join(path, `${at}`), '')
    const host = { env: { WAYLEAVE_IPFS_URL: url } }
    expect(await failed(['add', '-r', '--max-parts', '5000', path], host)).toBe(
      'wayleave ipfs add: "site" has 10,001 entries, and one request may have 5,000; it cannot be sent in several, since the host takes no ' +
        'archives (dag/import): add its parts singly, or raise --max-parts if the host takes more\n',
    )
    expect(calls).toEqual(['/api/v0/dag/import?pin-roots=false&stats=true'])
  })

  it('shows a terminal the percentage of all FILEs', async () => {
    const content = randomBytes(3 << 20)
    const [one, two] = [await file('one', ''), await file('two', '')]
    await writeFile(one, content)
    await writeFile(two, content)
    let uploads = 0
    const { url } = await serveHttp((request, response) => {
      const name = uploads++ === 0 ? 'one' : 'two'
      const answer = (): void => void response.end(`{"Name":"${name}","Hash":"${helloCid}","Size":"1"}\n`)
      // The bar comes after 300 ms.
      request.resume().on('end', () => setTimeout(answer, 400))
    })
    const args = ['add', one, two, '--verify', 'off']
    const { stderr, stdout } = await runIpfs(args, { env: { WAYLEAVE_IPFS_URL: url }, isTerminal: true })
    expect(stdout).toBe(`added ${helloCid} one\nadded ${helloCid} two\n`)
    expect(stderr).toMatch(/ [5-9]\d % +(?:\[=* *\] +)?3\.\d MiB of 6\.0 MiB/)
  })

  it('ends at Ctrl-C with code 130, though stdin has no end', async () => {
    let running: EventEmitter | undefined
    const stdin = (async function* () {
      yield Buffer.from('the beginning')
      running!.emit('SIGINT', 'SIGINT')
      await new Promise(() => {})
    })()
    const { code, stdout, stderr } = await runIpfs(['add', '-'], {
      env,
      stdin,
      onProcess: (process) => (running = process),
    })
    expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: '', stderr: '' })
  })

  it('says what cannot be read', async () => {
    const path = join(await folder(), 'none')
    expect(await failed(['add', path])).toBe(`wayleave ipfs add: ${path}: there is no such file or folder (ENOENT)\n`)
  })
})

describe('wayleave ipfs cat', () => {
  it('reads no further than stdout takes', async () => {
    const content = randomBytes(4 << 20)
    const cid = (await done(['add', '-Q', '-'], { stdin: Readable.from([content]) })).stdout.trim()
    const taken: Buffer[] = []
    let resume = (): void => {}
    const stdout = new Writable({
      write(chunk: Buffer, _encoding, next) {
        taken.push(chunk)
        resume = next
      },
    })
    const running = runIpfs(['cat', cid], { env, stdout })
    const state = { ended: false }
    void running.finally(() => (state.ended = true))
    let most = 0
    while (!state.ended) {
      await new Promise((resolve) => setImmediate(resolve))
      most = Math.max(most, stdout.writableLength)
      const next = resume
      resume = () => {}
      next()
    }
    expect((await running).code).toBe(0)
    expect(Buffer.concat(taken).equals(content)).toBe(true)
    // One chunk at a time, of at most a block.
    expect(most).toBeLessThanOrEqual(1 << 18)
  })

  it('tells on stderr that nothing could be checked, and with --verify proven writes nothing', async () => {
    const { url } = await serveHttp((request, response) => {
      request.resume()
      if (request.url?.startsWith('/api/v0/cat')) response.end('whatever')
      else response.writeHead(404).end('404 page not found\n')
    })
    const host = { env: { WAYLEAVE_IPFS_URL: url } }
    const { code, stdout, stderr } = await runIpfs(['cat', helloCid], host)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'whatever' })
    expect(stderr).toMatch(/^unverified: .+\n$/)
    expect((await runIpfs(['cat', helloCid, '--verify', 'off'], host)).stderr).toBe('')
    expect(await failed(['cat', helloCid, '--verify', 'proven'], host)).toMatch(
      /; --verify consistent takes it all the same\n$/,
    )
  })
})

describe('wayleave ipfs cat --json', () => {
  it('tells an error on stderr, as stdout is for content', async () => {
    const { code, stdout, stderr } = await runIpfs(['cat', `${helloCid}/none`, '--json'], { env })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: expect.any(String) as string } })
  })
})

describe('wayleave ipfs get', () => {
  it('writes a directory as it was added', async () => {
    const root = (await done(['add', '-rQ', await site()])).stdout.trim()
    const output = join(await folder(), 'out')
    expect((await done(['get', root, '-o', output])).stdout).toBe(`saved ${output} (2 files, 4 B)\n`)
    expect((await readdir(output, { recursive: true })).toSorted()).toEqual(['a.txt', 'sub', 'sub/b.txt', 'sub/link'])
    expect(await readFile(join(output, 'sub/link'), 'utf8')).toBe('a\n')
    expect(await readlink(join(output, 'sub/link'))).toBe('../a.txt')
    expect(await failed(['get', root, '-o', output])).toContain(`${output} is there already: remove it`)
    const lone = join(output, 'a.txt')
    expect(await failed(['get', `${root}/sub/b.txt`, '-o', lone])).toContain('--force replaces it')
    const forced = await done(['get', `${root}/sub/b.txt`, '-o', lone, '--force', '--json'])
    expect(JSON.parse(forced.stdout)).toEqual({ path: lone, files: 1, bytes: 2 })
    expect(await readFile(lone, 'utf8')).toBe('b\n')
  })

  function archiveOf(name: string): Buffer {
    const header = Buffer.alloc(512)
    header.write(name)
    header.write('0000644', 100)
    header.write('00000000005', 124)
    header.write('0', 156)
    header.write('        ', 148)
    header.write(
      header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0'),
      148,
    )
    const content = Buffer.alloc(512)
    content.write('evil\n')
    return Buffer.concat([header, content, Buffer.alloc(1024)])
  }

  it.each(['../evil', '/evil', 'r/../../evil', 'r/..\\evil'])('refuses an archive with %s in it', async (name) => {
    const { url } = await serveHttp((request, response) => {
      request.resume()
      response.end(archiveOf(name))
    })
    const at = await folder()
    const args = ['get', helloCid, '--verify', 'off', '-o', join(at, 'out')]
    expect(await failed(args, { env: { WAYLEAVE_IPFS_URL: url } })).toContain('not safe to write')
    expect(await readdir(at)).toEqual([])
  })

  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('leaves nothing where %s stops it in the middle', async (signal, expected) => {
    let running: EventEmitter | undefined
    const at = await folder()
    const { url } = await serveHttp(async (request, response) => {
      request.resume()
      response.write(archiveOf('x').subarray(0, 514))
      await within(40_000, async () => (await readdir(at)).length > 0)
      running!.emit(signal, signal)
    })
    const args = ['get', helloCid, '--verify', 'off', '-o', join(at, 'out')]
    const host = { env: { WAYLEAVE_IPFS_URL: url }, onProcess: (process: EventEmitter) => (running = process) }
    const { code, stdout, stderr } = await runIpfs(args, host)
    expect({ code, stdout, stderr }).toEqual({ code: expected, stdout: '', stderr: '' })
    expect(await readdir(at)).toEqual([])
  })
})

describe('wayleave ipfs ls', () => {
  it('lists the entries of a directory, verified', async () => {
    const root = (await done(['add', '-rQ', await site()])).stdout.trimEnd()
    const linkCid = (await done(['ls', `${root}/sub`])).stdout.split('\n')[1]!.split('\t')[0]
    const bCid = 'QmR9pC5uCF3UExca8RSrCVL8eKv7nHMpATzbEQkAHpXmVM'
    expect((await done(['ls', `${root}/sub`, '--verify=proven'])).stdout).toBe(`${bCid}\tb.txt\n${linkCid}\tlink\n`)
    const { stdout } = await done(['ls', `/ipfs/${root}/sub`, '--json'])
    expect(JSON.parse(stdout.split('\n')[0]!)).toEqual({ cid: bCid, name: 'b.txt', verification: 'proven' })
    expect((await done(['ls', `${root}/sub`, '--verify=off'])).stdout).toBe(`${bCid}\tb.txt\n${linkCid}\tlink\n`)
    expect(await failed(['ls', `${root}/none`])).toMatch(/^wayleave ipfs ls: .*none/)
    await expect(runIpfs(['ls'], { env })).rejects.toThrow('expected one CID or CID/PATH')
  })
})

describe('wayleave ipfs pin', () => {
  it('lists blocks below pins if they are asked for', async () => {
    const root = (await done(['add', '-rQ', await site()])).stdout.trimEnd()
    const below = `QmR9pC5uCF3UExca8RSrCVL8eKv7nHMpATzbEQkAHpXmVM`
    expect((await done(['pin', 'ls'])).stdout).not.toContain('indirect')
    expect((await done(['pin', 'ls', '--type=indirect'])).stdout).toContain(`${below}\tindirect`)
    expect((await done(['pin', 'ls', below])).stdout).toContain(`${below}\tindirect through ${root}`)
    await done(['pin', 'rm', root])
  })

  it('pins, lists and unpins, by its own lines or by JSON', async () => {
    const root = (await done(['add', '-rQ', '--pin=false', await site()])).stdout.trim()
    expect((await done(['pin', 'add', root, '--name', 'the site'])).stdout).toBe(`pinned ${root}\n`)
    expect((await done(['pin', 'ls', '--type', 'recursive'])).stdout).toContain(`${root}\trecursive\tthe site\n`)
    const listed = await done(['pin', 'ls', root, '--json'])
    expect(JSON.parse(listed.stdout)).toEqual({ cid: root, type: 'recursive', name: 'the site' })
    const table = (await done(['pin', 'ls', root], { isTerminal: true })).stdout
    expect(table).toMatch(/CID +type +name/)
    expect(table).toContain(`${root.padEnd(59)}  recursive  the site\n`)
    expect(table).toContain('1 in all')
    expect((await done(['pin', 'rm', root])).stdout).toBe(`unpinned ${root}\n`)
    expect(await failed(['pin', 'rm', root])).toContain('not pinned')
    expect(await failed(['pin', 'rm', root, helloCid])).toContain(`pin rm: ${root}: `)
    expect((await done(['pin', 'add', root, '--recursive=false', '--json'])).stdout).toBe(
      `{"cid":"${root}","type":"direct"}\n`,
    )
    await done(['pin', 'rm', root])
  })
})

describe('wayleave ipfs, where it fails,', () => {
  it('says in one line that the secret is wrong, and does not repeat it', async () => {
    const wrong = { env: { ...env, WAYLEAVE_API_KEY_SECRET: 'not-the-secret' } }
    const line = await failed(['add', await file('hello.txt', 'hello\n')], wrong)
    expect(line).toMatch(/^wayleave ipfs add: HTTP 401: .*--api-key, and \$WAYLEAVE_API_KEY_SECRET/)
    expect(line).not.toContain('not-the-secret')
    const { code, stdout, stderr } = await runIpfs(['pin', 'ls', '--json'], wrong)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'http_status', message: expect.stringContaining('401') as string },
    })
    // Flags go before the environment.
    await done(['pin', 'ls', '--api-key-secret', secret], wrong)
  })

  it('sends the key of the environment to no URL that has credentials of its own', async () => {
    const seen: unknown[] = []
    const { url } = await serveHttp((request, response) => {
      seen.push(request.headers.authorization)
      request.resume()
      response.end('{"Keys":{}}')
    })
    const own = url.replace('//', '//me:mine@')
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`
    await done(['pin', 'ls', '--type=recursive'], { env: { ...env, WAYLEAVE_IPFS_URL: own } })
    await done(['pin', 'ls', '--type=recursive', '--ipfs-url', own])
    await done(['pin', 'ls', '--type=recursive', '--ipfs-url', own, '--api-key', 'a', '--api-key-secret', 'b'])
    await done(['pin', 'ls', '--type=recursive', '--ipfs-url', url])
    await done(['pin', 'ls', '--type=recursive', '--ipfs-url', url], {
      env: { WAYLEAVE_API_KEY: '', WAYLEAVE_API_KEY_SECRET: '' },
    })
    expect(seen).toEqual([basic('me:mine'), basic('me:mine'), basic('a:b'), basic(`${key}:${secret}`), undefined])
  })

  it('says what a CID is where none came', async () => {
    for (const args of [
      ['cat', 'QmWrong'],
      ['pin', 'add', 'QmWrong'],
    ])
      expect(await failed(args)).toMatch(
        /invalid path "QmWrong": path does not have enough components; a CID begins with Qm or b, as wayleave ipfs add prints it\n$/,
      )
  })

  it('asks whether a host that is not there is running', async () => {
    const { url, server } = await serveHttp(() => {})
    server.close()
    await once(server, 'close')
    const line = await failed(['cat', helloCid, '--ipfs-url', url])
    expect(line).toBe(
      `wayleave ipfs cat: nothing listens at ${url} (ECONNREFUSED); is \`wayleave dev\` running, and --ipfs-url right?\n`,
    )
  })

  it.each([
    [[], 'expected add, cat, get, ls, pin or verify'],
    [['ad'], 'expected add, cat, get, ls, pin or verify, got "ad"'],
    [['addd'], 'expected add, cat, get, ls, pin or verify, got "addd" (did you mean "add"?)'],
    [['--json', 'add'], 'expected add, cat, get, ls, pin or verify, got "--json"; flags go behind it'],
    [['add'], 'expected a FILE, or - for stdin'],
    [['add', '-', '-'], 'stdin (-) can be added once only'],
    [['add', 'x', '--profile', 'x'], '--profile: expected unixfs-v0-2015 or unixfs-v1-2025, got "x"'],
    [['add', 'x', '--cid-version', '2'], '--cid-version: expected 0 or 1, got "2"'],
    [
      ['add', 'x', '--verify', 'prove'],
      '--verify: expected off, consistent or proven, got "prove" (did you mean "proven"?)',
    ],
    [['add', 'x', '--timeout', '0'], '--timeout: expected seconds above 0, got "0"'],
    [['add', 'x', '--nothing'], "Unknown option '--nothing'"],
    [['cat'], 'expected one CID or CID/PATH'],
    [['cat', 'a', 'b'], 'expected one CID or CID/PATH'],
    [['cat', 'a', '--offset', '-1'], "Option '--offset' argument is ambiguous"],
    [['cat', 'a', '--length', '1k'], '--length: expected a whole number of bytes, got "1k"'],
    [['cat', 'a', '--ipfs-url', 'nowhere'], '--ipfs-url: expected an http or https URL'],
    [['cat', 'a', '--ipfs-url', 'localhost:5001'], 'expected an http or https URL; is it http://localhost:5001?'],
    [['get'], 'expected one CID or CID/PATH'],
    [['pin'], 'pin: expected add, rm or ls'],
    [['pin', 'list'], 'pin: expected add, rm or ls, got "list"'],
    [['pin', 'add'], 'pin add: expected a CID'],
    [['pin', 'rm'], 'pin rm: expected a CID'],
    [
      ['pin', 'ls', '--type', 'direkt'],
      '--type: expected direct, indirect, recursive or all, got "direkt" (did you mean "direct"?)',
    ],
  ])('says of %j what was expected', async (args, message) => {
    const thrown = await runIpfs(args).then(
      () => undefined,
      (error: unknown) => error as Error & { code?: string },
    )
    expect(thrown instanceof UsageError || thrown?.code?.startsWith('ERR_PARSE_ARGS_')).toBe(true)
    expect(thrown?.message).toContain(message)
  })

  it('refuses two of one name in one directory', async () => {
    const files = [await file('same', '1'), await file('same', '2')]
    await expect(runIpfs(['add', '-w', ...files], { env })).rejects.toThrow('-w: two of them are called "same"')
    expect((await done(['add', '-q', ...files])).stdout.split('\n')).toHaveLength(3)
  })
})

describe('wayleave ipfs --help', () => {
  it.each([
    [[], /COMMAND/],
    [['add'], /--wrap-with-directory/],
    [['cat'], /--offset N/],
    [['get'], /--output PATH/],
    [['pin', 'ls'], /--type TYPE/],
  ])('beside %j tells of that, and that the environment is the place of a secret', (args, form) => {
    const text = (ipfs.help as (args: readonly string[]) => string)(args)
    expect(text).toMatch(form)
    if (args.length > 0) expect(text).toMatch(/\$WAYLEAVE_API_KEY_SECRET, which is better/)
  })
})

describe('the command itself', () => {
  it('adds what is piped into it, and says of a wrong use where to read on', async () => {
    const piped = await runProcess(['ipfs', 'add', '-Q', '-'], env, 'hello\n')
    expect(piped).toEqual({ code: 0, stdout: `${helloCid}\n`, stderr: '' })
    const wrong = await runProcess(['ipfs', 'cat'], env)
    expect(wrong).toEqual({
      code: 2,
      stdout: '',
      stderr: 'wayleave ipfs: expected one CID or CID/PATH\nwayleave ipfs cat --help tells more.\n',
    })
  })

  it('ends without a word when who reads its output has left', async () => {
    const content = Readable.from([randomBytes(4 << 20)])
    const cid = (await done(['add', '-Q', '-'], { stdin: content })).stdout.trim()
    const { child, exited, stderr } = wayleave(['ipfs', 'cat', cid], env)
    await once(child.stdout!, 'data')
    child.stdout!.destroy()
    expect({ code: await exited, stderr: stderr() }).toEqual({ code: 0, stderr: '' })
  })
})
