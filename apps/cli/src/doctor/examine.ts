import type { CommandIo } from '../command.ts'
import { defaultConfig } from '../config/default-config.ts'
import { ownVersion } from '../own-version.ts'
import { checkFiles } from './check-files.ts'
import { checkListeners } from './check-listeners.ts'
import { checkNetwork } from './check-network.ts'
import { checkStores } from './check-store.ts'
import { checkLimits, checkVersions, readSystem } from './check-system.ts'
import { type DoctorSubject, subjectOfFile, subjectOfUpstreams } from './doctor-subject.ts'
import type { Check, Finding } from './finding.ts'
import { type RunOptions, runChecks } from './run-checks.ts'

/** The things to examine: a configuration file, by default that of the current folder, or nodes by their URLs. */
export type ExaminedPlace = { readonly file: string | undefined } | { readonly upstreams: readonly string[] }

/** Runs all checks on a place. Resolves with all findings. @throws UsageError where the current folder has no configuration */
export async function examine(
  place: ExaminedPlace,
  io: CommandIo,
  options: RunOptions = {},
): Promise<readonly Finding[]> {
  const subject =
    'upstreams' in place
      ? await subjectOfUpstreams(place.upstreams)
      : await subjectOfFile(place.file ?? (await defaultConfig()), io)
  return [...subject.findings, ...(await runChecks(checksOf(subject), options))]
}

function checksOf({ config, listeners, file }: DoctorSubject): readonly Check[] {
  const facts = readSystem(ownVersion())
  if (config === undefined || listeners === undefined) return [checkVersions(facts)]
  return [
    checkListeners(listeners),
    ...Object.entries(config.networks).map(([slug, network]) => checkNetwork(slug, network)),
    ...checkStores(config),
    checkFiles(config, file),
    checkLimits(config, facts),
    checkVersions(facts),
  ]
}
