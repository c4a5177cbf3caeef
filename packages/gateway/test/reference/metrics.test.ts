import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { idleProcess } from './idle-process.ts'

const families = createMetrics({ process: idleProcess }).families()

it('docs/metrics.md tells every metric with its type, labels and meaning; vitest -u writes it', async () => {
  const sum = { sum: 'their sum', max: 'the greatest', min: 'the least' } as const
  const rows = families.map(({ name, type, labels, help, across }) => {
    const reported = labels.length === 0 ? '' : labels.map((label) => `\`${label}\``).join(', ')
    return `| \`${name}\` | ${type} | ${reported} | ${help.replaceAll('|', String.raw`\|`)} | ${sum[across]} |`
  })
  const text = `# Metrics

All that \`GET /metrics\` of the admin listener tells, in the text format of Prometheus. Times are seconds. A histogram has \`_bucket\`,
\`_sum\` and \`_count\`. The last column says what stands for several processes. This page is made from the registry; its test compares.

Dashboards are in [deploy/grafana](../deploy/grafana), alert rules in [deploy/prometheus](../deploy/prometheus).

| metric | type | labels | meaning | of several processes |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
  await expect(text).toMatchFileSnapshot('../../../../docs/metrics.md')
})

it('each metric has a name of the conventions of Prometheus, and a sentence', () => {
  expect(new Set(families.map(({ name }) => name)).size).toBe(families.length)
  for (const { name, type, labels, help } of families) {
    expect(name).toMatch(/^(?:wayleave|process|nodejs)_[a-z0-9_]+$/)
    expect(name.endsWith('_total'), name).toBe(type === 'counter')
    expect(help.length, name).toBeGreaterThan(15)
    for (const label of labels) expect(label, name).toMatch(/^[a-z]+$/)
  }
})

it('the operator’s manual names no metric that is not there', () => {
  const docs = new URL('../../../../docs/', import.meta.url)
  const pages = globSync('*.md', { cwd: docs }).filter((file) => file !== 'metrics.md' && !/\d{4}-\d\d-\d\d/.test(file))
  const text = pages.map((file) => readFileSync(new URL(file, docs), 'utf8')).join('\n')
  const named = [...text.matchAll(/`(wayleave_[a-z_]+)/g)].map(([, name]) => name!)
  expect(named.length).toBeGreaterThan(5)
  const known = new Set(families.map(({ name }) => name))
  expect(named.filter((name) => !known.has(name))).toEqual([])
})
