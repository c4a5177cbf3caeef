/** A module of its own, so that it loads only for verification, with nothing else of the package. */
export { verify } from '@wayleave/evm-verify'
