import type { SelectionOptions } from '@wayleave/upstream'
import { errorClass, type Log } from '@wayleave/telemetry'

const texts = {
  threw: 'the policy has thrown; the default one decides',
  no_list: 'the policy returned no list; the default one decides',
  empty: 'the policy leaves no upstream; the default one decides',
  stranger: 'the policy returned what may not be asked; it is dropped',
  double: 'the policy returned an upstream twice; it is asked once',
} as const

/** Tells the log of the faults of an operator's policy. */
export function policyFaults(network: string, log: Log): NonNullable<SelectionOptions['onPolicyFault']> {
  return (fault, err) => {
    const fields = err === undefined ? { network } : { network, err }
    log.repeats.warn(['policy', network, fault, errorClass(err)], fields, texts[fault])
  }
}
