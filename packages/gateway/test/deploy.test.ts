// Holds deploy/ to the gateway, without the programs of its formats: `node tooling/deploy/check.mjs` tries it with those.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog, inspectConfig, startGateway, defaultListen } from '@wayleave/gateway'
import { Ajv } from 'ajv'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { shutdownOf } from '../src/config/shutdown-config.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const text = (path: string): string => readFileSync(join(root, path), 'utf8')
const withRedis = shutdownOf({ redis: 'redis://redis' })
/** The longest end of a gateway with Redis, in seconds: its sockets are closed within five. */
const longestEnd = (withRedis.delayMs + withRedis.graceMs) / 1_000 + 5

interface Service {
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly healthcheck?: object
  readonly stop_grace_period?: string
  readonly deploy: { readonly resources: { readonly limits: { readonly memory?: string } } }
}

describe('compose.yaml', () => {
  const { services, secrets } = parse(text('deploy/compose/compose.yaml'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
    readonly secrets: Readonly<Record<string, { readonly file: string }>>
  }
  const config = text('deploy/compose/wayleave.config.yaml')

  it('bounds the memory of each service and knows whether it is well', () => {
    expect(Object.keys(services)).toEqual(['gateway', 'postgres', 'redis', 'kubo', 'prometheus', 'grafana'])
    for (const [name, { deploy, healthcheck }] of Object.entries(services)) {
      expect(deploy.resources.limits.memory, name).toMatch(/^\d+[MG]$/)
      // That of the gateway is in its image.
      expect(healthcheck !== undefined, name).toBe(name !== 'gateway')
    }
    expect(text('deploy/docker/Dockerfile')).toContain('HEALTHCHECK')
  })

  it('has the Kubo that the interop suites test, at the port by which other nodes get content', () => {
    const [, version] = /kubo@(v[\d.]+)/.exec(text('tooling/conformance/src/peers/kubo.ts'))!
    expect(services['kubo']).toMatchObject({ image: `ipfs/kubo:${version}`, ports: ['4001:4001/tcp', '4001:4001/udp'] })
  })

  it('waits longer for the end of the gateway than that takes', () => {
    expect(Number.parseInt(services['gateway']!.stop_grace_period!)).toBeGreaterThan(longestEnd)
  })

  it('mounts only what is there', () => {
    const sources = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((each) => each.split(':')[0]!))
    const missing = sources.filter(
      (source) => source.startsWith('.') && !existsSync(join(root, 'deploy/compose', source)),
    )
    expect(missing).toEqual([])
  })

  it('has a configuration that the gateway takes, with the secrets of make-secrets.sh, each of them given to it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wayleave-compose-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    await cp(join(root, 'deploy/compose/make-secrets.sh'), join(folder, 'make-secrets.sh'))
    const make = (): string => execFileSync(join(folder, 'make-secrets.sh'), { encoding: 'utf8' })
    make()
    const token = await readFile(join(folder, 'secrets/metrics_token'), 'utf8')
    for (const { file } of Object.values(secrets)) expect(existsSync(join(folder, file)), file).toBe(true)
    // A second run keeps them.
    make()
    expect(await readFile(join(folder, 'secrets/metrics_token'), 'utf8')).toBe(token)
    const asked = [...config.matchAll(/\$\{file:\/run\/secrets\/(\w+)\}/g)].map(([, name]) => name!)
    expect(services['gateway']!.secrets!.toSorted()).toEqual([...new Set(asked)].toSorted())
    const file = join(folder, 'wayleave.config.yaml')
    await writeFile(file, config.replaceAll('/run/secrets/', `${folder}/secrets/`))
    const { problems, warnings, config: checked } = await inspectConfig(file, {})
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [expect.objectContaining({})] })

    const gateway = await startGateway(
      {
        listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
        networks: checked!.networks,
        admin: checked!.admin!,
      },
      { log: createLog({ level: 'silent' }) },
    )
    onTestFinished(() => gateway.close())
    const target = parse(text('deploy/prometheus/prometheus.yaml')).scrape_configs[0].static_configs[0].targets[0]
    expect(await statusOf(`${gateway.admin}/metrics`, { host: target, authorization: `Bearer ${token}` })).toBe(200)
    expect(await statusOf(`${gateway.admin}/metrics`, { host: target })).toBe(401)
    for (const [path] of probes) expect(await statusOf(gateway.admin + path), path).not.toBe(404)
  })
})

