import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'

/** The state of the machine over a span. */
export interface MachineState {
  readonly cores: number
  /** The load average of a minute, at the end. */
  readonly load: number
  /** The part of the cores' time that a hypervisor took; undefined where the system does not tell. */
  readonly stolen: number | undefined
}

/** Watches the machine from now on; the function returned tells its state since. */
export function watchMachine(): () => MachineState {
  const before = coreTicks()
  return () => {
    const after = coreTicks()
    const stolen =
      before === undefined || after === undefined ? undefined : (after.steal - before.steal) / (after.all - before.all)
    return { cores: cpus().length, load: loadavg()[0]!, stolen }
  }
}

function coreTicks(): { readonly steal: number; readonly all: number } | undefined {
  try {
    const ticks = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]!.split(/\s+/).slice(1, 9).map(Number)
    return { steal: ticks[7]!, all: ticks.reduce((sum, each) => sum + each, 0) }
  } catch {
    // Only Linux has it.
    return undefined
  }
}
