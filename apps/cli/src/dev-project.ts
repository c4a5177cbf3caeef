/** The only key of `wayleave dev`. It is public, so dev mode listens on loopback only. */
export const devKey = '0123456789abcdef0123456789abcdef'
export const devSecret = 'fedcba9876543210fedcba9876543210'
export const devAdminToken = 'wayleave-dev-admin'