it('serve has each flag that it is started with, workers among them', () => {
  const source = text('apps/cli/src/commands/serve.ts')
  const starts = {
    compose: /^ +command: \[(serve.*)\]$/m.exec(text('deploy/compose/compose.yaml')),
    chart: /args: \[(serve.*)\]$/m.exec(deployment),
    unit: /^ExecStart=\/usr\/bin\/env wayleave (serve .*)$/m.exec(text('deploy/systemd/wayleave.service')),
    image: /^CMD \[("serve".*)\]$/m.exec(text('deploy/docker/Dockerfile')),
  }
  for (const [name, found] of Object.entries(starts)) {
    const flags = [...found![1]!.matchAll(/--([a-z-]+)/g)].map(([, flag]) => flag!)
    for (const flag of flags) expect(source, `${name} --${flag}`).toMatch(new RegExp(`^ +'?${flag}'?: \\{ type: `, 'm'))
    if (name !== 'image') expect(flags, name).toContain('workers')
  }
})

const deployment = text('deploy/helm/wayleave/templates/deployment.yaml')
const probes = [...deployment.matchAll(/httpGet: \{ path: (\S+), port: (\w+) \}/g)].map(
  ([, path, port]) => [path!, port!] as const,
)

describe('the chart', () => {
  const values = parse(text('deploy/helm/wayleave/values.yaml'))
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(text('deploy/helm/wayleave/values.schema.json')),
  )

  it('has values that its schema takes, and a schema that knows each of them', () => {
    expect(validate(values) || validate.errors).toBe(true)
    expect(validate({ ...values, replicas: 2 })).toBe(false)
    expect(validate({ ...values, config: { ...values.config, listen: {} } })).toBe(false)
    expect(validate({ ...values, shutdown: { ...values.shutdown, drain: '12' } })).toBe(false)
    expect(validate({ ...values, tlsSecrets: 'a' })).toBe(false)
    for (const admin of [{}, { hosts: ['a'] }, { tokens: [] }, undefined])
      expect(validate({ ...values, config: { ...values.config, admin } })).toBe(false)
  })

  it('refuses content of IPFS in the volumes of its pods, which end with them, and takes a Kubo', () => {
    const withIpfs = (ipfs: object) => ({ ...values, config: { ...values.config, ipfs } })
    expect(validate(withIpfs({ backend: 'kubo', url: 'http://kubo:5001' }))).toBe(true)
    for (const ipfs of [{ backend: 'local' }, { dir: '/data/ipfs' }]) expect(validate(withIpfs(ipfs))).toBe(false)
  })

  it('takes workers, log and tracing as the gateway does', () => {
    for (const workers of [1, 64, 'auto']) expect(validate({ ...values, workers })).toBe(true)
    for (const workers of [0, 65, 1.5, '2', 'all']) expect(validate({ ...values, workers })).toBe(false)
    const { properties } = JSON.parse(text('deploy/helm/wayleave/values.schema.json'))
    const own = JSON.parse(text('packages/gateway/config.schema.json')).properties
    for (const name of ['log', 'tracing']) expect(properties.config.properties[name], name).toEqual(own[name])
  })

  it('asks for health at the admin listener, which closes last', () => {
    expect(probes).toEqual([
      ['/healthz', 'admin'],
      ['/healthz', 'admin'],
      ['/readyz', 'admin'],
    ])
  })

  it('gives a pod more time to end than its steps take', () => {
    const { preStop, drain, finish, terminationGrace } = values.shutdown
    expect(terminationGrace).toBeGreaterThan(preStop + drain + finish + 5)
    expect({ drain, finish }).toEqual({ drain: withRedis.delayMs / 1_000, finish: withRedis.graceMs / 1_000 })
  })

  it('never has fewer pods than asked for while it changes them', () => {
    expect(deployment).toContain('maxUnavailable: 0')
    expect(deployment).toContain('readOnlyRootFilesystem: true')
  })
})

