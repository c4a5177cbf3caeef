// Runs the steps of deploy/docker/Dockerfile without an engine: those of its first stage in a new folder with what .dockerignore lets in,
// then what the second one copies in a root of its own, read-only, as another user.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join, matchesGlob } from 'node:path'
import { createInterface } from 'node:readline'

/** Resolves with a line that tells of the image, @throws Error where a step fails. */
export async function tryImage(root, folder, run) {
  const dockerfile = await readFile(join(root, 'deploy/docker/Dockerfile'), 'utf8')
  const source = join(folder, 'src')
  for (const file of await copied(root, run)) {
    await mkdir(dirname(join(source, file)), { recursive: true })
    await cp(join(root, file), join(source, file))
  }
  const steps = [...dockerfile.replaceAll('\\\n', '').matchAll(/^RUN (.*)$/gm)].map(([, step]) => step)
  if (steps.length !== 3) throw new Error(`expected three RUN steps, got ${steps.length}`)
  const image = join(folder, 'root')
  await mkdir(image)
  for (const step of steps) {
    const here = step.replaceAll(' /out', ` ${image}/app`).replaceAll('/data', `${image}/data`)
    await run('bash', '-c', `cd ${source} && ${here}`)
  }
  const megabytes = Math.round(Number((await run('du', '-sk', join(image, 'app'))).split('\t')[0]) / 1024)

  // What the base image has of it: Node, its libraries, and a user.
  const node = await realpath(process.execPath)
  for (const at of ['nodejs/bin', 'etc/wayleave', 'proc', 'dev', 'tmp'])
    await mkdir(join(image, at), { recursive: true })
  await cp(node, join(image, 'nodejs/bin/node'))
  for (const [, library] of (await run('ldd', node)).matchAll(/(\/\S+) \(0x/g)) {
    await mkdir(dirname(join(image, library)), { recursive: true })
    await cp(library, join(image, library), { dereference: true })
  }
  await run('chown', '-R', '65532:65532', join(image, 'data'))
  const upstream = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += part))
    request.on('end', () => {
      const { id, method } = JSON.parse(body)
      const block = {
        number: '0x1',
        hash: `0x${'ab'.repeat(32)}`,
        parentHash: `0x${'cd'.repeat(32)}`,
        timestamp: '0x1',
      }
      const result = method === 'eth_getBlockByNumber' ? block : '0x1'
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    dataDir: '/data',
    networks: { main: { kind: 'evm', chainId: 1, upstreams: [`http://127.0.0.1:${upstream.address().port}`] } },
    projects: [{ name: 'check', keys: [{ key: 'a-key-of-the-check' }] }],
  }
  await writeFile(join(image, 'etc/wayleave/wayleave.config.yaml'), JSON.stringify(config))
  await chmod(join(image, 'etc/wayleave/wayleave.config.yaml'), 0o644)
  const env = dockerfile.match(/^ENV (.*)$/m)[1].split(' ')
  const command = ['ENTRYPOINT', 'CMD'].flatMap((word) =>
    JSON.parse(dockerfile.match(new RegExp(`^${word} (.*)$`, 'm'))[1]),
  )
  const mounts = [
    `mount --bind ${image} ${image}`,
    `mount -t proc proc ${image}/proc`,
    `mount --bind /dev ${image}/dev`,
    `mount --bind ${image}/data ${image}/data`,
    `mount -o remount,bind,ro ${image}`,
  ]
  const inside = (...args) =>
    `env -i ${env.join(' ')} $(command -v chroot) --userspec=65532:65532 ${image} ${args.join(' ')}`
  const script = `${mounts.join(' && ')} && cd / && exec ${inside(...command, '--json')}`
  const child = spawn('unshare', ['--mount', 'bash', '-c', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  child.stderr.on('data', (text) => (log += text))
  const exited = once(child, 'exit')
  const first = await Promise.race([once(createInterface(child.stdout), 'line'), exited.then(() => undefined)])
  if (first === undefined) throw new Error(`it did not start: ${log}`)
  try {
    const { rpc, admin } = JSON.parse(first[0])
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
    const answer = await (await fetch(`${rpc}/v3/a-key-of-the-check`, { method: 'POST', body })).text()
    if (answer !== '{"jsonrpc":"2.0","id":1,"result":"0x1"}') throw new Error(`expected an answer, got ${answer}`)
    const health = JSON.parse(dockerfile.match(/^ {2}CMD (\[.*wayleave-proxy.*\])$/m)[1])
    await run('bash', '-c', inside(...health, admin))
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
    if (!/^Uid:\s+65532\s+65532/m.test(status)) throw new Error(`expected the user 65532: ${status}`)
    await run('test', '-e', join(image, 'data/wayleave.sqlite'))
    const resident = Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)[1]) / 1024)
    child.kill('SIGTERM')
    const [code] = await exited
    if (code !== 0) throw new Error(`expected an end in order, got ${code}: ${log}`)
    return `${megabytes} MB beside Node; started as 65532 with a read-only root, answered, healthy, ${resident} MB resident`
  } finally {
    child.kill('SIGKILL')
    upstream.close()
    upstream.closeAllConnections()
  }
}

/** The files that .dockerignore lets in, of those that git has. */
async function copied(root, run) {
  const lines = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n').filter((line) => line.startsWith('!'))
  const kept = lines.map((line) => line.slice(1))
  const files = (await run('git', '-C', root, 'ls-files')).trim().split('\n')
  return files.filter((file) =>
    kept.some((pattern) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`)),
  )
}
