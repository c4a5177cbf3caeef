import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { frame, key, startNode, startTestGateway } from '../support.ts'
import { idleProcess } from './idle-process.ts'

const deploy = fileURLToPath(new URL('../../../../deploy', import.meta.url))
const rules = join(deploy, 'prometheus/alerts.yaml')
const ruleTests = join(deploy, 'prometheus/alerts.test.yaml')

const promtool = 'promtool'
const hasPromtool = spawnSync(promtool, ['--version']).status === 0
const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0
const isOptional = process.env['REQUIRE_SERVICES'] === undefined

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const { groups } = parse(readFileSync(rules, 'utf8')) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[]
}
const alerts = groups.flatMap((group) => group.rules)

/** Has what Prometheus tells of its rules. */
interface Reported {
  readonly data: { readonly groups: readonly { readonly name: string; readonly rules: readonly unknown[] }[] }
}

interface Panel {
  readonly title: string
  readonly type: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const dashboard = JSON.parse(readFileSync(join(deploy, 'grafana/wayleave.json'), 'utf8')) as {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly query: unknown }[] }
}
const expressions = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ...dashboard.templating.list.flatMap(({ query }) =>
    typeof query === 'string' ? [] : [['a variable', (query as { readonly query: string }).query] as const],
  ),
]

/** Labels that a scrape or Prometheus adds. */
const added = ['job', 'instance', 'le']
const families = new Map(
  createMetrics({ process: idleProcess })
    .families()
    .map((family) => [family.name, family]),
)

/** Reads the selectors of an expression: a metric, and the labels that its braces name. */
function selectorsOf(expr: string): readonly (readonly [metric: string, labels: readonly string[]])[] {
  return [...expr.matchAll(/\b((?:wayleave|process|nodejs)_\w+)\b(?:\{([^}]*)\})?/g)].map(([, metric, braces = '']) => [
    metric!,
    [...braces.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
  ])
}

/** Finds the family of a metric, of a part of a histogram, too. */
function familyOf(metric: string) {
  return families.get(metric) ?? families.get(metric.replace(/_(?:bucket|sum|count)$/, ''))
}

describe('dashboard and alerts', () => {
  it('name metrics and labels that are there', () => {
    expect(expressions.length).toBeGreaterThan(60)
    for (const [where, expr] of expressions) {
      const selectors = selectorsOf(expr)
      const known = new Set(added)
      for (const [metric, labels] of selectors) {
        const family = familyOf(metric)
        expect(family, `${where}: ${metric}`).toBeDefined()
        const isPart = !families.has(metric)
        expect(isPart ? family!.type : 'histogram', `${where}: ${metric}`).toBe('histogram')
        for (const label of labels) expect([...family!.labels, ...added], `${where}: ${metric}`).toContain(label)
        for (const label of family!.labels) known.add(label)
      }
      for (const [, list] of expr.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)) {
        for (const label of list!.split(',')) expect([...known], `${where}: by ${label}`).toContain(label.trim())
      }
    }
  })

  it('name them as a gateway prints them, each with its type', async () => {
    const node = await startNode(async () => ({ result: rawJsonFromValue('0x1') }))
    onTestFinished(() => node.close())
    const gateway = await startTestGateway([node.url])
    onTestFinished(() => gateway.close(0))
    const ask = await fetch(`${gateway.rpc}/v3/${key}`, { method: 'POST', body: frame('eth_chainId') })
    await ask.arrayBuffer()
    const text = await (await fetch(`${gateway.admin}/metrics`)).text()
    const printed = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]))
    expect(printed).toEqual(new Map([...families.values()].map(({ name, type }) => [name, type])))
    for (const [, name, braces = ''] of text.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? \S+$/gm)) {
      const labels = [...braces.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => label!)
      expect(
        labels.filter((label) => label !== 'le'),
        name,
      ).toEqual(familyOf(name!)!.labels)
    }
    for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_heap_size_used_bytes']) {
      expect(Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]), name).toBeGreaterThan(0)
    }
    if (hasPromtool) execFileSync(promtool, ['check', 'metrics'], { input: text })
  })

  it('of the registry, every family that is of use at night stands in one of them', () => {
    const named = new Set(
      expressions.flatMap(([, expr]) => selectorsOf(expr).map(([metric]) => familyOf(metric)!.name)),
    )
    // Parts of others, and facts that no graph shows.
    const unshown = [
      'wayleave_answer_seconds',
      'wayleave_rejected_calls_total',
      'wayleave_cache_served_bytes_total',
      'process_cpu_user_seconds_total',
      'process_cpu_system_seconds_total',
      'nodejs_eventloop_lag_p50_seconds',
      'nodejs_eventloop_lag_max_seconds',
      'nodejs_heap_size_total_bytes',
      'nodejs_version_info',
    ]
    expect([...families.keys()].filter((name) => !named.has(name))).toEqual(unshown)
  })

  it('have an alert for each part that can be degraded; networks have their own', () => {
    const reported = /\((.*), network:<slug>\)/.exec(families.get('wayleave_degraded')!.help)![1]!.split(', ')
    const { expr } = alerts.find(({ alert }) => alert === 'WayleaveDegraded')!
    expect(/what=~"([^"]*)"/.exec(expr)![1]!.split('|')).toEqual(reported)
  })

  it('a legend names labels that its query keeps', () => {
    for (const { title, targets = [] } of dashboard.panels) {
      for (const { expr, legendFormat } of targets) {
        const kept = [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list]) =>
          list!.split(',').map((label) => label.trim()),
        )
        for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
          expect(expr.includes(' by (') ? kept : added, `${title}: ${legendFormat}`).toContain(label)
        }
      }
    }
  })
})

