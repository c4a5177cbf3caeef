import type { GasAnswer } from '@wayleave/gas-fees'

/** An answer that came whole. */
export interface GasError extends GasAnswer {
  readonly body: string
}

/** A refusal as the gas API shapes it. */
export function gasError(status: number, message: string, headers: GasAnswer['headers'] = {}): GasError {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ statusCode: status, message }),
  }
}