describe('the unit', () => {
  const unit = text('deploy/systemd/wayleave.service')

  it('hears of the start, reloads by a signal, and waits longer for the end than that takes', () => {
    expect(unit).toMatch(/^Type=notify$/m)
    expect(unit).toMatch(/^NotifyAccess=all$/m)
    expect(unit).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m)
    expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(unit)![1])).toBeGreaterThan(longestEnd)
  })

  it('starts it again without end while it exits 1, and leaves it where it exits 2 for a fault of its configuration', () => {
    expect(/\[Unit\]\n([^[]*)/.exec(unit)![1]).toMatch(/^StartLimitIntervalSec=0$/m)
    expect(unit).toMatch(/^Restart=on-failure$/m)
    expect(unit).toMatch(/^RestartPreventExitStatus=2$/m)
  })

  it('is passed a socket at the usual address, by a name that the program knows, and does not begin again', () => {
    const socket = text('deploy/systemd/wayleave.socket')
    expect(/^ListenStream=(.*)$/m.exec(socket)![1]).toBe(defaultListen.rpc)
    expect(socket).toMatch(/^FileDescriptorName=rpc$/m)
    expect(unit).toMatch(
      /^Environment=MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 NODE_OPTIONS=--max-semi-space-size=16$/m,
    )
  })
})

describe('the image', () => {
  const dockerfile = text('deploy/docker/Dockerfile')
  const { packageManager } = JSON.parse(text('package.json')) as { readonly packageManager: string }

  it('is built by the versions that the repository names', () => {
    expect(dockerfile).toContain(packageManager.split('+')[0]!)
    const [, major] = /^nodeVersion: (\d+)/m.exec(text('pnpm-workspace.yaml'))!
    expect([...dockerfile.matchAll(/(?:node:|nodejs)(\d+)/g)].map(([, version]) => version)).toEqual([major, major])
  })

  it('runs as nobody in particular, and writes to /data alone', () => {
    expect(dockerfile).toMatch(/^USER 65532:65532$/m)
    expect(dockerfile).toMatch(/^VOLUME \/data$/m)
  })

  it('asks for health by a program that is in it', () => {
    const [, name] = /"\/app\/node_modules\/@wayleave\/proxy\/(.*?)", "--health"/.exec(dockerfile)!
    expect(existsSync(join(root, 'apps/proxy', name!))).toBe(true)
  })

  const kept = text('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1))
  const isKept = (file: string): boolean =>
    kept.some((pattern) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`))

  it('is built from the sources of all that it needs', () => {
    const needed = globSync('{apps,packages}/*/{package.json,tsconfig.json,src/index.ts,assets/*}', { cwd: root })
    expect(needed.length).toBeGreaterThan(30)
    expect(needed.filter((file) => !isKept(file))).toEqual([])
    expect(isKept('deploy/compose/secrets/api_key')).toBe(false)
  })

  it('has what its steps run', () => {
    const steps = dockerfile
      .replaceAll('\\\n', '')
      .match(/^RUN .*$/gm)!
      .join('\n')
    const scripts = Array.from(steps.matchAll(/\bnode (\S+)/g), ([, script]) => script!)
    const projects = Array.from(steps.matchAll(/\btsc -b (\S+)/g), ([, folder]) => `${folder!}/tsconfig.json`)
    expect(scripts.length).toBeGreaterThan(0)
    expect(projects.length).toBeGreaterThan(0)
    expect([...scripts, ...projects].filter((file) => !isKept(file) || !existsSync(join(root, file)))).toEqual([])
  })
})

function statusOf(url: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode!)
    })
    asked.on('error', reject).end()
  })
}
