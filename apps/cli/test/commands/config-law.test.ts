import { expect, it } from 'vitest'
// @boundaries-ignore The same settings as the gateway's own tests try.
import { configWith, weakenedSettings } from '../../../../packages/gateway/test/config/weakened-settings.ts'
import type { Finding } from '../../src/doctor/finding.ts'
import { makeCertificate } from '../doctor/certificates.ts'
import { file, folder, readyOf, runWayleave, wayleave } from '../helpers.ts'

const env = { EMPTY: '', BLANK: ' \t' }

interface Problem {
  readonly path: string
  readonly expected: string
  readonly got: string
  readonly hint?: string
}

/** The findings of a configuration by each command: `place: expected …, got …`. */
interface Reported {
  readonly check: readonly string[]
  readonly serve: readonly string[]
  readonly doctor: readonly string[]
}

/** Has all three commands read a configuration. */
async function reportedBy(further: object): Promise<Reported> {
  const path = await file('wayleave.json', JSON.stringify(configWith(further)))
  const checked = await runWayleave(['config', 'check', path, '--json'], env)
  const { ok, problems, warnings } = JSON.parse(checked.stdout) as {
    readonly ok: boolean
    readonly problems: readonly Problem[]
    readonly warnings: readonly Problem[]
  }
  const found = [...problems, ...warnings]
  const check = found.map(({ path: place, expected, got }) => `${place}: expected ${expected}, got ${got}`)
  const lines = await servedLines(path, ok)
  const examined = await runWayleave(['doctor', '--config', path, '--json'], env)
  const { findings } = JSON.parse(examined.stdout) as { readonly findings: readonly Finding[] }
  const ofFile = findings.filter(({ level, subject }) => level !== 'ok' && subject.startsWith(path))
  // The lines of serve and doctor have the line of the file in front, and a hint behind.
  const withoutHint = (line: string): string =>
    found.reduce((text, { hint }) => (hint === undefined ? text : text.replace(`; ${hint}`, '')), line)
  return {
    check,
    serve: lines.map((line) => withoutHint(line.slice(path.length)).replace(/^(?::\d+:\d+)?: /, '')),
    doctor: ofFile.map(({ subject, text }) => `${subject.slice(path.length).replace(/^:\d+ /, '')}: ${text}`),
  }
}

/** The lines that `wayleave serve` prints or logs of a file, to its end or until it serves. */
async function servedLines(path: string, isServed: boolean): Promise<readonly string[]> {
  const args = ['serve', '--config', path, '--json']
  if (!isServed) return (await runWayleave(args, env)).stderr.trimEnd().split('\n')
  const serving = wayleave(args, env)
  await readyOf(serving)
  serving.child.kill('SIGTERM')
  await serving.exited
  const logged = serving.stderr().trimEnd().split('\n')
  return logged.flatMap((line) => (JSON.parse(line) as { readonly warnings?: readonly string[] }).warnings ?? [])
}

function isNear(place: string, line: string): boolean {
  const reported = line.slice(0, line.indexOf(': '))
  return reported.startsWith(place.replace(/\.[^.]*$/, '')) || place.startsWith(`${reported}.`)
}

it.each(weakenedSettings)(
  '%s is refused or told by config check, serve and doctor alike, misspelt and where a template renders nothing',
  { timeout: 60_000 },
  async (place, typo, empty) => {
    for (const weakened of [typo, empty]) {
      const { check, serve, doctor } = await reportedBy(weakened)
      expect(check.filter((line) => isNear(place, line))).not.toEqual([])
      expect({ serve, doctor }).toEqual({ serve: check, doctor: check })
    }
  },
)

it.each<[string, string, object, RegExp]>([
  ['has ended', '20250201000000Z', {}, /one that ended \d+ days ago$/],
  ['names another host', '20990101000000Z', { bareHosts: ['rpc.example.org'] }, /one without rpc\.example\.org$/],
])(
  'an own certificate that %s is told by config check, serve and doctor alike',
  { timeout: 60_000 },
  async (_what, end, further, words) => {
    const tls = makeCertificate(await folder(), end)
    const { check, serve, doctor } = await reportedBy({
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', tls },
      ...further,
    })
    expect(check).toEqual([expect.stringMatching(/^listen\.tls\.cert: /)])
    expect(check).toEqual([expect.stringMatching(words)])
    expect({ serve, doctor }).toEqual({ serve: check, doctor: check })
  },
)
