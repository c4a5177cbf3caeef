const keyForm = /^[A-Za-z0-9_-]{1,128}$/
// oxlint-disable-next-line no-control-regex -- RFC 7617 §2 forbids exactly these in a password
const controls = /[\0-\x1f\x7f-\x9f]/

/** Tells whether `text` can be a key: 1 to 128 of `A-Z a-z 0-9 _ -`. Generated keys are 32 lower-case hex characters. */
export function isApiKey(text: string): boolean {
  return keyForm.test(text)
}

/** Tells whether `text` can be a secret: 1 to 1,024 characters without control characters (RFC 7617 §2). */
export function isApiSecret(text: string): boolean {
  return text.length >= 1 && text.length <= 1_024 && !hasControls(text)
}

/** Tells whether `text` holds a control character (C0, DEL, C1). */
export function hasControls(text: string): boolean {
  return controls.test(text)
}
