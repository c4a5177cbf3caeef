export { type VerifyError, type VerificationLevel, type VerifyOptions, type Verdict } from '@wayleave/evm-verify'
export { verify } from './verify.ts'
