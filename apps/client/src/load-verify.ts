/** A module of its own, so that only who verifies loads it, and of the package only this. */
export { verify } from '@wayleave/evm-verify'
