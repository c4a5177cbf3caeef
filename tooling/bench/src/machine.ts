import { cpus, loadavg, release, totalmem } from 'node:os'
import { nginxVersion } from './subjects/nginx.ts'

/** Describes what the numbers depend on besides the code, as name and value. To be asked before anything runs. */
export function describeMachine(): readonly (readonly [string, string])[] {
  const processors = cpus()
  return [
    ['CPU', `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}`],
    ['Memory', `${(totalmem() / 1e9).toFixed(0)} GB`],
    ['Kernel', `${process.platform} ${release()} ${process.arch}`],
    ['Load before', loadavg()[0]!.toFixed(2)],
    ['Node', process.version],
    ['nginx', nginxVersion() ?? 'not installed'],
  ]
}