describe('each alert', () => {
  it.each(alerts.map((rule) => [rule.alert, rule] as const))(
    '%s has a severity, a summary and a runbook',
    (_name, rule) => {
      expect(['page', 'ticket']).toContain(rule.labels['severity'])
      expect(rule.annotations['summary']!.length).toBeGreaterThan(20)
      expect(rule.annotations['runbook']!.length).toBeGreaterThan(60)
    },
  )

  it('has a test in which it fires', () => {
    const tests = readFileSync(ruleTests, 'utf8')
    for (const { alert } of alerts) expect(tests, alert).toContain(`alertname="${alert}"`)
  })

  it.skipIf(!hasPromtool && isOptional)(
    'fires for its cause and is silent otherwise, by promtool',
    { timeout: 120_000 },
    () => {
      const cwd = dirname(ruleTests)
      expect(execFileSync(promtool, ['check', 'rules', rules], { cwd, encoding: 'utf8' })).toContain(
        `SUCCESS: ${alerts.length} rules found`,
      )
      expect(execFileSync(promtool, ['test', 'rules', ruleTests], { cwd, encoding: 'utf8' })).toContain('SUCCESS')
    },
  )
})

describe('prometheus.yaml', () => {
  const config = join(deploy, 'prometheus/prometheus.yaml')

  // The folder is mounted as it is, so what is beside the rules, such as their tests, is there, too.
  it.skipIf(!hasPrometheus && isOptional)(
    'starts a Prometheus that is ready and has all rules',
    { timeout: 60_000 },
    async () => {
      const data = await mkdtemp(join(tmpdir(), 'wayleave-prometheus-'))
      onTestFinished(() => rm(data, { recursive: true, force: true }))
      const flags = [`--config.file=${config}`, `--storage.tsdb.path=${data}`, '--web.listen-address=127.0.0.1:0']
      const server = spawn('prometheus', flags, { stdio: ['ignore', 'ignore', 'pipe'] })
      onTestFinished(async () => {
        if (server.exitCode === null && server.kill()) await once(server, 'exit')
      })
      let log = ''
      const ready = Promise.withResolvers<void>()
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text
        if (log.includes('Server is ready') && log.includes('Listening on')) ready.resolve()
      })
      server.on('exit', () => ready.reject(new Error(`Prometheus ended: ${log}`)))
      await ready.promise
      const [, address] = /msg="?Listening on"? address=(\S+)/.exec(log)!
      expect((await fetch(`http://${address}/-/ready`)).status).toBe(200)
      const reported = ((await (await fetch(`http://${address}/api/v1/rules`)).json()) as Reported).data.groups
      const sizes = (of: typeof reported) => Object.fromEntries(of.map((group) => [group.name, group.rules.length]))
      expect(sizes(reported)).toEqual(sizes(groups))
    },
  )

  it.skipIf(!hasPromtool && isOptional)('is valid with its rules, by promtool', async () => {
    const data = await mkdtemp(join(tmpdir(), 'wayleave-prometheus-'))
    onTestFinished(() => rm(data, { recursive: true, force: true }))
    await writeFile(join(data, 'token'), 'token')
    const copy = readFileSync(config, 'utf8')
      .replace('/run/secrets/metrics_token', join(data, 'token'))
      .replace('alerts.yaml', rules)
    await writeFile(join(data, 'prometheus.yaml'), copy)
    const said = execFileSync(promtool, ['check', 'config', join(data, 'prometheus.yaml')], { encoding: 'utf8' })
    expect(said).toContain(`SUCCESS: ${alerts.length} rules found`)
  })
})
